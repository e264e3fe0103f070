"""What a killed, damaged or busy recording means to a user."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from peephole.episodes.recording import EpisodeLog, latest, read_events, read_run, write_run
from peephole.errors import BadInput


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "episodes" / "0001-a.jsonl"
    with EpisodeLog(path) as log:
        log.write("start", 0, {"task": "a"})
        log.write("step", 1, {"action": "gehe zum Küchentisch"})
    events = read_events(path)
    assert [event["event"] for event in events] == ["start", "step"]
    assert events[1]["action"] == "gehe zum Küchentisch"
    assert events[0]["t"] <= events[1]["t"]


def test_a_torn_last_line_is_cut_off_and_the_rest_kept(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    with EpisodeLog(path) as log:
        log.write("start", 0, {"task": "a"})
        log.write("step", 1, {"action": "x"})
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"v":1,"event":"st')
    assert len(read_events(path)) == 2
    with EpisodeLog(path) as log:
        assert [event["event"] for event in log.events] == ["start", "step"]
        log.write("step", 2, {"action": "y"})
    assert path.read_bytes().startswith(whole)
    assert [event["step"] for event in read_events(path)] == [0, 1, 2]


def test_time_goes_on_where_the_recording_stopped(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text('{"v":1,"event":"start","step":0,"t":100.0}\n')
    with EpisodeLog(path) as log:
        log.write("step", 1, {})
    assert read_events(path)[1]["t"] >= 100.0


def test_only_the_newest_start_counts_and_voided_ones_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    with EpisodeLog(path) as log:
        log.write("start", 0, {"n": 1})
        log.write("void", 3, {"reason": "the simulator was lost"})
        log.restart()
        log.write("start", 0, {"n": 2})
    with EpisodeLog(path) as log:
        assert [event["n"] for event in log.events] == [2]
        assert log.voided == 1
    assert latest(read_events(path))[0]["n"] == 2


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
        ("[]", "line 2 has no 'event'"),
        ('{"v":99,"event":"step","step":1,"t":0}', "line 2 has the schema version 99"),
        ('{"v":1,"event":"step","step":1}', "line 2 lacks the number 't'"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str, complaint: str) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text('{"v":1,"event":"start","step":0,"t":0}\n' + line + "\n")
    with pytest.raises(BadInput, match=complaint) as caught:
        read_events(path)
    assert str(path) in str(caught.value)


def test_run_json_is_written_and_read_back(tmp_path: Path) -> None:
    write_run(tmp_path / "run", {"schema": 1, "config": {"suite": "s"}})
    assert read_run(tmp_path / "run")["config"] == {"suite": "s"}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "has no run.json"),
        ("{", "is not JSON"),
        (json.dumps({"schema": 7}), "'schema' is 7"),
        (json.dumps({"schema": 1}), "'config' is missing"),
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
