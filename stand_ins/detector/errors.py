"""What a detector gets wrong: things missed, invented and miscounted, at rates one can set.

For an image with N things, each in one of its groups (alike: same category, same place):

    miscounted  of every group of two and more, with this probability some are left out: one at
                least and all but one at most, each number as likely
    missed      each of the others is left out with this probability
    invented    for each of the N, with this probability a thing is told that is not there

So a thing is told with the probability s = (1 - missed) * (1 - miscounted / 2) in a group of two or
more, and s = 1 - missed alone; `benchmarks/detector.py` derives the F1 to be expected from that.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from ...observation_text.tile_codes import TileCode
from ...scene_graph.node import Relation
from ..rates import read_rates

#: What is told without being there; no suite has them.
_INVENTED = ("telescope", "gramophone", "sundial", "anvil", "accordion", "trombone", "globe")


@dataclass(frozen=True)
class ErrorRates:
    """Probabilities; see above."""

    missed: float = 0.0
    invented: float = 0.0
    miscounted: float = 0.0


def parse_rates(text: str) -> ErrorRates:
    """The rates of "missed=0.1,invented=0.05". Raises BadInput."""
    known = [field.name for field in fields(ErrorRates)]
    return ErrorRates(**read_rates(text, known, "The rate", "error of the detector"))


def with_errors(
    things: Sequence[TileCode], place: TileCode, rates: ErrorRates, chance: random.Random
) -> list[TileCode]:
    """The things as they are told: some left out, and then what is invented on the place."""
    left_out: set[int] = set()
    for group in _groups(things).values():
        if len(group) > 1 and chance.random() < rates.miscounted:
            fewer = chance.randint(1, len(group) - 1)
            left_out.update(thing.index for thing in chance.sample(group, fewer))
    told = [t for t in things if chance.random() >= rates.missed and t.index not in left_out]
    return told + list(_invented(things, place, rates, chance))


def _groups(things: Sequence[TileCode]) -> Mapping[object, list[TileCode]]:
    """Things that look alike and are kept in the same way by the same thing."""
    found: dict[object, list[TileCode]] = {}
    for thing in things:
        found.setdefault((thing.category, thing.relation, thing.parent), []).append(thing)
    return found


def _invented(
    things: Sequence[TileCode], place: TileCode, rates: ErrorRates, chance: random.Random
) -> Iterator[TileCode]:
    index = max((thing.index for thing in things), default=place.index)
    for _ in things:
        if chance.random() < rates.invented:
            index += 1
            category = chance.choice(_INVENTED)
            yield TileCode(index, place.index, Relation.ON, things[0].kind, frozenset(), category)
