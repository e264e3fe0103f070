"""The actions that a planner offers: all of the simulator, or those of ReAcTree's paper."""

from __future__ import annotations

from enum import StrEnum

from ... import plugins
from ...observation_text.dialect import Dialect
from ...skills.actions import Action, Verb
from ..contract import Brief, Percept

_VIRTUALHOME = frozenset({Verb.GO_TO, Verb.PICK_UP, Verb.PUT, Verb.OPEN, Verb.CLOSE, Verb.TURN_ON})
_AI2THOR = _VIRTUALHOME | {Verb.TURN_OFF, Verb.SLICE}


class Actions(StrEnum):
    """ALL: of the simulator. PAPER: six of VirtualHome, eight of AI2-THOR.

    After Choi et al., ReAcTree (2025), appendix B.2.
    """

    ALL = "all"
    PAPER = "paper"


class ActionSpace:
    """The kinds of actions on offer in an episode."""

    def __init__(self, brief: Brief, actions: Actions) -> None:
        self._verbs = brief.actions
        self.forms = brief.forms
        if actions is Actions.PAPER:
            is_thor = brief.dialect.startswith("reactree_thor")
            self._verbs &= _AI2THOR if is_thor else _VIRTUALHOME
            dialect = plugins.load("dialect", brief.dialect)
            assert isinstance(dialect, Dialect), f"{brief.dialect} is no dialect"
            self.forms = dialect.forms(self._verbs)

    def has(self, verb: Verb) -> bool:
        """Whether a kind of action is on offer."""
        return verb in self._verbs

    def menu(self, percept: Percept) -> list[tuple[str, Action]]:
        """The actions on offer now, with their texts."""
        return [offer for offer in percept.menu() if offer[1].verb in self._verbs]
