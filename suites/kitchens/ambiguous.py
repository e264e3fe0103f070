"""The suites `kitchens_ambiguous`, `…_easy`, `…_medium` and `…_hard`.

The tasks of `kitchens`, but for instructions that can be understood in several ways (`readings`): a
planner that is granted the goal is told all that could be meant, and finds out what is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ...errors import BadInput
from ..contract import Suite
from .drawn_suites import drawn_tasks, suite_of
from .readings import draw_ambiguous
from .rules import LEVELS, Level

_NAME = "kitchens_ambiguous"
#: The first seed, so that no task is drawn as one of `kitchens` is.
_FIRST_SEED = 1000
#: The most hints of a task: a family has eight needs, and one hint at least has two.
_MAX_HINTS = 7


def load(data: Path | None = None) -> Suite:
    """All levels in turn. Raises BadInput for data: files do not tell what is ambiguous."""
    return _suite(_NAME, LEVELS, data)


def load_easy(data: Path | None = None) -> Suite:
    """The easy tasks; raises as `load` does."""
    return _suite(f"{_NAME}_easy", LEVELS[:1], data)


def load_medium(data: Path | None = None) -> Suite:
    """The medium tasks; raises as `load` does."""
    return _suite(f"{_NAME}_medium", LEVELS[1:2], data)


def load_hard(data: Path | None = None) -> Suite:
    """The hard tasks; raises as `load` does."""
    return _suite(f"{_NAME}_hard", LEVELS[2:], data)


def _suite(name: str, levels: Sequence[Level], data: Path | None) -> Suite:
    if data is not None:
        raise BadInput(f"The suite {name} takes no --data; play files by --suite kitchens.")
    return _drawn(name, tuple(level.name for level in levels))


@cache
def _drawn(name: str, names: tuple[str, ...]) -> Suite:
    levels = [level for level in LEVELS if level.name in names]
    difficulty = "" if len(levels) > 1 else f"{levels[0].name} "
    tasks = drawn_tasks(
        levels,
        draw_ambiguous,
        first_seed=_FIRST_SEED,
        spare_needs=1,
        most_needs=_MAX_HINTS,
    )
    return suite_of(
        name,
        f"Tru-POMDP style {difficulty}tasks in kitchens: one of several goals is meant",
        tasks,
        levels,
        "kitchens",
    )
