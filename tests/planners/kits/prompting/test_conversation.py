"""The messages of a planner's conversation, and which turns are dropped."""

from __future__ import annotations

import os
from collections.abc import Generator
from itertools import pairwise
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import pytest

from peephole.models.contract import ContextFull, Message
from peephole.models.images import image_part
from peephole.planners.contract import Note, Percept
from peephole.planners.kits.prompting.conversation import Conversation, ask_within_context, prompt
from peephole.planners.kits.prompting.templates import Templates


def asked(steps: Generator[Note, Percept, Any]) -> tuple[list[Note], Any]:
    """The notes on the way to an answer, and the answer."""
    notes = []
    percept: Any = None
    try:
        notes.append(next(steps))
        while True:
            notes.append(steps.send(percept))
    except StopIteration as end:
        return notes, end.value


def talk(turns: int) -> Conversation:
    talk = Conversation("You are a robot.", "Task: find the milk.")
    for turn in range(turns):
        talk.add(f"said {turn}", f"seen {turn}")
    return talk


def test_messages_are_only_added_and_a_tail_is_not_kept() -> None:
    growing = talk(0)
    sent: list[list[Message]] = []
    for turn in range(3):
        notes, _ = asked(growing.ask(sent.append, tail=f"Menu {turn}"))
        assert notes == []
        growing.add(f"said {turn}", f"seen {turn}")
    for turn, messages in enumerate(sent):
        assert messages[-1]["content"].endswith(f"\nMenu {turn}")
        assert "Menu" not in str(messages[:-1])
    for earlier, now in pairwise(sent):
        assert now[: len(earlier) - 1] == earlier[:-1]


@pytest.mark.parametrize(("turns", "limit", "left"), [(5, 3, 2), (5, 2, 2), (4, 1, 1), (3, 0, 0)])
def test_what_is_too_long_loses_the_older_half_until_it_fits(
    turns: int, limit: int, left: int
) -> None:
    growing = talk(turns)

    def ask(messages: list[Message]) -> str:
        if len(messages) > 2 + 2 * limit:
            raise ContextFull("too long")
        return "ok"

    notes, answer = asked(growing.ask(ask))
    assert answer == "ok"
    assert [note.name for note in notes] == ["memory"] * len(notes)
    messages = growing.messages()
    assert [message["role"] for message in messages] == [
        "system",
        "user",
        *["assistant", "user"] * left,
    ]
    assert messages[:2] == talk(0).messages()
    assert [turn.user for turn in growing.turns] == [
        f"seen {i}" for i in range(turns - left, turns)
    ]


def test_the_error_comes_through_where_nothing_is_left_to_leave_out() -> None:
    def never() -> None:
        raise ContextFull("too long")

    history = ["a", "b"]
    steps = ask_within_context(history, never, "rounds")
    assert next(steps).text == "the oldest 1 rounds are left out of the prompt"
    assert next(steps).text == "the oldest 1 rounds are left out of the prompt"
    with pytest.raises(ContextFull):
        next(steps)


def test_a_message_may_show_an_image() -> None:
    picture = image_part(np.zeros((2, 2, 3), np.uint8))
    growing = Conversation("You see.", [{"type": "text", "text": "Here."}, picture])
    content = growing.messages("Menu")[-1]["content"]
    assert content == [
        {"type": "text", "text": "Here."},
        picture,
        {"type": "text", "text": "Menu"},
    ]
    assert len(growing.messages()[-1]["content"]) == 2


def test_templates_stand_beside_their_module(tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "rules.jinja").write_text("Be quick & quiet.\n")
    (folder / "system.jinja").write_text('\n{% include "rules.jinja" %}\nGoal: {{ goal }}\n\n')
    templates = Templates(str(tmp_path / "planner.py"))
    assert templates.render("system", goal="<tea>") == "Be quick & quiet.\nGoal: <tea>"
    with pytest.raises(jinja2.UndefinedError, match="goal"):
        templates.render("system")
    with pytest.raises(jinja2.TemplateNotFound):
        templates.render("nothing")


def test_a_question_that_stands_alone() -> None:
    assert [message["role"] for message in prompt("a", "b")] == ["system", "user"]


def test_a_template_that_is_edited_during_a_run_is_asked_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "prompts" / "task.jinja"
    file.parent.mkdir()
    file.write_text("Before.")
    templates = Templates(str(tmp_path / "planner.py"))
    assert templates.render("task") == "Before."
    file.write_text("After, and longer.")
    os.utime(file, (1, 1))
    assert templates.render("task") == "Before."
