"""Runs whose simulator has a process of its own, sound and failing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.virtualhome import package
from peephole.episodes.recording import episode_files, read_events, without_times
from peephole.episodes.run_file import RunConfig, RunFile, read_run, write_run
from peephole.errors import BadInput

from ..commands import command

pytestmark = pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def peephole(*arguments: str) -> subprocess.CompletedProcess[str]:
    return command("run", *arguments)


def recorded(run: Path) -> dict[str, Any]:
    return {path.name: without_times(read_events(path)) for path in episode_files(run)}


def test_an_isolated_run_is_recorded_like_any_other(tmp_path: Path) -> None:
    options = ("--json", "--suite", "robothow", "--planner", "expert", "--tasks", "3")
    here = peephole(*options, "--out", str(tmp_path / "here"))
    there = peephole(*options, "--isolate", "--out", str(tmp_path / "there"))
    assert here.returncode == there.returncode == 0, there.stderr
    assert recorded(tmp_path / "there") == recorded(tmp_path / "here")
    assert not read_run(tmp_path / "here").config.isolate
    assert read_run(tmp_path / "there").config.isolate
    facts = read_run(tmp_path / "there").adapter
    assert facts["isolated"]["protocol"] == 1


def test_a_run_is_resumed_as_it_was_begun(tmp_path: Path) -> None:
    options = ("--suite", "robothow", "--planner", "expert", "--adapter", "symbolic")
    run = tmp_path / "run"
    begun = peephole("--json", *options, "--tasks", "2", "--isolate", "--out", str(run))
    assert begun.returncode == 0, begun.stderr
    expected = recorded(run)
    (episode, _) = episode_files(run)
    episode.write_bytes(b"".join(episode.read_bytes().splitlines(keepends=True)[:3]))
    assert peephole("--json", "--resume", "--isolate", "--out", str(run)).returncode == 0
    assert recorded(run) == expected
    plain = tmp_path / "plain"
    assert peephole("--json", *options, "--tasks", "1", "--out", str(plain)).returncode == 0
    refused = peephole("--resume", "--isolate", "--out", str(plain))
    assert refused.returncode == 2
    assert refused.stderr == f"peephole: {plain} was run without --isolate; leave the option out.\n"


def test_a_config_that_says_otherwise_than_yes_or_no_is_refused(tmp_path: Path) -> None:
    config = RunConfig("robothow", "expert", ("a",), adapter="symbolic", dialect="reactree")
    write_run(tmp_path, RunFile(config))
    stored = json.loads((tmp_path / "run.json").read_text())
    stored["config"]["isolate"] = "yes"
    (tmp_path / "run.json").write_text(json.dumps(stored))
    with pytest.raises(BadInput, match=r"'config\.isolate' is wrong: .*valid boolean"):
        read_run(tmp_path)


def test_a_simulator_that_does_not_start_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEPHOLE_VIRTUALHOME_PYTHON", "false")
    options = ("--suite", "robothow", "--planner", "expert", "--tasks", "1")
    done = peephole(*options, "--out", str(tmp_path / "run"))
    assert done.returncode == 1
    assert done.stderr == (
        "peephole: The simulator virtualhome did not start: it exited with code 1.\n"
    )


@pytest.mark.slow
def test_episodes_come_out_the_same_through_a_failing_simulator() -> None:
    """Deaths, hangs, garbled and late frames; `--faults 200` is the whole campaign."""
    done = subprocess.run(
        [
            *(sys.executable, str(BENCHMARKS / "simulator_faults.py"), "--faults", "12"),
            *("--share", "0.02", "--adapter", "symbolic"),
        ],
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split(" faults in ")[0]) >= 12
    assert "came out as without faults" in done.stdout
