"""The input of an instruction record is read back as it was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.planners.llm_pop.records import RecordedRound, read_input, write_input

numbers = st.lists(st.floats(-2, 2).map(lambda x: float(f"{x:g}")), min_size=1, max_size=4).map(
    tuple
)
actions = st.sampled_from(("pick(cubeA)", "place(0.5, 0, 0.025, 1, 0, 0, 0)", "reset()"))


@st.composite
def rounds(draw: st.DrawFn) -> RecordedRound:
    done = draw(st.lists(st.tuples(actions, numbers), max_size=3))
    explain = draw(st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"))))
    return RecordedRound(explain, tuple(a for a, _ in done), tuple(o for _, o in done))


@given(numbers, st.lists(rounds(), max_size=3).map(tuple))
def test_what_is_written_is_read(
    current: tuple[float, ...], past: tuple[RecordedRound, ...]
) -> None:
    assert read_input(write_input(current, past)) == (current, past)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Current:\n[1]\nPast:",
        "Now:\n[1]\nPast:\n[] [] []",
        "Current:\n1\nPast:\n[] [] []",
        "Current:\n[nan]\nPast:\n[] [] []",
        "Current:\n[1]\nPast:\nRound 2: [a] [] []",
        "Current:\n[1]\nPast:\nRound 1: [a] [reset()] []",
        "Current:\n[1]\nPast:\nRound 1: [a] [] [[1]]",
    ],
)
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_input(text)
