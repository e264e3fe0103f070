"""The adapter `kitchen`: the built-in world with the body and vision of Tru-POMDP's robot."""

from __future__ import annotations

from dataclasses import replace

from ...observation_text.view import Visibility
from ...skills.actions import Verb
from ...skills.embodiment import Embodiment
from ..symbolic import SymbolicAdapter


class KitchenAdapter(SymbolicAdapter):
    """A kitchen in the built-in world.

    One hand holds, the other opens. Every action walks to its place by itself. Everything outside
    closed areas is visible from anywhere.
    """

    spec = replace(
        SymbolicAdapter.spec,
        name="kitchen",
        summary="the built-in world of the kitchens: one hand, actions that approach by themselves",
        actions=frozenset({Verb.OPEN, Verb.PICK_UP, Verb.PUT, Verb.WAIT}),
        embodiment=Embodiment(hands=1, approaches=True),
        visibility=Visibility.ROOM,
        loaders=("kitchen", "json"),
        dialects=("tru_pomdp", "reactree_plain", "reactree", "llm_state", "lookplangraph"),
    )
