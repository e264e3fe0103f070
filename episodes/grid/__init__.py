"""Grids: the runs that make up a table or figure of a paper, as a file says.

A grid file is YAML, see `Grid`. Each of its suites is played by each of its rows with each of its
seeds; every run has its folder, which is continued where it is there already. `GridSession` plays
them together, and `episodes.parquet` holds all their episodes.
"""

from .figures import FIGURES
from .printed import grid_table
from .rows import GridRow, GridRun, config_of, rows_of, runs_of
from .spec import Grid, GridModel, GridPlanner, read_grid

__all__ = [
    "FIGURES",
    "Grid",
    "GridModel",
    "GridPlanner",
    "GridRow",
    "GridRun",
    "config_of",
    "grid_table",
    "read_grid",
    "rows_of",
    "runs_of",
]
