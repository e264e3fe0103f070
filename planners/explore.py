"""The planner `explore`: knows the goal, but not where its things are.

It looks at places in the order of the objects that the prior expects there per step, merges all it
sees into an observed graph, and follows shortest plans on that as soon as no object is missing. Of
an ambiguous goal it tries one alternative after the other, as it is told that it is not done.
"""

from __future__ import annotations

from .contract import Brief, Decisions, Grant, Percept, Planner
from .kits.household import prior
from .kits.household.explorer import Explorer


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Look for missing objects, then act, and look again where the observed graph proves wrong."""
    yield from Explorer(brief, percept).run()


PLANNER = Planner(
    name="explore",
    summary="knows the goal, searches for its things where they are usually kept, then acts",
    plan=plan,
    grants=frozenset({Grant.GOAL}),
    dialects=("reactree", "reactree_plain", "reactree_thor", "alfworld", "tru_pomdp", "compact"),
    missing=prior.missing,
)
