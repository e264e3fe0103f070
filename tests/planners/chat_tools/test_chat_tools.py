"""The planner `chat_tools`: a plain loop of tool calls, whatever the model replies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.episodes.events import Decided, Stepped
from peephole.episodes.recording import episode_files, read_episode
from peephole.models.events import ModelReplied

WALK = {"name": "act", "arguments": {"action": "go to table 1"}}
DONE = {"name": "done", "arguments": {}}


def calls(*called: dict[str, Any], content: str = "") -> dict[str, Any]:
    return {"content": content, "tool_calls": list(called)}


def played(tmp_path: Path, said: list[Any], **options: Any) -> tuple[Any, list[Any]]:
    """The result and the events of an episode with these replies."""
    file = tmp_path / "replies.json"
    file.write_text(json.dumps(said))
    run = peephole.run(
        "chat_tools",
        "houses",
        tasks=1,
        model=f"replies:{file}",
        options=options,
        out=tmp_path / "run",
    )
    (path,) = episode_files(run.folder)
    return run.results[0], read_episode(path)


def results_of(events: list[Any]) -> list[str]:
    """The results of calls, as the model read them."""
    sent = [e.request.messages for e in events if isinstance(e, ModelReplied) and e.request]
    return [m["content"] for messages in sent for m in messages if m["role"] == "tool"]


def test_calls_become_actions_and_observations_their_results(tmp_path: Path) -> None:
    result, events = played(tmp_path, [calls(WALK, content="To the table."), calls(DONE)])
    assert (result.ended, result.steps, result.decisions) == ("done", 1, 2)
    (step,) = [event for event in events if isinstance(event, Stepped)]
    assert results_of(events) == [step.observation]
    act = next(event.decision for event in events if isinstance(event, Decided))
    assert act.thought == "To the table."


def test_several_calls_are_done_in_order_and_are_one_decision(tmp_path: Path) -> None:
    look = {"name": "look", "arguments": {}}
    result, events = played(tmp_path, [calls(look, WALK, look), calls(DONE)])
    assert (result.steps, result.decisions) == (1, 2)
    before, walked, after = results_of(events)
    assert "You are in kitchen 1" in before
    assert walked.startswith("You go to table 1.")
    assert before != after


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (calls({"name": "open", "arguments": {"thing": "fridge 1"}}), "there is no tool 'open'; "),
        (calls({"name": "act", "arguments": '{"action": '}), "the arguments are not JSON"),
        (calls({"name": "act", "arguments": {"text": "wait"}}), 'act needs a text under "action"'),
        (calls({"name": "act", "arguments": {"action": 1}}), 'act needs a text under "action"'),
        (calls({"name": "act", "arguments": {"action": "x" * 1001}}), "1000 characters at most"),
    ],
)
def test_a_call_that_cannot_be_done_is_answered(tmp_path: Path, reply: Any, told: str) -> None:
    result, events = played(tmp_path, [reply, calls(DONE)])
    (answer,) = results_of(events)
    assert answer.startswith("Not done: ")
    assert told in answer
    assert (result.ended, result.steps, result.refused) == ("done", 0, {"tool call": 1})


def test_a_reply_without_a_call_is_a_thought_and_the_third_in_a_row_the_end(tmp_path: Path) -> None:
    says = "I would go to the table."
    result, events = played(tmp_path, [says, calls(WALK), says, says, says])
    assert (result.ended, result.steps) == ("gave_up", 1)
    kinds = [event.decision.kind for event in events if isinstance(event, Decided)]
    assert kinds == ["think", "act", "think", "think", "give_up"]


def test_done_may_be_said_as_an_action(tmp_path: Path) -> None:
    result, _ = played(tmp_path, [calls({"name": "act", "arguments": {"action": "Done"}})])
    assert (result.ended, result.steps) == ("done", 0)


def test_the_window_keeps_calls_with_their_results(tmp_path: Path) -> None:
    _, events = played(tmp_path, [*[calls(WALK)] * 4, calls(DONE)], window=2)
    last = [event for event in events if isinstance(event, ModelReplied)][-1]
    assert last.request is not None
    assert last.request.shared == 2  # the system prompt and the task
    roles = [message["role"] for message in last.request.messages]
    assert roles == ["assistant", "tool"] * 2


def test_the_menu_is_a_tool_that_an_option_takes_away(tmp_path: Path) -> None:
    menu = {"name": "menu", "arguments": {}}
    _, events = played(tmp_path, [calls(menu), calls(DONE)])
    assert "go to table 1" in results_of(events)[0].splitlines()
    (tmp_path / "without").mkdir()
    _, events = played(tmp_path / "without", [calls(menu), calls(DONE)], menu="false")
    assert results_of(events)[0].startswith("Not done: there is no tool 'menu'")


def test_a_run_that_was_cut_off_asks_nothing_again(tmp_path: Path) -> None:
    played(tmp_path, [calls(WALK), "Hm.", calls(DONE)])
    (path,) = episode_files(tmp_path / "run")
    whole = path.read_text().splitlines(keepends=True)
    path.write_text("".join(whole[:-3]))
    (tmp_path / "replies.json").write_text(json.dumps([calls(DONE)]))
    peephole.resume(tmp_path / "run")
    resumed = [type(event) for event in read_episode(path)]
    assert len(resumed) == len(whole)
    again = peephole.replay_replies(tmp_path / "run", out=tmp_path / "again")
    assert again.results[0].ended == "done"
