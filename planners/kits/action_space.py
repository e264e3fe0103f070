"""The actions that a planner offers: all of the simulator, or those of ReAcTree's paper."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from ... import plugins
from ...observation_text.dialect import Dialect
from ...skills.actions import Verb
from ..contract import Brief

_VIRTUALHOME = frozenset({Verb.GO_TO, Verb.PICK_UP, Verb.PUT, Verb.OPEN, Verb.CLOSE, Verb.TURN_ON})
_AI2THOR = _VIRTUALHOME | {Verb.TURN_OFF, Verb.SLICE}


class Actions(StrEnum):
    """ALL: of the simulator. PAPER: six of VirtualHome, eight of AI2-THOR.

    After Choi et al., ReAcTree (2025), appendix B.2.
    """

    ALL = "all"
    PAPER = "paper"


def limited_to(actions: Actions, brief: Brief) -> Brief:
    """The brief with these actions alone: `offered` and `judge` of prompts keep to them."""
    if actions is Actions.ALL:
        return brief
    is_thor = brief.dialect.startswith("reactree_thor")
    verbs = brief.actions & (_AI2THOR if is_thor else _VIRTUALHOME)
    dialect = plugins.load("dialect", brief.dialect)
    assert isinstance(dialect, Dialect), f"{brief.dialect} is no dialect"
    return replace(brief, actions=verbs, forms=dialect.forms(verbs))
