"""How much replies count in a training."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from peephole.training.batches import batch, order, weights_of_kinds
from peephole.training.tokens import TokenSequence, kind_of

KINDS = ("go", "go", "go", "go", "go", "put", "done")
#: One token of each reply, after one token of context.
SEQUENCE = TokenSequence(
    tokens=np.arange(2 * len(KINDS), dtype=np.int32),
    reply=np.array([n // 2 if n % 2 else -1 for n in range(2 * len(KINDS))], dtype=np.int32),
    kinds=KINDS,
    source="s",
)


def test_replies_are_of_a_kind_by_their_actions_whatever_was_thought() -> None:
    alone = kind_of('{"action": "open fridge1"}')
    assert kind_of('{"thought": "egg in fridge1", "action": "open cupboard2"}') == alone
    assert kind_of('{"thought": "nothing", "action": "done"}') != alone
    assert kind_of("Lift the cube first: a.") == kind_of("Lift the cube first: b.")


def test_what_follows_a_rare_reply_counts_more_whatever_it_is() -> None:
    weights = weights_of_kinds([SEQUENCE])
    assert weights["put"] > 1 > weights["go"]
    found = batch(SEQUENCE, weights).weights[: len(KINDS)]
    assert found[0] == 1.0
    assert set(found[1:6]) == {np.float32(weights["go"])}
    assert found[6] == np.float32(weights["put"])


def test_nothing_counts_more_where_no_weights_are_told() -> None:
    assert set(batch(SEQUENCE, {}).weights) == {0.0, 1.0}  # 0 for padding


@given(
    lengths=st.lists(st.integers(1, 3000), max_size=100),
    size=st.integers(1, 4),
    epochs=st.integers(1, 3),
    seed=st.integers(0, 5),
)
def test_every_epoch_has_each_sequence_once(
    lengths: list[int], size: int, epochs: int, seed: int
) -> None:
    steps = list(order(lengths, size, epochs, seed))
    assert steps == list(order(lengths, size, epochs, seed))
    each = -(-len(lengths) // size)
    assert len(steps) == each * epochs
    for epoch in range(epochs):
        numbers = [number for step in steps[epoch * each : (epoch + 1) * each] for number in step]
        assert sorted(numbers) == list(range(len(lengths)))


def test_the_sequences_of_a_step_are_alike_in_length_and_the_steps_are_shuffled() -> None:
    lengths = [100 * (1 + number % 32) for number in range(320)]
    steps = list(order(lengths, 2, 1, 0))
    apart = [abs(lengths[one] - lengths[other]) for one, other in steps]
    assert sum(apart) / len(apart) < 250  # 1,070 for any two
    first = [lengths[one] for one, _ in steps]
    assert first != sorted(first)
