"""Sequences as arrays of a few sizes, and the order of training on them."""

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

#: Lengths are rounded up to a multiple of this many tokens, since each length is compiled once.
_SIZES = 256
#: Largest weight of a reply, after one of a rare kind. The smallest, after a common one, is 1 / it.
_MOST = 2.0
#: Sequences of similar length are grouped within windows of this many steps.
_ALIKE = 16


class Batch(NamedTuple):
    """A padded sequence, with the tokens that are learnt."""

    tokens: NDArray[np.int32]
    """All tokens."""
    at: NDArray[np.int32]
    """The positions before the learnt tokens."""
    targets: NDArray[np.int32]
    """The learnt tokens."""
    weights: NDArray[np.float32]
    """The weight of each learnt token, 0 for padding."""
    reply: NDArray[np.int32]
    """The number of the reply of each learnt token."""


def batch(sequence: TokenSequence, weight_of: Mapping[str, float]) -> Batch:
    """The arrays of a sequence. weight_of: weights by the kind of the reply before; else 1."""
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
    """The weight of replies after each kind: the root of average count by count, within limits."""
    counts = Counter(kind for sequence in sequences for kind in sequence.kinds)
    average = sum(counts.values()) / max(1, len(counts))
    return {
        kind: min(_MOST, max(1 / _MOST, (average / count) ** 0.5)) for kind, count in counts.items()
    }


def _weights(kinds: Sequence[str], weight_of: Mapping[str, float]) -> list[float]:
    """The weight of each reply, by the kind of the learnt reply before it.

    So all replies that are possible in a situation have the same weight. By its own kind "done"
    would outweigh further actions wherever both are possible.
    """
    before = ["", *kinds[:-1]]
    return [weight_of.get(kind, 1.0) for kind in before]


def order(lengths: Sequence[int], size: int, epochs: int, seed: int) -> Iterator[list[int]]:
    """The numbers of the sequences of each step, shuffled again in each epoch.

    lengths: of the sequences, in tokens. size: sequences per step. The sequences of a step have
    similar lengths, since they run in parallel and the longest decides the time.
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
