"""Sentences about blocks: what is written is understood, and what it comes to under the facts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.observation_text.dialects.blocks.instruction_goals import BlockFacts
from peephole.observation_text.dialects.blocks.instructions import (
    FORMS,
    BlockInstruction,
    parse_instruction,
)
from peephole.scene_graph.goals import MeasureInRange, Related
from peephole.scene_graph.node import Relation
from peephole.skills.arm.blocks.rearrangement import goal_conjunctions
from peephole.suites.blocks.drawing import sentences
from peephole.suites.blocks.generated import HOLDS

A, B, C = 4, 5, 6


@given(st.sampled_from(list(sentences())), st.sampled_from(HOLDS), st.data())
def test_every_wording_of_every_sentence_is_understood(sentence, seconds, data) -> None:
    tags, wish = sentence
    if FORMS[wish.form].takes_seconds:
        wish = BlockInstruction(wish.form, wish.x, wish.y, seconds)
    text = data.draw(st.sampled_from(wish.texts()))
    assert parse_instruction("".join(f"<{tag}>" for tag in tags) + f" {text}") == wish


@pytest.mark.parametrize("name", FORMS)
def test_lengths_in_a_sentence_are_those_of_its_goal(name: str) -> None:
    form = FORMS[name]
    facts = BlockFacts((A, B, C)[: form.block_counts[-1]])
    bounds = {
        round(bound, 6)
        for literals in goal_conjunctions(form.goal(facts, A, B, 0.0))
        for literal in literals
        if isinstance(literal, MeasureInRange)
        for bound in (literal.low, literal.high)
    }
    for text in form.texts:
        for number, unit in re.findall(r"([\d.]+) (mm|cm)\b", text):
            assert float(number) * {"mm": 1e-3, "cm": 1e-2}[unit] in bounds


@pytest.mark.parametrize("text", ["", "Fly to the moon.", "Pick up the block.", "Pick up cubeD."])
def test_other_sentences_are_not(text: str) -> None:
    assert parse_instruction(text) is None


@pytest.mark.parametrize(
    ("which", "facts", "block"),
    [
        ("the lighter block", BlockFacts((B, A)), B),
        ("the heavier block", BlockFacts((B, A)), A),
        ("the block of medium weight", BlockFacts((C, A, B)), A),
        ("the movable block", BlockFacts((A, B), frozenset({A})), B),
        ("the only movable block", BlockFacts((A, B, C), frozenset({A, C})), B),
        ("the lightest of the movable blocks", BlockFacts((C, B, A), frozenset({C})), B),
        ("cubeB", BlockFacts((A, B)), B),
    ],
)
def test_a_block_is_reported_by_the_facts(which: str, facts: BlockFacts, block: int) -> None:
    wish = parse_instruction(f"Pick up {which}.")
    assert wish is not None
    assert wish.goal(facts) == Related(2, Relation.HOLDS, block)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Pick up the only movable block.", BlockFacts((A, B, C), frozenset({C}))),
        ("Pick up the lightest of the movable blocks.", BlockFacts((A, B, C), frozenset({A, B}))),
        ("Stack the lighter block on cubeA.", BlockFacts((A, B))),
        ("Pick up cubeC.", BlockFacts((A, B))),
    ],
)
def test_where_there_is_no_such_block_there_is_no_goal(text: str, facts: BlockFacts) -> None:
    wish = parse_instruction(text)
    assert wish is not None
    assert wish.goal(facts) is None
