"""`react` that restarts its conversation every few turns, and the export of its questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import peephole
from peephole.models.contract import Message
from peephole.planners.kits.turns import reply_of, with_recent_turns
from peephole.results.exports.export import Wanted, export

TASK = "bring/house-1-5"
OPTIONS = {"menu": "none"}


def conversation(actions: list[str]) -> list[Message]:
    messages: list[Message] = [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": "Task: tidy up.\nIn hall1."},
    ]
    for number, action in enumerate(actions):
        messages.append({"role": "assistant", "content": reply_of(f"thought {number}", action)})
        messages.append({"role": "user", "content": f"seen {number}"})
    return messages


ACTIONS = st.lists(
    st.sampled_from(["go to desk1", "open desk1", "pick up cup1", "put down cup1"]), max_size=40
)


@given(ACTIONS, st.integers(1, 6))
def test_what_is_left_out_ends_with_a_walk_and_what_was_put_last_stays(
    actions: list[str], turns: int
) -> None:
    every = conversation(actions)
    recent = with_recent_turns(every, turns)
    assert with_recent_turns(recent, turns) == recent
    if recent == every:
        return
    assert recent[0] == every[0]
    assert recent[1] == {"role": "user", "content": "Task: tidy up."}
    left_out = actions[: -_turns_at_the_end(every, recent)]
    puts = [number for number, action in enumerate(left_out) if action.startswith("put down")]
    kept = every[2 + 2 * puts[-1] :][:2] if puts else []
    assert recent[2 : 2 + len(kept)] == kept
    assert "go to" in recent[2 + len(kept)]["content"]
    assert recent[2 + len(kept) :] == every[2 + 2 * len(left_out) :]


@given(ACTIONS, st.integers(1, 6))
def test_more_turns_than_that_are_read_until_the_next_walk_alone(
    actions: list[str], turns: int
) -> None:
    every = conversation(actions)
    recent = with_recent_turns(every, turns)
    replies = every[len(every) - 2 * _turns_at_the_end(every, recent) :][::2]
    assert not any("go to" in reply["content"] for reply in replies[turns:])


def _turns_at_the_end(every: list[Message], recent: list[Message]) -> int:
    """The number of turns, from the last walk on, with which a new conversation starts."""
    if recent == every:
        return len(every) // 2 - 1
    begins = 4 if len(recent) > 4 and "put down" in recent[2]["content"] else 2
    return (len(recent) - begins) // 2


def test_a_teacher_reads_all_and_the_export_has_what_the_planner_would_read(tmp_path: Path) -> None:
    found = {}
    for name, more in (("whole", {}), ("recent", {"recent_turns": 3})):
        peephole.run(
            "react",
            "houses",
            tasks=(TASK,),
            dialect="compact",
            model={"planner": "scripted", "teacher": "scripted"},
            options={**OPTIONS, "taught": 1.0, **more},
            out=tmp_path / name,
        )
        export(tmp_path / name, "chat", tmp_path / f"{name}.jsonl")
        found[name] = lines(tmp_path / f"{name}.jsonl")
    assert [reply(line) for line in found["whole"]] == [reply(line) for line in found["recent"]]
    assert found["recent"] != found["whole"]
    for whole, recent in zip(found["whole"], found["recent"], strict=True):
        assert recent["messages"] == [
            *with_recent_turns(whole["messages"][:-1], 3),
            whole["messages"][-1],
        ]
    export(tmp_path / "whole", "chat", tmp_path / "again.jsonl", Wanted(recent_turns=3))
    again = lines(tmp_path / "again.jsonl")
    assert [line["messages"] for line in again] == [line["messages"] for line in found["recent"]]


def test_the_planners_own_model_reads_the_recent_turns(tmp_path: Path) -> None:
    """The stand-in fails at once without the first observation."""
    peephole.run(
        "react",
        "houses",
        tasks=(TASK,),
        dialect="compact",
        model="scripted",
        options={**OPTIONS, "recent_turns": 3},
        out=tmp_path / "run",
    )
    export(tmp_path / "run", "chat", tmp_path / "chat.jsonl", Wanted(episodes="all"))
    found = lines(tmp_path / "chat.jsonl")
    assert [len(line["messages"]) for line in found[:4]] == [3, 5, 7, 9]
    last = found[-1]["messages"]
    assert last[1]["content"] == found[0]["messages"][1]["content"].partition("\n")[0]
    assert len(last) < 2 * len(found)


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def reply(line: Any) -> str:
    return str(line["messages"][-1]["content"])
