"""The planner `expert`: knows the true state and takes shortest plans. The upper bound."""

from __future__ import annotations

from ...skills.actions import ARM_ONLY_VERBS
from ..contract import Brief, Decisions, Grant, Percept, Planner
from ..kits.household.shortest_plans import follow_shortest_plans
from . import blocks


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Follow shortest plans in a household, or rearrange the blocks before an arm."""
    way = blocks.plan if brief.actions & ARM_ONLY_VERBS else follow_shortest_plans
    yield from way(brief, percept)


PLANNER = Planner(
    name="expert",
    summary="knows the true state and takes shortest plans: the upper bound",
    plan=plan,
    grants=frozenset({Grant.TRUTH, Grant.GOAL}),
    dialects=(
        "reactree",
        "reactree_plain",
        "reactree_thor",
        "blocks",
        "alfworld",
        "tru_pomdp",
        "compact",
    ),
)
