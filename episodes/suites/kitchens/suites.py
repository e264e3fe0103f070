"""The suites `kitchens`, `kitchens_easy`, `kitchens_medium` and `kitchens_hard`.

Tru-POMDP's object rearrangement (Tang et al., 2025, section 5.1 and appendix A): in one of five
kitchens, with a hand that holds and one that opens, things are to be brought to where a vague
instruction may have them. Kitchens, levels, limits, costs and feedback are the paper's;
instructions, objects and placements are drawn by our own rules (`drawing`). A goal asks for 2, 3 or
4 to 8 things, and up to hundreds of goals are acceptable.

With `--data` the tasks are those of published JSON files instead (`files`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from ....adapters.kitchens.layouts import Layout, layouts
from ....adapters.kitchens.scenes import ids_of, relation_at, scene_of
from ....adapters.random_draws import RandomDraws
from ....scene_graph.goals import And, Goal, Or, Related
from ....scene_graph.task import Task
from ..contract import Suite, in_turns
from .drawing import Drawn, draw, offered
from .files import tasks_of_files
from .rules import LEVELS, Level, budgets_of, rules_of

#: Tasks of a level in a kitchen.
TASKS_EACH = 20


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
    tasks = [
        task
        for task in tasks_of_files(data)
        if len(levels) > 1 or task.labels["level"] == levels[0].name
    ]
    return Suite(
        name=name,
        summary=f"the kitchen tasks of {data}",
        tasks=tuple(tasks),
        adapter="kitchen",
        rules=rules_of(layouts()[0]),
        budgets=budgets_of(levels[-1]),
        sources=frozenset({"tru_pomdp"}),
    )


@cache
def _drawn(name: str, names: tuple[str, ...]) -> Suite:
    levels = [level for level in LEVELS if level.name in names]
    groups = [
        _tasks(layout, level, seed=100 * LEVELS.index(level) + number)
        for number, layout in enumerate(layouts(), start=1)
        for level in levels
    ]
    difficulty = "" if len(levels) > 1 else f"{levels[0].name} "
    return Suite(
        name=name,
        summary=f"Tru-POMDP style {difficulty}tasks: vague instructions in five kitchens",
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
        needs = chance.weighted(level.needs)
        families = offered(layout, needs)
        family = families[(seed + turn) % len(families)]
        drawn = draw(family, layout, needs, chance)
        while drawn.instruction in told:
            drawn = draw(family, layout, needs, chance)
        told.add(drawn.instruction)
        yield task_of(f"{level.name}/{layout.name}-{turn}", drawn, layout, level)


def task_of(task_id: str, drawn: Drawn, layout: Layout, level: Level) -> Task:
    """A task as it was drawn."""
    ids = ids_of(layout, drawn.objects)

    def at(thing: str, area: str) -> Related:
        return Related(ids[thing], relation_at(layout.areas[area].closed), ids[area])

    def anywhere(thing: str, areas: Sequence[str]) -> Goal:
        parts = tuple(at(thing, area) for area in areas)
        return parts[0] if len(parts) == 1 else Or(parts)

    goal = Or(
        tuple(
            And(tuple(anywhere(thing, areas) for thing, areas in combination.items()))
            for combination in drawn.goals
        )
    )
    could_be = tuple(
        Or(tuple(at(thing, area) for thing, areas in of_hint.items() for area in areas))
        for of_hint in drawn.hints
    )
    return Task(
        id=task_id,
        instruction=drawn.instruction,
        goal=goal,
        candidates=And(could_be) if could_be else None,
        scene=scene_of(layout, drawn.objects, drawn.at),
        labels={
            "category": drawn.family,
            "level": level.name,
            "kitchen": layout.name,
            "scene": f"kitchen {layout.name}",
        },
        budgets=budgets_of(level),
        rules=rules_of(layout),
    )
