"""What `scripted` says before it solves a task of blocks: which blocks are meant, and the plan."""

from __future__ import annotations

from pathlib import Path

import pytest

import peephole
from peephole.episodes.events import Decided
from peephole.episodes.recording import episode_files, read_episode
from peephole.planners.contract import Note


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
    notes = [event.decision for event in read_episode(path) if isinstance(event, Decided)]
    plans = [note.text for note in notes if isinstance(note, Note) and note.name == "plan"]
    assert plans[-1].endswith(said)
