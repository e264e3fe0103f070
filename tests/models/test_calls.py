"""Calls in a model's text: what is read, and what is dropped."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.models.calls import Call, read_calls

KNOWN = {"move": (1,), "placein": (2,), "wait": (0,), "look": (0, 1)}
KNOWN |= {"update_reasoning": (1,), "update_state": (2,)}
READ = {
    "move(fridge1)": Call("move", ("fridge1",)),
    "1. move(fridge1) (example only)": Call("move", ("fridge1",)),
    "  12) placein(cup1, fridge1)  # then": Call("placein", ("cup1", "fridge1")),
    "- move( lightswitch3 ) (assuming there is one)": Call("move", ("lightswitch3",)),
    "`wait()`": Call("wait", ()),
    "look()": Call("look", ()),
    "look(fridge1)": Call("look", ("fridge1",)),
    'update_state("apple", "on_table | in_hand")': Call(
        "update_state", ("apple", "on_table | in_hand")
    ),
    "update_reasoning('It\\'s shut, (I think), so open it.')": Call(
        "update_reasoning", ("It's shut, (I think), so open it.",)
    ),
    'update_reasoning("First.\nThen the rest.")': Call(
        "update_reasoning", ("First.\nThen the rest.",)
    ),
}
DROPPED = (
    "move(fridge1",
    "move fridge1)(",
    "move()",
    "move(fridge1, kitchen1)",
    "fly(moon1)",
    "move(open(fridge1))",
    'update_state("apple", on_table | in_hand)',
    "move(fridge1).open()",
    "move(fridge1); placein(cup1, fridge1)",
    "move(name='fridge1')",
    "move(*things)",
    "__import__('os')",
    'update_reasoning("no end)',
    "move(fridge1,)",
)
PROSE = ("", "Low-level Action Plan:", "```", "I would move to the fridge (fridge1).", "3.")


@pytest.mark.parametrize("line", READ)
def test_a_call_is_read(line):
    found = read_calls(line, KNOWN)
    assert found.read == (READ[line],)
    assert found.dropped == ()


@pytest.mark.parametrize("line", DROPPED)
def test_malformed_and_unknown_calls_are_dropped_and_listed(line):
    found = read_calls(f"move(a1)\n{line}\nmove(b1)", KNOWN)
    assert [call.arguments for call in found.read] == [("a1",), ("b1",)]
    assert len(found.dropped) == (line != "move fridge1)(")


@pytest.mark.parametrize("line", PROSE)
def test_other_lines_count_for_nothing(line):
    assert read_calls(f"{line}\nmove(a1)\n{line}", KNOWN) == ((Call("move", ("a1",)),), ())


NAME = st.from_regex(r"[a-z]{1,9}[1-9]", fullmatch=True)
QUOTED = st.text(max_size=30).filter(lambda text: "\r" not in text)


@given(st.lists(st.tuples(NAME, QUOTED), max_size=5))
def test_quoted_texts_are_read_back(pairs):
    def quoted(text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    reply = "\n".join(f"update_state({quoted(a)}, {quoted(b)})" for a, b in pairs)
    assert [call.arguments for call in read_calls(reply, KNOWN).read] == pairs


@given(st.text("move(a1,) wait\n\"'\\`#.1é", max_size=120))
def test_any_text_is_read(text):
    """Only text that begins like a call is read or dropped."""
    found = read_calls(text, KNOWN)
    assert all(len(call.arguments) in KNOWN[call.name] for call in found.read)
    assert all("(" in line for line in found.dropped)
    assert len(found.read) + len(found.dropped) <= text.count("(")


@pytest.mark.parametrize("piece", ['move("', "move(a1,", 'wait()"\n', "move(a1) (", "(", "1. "])
def test_long_texts_take_little_time(piece):
    began = time.perf_counter()
    read_calls(piece * 10_000, KNOWN)
    read_calls(f"{piece}\n" * 3_000, KNOWN)
    assert time.perf_counter() - began < 2
