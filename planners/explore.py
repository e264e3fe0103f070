"""The planner `explore`: knows the goal, but not where its things are.

It looks first at the places where the prior expects most missing objects per step, and merges all
views into an observed graph. Once no object is missing, it follows shortest plans on that graph. Of
an ambiguous goal it tries one alternative after the other, until a goal check succeeds.
"""

from __future__ import annotations

from .contract import HOMES, Brief, Decisions, Grant, Percept, Planner
from .kits.household import prior
from .kits.household.explorer import Explorer


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Look for missing objects, then act; look again where the observed graph proves wrong."""
    yield from Explorer(brief, percept).run()


PLANNER = Planner(
    name="explore",
    summary="knows the goal, searches for its things where they are usually kept, then acts",
    plan=plan,
    grants=frozenset({Grant.GOAL}),
    dialects=(*HOMES, "alfworld", "tru_pomdp", "compact"),
    missing=prior.missing,
)
