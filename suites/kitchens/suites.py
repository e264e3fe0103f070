"""The suites `kitchens`, `kitchens_easy`, `kitchens_medium` and `kitchens_hard`.

Tru-POMDP's object rearrangement (Tang et al., 2025, section 5.1 and appendix A): in one of five
kitchens, with a hand that holds and one that opens, things are to be brought to where a vague
instruction may have them. Kitchens, levels, limits, costs and feedback are the paper's;
instructions, objects and placements are drawn by our own rules (`drawing`). A goal asks for 2, 3 or
4 to 8 things, and up to hundreds of goals are acceptable.

With `--data` the tasks are those of published JSON files instead (`files`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ..contract import Suite
from .drawing import draw
from .drawn_suites import drawn_tasks, suite_of
from .files import tasks_of_files
from .rules import LEVELS, Level


def load(data: Path | None = None) -> Suite:
    """All levels in turn, or the tasks of the user's files. Raises BadInput for bad ones."""
    return _suite("kitchens", LEVELS, data)


def load_easy(data: Path | None = None) -> Suite:
    """The easy tasks; raises as `load` does."""
    return _suite("kitchens_easy", LEVELS[:1], data)


def load_medium(data: Path | None = None) -> Suite:
    """The medium tasks; raises as `load` does."""
    return _suite("kitchens_medium", LEVELS[1:2], data)


def load_hard(data: Path | None = None) -> Suite:
    """The hard tasks; raises as `load` does."""
    return _suite("kitchens_hard", LEVELS[2:], data)


def _suite(name: str, levels: Sequence[Level], data: Path | None) -> Suite:
    if data is None:
        return _drawn(name, tuple(level.name for level in levels))
    tasks = tuple(
        task
        for task in tasks_of_files(data)
        if len(levels) > 1 or task.labels["level"] == levels[0].name
    )
    return suite_of(name, f"the kitchen tasks of {data}", tasks, levels, "tru_pomdp")


@cache
def _drawn(name: str, names: tuple[str, ...]) -> Suite:
    levels = [level for level in LEVELS if level.name in names]
    difficulty = "" if len(levels) > 1 else f"{levels[0].name} "
    return suite_of(
        name,
        f"Tru-POMDP style {difficulty}tasks: vague instructions in five kitchens",
        drawn_tasks(levels, draw),
        levels,
        "kitchens",
    )
