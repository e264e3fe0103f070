"""`peephole memory`: from runs to a memory, and to runs that take examples from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from peephole.planners.kits.memory.episodic import EpisodicMemory


def run(peephole: Any, out: str, suite: str, *arguments: str) -> Any:
    return peephole("run", "--suite", suite, "--out", out, *arguments)


def test_seed_trees_make_a_memory_of_subgoals(peephole: Any, tmp_path: Path) -> None:
    seeds = ("--planner", "reactree_seeds", "--set", "working_memory=true", "--tasks", "2")
    assert run(peephole, "seeds", "wah:train", *seeds).returncode == 0
    done = peephole("memory", "build", "seeds", "--out", "seeds.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    memory = EpisodicMemory.load(tmp_path / "seeds.jsonl")
    assert summary["experiences"] == len(memory.experiences) > 20
    assert all(summary["ends"].values())
    assert sum(summary["ends"].values()) == summary["experiences"]
    assert summary["scenes"] == ["house:201", "house:202"]
    assert summary["control_flow"] == ["fallback", "parallel", "sequence"]
    assert summary["embedder"] == "wordllama"
    assert summary["episodes"] == {"taken": 2, "left_out": 0}
    shown = peephole("memory", "show", "seeds.jsonl", "--json")
    assert json.loads(shown.stdout) == {k: v for k, v in summary.items() if k != "episodes"}
    for each in memory.experiences:
        last = each.text.splitlines()[-1]
        ends = {"success": "Act: done", "failure": "Act: failure", "expand": "Expand: {"}
        assert last.startswith(ends[each.end])
        assert f"\nYour task is to: {each.goal}\n" in f"\n{each.text}"

    # A memory of other control flow is another memory.
    assert run(
        peephole, "seq", "wah:train", *seeds[:4], "--set", "control_flow=seq", "--tasks", "1"
    )
    mixed = peephole("memory", "build", "seeds", "seq", "--out", "mixed.jsonl")
    assert mixed.returncode == 2
    assert "several settings of control flow" in mixed.stderr
    assert not (tmp_path / "mixed.jsonl").exists()


@pytest.mark.slow
def test_episodes_of_react_are_examples_in_other_scenes_alone(
    peephole: Any, tmp_path: Path
) -> None:
    react = ("--planner", "react", "--model", "scripted", "--tasks", "1")
    recalling = ("--set", "working_memory=true")
    assert run(peephole, "train", "wah:train", *react, *recalling).returncode == 0
    built = peephole("memory", "build", "train", "--out", "memory.jsonl")
    assert built.returncode == 0, built.stderr
    assert "success: 1 (100.0 %)" in built.stdout
    (experience,) = EpisodicMemory.load(tmp_path / "memory.jsonl").experiences
    lines = experience.text.splitlines()
    assert lines[0] == f"Task: {experience.goal}"
    assert json.loads(lines[-1])["action"] == "done"

    given = ("--set", "memory=memory.jsonl")
    refused = run(peephole, "again", "wah:train", *react, *given)
    assert refused.returncode == 2
    assert "has experiences in house:201, which this run plays" in refused.stderr
    assert not (tmp_path / "again").exists()
    played = run(peephole, "test", "wah", *react, *given)
    assert played.returncode == 0, played.stderr
    (recording,) = (tmp_path / "test" / "episodes").iterdir()
    assert json.dumps(experience.text)[1:-1] in recording.read_text()

    # A run goes on with the memory that it was begun with, and no other.
    lines = recording.read_bytes().splitlines(keepends=True)
    recording.write_bytes(b"".join(lines[: len(lines) // 2]))
    memory = tmp_path / "memory.jsonl"
    kept = memory.read_bytes()
    memory.write_bytes(kept.replace(b'"success"', b'"failure"'))
    other = peephole("run", "--resume", "--out", "test")
    assert other.returncode == 2
    assert f"--set memory={memory}, and that file has changed; put it back" in other.stderr
    memory.unlink()
    assert "and that file is gone" in peephole("run", "--resume", "--out", "test").stderr
    memory.write_bytes(kept)
    assert peephole("run", "--resume", "--out", "test").returncode == 0


def test_runs_that_make_no_memory_are_told(peephole: Any) -> None:
    guess = ("--planner", "random", "--tasks", "1")
    assert run(peephole, "random", "wah:train", *guess).returncode == 0
    done = peephole("memory", "build", "random", "--out", "memory.jsonl")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "No episode of random reached its goal" in done.stderr
    knows = ("--planner", "expert", "--tasks", "1")
    assert run(peephole, "expert", "wah:train", *knows).returncode == 0
    done = peephole("memory", "build", "expert", "--out", "memory.jsonl")
    assert done.returncode == 2
    assert "run with the planner expert, whose episodes are no examples" in done.stderr
    done = peephole("memory", "build", "nowhere", "--out", "memory.jsonl")
    assert "nowhere is no run folder" in done.stderr
