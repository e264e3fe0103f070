"""Sequences as arrays of few sizes, and the order in which they are trained on."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from .tokens import TokenSequence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Number = TypeVar("_Number", np.int32, np.float32)

#: Lengths are rounded up to a multiple of so many tokens: a program is compiled for each.
_SIZES = 256
#: What is said after a reply of a rare kind counts up to so many times as much as the average, and
#: after a common one down to one over it.
_MOST = 2.0
#: Sequences of alike length are put together among those of so many steps.
_ALIKE = 16


class Batch(NamedTuple):
    """A sequence with what is learnt of it.

    at: the positions before learnt tokens. targets: those tokens. weights: how much each counts, 0
    for padding. reply: the number of the reply that each belongs to.
    """

    tokens: NDArray[np.int32]
    at: NDArray[np.int32]
    targets: NDArray[np.int32]
    weights: NDArray[np.float32]
    reply: NDArray[np.int32]


def batch(sequence: TokenSequence, weight_of: Mapping[str, float]) -> Batch:
    """The arrays of a sequence. weight_of: how much a reply after one of a kind counts, else 1."""
    import numpy as np

    tokens, reply = sequence.tokens, sequence.reply
    learnt = np.flatnonzero(reply[1:] >= 0).astype(np.int32)
    length = -(-len(tokens) // _SIZES) * _SIZES
    room = next(length // part for part in (4, 2, 1) if length // part >= len(learnt))
    each = _weights(sequence.kinds, weight_of)
    weights = [each[number] for number in reply[1:][learnt]]
    return Batch(
        _padded(tokens, length),
        _padded(learnt.astype(np.int32), room),
        _padded(tokens[1:][learnt], room),
        _padded(np.array(weights, dtype=np.float32), room),
        _padded(reply[1:][learnt], room),
    )


def weights_of_kinds(sequences: Sequence[TokenSequence]) -> dict[str, float]:
    """How much replies after each kind count: after rare ones more, by the root of how rare."""
    counts = Counter(kind for sequence in sequences for kind in sequence.kinds)
    average = sum(counts.values()) / max(1, len(counts))
    return {
        kind: min(_MOST, max(1 / _MOST, (average / count) ** 0.5)) for kind, count in counts.items()
    }


def _weights(kinds: Sequence[str], weight_of: Mapping[str, float]) -> list[float]:
    """How much each reply counts: as much as the kind of the learnt reply before it.

    So all that may be said in a situation counts alike; by its own kind "done" would count for
    more than going on wherever both are possible.
    """
    before = ["", *kinds[:-1]]
    return [weight_of.get(kind, 1.0) for kind in before]


def order(lengths: Sequence[int], size: int, epochs: int, seed: int) -> Iterator[list[int]]:
    """The numbers of the sequences of each step, shuffled anew in each epoch.

    lengths: of the sequences, in tokens. size: sequences a step. Those of a step are alike in
    length: they are worked on side by side, and the step takes as long as the longest.
    """
    for epoch in range(epochs):
        chance = random.Random(f"{seed} {epoch}")
        numbers = chance.sample(range(len(lengths)), len(lengths))
        steps = []
        for window in _parts(numbers, size * _ALIKE):
            steps += _parts(sorted(window, key=lambda number: lengths[number]), size)
        yield from chance.sample(steps, len(steps))


def _parts(numbers: list[int], size: int) -> list[list[int]]:
    return [numbers[start : start + size] for start in range(0, len(numbers), size)]


def _padded(values: NDArray[_Number], length: int) -> NDArray[_Number]:
    import numpy as np

    return np.pad(values, (0, length - len(values)))
