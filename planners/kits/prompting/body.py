"""A body in words, for prompts: its limits, and whether it walks."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from ....scene_graph.goal_text import article
from ....skills.actions import Verb
from ....skills.embodiment import Embodiment
from ...contract import Brief

_WORDS = {Verb.PLUG_OUT: "unplug"}


def body_values(brief: Brief, verbs: Collection[Verb] | None = None) -> dict[str, Any]:
    """The values of templates that speak of the body.

    verbs: those that the prompt speaks of; by default all of the simulator. walks: whether it has
    the action to go to things. A body without it acts on all that it sees from where it is.
    """
    body, verbs = brief.embodiment, brief.actions if verbs is None else verbs
    return {
        "dialect": brief.dialect,
        "walks": Verb.GO_TO in brief.actions,
        "hands": body.hands,
        "free_hand": free_hand(body, verbs),
        "closed_to_run": closed_to_run(body, verbs),
    }


def is_mobile(body: Embodiment, verbs: Collection[Verb]) -> bool:
    """Whether a body gets to other places, by itself or by an action."""
    return body.approaches or Verb.GO_TO in verbs


def free_hand(body: Embodiment, verbs: Collection[Verb]) -> str:
    """The verbs among these that need a free hand, "open, close or turn on"; "" for none.

    Picking up is left out: its rule is how many things a body holds.
    """
    needing = body.needs_free_hand.intersection(verbs).difference({Verb.PICK_UP})
    return enumerated(_WORDS.get(verb, verb.replace("_", " ")) for verb in Verb if verb in needing)


def closed_to_run(body: Embodiment, verbs: Collection[Verb]) -> str:
    """A sentence about what runs only while it is closed; "" for nothing."""
    if Verb.TURN_ON not in verbs or not body.closed_to_run:
        return ""
    things = enumerated(f"{article(thing)} {thing}" for thing in sorted(body.closed_to_run))
    return f"Close {things} before you turn it on, and turn it off before you open it."


def enumerated(words: Iterable[str]) -> str:
    """ "open, close or turn_on"; empty for no words."""
    *most, last = [*words] or [""]
    return f"{', '.join(most)} or {last}" if most else last
