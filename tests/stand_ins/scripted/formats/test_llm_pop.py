"""What `scripted` says before it solves a task of blocks: which blocks are meant, and the plan."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import peephole
from peephole.episodes.events import Decided
from peephole.episodes.recording import episode_files, read_episode
from peephole.planners.contract import Act, Note

#: Where a block is put, in the numbers of the action.
_TO = re.compile(r", to (-?[\d.]+(?:, -?[\d.]+)*)\.(?= |$)")


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("stack/1", "I put cubeB on cubeA."),
        (
            "corners/1",
            "I put cubeA at a corner of the table. I put cubeB at a corner of the table.",
        ),
        ("heavier/1", "cubeA is the heavier block. I pick up cubeA."),
        ("light_on_heavy/1", "cubeB is the heavier block. I put cubeA on cubeB."),
        (
            "movable_to_corner/1",
            "cubeB is the movable block. I put cubeB at a corner of the table.",
        ),
    ],
)
def test_the_last_plan_says_which_blocks_are_meant_and_where_they_go(
    task: str, said: str, tmp_path: Path
) -> None:
    run = peephole.run(
        "llm_pop",
        "blocks",
        tasks=(task,),
        adapter="symbolic_blocks",
        model="scripted",
        options={"questions": "cot", "system_prompt": False},
        out=tmp_path / "run",
    )
    assert run.results[0].success
    (path,) = episode_files(run.folder)
    decisions = [event.decision for event in read_episode(path) if isinstance(event, Decided)]
    plan = [each.text for each in decisions if isinstance(each, Note) and each.name == "plan"][-1]
    assert _TO.sub(".", plan).endswith(said)
    told = _TO.findall(plan)
    placed = [e.action for e in decisions if isinstance(e, Act) and e.action.startswith("place(")]
    said_last = [action.removeprefix("place(") for action in placed[len(placed) - len(told) :]]
    assert [", ".join(action.split(", ")[:3]) for action in said_last] == told
