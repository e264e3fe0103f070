"""The suites `kitchens_ambiguous`, `…_easy`, `…_medium` and `…_hard`.

The tasks of `kitchens`, but for instructions that can be understood in several ways (`readings`): a
planner that is granted the goal is told all that could be meant, and finds out what is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from ....adapters.kitchens.layouts import Layout, layouts
from ....adapters.random_draws import RandomDraws
from ....errors import BadInput
from ....scene_graph.task import Task
from ..contract import Suite, in_turns
from .drawing import offered
from .readings import draw_ambiguous
from .rules import LEVELS, Level, budgets_of, rules_of
from .suites import TASKS_EACH, task_of

_NAME = "kitchens_ambiguous"
#: The first seed, so that no task is drawn as one of `kitchens` is.
_SEED = 1000
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
    groups = [
        _tasks(layout, level, _SEED + 100 * LEVELS.index(level) + number)
        for number, layout in enumerate(layouts(), start=1)
        for level in levels
    ]
    difficulty = "" if len(levels) > 1 else f"{levels[0].name} "
    return Suite(
        name=name,
        summary=f"Tru-POMDP style {difficulty}tasks in kitchens: one of several goals is meant",
        tasks=in_turns(groups, TASKS_EACH),
        adapter="kitchen",
        rules=rules_of(layouts()[0]),
        budgets=budgets_of(levels[-1]),
        sources=frozenset({"kitchens"}),
    )


def _tasks(layout: Layout, level: Level, seed: int) -> Iterator[Task]:
    """The tasks of a level in a kitchen, the families in turn; each kitchen begins elsewhere."""
    chance = RandomDraws(seed)
    told: set[str] = set()
    for turn in range(1, TASKS_EACH + 1):
        hints = min(chance.weighted(level.needs), _MAX_HINTS)
        families = offered(layout, hints + 1)
        family = families[(seed + turn) % len(families)]
        drawn = draw_ambiguous(family, layout, hints, chance)
        while drawn.instruction in told:
            drawn = draw_ambiguous(family, layout, hints, chance)
        told.add(drawn.instruction)
        yield task_of(f"{level.name}/{layout.name}-{turn}", drawn, layout, level)
