"""What a person types of what it sees: "apple, cup 1 on tray, box (open)"."""

from __future__ import annotations

import re

from ...errors import BadInput
from ...scene_graph.node import Relation, State
from .questions import KEPT, Kept, Sighting
from .room_file import RELATION_WORDS

#: A thing, perhaps with states in brackets, perhaps on, in or under another thing.
_ITEM = re.compile(
    r"(?P<thing>[^()]+?)(?:\s+\((?P<states>[^()]*)\))?"
    r"(?:\s+(?P<how>on|in|inside|under)\s+(?P<other>[^()]+))?"
)


def split_items(text: str) -> list[str]:
    """The items of a line, split by commas that are not in brackets; "-" is none."""
    items = [item.strip() for item in re.split(r",(?![^()]*\))", text)]
    return [item for item in items if item and item != "-"]


def parsed_item(item: str, relation: Relation, place: str) -> Sighting:
    """The sighting of an item. relation, place: where it is unless it says otherwise.

    Raises BadInput.
    """
    found = _ITEM.fullmatch(item)
    if found is None:
        raise BadInput(f"'{item}' is not understood; type a name, such as: cup 1, box (open).")
    how: Kept = KEPT[relation]
    if found["how"]:
        how, place = KEPT[RELATION_WORDS[found["how"]]], found["other"].strip()
    states = []
    for word in re.split(r"[,\s]+", (found["states"] or "").strip()):
        if word and word not in list(map(str, State)):
            raise BadInput(f"'{word}' is no state; take one of {', '.join(State)}.")
        if word:
            states.append(State(word))
    label = found["thing"].strip()
    if len(label) > 60:
        raise BadInput(f"The name '{label[:20]}…' is too long; take one of at most 60 characters.")
    return Sighting(thing=label, relation=how, place=place, states=tuple(states))
