"""The package virtualhome-eval: its files, and its simulator on demand.

Data and simulator: https://pypi.org/project/virtualhome-eval/ (MIT). The simulator needs numpy and
0.1 s to import, so it is imported at the first use.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ... import installed
from ...errors import Missing
from .server import SimulatorModules, import_simulator

_SCENES = "TrimmedTestScene1_graph/results_intentions_march-13-18"
_PROGRAMS = "dataset/programs_processed_precond_nograb_morepreconds"
_DATA = installed.DataPackage("virtualhome-eval", "virtualhome_eval", _PROGRAMS)


def missing() -> str | None:
    """One sentence on what is not installed and how to get it, or None."""
    return installed.missing(_DATA)


def tasks_path() -> Path:
    """The annotated tasks: 342 goals in 26 categories. Raises Missing."""
    return installed.require(_DATA) / "resources/virtualhome/task_state_LTL_formula_accurate.json"


def graphs_path() -> Path:
    """The folder of fileN_M.json: the graphs before and after each program. Raises Missing."""
    return installed.require(_DATA) / _PROGRAMS / "init_and_final_graphs" / _SCENES


def programs_path() -> Path:
    """The folder of fileN_M.txt: title, description and script lines. Raises Missing."""
    return installed.require(_DATA) / _PROGRAMS / "executable_programs" / _SCENES


@cache
def simulator() -> SimulatorModules:
    """The simulator's modules, imported by the first call. Raises Missing."""
    installed.require(_DATA)
    try:
        return import_simulator()
    except ImportError as error:
        raise Missing(
            installed.damaged(_DATA, f"has a simulator that cannot be imported ({error})")
        ) from error
