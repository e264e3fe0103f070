"""The suites `household` and its variants: LLM-State's fifteen kinds of tasks.

The kinds, their step limits and their traps are those of LLM-State (Chen et al., 2023,
https://arxiv.org/abs/2311.17406, section V-A and Table I); docs/suites/household.md lists them.
Toast is a slice that was in the toaster when it was turned on: an event, since no state shows it.
Text that cannot be parsed is tried and costs a step, because LLM-State's robot guesses names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count

from ...adapters.random_draws import RandomDraws
from ...adapters.virtualhome.arranged import scene_of
from ...scene_graph.rules import Budgets, RefusedText, Rules
from ...scene_graph.task import Task
from ..contract import Family, LazyTasks, Suite, suite_name
from .house import House, has_all_furniture
from .kinds import HARD, SIMPLE

#: Houses of four to seven rooms with one kitchen table, bathroom cabinet, bedroom and bathroom.
HOUSES = tuple(f"house:{number}" for number in (404, 429, 453, 304, 413))
#: The same furniture in houses of four to seven rooms as people live in them.
LIVED_IN_HOUSES = tuple(f"house:{number}?lived_in" for number in (402, 403, 404, 405, 406))
KINDS = (*SIMPLE, *HARD)
#: The first house of `household:generated`; tests have houses with lower numbers.
FIRST_GENERATED_HOUSE = 1001
GENERATED = 2000
_IN_IDS = str.maketrans(":?", "--")


@cache
def load(variant: str = "") -> Suite:
    """Make a suite of the family. Raises Missing without virtualhome-eval."""
    if variant == "generated":
        tasks = LazyTasks(GENERATED, _without_end())
    else:
        houses = LIVED_IN_HOUSES if variant else HOUSES
        tasks = LazyTasks(len(KINDS) * len(houses), _tasks(houses))
    return Suite(
        name=suite_name(FAMILY.name, variant),
        summary=FAMILY.variants[variant],
        tasks=tasks,
        adapter="virtualhome",
        rules=Rules(refused=RefusedText.STEP),
        budgets=Budgets(steps=max(kind.steps for kind in KINDS)),
        sources=frozenset({"house"}),
    )


FAMILY = Family(
    name="household",
    variants={
        "": "LLM-State's fifteen kinds of household tasks in five generated houses",
        "lived_in": "LLM-State's kinds in five houses furnished and kept as people do it",
        "generated": "LLM-State's kinds of household tasks by the thousand, to train models on",
    },
    make=load,
    no_data="its tasks are made from rules",
)


def _tasks(houses: Sequence[str]) -> Iterator[Task]:
    """Each kind in the first house, then each in the second, and so on."""
    for number, scene in enumerate(houses, start=1):
        yield from _tasks_in(scene, 100 * number)


def _without_end() -> Iterator[Task]:
    """Each kind in one house after the other, of those with the furniture for all kinds."""
    for number in count(FIRST_GENERATED_HOUSE):
        scene = f"house:{number}"
        if has_all_furniture(scene):
            yield from _tasks_in(scene, 100 * number)


def _tasks_in(scene: str, first_seed: int) -> Iterator[Task]:
    """A task of each kind in a house."""
    house = House(scene)
    for seed, kind in enumerate(KINDS, start=first_seed):
        asked = kind.make(house, RandomDraws(seed))
        yield Task(
            id=f"{kind.name}/{scene.translate(_IN_IDS)}",
            instruction=asked.instruction,
            goal=asked.goal,
            scene=scene_of(scene, asked.changes.all()),
            labels={"category": kind.name, "level": "simple" if kind in SIMPLE else "hard"},
            budgets=Budgets(steps=kind.steps),
        )
