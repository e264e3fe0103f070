"""Actions in words with plain names ("kitchen table 1"), the same in every dialect."""

from __future__ import annotations

from collections.abc import Mapping

from ..skills.actions import Action, Verb
from .dialects.reactree.grammar import INTO, PHRASES, PREPOSITIONS


def worded(action: Action, names: Mapping[int, str]) -> str:
    """An action as the dialect `reactree` words it, with these names."""
    if action.target is None:
        return "look around" if action.verb is Verb.LOOK else action.verb.replace("_", " ")
    text = f"{PHRASES.get(action.verb, action.verb)} {names.get(action.target, 'something')}"
    if action.place is None:
        return text
    how = INTO if action.relation is None else PREPOSITIONS[action.relation]
    return f"{text} {how} {names.get(action.place, 'something')}"
