"""How much replies count in a training."""

from __future__ import annotations

import numpy as np

from peephole.training.batches import batch, weights_of_kinds
from peephole.training.tokens import TokenSequence

KINDS = ("go", "go", "go", "go", "go", "put", "done")
#: Of each reply one token, behind one that is only told.
SEQUENCE = TokenSequence(
    tokens=np.arange(2 * len(KINDS), dtype=np.int32),
    reply=np.array([n // 2 if n % 2 else -1 for n in range(2 * len(KINDS))], dtype=np.int32),
    kinds=KINDS,
    source="s",
)


def test_what_follows_a_rare_reply_counts_more_whatever_it_is() -> None:
    weights = weights_of_kinds([SEQUENCE])
    assert weights["put"] > 1 > weights["go"]
    found = batch(SEQUENCE, weights).weights[: len(KINDS)]
    assert found[0] == 1.0
    assert set(found[1:6]) == {np.float32(weights["go"])}
    assert found[6] == np.float32(weights["put"])


def test_nothing_counts_more_where_no_weights_are_told() -> None:
    assert set(batch(SEQUENCE, {}).weights) == {0.0, 1.0}  # 0 for padding
