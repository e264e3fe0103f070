"""Chat: messages to fine-tune a model with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.episodes.events import Stepped, TextRefused
from peephole.models.events import ModelReplied
from peephole.models.record import AskedBefore


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def told_only(message: dict[str, Any]) -> dict[str, Any]:
    """An earlier message: replies among them are in lines of their own."""
    return {**message, "weight": 0} if message["role"] == "assistant" else message


def test_a_line_is_a_question_with_the_answer_that_could_be_used(
    asked: Path, export: Any, recorded: Any
) -> None:
    out, printed = export(asked, "chat")
    assert "mechanism check" in printed
    expected = []
    refused = 0
    for events in recorded(asked):
        if not events[-1].result.success:
            continue
        replies = [event for event in events if isinstance(event, ModelReplied)]
        refused += sum(event.problem is not None for event in replies)
        before = AskedBefore(replies)
        expected += [
            [
                *map(told_only, before.messages(event.call)),
                {"role": "assistant", "content": event.reply},
            ]
            for event in replies
            if event.problem is None
        ]
    found = lines(out)
    assert refused > 0
    assert [line["messages"] for line in found] == expected
    assert {line["messages"][0]["role"] for line in found} == {"system"}
    assert {(line["stand_in"], line["success"], line["role"]) for line in found} == {
        ("model", True, "planner")
    }


def test_an_episode_is_a_conversation_in_the_words_of_the_dialect(
    explored: Path, export: Any, recorded: Any
) -> None:
    out, _ = export(explored, "chat")
    for line, events in zip(lines(out), recorded(explored), strict=True):
        system, *told = line["messages"]
        assert system["role"] == "system"
        roles = [message["role"] for message in told]
        assert roles == ["user", "assistant"] * (len(told) // 2)
        started = events[0]
        assert told[0]["content"] == f"Your task: {started.instruction}\n\n{started.observation}"
        steps = [event for event in events if isinstance(event, Stepped)]
        actions = [message["content"].split("Action: ")[1] for message in told[1::2]]
        assert actions == [step.wording for step in steps]
        seen = [message["content"] for message in told[2::2]]
        assert seen == [step.observation for step in steps[:-1]]
        assert any(message["content"].startswith("Thought: ") for message in told[1::2])


def test_an_episode_of_a_model_is_a_conversation_too(asked: Path, export: Any) -> None:
    out, _ = export(asked, "chat", "--each", "episode")
    numbers = [line["episode"] for line in lines(out)]
    assert len(numbers) == 2, "one of the three failed"
    assert numbers == sorted(set(numbers))
    assert all(line["messages"][-1]["role"] == "assistant" for line in lines(out))


def test_only_the_first_replies_of_each_episode_come_where_so_many_are_asked_for(
    asked: Path, export: Any
) -> None:
    out, _ = export(asked, "chat")
    every = lines(out)
    out.unlink()
    export(asked, "chat", "--first-replies", "2")
    expected = [
        line
        for number in sorted({each["episode"] for each in every})
        for line in [each for each in every if each["episode"] == number][:2]
    ]
    assert len(every) > len(expected) == 4
    assert lines(out) == expected


def test_failed_episodes_come_when_they_are_asked_for(
    failed: Path, export: Any, recorded: Any
) -> None:
    out, _ = export(failed, "chat", "--episodes", "all")
    (line,) = lines(out)
    assert line["success"] is False
    steps = [event for event in recorded(failed)[0] if isinstance(event, Stepped)]
    assert len(line["messages"]) == 1 + 2 * len(steps)


def test_words_that_are_no_action_are_told_with_their_answer(
    noted: Path, export: Any, recorded: Any
) -> None:
    out, _ = export(noted, "chat", "--episodes", "all")
    (line,) = lines(out)
    said = [message["content"] for message in line["messages"] if message["role"] == "assistant"]
    (refused,) = (event for event in recorded(noted)[0] if isinstance(event, TextRefused))
    first, last = (event for event in recorded(noted)[0] if isinstance(event, Stepped))
    assert said == [
        f"Thought: the first will do\nAction: {first.wording}",
        "Action: jump over the moon",
        f"Thought: that was nothing\nAction: {last.wording}",
        "Thought: enough\nAction: give up",
    ]
    assert line["messages"][5] == {"role": "user", "content": refused.reason}


def test_a_reply_with_calls_is_the_message_beside_its_tools(
    tmp_path_factory: pytest.TempPathFactory, export: Any
) -> None:
    out = tmp_path_factory.mktemp("tools") / "run"
    run = peephole.run("chat_tools", "household", tasks=1, model="scripted", out=out).folder
    first = lines(export(run, "chat")[0])[0]
    assert first["messages"][-1]["tool_calls"][0]["function"]["name"] == "act"
    assert "act" in [tool["function"]["name"] for tool in first["tools"]]
