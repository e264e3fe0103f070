"""Sentences about blocks: what is written is understood, and what it comes to under the facts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.episodes.blocks_generated import HOLDS, sentences
from peephole.planners.blocks_wishes import FORMS, Facts, Wish, understand
from peephole.scene_graph.goals import Related
from peephole.scene_graph.node import Relation

A, B, C = 4, 5, 6


@given(st.sampled_from(list(sentences())), st.sampled_from(HOLDS), st.data())
def test_every_wording_of_every_sentence_is_understood(sentence, seconds, data) -> None:
    tags, wish = sentence
    if FORMS[wish.form].holds:
        wish = Wish(wish.form, wish.x, wish.y, seconds)
    text = data.draw(st.sampled_from(wish.texts()))
    assert understand("".join(f"<{tag}>" for tag in tags) + f" {text}") == wish


@pytest.mark.parametrize("text", ["", "Fly to the moon.", "Pick up the block.", "Pick up cubeD."])
def test_other_sentences_are_not(text: str) -> None:
    assert understand(text) is None


@pytest.mark.parametrize(
    ("which", "facts", "block"),
    [
        ("the lighter block", Facts((B, A)), B),
        ("the heavier block", Facts((B, A)), A),
        ("the block of medium weight", Facts((C, A, B)), A),
        ("the movable block", Facts((A, B), frozenset({A})), B),
        ("the only movable block", Facts((A, B, C), frozenset({A, C})), B),
        ("the lightest of the movable blocks", Facts((C, B, A), frozenset({C})), B),
        ("cubeB", Facts((A, B)), B),
    ],
)
def test_a_block_is_told_by_the_facts(which: str, facts: Facts, block: int) -> None:
    wish = understand(f"Pick up {which}.")
    assert wish is not None
    assert wish.goal(facts) == Related(2, Relation.HOLDS, block)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Pick up the only movable block.", Facts((A, B, C), frozenset({C}))),
        ("Pick up the lightest of the movable blocks.", Facts((A, B, C), frozenset({A, B}))),
        ("Stack the lighter block on cubeA.", Facts((A, B))),
        ("Pick up cubeC.", Facts((A, B))),
    ],
)
def test_where_there_is_no_such_block_there_is_no_goal(text: str, facts: Facts) -> None:
    wish = understand(text)
    assert wish is not None
    assert wish.goal(facts) is None
