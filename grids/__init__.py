"""The papers' tables: grids as YAML files, and the code that plays them."""
