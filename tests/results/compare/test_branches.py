"""Branches beside their parent: which decision lost the episode?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import peephole
from peephole.errors import BadInput
from peephole.planners.contract import Act, Brief, Decisions, Percept, Planner
from peephole.results.compare.branches import branched_episodes, branches_document, verdicts
from peephole.skills.actions import pick_up

from ...commands import command

#: The third action cannot be done, which fails the episode by the rules of the suite.
LOST_AT = 3


def plan(brief: Brief, percept: Percept) -> Decisions:
    yield Act("go to bedroom 1")
    yield Act("go to kitchen 1")
    yield Act(pick_up(10**6))
    yield Act("go to bedroom 1")


@pytest.fixture(scope="module")
def parent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "parent"
    run = peephole.run(Planner("hasty", "", plan), "vh_dynamic", tasks=1, out=folder)
    assert not run.results[0].success
    return folder


@pytest.fixture(scope="module")
def branches(parent: Path) -> list[Path]:
    """The expert takes over before each step, and after the last one."""
    folders = []
    for step in range(1, 6):
        out = parent.with_name(f"step-{step}")
        folders.append(peephole.branch(parent, 1, at=step, planner="expert", out=out).folder)
    return folders


def test_the_decision_that_lost_an_episode_is_named(parent: Path, branches: list[Path]) -> None:
    (episode,) = branched_episodes(parent, branches)
    assert [row.branch.step for row in episode.branches] == [1, 2, 3, 4, 5]
    assert [row.reached for row in episode.branches] == [1, 1, 1, 0, 0]
    (sentence,) = verdicts(episode)
    assert "still reaches the goal from step 3 (1 of 1), and no more from step 4" in sentence
    assert "the decision at step 3 (" in sentence
    assert sentence.endswith("lost it."), "no model was asked, so repeats are all the same"
    (some,) = verdicts(branched_episodes(parent, [branches[0], branches[4]])[0])
    assert "a decision from step 1 to 4 lost it" in some
    (one,) = verdicts(branched_episodes(parent, [branches[4]])[0])
    assert "it was lost before" in one


def test_figures_count_from_the_branching_step(parent: Path, branches: list[Path]) -> None:
    document = branches_document(branched_episodes(parent, branches))
    rows = document["episodes"][0]["branches"]
    assert [row["parent_steps_from_there"] for row in rows] == [4, 3, 2, 1, 0]
    assert [row["instead_of"] for row in rows][0::4] == ["go to bedroom 1", "done"]
    assert all(row["steps_from_there"] > 0 for row in rows)
    assert rows[0]["success"] == [1.0, pytest.approx(0.2065, abs=1e-4), 1.0]


def test_compare_shows_branches_as_such(parent: Path, branches: list[Path]) -> None:
    said = command("compare", parent, *branches, "--json")
    assert said.returncode == 0, said.stderr
    (episode,) = json.loads(said.stdout)["episodes"]
    assert [row["reached"] for row in episode["branches"]] == [1, 1, 1, 0, 0]
    assert "lost it" in episode["verdicts"][0]


def test_a_run_that_is_no_branch_is_told(parent: Path, branches: list[Path]) -> None:
    with pytest.raises(BadInput, match="is no branch of"):
        branched_episodes(parent, [branches[0], parent])
    assert branched_episodes(branches[0], [parent]) == []


@pytest.mark.slow
def test_the_command_sweeps_over_steps(parent: Path, branches: list[Path]) -> None:
    swept = parent.with_name("swept")
    said = command("branch", branches[0], 1, "--at", "1-2", "--planner", "explore", "--out", swept)
    assert said.returncode == 0, said.stderr
    assert sorted(path.name for path in swept.iterdir()) == ["step-001", "step-002"]
    assert "instead of" in said.stdout
    bad = command("branch", branches[0], 1, "--at", "3-x")
    assert bad.returncode == 2
    assert "give a number from 1, or a range" in bad.stderr
