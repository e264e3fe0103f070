"""The suite `kitchen_physics`: a hundred tasks of six kinds in furnished kitchens.

Each was played by the planner `expert` in contact physics before it was admitted
(`benchmarks/kitchen_physics/admit.py` wrote `admitted.yaml`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from ...adapters.kitchens.furnished.body import VERBS
from ...data_files import read_yaml
from ...scene_graph.rules import Budgets, Rewards, Rules
from ...scene_graph.task import Task
from ...skills.actions import Verb
from ..contract import Family, LazyTasks, Suite
from .drawing import draw

#: Tasks of each kind.
NUMBERS = {"fetch": 25, "set_out": 20, "put_away": 20, "clear": 15, "close": 10, "warm_up": 10}
#: The first seed of tasks.
FIRST_SEED = 10_000
#: The reward of success, and the costs of an action that succeeds and of one that fails.
GOAL, ACTION, FAILED = 1000.0, -5.0, -25.0
RULES = Rules(
    rewards=Rewards(
        goal=GOAL,
        failed=FAILED,
        verbs={str(verb): ACTION for verb in sorted(VERBS - {Verb.WAIT})},
    )
)


@cache
def load(variant: str = "") -> Suite:
    """Make the suite. Raises Missing without numpy."""
    admitted = _admitted()
    seeds = {kind: admitted["seeds"][kind] for kind in NUMBERS}
    total = sum(map(len, seeds.values()))
    refused = admitted["refused"]
    return Suite(
        name=FAMILY.name,
        summary=FAMILY.variants[variant],
        tasks=LazyTasks(total, _tasks(seeds)),
        adapter="mujoco_kitchen",
        rules=RULES,
        budgets=Budgets(steps=120),
        sources=frozenset({"furnished_kitchen"}),
        skipped={"the expert failed there in contact physics": refused} if refused else {},
    )


FAMILY = Family(
    name="kitchen_physics",
    variants={"": "a hundred household tasks in kitchens, for contact physics or by rules"},
    make=load,
    no_data="its tasks are drawn by rules",
)


def task_of(kind: str, seed: int) -> Task:
    """The task of a kind and a seed. Raises drawing.NoSpot if there is none."""
    drawn = draw(kind, seed)
    return Task(
        id=f"{kind}/{seed}",
        instruction=drawn.instruction,
        goal=drawn.goal,
        scene=drawn.scene,
        labels={"category": kind, "scene": f"furnished kitchen {drawn.kitchen}"},
        budgets=Budgets(steps=drawn.steps),
    )


def _admitted() -> dict[str, Any]:
    data: dict[str, Any] = read_yaml(Path(__file__).with_name("admitted.yaml"))
    return data


def _tasks(seeds: dict[str, list[int]]) -> Iterator[Task]:
    """The tasks of all kinds, in turn."""
    turns = zip_longest(*([(kind, seed) for seed in of_kind] for kind, of_kind in seeds.items()))
    for pair in chain.from_iterable(turns):
        if pair is not None:
            yield task_of(*pair)
