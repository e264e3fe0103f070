"""The planner `random`: a uniformly random action of the menu. The lower bound."""

from __future__ import annotations

import random

from .contract import HOMES, Act, Brief, Decisions, GiveUp, Percept, Planner


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Choose uniformly from the present menu, with the brief's seed."""
    dice = random.Random(brief.seed)
    while menu := percept.menu():
        _, action = dice.choice(menu)
        percept = yield Act(action)
    yield GiveUp("There is nothing to do.")


PLANNER = Planner(
    name="random",
    summary="chooses uniformly from the actions on offer: the lower bound",
    plan=plan,
    dialects=(
        *HOMES,
        "blocks",
        "alfworld",
        "tru_pomdp",
        "compact",
    ),
)
