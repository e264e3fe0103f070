"""The actions that a planner offers: all of the simulator, or those of ReAcTree's paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

from ... import plugins
from ...observation_text.dialect import Dialect
from ...skills.actions import Verb
from ..contract import Brief, Decisions, Percept

_VIRTUALHOME = frozenset({Verb.GO_TO, Verb.PICK_UP, Verb.PUT, Verb.OPEN, Verb.CLOSE, Verb.TURN_ON})
_AI2THOR = _VIRTUALHOME | {Verb.TURN_OFF, Verb.SLICE}


class Actions(StrEnum):
    """ALL: of the simulator. PAPER: six of VirtualHome, eight of AI2-THOR.

    After Choi et al., ReAcTree (2025), appendix B.2.
    """

    ALL = "all"
    PAPER = "paper"


def limited_to(
    actions: Actions, plan: Callable[[Brief, Percept], Decisions], brief: Brief, percept: Percept
) -> Decisions:
    """Plan with these actions alone: no others are told, offered or understood."""
    if actions is Actions.ALL:
        return plan(brief, percept)
    is_thor = brief.dialect.startswith("reactree_thor")
    verbs = brief.actions & (_AI2THOR if is_thor else _VIRTUALHOME)
    dialect = plugins.load("dialect", brief.dialect)
    assert isinstance(dialect, Dialect), f"{brief.dialect} is no dialect"
    return _limited(verbs, plan, replace(brief, actions=verbs, forms=dialect.forms(verbs)), percept)


def _limited(
    verbs: frozenset[Verb],
    plan: Callable[[Brief, Percept], Decisions],
    brief: Brief,
    percept: Percept,
) -> Decisions:
    decisions = plan(brief, _only(verbs, percept))
    try:
        decision = next(decisions)
        while True:
            percept = yield decision
            decision = decisions.send(_only(verbs, percept))
    except StopIteration:
        return


def _only(verbs: frozenset[Verb], percept: Percept) -> Percept:
    """A percept whose menu has these verbs alone."""
    return replace(
        percept, menu=lambda: [offer for offer in percept.menu() if offer[1].verb in verbs]
    )
