"""A prior over the places of objects, from counts in designed houses and a sentence embedder."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....errors import Missing
from ....models import embedding
from ....models.embedding import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

#: Added to every rate, so that a pair without counts is unlikely, not impossible.
SMOOTHING = 0.02
#: From this similarity on, a category counts as a known one; below, the counts fade.
SAME_CATEGORY = 0.6
#: The exponent of similarities; the larger, the more the most similar categories decide.
SHARPNESS = 3
#: The weight of the centred cosine.
COSINE_WEIGHT = 5.0

_ROOMS = {
    "inKitchens": "kitchen",
    "inLivingRooms": "living room",
    "inBedrooms": "bedroom",
    "inBathrooms": "bathroom",
}


class Prior:
    """Log-likelihood ratios of places for objects: the sum of two sources.

    Counts: how often things of a category were put on or in receptacles of a category in the
    hand-designed rooms of iTHOR, and which rooms these things belong to. They are two tables of
    ProcTHOR (https://arxiv.org/abs/2206.06994; package `procthor` 0.0.1.dev2, Apache-2.0), in the
    folder `procthor`. An unknown category borrows from those most similar to it.

    Similarity: the cosine of the sentence embedder `wordllama` between a thing and a place, minus
    the mean over things for that place.

    sources: the data behind the counts, in the words of `Suite.sources`. On a suite made from any
    of it the counts are left out, and similarity decides.
    """

    sources = frozenset({"procthor"})

    def __init__(self, *, counted: bool = True) -> None:
        """Load the tables and the embedder. counted: whether placements count. Raises Missing."""
        reason = missing()
        if reason is not None:
            raise Missing(reason)
        self._embedder: Embedder = embedding.packaged()
        rates = {
            _words(receptacle): {_words(thing): share for thing, share in things.items()}
            for receptacle, things in _read("receptacles").items()
        }
        annotated = _read("rooms")
        rooms = {
            room: {_words(thing): level or 0 for thing, level in annotated[key].items()}
            for key, room in _ROOMS.items()
        }
        self._places = _Lifts(rates, self._embedder, SMOOTHING) if counted else None
        self._rooms = _Lifts(rooms, self._embedder, 0.25)
        self._centre = self._embedder.embed(self._rooms.things).mean(axis=0)
        self._scores: dict[tuple[str, str | None, str | None], float] = {}

    def score(self, thing: str, place: str | None, room: str | None) -> float:
        """The log of how many times more likely a thing is at a place than anywhere.

        All are categories in words ("milk", "kitchen table", "kitchen"); None stands for any.
        """
        key = (thing, place, room)
        if key not in self._scores:
            score = 0.0
            for name, lifts in ((place, self._places), (room, self._rooms)):
                if name is not None:
                    lift = 0.0 if lifts is None else lifts.lift(thing, name)
                    score += lift + COSINE_WEIGHT * self._centred_cosine(thing, name)
            self._scores[key] = score
        return self._scores[key]

    def _centred_cosine(self, thing: str, place: str) -> float:
        """The centred cosine of a thing and a place."""
        item, where = self._embedder.embed([thing, place])
        return float((item - self._centre) @ where)


class _Lifts:
    """Log lifts: how much more often than on average a thing is at a place."""

    def __init__(
        self, rates: Mapping[str, Mapping[str, float]], embedder: Embedder, smoothing: float
    ) -> None:
        import numpy as np

        self.places = sorted(rates)
        self.things = sorted({thing for at in rates.values() for thing in at})
        rows = [[rates[place].get(t, 0.0) for place in self.places] for t in self.things]
        table = np.array(rows, dtype=float) + smoothing
        self._table = np.log(table / table.mean(axis=1, keepdims=True))
        self._of_thing = _CategorySimilarity(self.things, embedder)
        self._of_place = _CategorySimilarity(self.places, embedder)

    def lift(self, thing: str, place: str) -> float:
        return float(self._of_thing(thing) @ self._table @ self._of_place(place))


class _CategorySimilarity:
    """Similarities of names to known categories, as shares."""

    def __init__(self, known: Sequence[str], embedder: Embedder) -> None:
        import numpy as np

        vectors = embedder.embed(known)
        self._embedder = embedder
        self._centre = vectors.mean(axis=0)
        centred = vectors - self._centre
        self._known = centred / np.linalg.norm(centred, axis=1, keepdims=True)
        self._shares: dict[str, Vectors] = {}

    def __call__(self, name: str) -> Vectors:
        """The share of each known category in a name, shape (known,); their sum is at most 1."""
        import numpy as np

        if name not in self._shares:
            vector = self._embedder.embed([name])[0] - self._centre
            cosines = self._known @ vector / (np.linalg.norm(vector) or 1.0)
            alike = np.clip(cosines, 0.0, 1.0)
            weights = alike**SHARPNESS
            total = float(weights.sum()) or 1.0
            self._shares[name] = weights / total * min(1.0, float(alike.max()) / SAME_CATEGORY)
        return self._shares[name]


def missing() -> str | None:
    """One sentence on what the prior lacks and how to install it, or None."""
    return embedding.missing()


@cache
def load(*, counted: bool = True) -> Prior:
    """The prior, loaded once per process, with or without counts. Raises Missing."""
    return Prior(counted=counted)


def _read(name: str) -> dict[str, dict[str, Any]]:
    path = Path(__file__).with_name("procthor") / f"{name}.json"
    table: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return table


def _words(name: str) -> str:
    """A category in plain words: "CounterTop" is "counter top"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
