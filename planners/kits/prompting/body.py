"""The limits of a body in words, for prompts."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ....skills.actions import Verb
from ....skills.embodiment import Embodiment

_WORDS = {Verb.PLUG_OUT: "unplug"}


def free_hand(body: Embodiment, verbs: Collection[Verb]) -> str:
    """The verbs among these that need a free hand, "open, close or turn on"; "" for none.

    Picking up is left out: its rule is how many things a body holds.
    """
    needing = body.needs_free_hand.intersection(verbs).difference({Verb.PICK_UP})
    return enumerated(_WORDS.get(verb, verb.replace("_", " ")) for verb in Verb if verb in needing)


def enumerated(words: Iterable[str]) -> str:
    """ "open, close or turn_on"; empty for no words."""
    *most, last = [*words] or [""]
    return f"{', '.join(most)} or {last}" if most else last
