"""A further person judges recorded episodes: what is shown and kept, and how far judges agree."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import peephole
from peephole.cli.main import app
from peephole.episodes.recording import episode_files
from peephole.episodes.runner import results_of
from peephole.errors import BadInput, PeepholeError
from peephole.results.compare.comparison import compare, comparison_document
from peephole.results.compare.page import judge_lines
from peephole.results.judging.case import cases_of
from peephole.results.judging.verdicts import Verdict, add_verdict, digest_of, read_verdicts
from peephole.scene_graph.rules import Budgets
from peephole.suites.registry import load_suite

TASKS = 4


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judged")
    suite = replace(load_suite("robothow"), budgets=Budgets(steps=30))
    for side, planner in (("sim", "explore"), ("real", "random")):
        peephole.run(planner, suite, tasks=TASKS, adapter="symbolic", out=folder / side)
    return folder


@pytest.fixture
def run(played: Path) -> Path:
    """The run of a planner that fails, without verdicts."""
    for path in (played / "real" / "verdicts").glob("*"):
        path.unlink()
    return played / "real"


def judged(run: Path, answers: str, judge: str = "anna") -> tuple[str, BaseException | None]:
    done = CliRunner().invoke(app, ["operator", "judge", str(run), "--judge", judge], answers)
    return done.output, done.exception


def test_a_judge_sees_the_episode_and_not_who_played_or_what_was_judged(run: Path) -> None:
    output, error = judged(run, 100 * "y\n")
    assert error is None
    assert output.count("Task: ") == TASKS
    assert "Done:\n  1. " in output
    assert "Seen in the end:\n  " in output
    for hidden in ("random", "failure", "Failure", "success"):
        assert hidden not in output
    assert all(each.success for each in read_verdicts(run, "anna").by_episode.values())
    output, error = judged(run, "")
    assert (output.count("Task: "), error) == (0, None)


def test_what_was_judged_is_asked_no_more(run: Path) -> None:
    (case, *_) = cases_of([run], "anna")
    first = "".join("y\n" for _ in case.criteria)
    output, error = judged(run, f"maybe\n{first}")
    assert isinstance(error, PeepholeError)
    assert "asks only what has no verdict" in str(error)
    assert list(read_verdicts(run, "anna").by_episode) == [case.recording.name]
    path = run / "verdicts" / "anna.jsonl"
    path.write_text(path.read_text() + '{"episode": "tor')  # killed while writing
    output, error = judged(run, 100 * "n\n")
    assert (output.count("Task: "), error) == (TASKS - 1, None)
    assert f"anna has judged 1 of {TASKS} episodes; another person gives --judge" in output
    said = read_verdicts(run, "anna").by_episode
    assert [each.success for each in said.values()] == [True] + [False] * (TASKS - 1)


def test_a_verdict_on_another_recording_does_not_count(run: Path) -> None:
    episode = next(iter(episode_files(run)))
    add_verdict(run, "ben", Verdict(episode=episode.name, recording="0" * 20, success=True))
    assert not read_verdicts(run, "ben").by_episode
    path = run / "verdicts" / "ben.jsonl"
    path.write_text("nonsense\n")
    with pytest.raises(BadInput, match=r"ben\.jsonl, line 1 is no verdict; correct or remove it"):
        read_verdicts(run, "ben")
    path.unlink()
    assert "choose another --judge" in str(judged(run, "", "../x")[1])


def test_a_comparison_shows_how_far_judges_agree(played: Path, run: Path) -> None:
    """Anna contradicts the recording once, and ben twice, in the same episode and another one."""
    recorded = [bool(result.success) for result in results_of(run)]
    assert len(recorded) == TASKS
    anna = [not recorded[0], *recorded[1:]]
    ben = [not recorded[0], not recorded[1], *recorded[2:]]
    for judge, verdicts in (("anna", anna), ("ben", ben)):
        for path, success in zip(episode_files(run), verdicts, strict=True):
            given = Verdict(episode=path.name, recording=digest_of(path), success=success)
            add_verdict(run, judge, given)
    found = compare([played / "sim"], [run])
    lines = list(judge_lines(found))
    assert [line.partition(";")[0] for line in lines] == [
        "Judges of the second run: the true state and anna agree in 75% of 4 episodes",
        "Judges of the second run: the true state and ben agree in 50% of 4 episodes",
        "Judges of the second run: anna and ben agree in 75% of 4 episodes",
    ]
    p, q = sum(anna) / TASKS, sum(ben) / TASKS
    chance = p * q + (1 - p) * (1 - q)
    kappa = (3 / 4 - chance) / (1 - chance)
    assert f"kappa {kappa:.2f}" in lines[2]
    document = json.loads(json.dumps(comparison_document(found)["judges"]))
    assert document["sim"] == []
    assert [each["second"] for each in document["real"]] == ["anna", "ben", "ben"]
    assert document["real"][2]["outcomes"]["kappa"]["value"] == pytest.approx(kappa)
