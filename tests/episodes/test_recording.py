"""What a killed, damaged or busy recording means to a user."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from peephole.episodes.events import SCHEMA_VERSION, Started, TextRefused, Voided, to_line
from peephole.episodes.recording import EpisodeLog, latest, read_events
from peephole.episodes.run_file import RunConfig, RunFile, read_run, write_run
from peephole.errors import BadInput
from peephole.models.config import ModelConfig

MODEL = ModelConfig("stand-in", temperature=0.5)


def start(t: float = 0.0, task: str = "a") -> Started:
    return Started(
        task=task, instruction="", scene="", state=None, observation="", progress=0.0, t=t
    )


def refused(step: int, said: str, t: float = 0.0) -> TextRefused:
    """The event of a step that tells little else."""
    return TextRefused(step=step, said=said, reason="?", t=t)


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "episodes" / "0001-a.jsonl"
    with EpisodeLog(path) as log:
        written = [start(t=log.now()), refused(1, "gehe zum Küchentisch", t=log.now())]
        for event in written:
            log.write(event)
    events = read_events(path)
    assert events == written
    assert events[0].t <= events[1].t


def test_a_torn_last_line_is_cut_off_and_the_rest_kept(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    with EpisodeLog(path) as log:
        log.write(start())
        log.write(refused(1, "x"))
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"event":"text_ref')
    assert len(read_events(path)) == 2
    with EpisodeLog(path) as log:
        assert log.events == [start(), refused(1, "x")]
        log.write(refused(2, "y"))
    assert path.read_bytes().startswith(whole)
    assert [event.step for event in read_events(path)] == [0, 1, 2]


def test_time_goes_on_where_the_recording_stopped(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    with EpisodeLog(path) as log:
        log.write(start(t=100.0))
    with EpisodeLog(path) as log:
        assert log.now() >= 100.0


def test_only_the_newest_start_counts_and_voided_ones_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    with EpisodeLog(path) as log:
        log.write(start(task="first"))
        log.write(Voided(step=3, reason="the simulator was lost"))
        log.restart()
        log.write(start(task="second"))
    with EpisodeLog(path) as log:
        assert log.events == [start(task="second")]
        assert log.voided == 1
    assert latest(read_events(path)) == [start(task="second")]


def test_an_episode_that_another_process_writes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("peephole.episodes.recording._LOCK_PATIENCE_S", 0.2)
    path = tmp_path / "e.jsonl"
    code = (
        "import sys; from pathlib import Path; from peephole.episodes.recording import EpisodeLog\n"
        "log = EpisodeLog(Path(sys.argv[1])); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(BadInput, match=r"Another process is writing .*e\.jsonl"):
            EpisodeLog(path)
        other.kill()
    EpisodeLog(path).close()  # a killed writer leaves no lock behind


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{nonsense", "line 2 is not JSON"),
        ("[]", "line 2 is no event"),
        ('{"step":1}', "line 2 has no 'event'"),
        ('{"event":"text_refused","step":1,"said":"x"}', "line 2 is a .*'text_refused': reason: "),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str, complaint: str) -> None:
    path = tmp_path / "e.jsonl"
    path.write_bytes(to_line(start()) + line.encode() + b"\n")
    with pytest.raises(BadInput, match=complaint) as caught:
        read_events(path)
    assert str(path) in str(caught.value)


def test_a_recording_of_another_schema_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_bytes(to_line(replace(start(), schema_version=99)))
    with pytest.raises(BadInput, match="line 1 has the schema version 99") as caught:
        read_events(path)
    assert str(path) in str(caught.value)


def test_run_json_is_written_and_read_back(tmp_path: Path) -> None:
    config = RunConfig("houses", "llm", ("a", "b"), options={"k": "v"}, models={"planner": MODEL})
    content = RunFile(config, grants=("goal",), adapter={"peephole": "0.1.0"})
    write_run(tmp_path / "run", content)
    assert read_run(tmp_path / "run") == content


def stored(**fields: Any) -> str:
    return json.dumps({"schema_version": SCHEMA_VERSION, **fields})


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "has no run.json"),
        ("{", "is not JSON"),
        (json.dumps({"schema_version": 7}), "schema version 7"),
        (json.dumps([]), "schema version None"),
        (stored(), "'config' is wrong: field required"),
        (stored(config={"suite": "s"}), "'config.planner' is wrong: field required"),
        (stored(config={"suite": "s", "planner": "p"}), "'config.tasks' names no task"),
    ],
)
def test_a_malformed_run_folder_is_named(
    tmp_path: Path, content: str | None, complaint: str
) -> None:
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    with pytest.raises(BadInput, match=complaint) as caught:
        read_run(tmp_path)
    assert str(tmp_path) in str(caught.value)
