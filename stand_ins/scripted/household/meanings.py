"""What an instruction may mean where tasks of different goals have the same words.

The words are the same for any model. What is seen tells the meanings apart as far as it can; of
those that are left, the commonest is seen to first, then those that do not undo it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..dialects.reactree import category
from .requirements import Requirement
from .situation import Situation

Meaning = tuple[Requirement, ...]


def likely(situation: Situation, meanings: Sequence[Meaning]) -> list[Meaning]:
    """The meanings to see to, in their order."""
    if len(meanings) == 1:
        return list(meanings)
    memory = situation.memory
    seen = {category(name) for name in (*memory.rooms, *memory.known_names(), *memory.held)}
    unseen = [_unseen_places(meaning, seen) for meaning in meanings]
    best = min(unseen)
    left = [meaning for meaning, count in zip(meanings, unseen, strict=True) if count == best]
    taken = left[:1]
    for meaning in left[1:]:
        if not any(_undoes(meaning, other) for other in taken):
            taken.append(meaning)
    return taken


def _unseen_places(meaning: Meaning, seen: set[str]) -> int:
    """How many of the places that it speaks of were not seen yet."""
    places = {r.place for r in meaning if r.place is not None}
    return sum(not seen.intersection(place.categories) for place in places)


def _undoes(meaning: Meaning, other: Meaning) -> bool:
    """Whether both bring things of a sort to different places, or hold different things."""
    for a in meaning:
        for b in other:
            if a.thing is None or b.thing is None:
                continue
            if a.relation == b.relation == "holds" and a.thing != b.thing:
                return True
            alike = set(a.thing.categories) & set(b.thing.categories)
            if alike and a.place is not None and b.place is not None and a.place != b.place:
                return True
    return False
