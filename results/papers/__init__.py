"""The papers' tables: grids as their files describe them, their runs and rows."""
