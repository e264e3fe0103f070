"""Suites of kitchen tasks drawn by rules: some levels in each kitchen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ...adapters.kitchens.layouts import Layout, english, layouts
from ...adapters.kitchens.scenes import ids_of, relation_at, scene_of
from ...adapters.random_draws import RandomDraws
from ...scene_graph.goals import And, Goal, Or, Related
from ...scene_graph.rules import Budgets, Ends, Feedback, RefusedText, Rewards, Rules
from ...scene_graph.task import Task
from ...skills.actions import Verb
from ..contract import LazyTasks, Suite, in_turns
from .drawing import Drawn, offered
from .knowledge import IntentFamily

PLANNING_S = 600.0
#: The paper's rewards: for success, for a failed action, and for each action.
GOAL, INFEASIBLE, MANIPULATION = 1000.0, -25.0, -5.0


@dataclass(frozen=True)
class Level:
    """A level of difficulty. needs: numbers of objects that tasks ask for, and their weights."""

    name: str
    steps: int
    needs: dict[int, int]


LEVELS = (
    Level("easy", 25, {2: 1}),
    Level("medium", 30, {3: 1}),
    Level("hard", 35, {4: 5, 5: 4, 6: 3, 7: 2, 8: 1}),
)


def rules_of(layout: Layout) -> Rules:
    """The rules of an episode in a kitchen, where a way costs its length."""
    travel = {
        english(start): {english(end): -float(length) for end, length in ends.items() if length}
        for start, ends in layout.distances.items()
    }
    verbs = {str(verb): MANIPULATION for verb in (Verb.OPEN, Verb.PICK_UP, Verb.PUT)}
    return Rules(
        ends=Ends.GOAL_REACHED,
        refused=RefusedText.STEP,
        feedback=Feedback.GOAL_CHECK,
        rewards=Rewards(goal=GOAL, failed=INFEASIBLE, verbs=verbs, travel=travel),
        confirms_placements=True,
    )


def budgets_of(level: Level) -> Budgets:
    """The level's steps; twice as many where each way to an area is a step of its own."""
    return Budgets(steps=level.steps, planning_s=PLANNING_S, walking_steps=2 * level.steps)


#: The number of tasks of a level in a kitchen.
_TASKS_EACH = 20

#: Draws a task that asks for a number of objects.
Draw = Callable[[IntentFamily, Layout, int, RandomDraws], Drawn]


def by_level(summary: str) -> dict[str, str]:
    """The variants of a family: all levels, and each one. summary: has {} for the level."""
    return {"": summary.format("")} | {
        level.name: summary.format(f"{level.name} ") for level in LEVELS
    }


def levels_of(variant: str) -> list[Level]:
    """The levels of a variant."""
    return [level for level in LEVELS if variant in ("", level.name)]


def suite_of(
    name: str,
    summary: str,
    tasks: Sequence[Task],
    levels: Sequence[Level],
    source: str = "kitchens",
) -> Suite:
    """Make a suite of kitchen tasks. source: the source of its tasks and goals."""
    return Suite(
        name=name,
        summary=summary,
        tasks=tasks,
        adapter="kitchen",
        rules=rules_of(layouts()[0]),
        budgets=budgets_of(levels[-1]),
        sources=frozenset({source}),
    )


def drawn_tasks(
    levels: Sequence[Level],
    draw: Draw,
    *,
    first_seed: int = 0,
    spare_needs: int = 0,
    most_needs: int = 8,
) -> LazyTasks:
    """The tasks of some levels in all kitchens, in turn.

    spare_needs: how many needs a family must have besides those of the task. most_needs: most needs
    of a task.
    """
    groups = [
        _tasks(layout, level, draw, seed, spare_needs, most_needs)
        for number, layout in enumerate(layouts(), start=1)
        for level in levels
        for seed in [first_seed + 100 * LEVELS.index(level) + number]
    ]
    return in_turns(groups, _TASKS_EACH)


def _tasks(
    layout: Layout,
    level: Level,
    draw: Draw,
    seed: int,
    spare_needs: int,
    most_needs: int,
) -> Iterator[Task]:
    """The tasks of a level in a kitchen, families in turn. Kitchens begin with different ones."""
    chance = RandomDraws(seed)
    known: set[str] = set()
    for turn in range(1, _TASKS_EACH + 1):
        needs = min(chance.weighted(level.needs), most_needs)
        families = offered(layout, needs + spare_needs)
        family = families[(seed + turn) % len(families)]
        drawn = draw(family, layout, needs, chance)
        while drawn.instruction in known:
            drawn = draw(family, layout, needs, chance)
        known.add(drawn.instruction)
        yield _task_of(f"{level.name}/{layout.name}-{turn}", drawn, layout, level)


def _task_of(task_id: str, drawn: Drawn, layout: Layout, level: Level) -> Task:
    """The task of what was drawn."""
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
