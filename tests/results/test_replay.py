"""A recorded run can be re-executed, and a recording that is not true is found out."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from peephole.adapters.mujoco.blocks import BlocksAdapter
from peephole.cli.main import app
from peephole.episodes.events import Ended, RecordedEvent, Started, Stepped, to_line
from peephole.episodes.recording import episode_files, read_events
from peephole.errors import Missing

from ..commands import command


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded") / "run"
    done = command(
        *("run", "--suite", "robothow", "--planner", "explore", "--tasks", "3"),
        *("--out", str(folder)),
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def run(recorded: Path, tmp_path: Path) -> Path:
    """A copy to do with as one likes."""
    return shutil.copytree(recorded, tmp_path / "run")


def change(path: Path, kind: type[RecordedEvent], **fields: Any) -> None:
    """Change the first event of a class in an episode's file; of `Ended`, the result in it."""
    events = read_events(path)
    at = next(i for i, event in enumerate(events) if isinstance(event, kind))
    if kind is Ended:
        fields = {"result": replace(events[at].result, **fields)}
    events[at] = replace(events[at], **fields)
    path.write_bytes(b"".join(map(to_line, events)))


def test_a_true_recording_is_verified(run: Path) -> None:
    done = command("replay", str(run), "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["episodes"] == 3
    assert document["steps"] > 5
    assert document["differing"] == {}
    one = command("replay", str(run), "2")
    assert len(one.stdout.splitlines()) == 1
    assert "steps as recorded" in one.stdout


def test_an_unfinished_episode_is_verified_as_far_as_it_goes(run: Path) -> None:
    episode = sorted((run / "episodes").iterdir())[0]
    lines = episode.read_text().splitlines(keepends=True)
    episode.write_text("".join(lines[: len(lines) // 2]))
    assert command("replay", str(run), "1").returncode == 0


@pytest.mark.parametrize(
    ("kind", "fields", "found"),
    [
        (Stepped, {"observation": "You see a treasure."}, "observation was 'You see a treasure.'"),
        (Stepped, {"progress": 0.875}, "progress was 0.875"),
        (Ended, {"success": False}, "success was False and is True"),
        (Started, {"state": "0" * 64}, "state was '000"),
    ],
)
def test_an_untrue_recording_is_found_out(
    run: Path, kind: type[RecordedEvent], fields: dict[str, Any], found: str
) -> None:
    change(sorted((run / "episodes").iterdir())[1], kind, **fields)
    done = command("replay", str(run))
    assert done.returncode == 1
    assert found in done.stdout
    assert "1 of 3 episodes differ" in done.stderr


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("peephole", "0.0.7", "was recorded by peephole 0.0.7"),
        ("adapter", {"virtualhome-eval": "9.9"}, "was recorded with virtualhome-eval 9.9"),
    ],
)
def test_a_run_of_another_version_is_refused(
    run: Path, field: str, value: Any, sentence: str
) -> None:
    stored = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**stored, field: value}))
    done = command("replay", str(run))
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_episode_that_is_not_there_is_refused(run: Path) -> None:
    done = command("replay", str(run), "9")
    assert done.returncode == 2
    assert "has no episode 9; give a number from 1 to 3" in done.stderr


# --- films ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def of_blocks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one task in MuJoCo, in a process of its own."""
    pytest.importorskip("mujoco")
    folder = tmp_path_factory.mktemp("blocks") / "run"
    done = command(
        *("run", "--suite", "blocks", "--planner", "expert", "--tasks", "heavier/1", "--isolate"),
        *("--out", str(folder)),
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_an_episode_is_filmed(
    of_blocks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    monkeypatch.setattr(BlocksAdapter, "frame_rate", 2.0)
    film = tmp_path / "heavier.mp4"
    arguments = ["replay", str(of_blocks), "1", "--film", str(film), "--json"]
    try:
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    except Missing as missing:
        pytest.skip(str(missing))
    assert json.loads(done.stdout)["film"] == str(film)
    events = read_events(next(episode_files(of_blocks)))
    took = sum(event.outcome.sim_time_s for event in events if isinstance(event, Stepped))
    assert imageio_ffmpeg.count_frames_and_secs(str(film))[1] == pytest.approx(took, abs=0.6)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--film", "a.mp4"), "--film makes a film of one episode; give its number"),
        (("1", "--film", "a.txt"), "a.txt is no film; give a path that ends in .mp4"),
        (("1", "--film", "nowhere/a.mp4"), "nowhere/a.mp4 cannot be written (No such file"),
    ],
)
def test_a_film_that_cannot_be_made_is_refused_in_one_sentence(
    of_blocks: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    pytest.importorskip("imageio_ffmpeg")
    done = command("replay", str(of_blocks), *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_film_needs_a_package(
    of_blocks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "imageio_ffmpeg.py").write_text("raise ImportError('is not there')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = command("replay", str(of_blocks), "1", "--film", str(tmp_path / "a.mp4"))
    assert (done.returncode, len(done.stderr.splitlines())) == (3, 1)
    assert "pip install 'imageio-ffmpeg<" in done.stderr


def test_what_was_not_played_is_not_filmed(of_blocks: Path, tmp_path: Path) -> None:
    unplayed = shutil.copytree(of_blocks, tmp_path / "run")
    next(episode_files(unplayed)).unlink()
    done = command("replay", str(unplayed), "1", "--film", str(tmp_path / "a.mp4"))
    assert done.returncode == 2
    assert "has not begun" in done.stderr
