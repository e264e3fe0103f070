"""Films of recorded episodes: what they say and show, and what cannot be filmed."""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import peephole
from peephole.adapters.film import Film
from peephole.adapters.mujoco.blocks.adapter import BlocksAdapter
from peephole.cli.main import app
from peephole.episodes.events import Stepped, to_line
from peephole.episodes.recording import episode_files, read_events
from peephole.errors import BadInput, Missing
from peephole.results.films import film as films
from peephole.results.films.caption import ABOVE, BELOW, Subtitles, framed
from peephole.results.films.moments import film_story, seconds_of
from peephole.results.report.page import write_report
from peephole.skills.outcomes import Failure, Outcome, Reason

from ...opened_page import OpenedPage

ffmpeg = pytest.importorskip("imageio_ffmpeg")
pytest.importorskip("PIL")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tasks in a house, of which the last was not played."""
    folder = tmp_path_factory.mktemp("films") / "run"
    peephole.run("explore", "houses", tasks=2, out=folder)
    next(reversed(list(episode_files(folder)))).unlink()
    return folder


@pytest.fixture(autouse=True)
def few_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(films, "FRAME_RATE", 0.5)
    monkeypatch.setattr(BlocksAdapter, "frame_rate", 0.5)


def film(*arguments: object) -> Any:
    done = CliRunner().invoke(app, ["film", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


def frames_of(path: Path) -> list[np.ndarray[Any, Any]]:
    """The frames of a film in grey."""
    reader = ffmpeg.read_frames(str(path))
    meta = next(reader)
    width, height = meta["size"]
    assert meta["codec"] == "h264"
    assert "yuv420p" in meta["pix_fmt"], "what browsers play"
    shape = (height, width, 3)
    return [np.frombuffer(f, np.uint8).reshape(shape).mean(axis=2) for f in reader]


def test_a_story_tells_each_step_and_the_result(run: Path) -> None:
    events = read_events(next(episode_files(run)))
    story = film_story(events, ())
    captions = [moment.caption for moment in story.moments]
    steps = [event for event in events if isinstance(event, Stepped)]
    assert len(captions) == len(steps) + 2
    assert [caption.action for caption in captions[1:-1]] == [step.wording for step in steps]
    assert captions[0].count == "start"
    assert captions[1].count == f"step 1 of {len(steps)}"
    assert captions[1].thought != ""
    assert (captions[-1].action, captions[-1].outcome) == ("Success", "the goal was reached")
    assert captions[-1].failed is False
    assert all(caption.task == captions[0].task != "" for caption in captions)
    assert len(story.worlds) == len(captions)
    assert story.worlds[-1] == story.worlds[-2] != story.worlds[0]
    assert story.goal


def test_a_failed_step_says_why(run: Path) -> None:
    events = read_events(next(episode_files(run)))
    place = next(n for n, event in enumerate(events) if isinstance(event, Stepped))
    step = events[place]
    assert isinstance(step, Stepped)
    events[place] = replace(step, outcome=Outcome(Failure(Reason.HANDS_FULL)))
    caption = film_story(events, ()).moments[1].caption
    assert (caption.outcome, caption.failed) == ("hands full", True)


def test_a_house_is_filmed_as_a_floor_plan(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "one.mp4"
    done = film(run, 1, "--out", out, "--json")
    told = json.loads(done.stdout)
    assert told["shows"] == "a floor plan drawn of its recording"
    assert told["difference"] is None
    story = film_story(read_events(next(episode_files(run))), ())
    frames = frames_of(out)
    assert frames[0].shape == (720, 1280)
    assert len(frames) == sum(max(1, round(each / 2)) for each in seconds_of(story.moments))
    assert np.abs(frames[-1] - frames[0]).max() > 50
    assert out.stat().st_size < 50_000 * len(frames)


def test_filming_says_how_far_it_is(run: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("peephole.cli.output._SIGN_EVERY_S", 0.01)
    printed = film(run, 1, "--out", tmp_path / "film.mp4").stderr
    shares = [int(share) for share in re.findall(r"Filming episode 1, (\d+) % after", printed)]
    assert len(set(shares)) > 1
    assert shares == sorted(shares)
    assert max(shares) < 100


def test_long_episodes_have_short_steps(run: Path) -> None:
    moments = film_story(read_events(next(episode_files(run))), ()).moments
    assert sum(seconds_of(list(moments) * 20)) < 200
    assert seconds_of(moments[:3])[1] == 1.6


def test_the_report_shows_the_films_of_a_run(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    done = film(copy, 1, "--json")
    (made,) = (copy / "films").iterdir()
    assert json.loads(done.stdout)["file"] == str(made)
    page = tmp_path / "page.html"
    write_report([copy], page)
    opened = OpenedPage(page)
    shown = page.parent / opened.episode("run1/1")["film"]
    assert shown.read_bytes() == made.read_bytes()
    assert "film" not in opened.episode("run1/2")


def test_recorded_images_are_filmed_unless_a_plan_is_asked_for(tmp_path: Path) -> None:
    peephole.run("expert", "houses", tasks=1, images=True, out=tmp_path / "run")
    out = tmp_path / "a.mp4"
    assert "its recorded images" in film(tmp_path / "run", 1, "--out", out).stdout
    images = frames_of(out)
    assert "a floor plan" in film(tmp_path / "run", 1, "--out", out, "--drawn").stdout
    plans = frames_of(out)
    assert images[0].shape == plans[0].shape
    assert np.abs(images[1] - plans[1])[100:600].mean() > 5
    for image in (tmp_path / "run" / "images").iterdir():
        image.unlink()
    with pytest.raises(
        BadInput, match=r"of the recording cannot be read \(it is missing\); restore the file"
    ):
        film(tmp_path / "run", 1, "--out", out)


def test_a_time_lapse_says_so_and_captions_leave_the_picture_as_it_is(
    run: Path, tmp_path: Path
) -> None:
    from PIL import Image

    events = read_events(next(episode_files(run)))
    picture = np.random.default_rng(0).integers(0, 256, (90, 960, 3), np.uint8)
    start = film_story(events, ()).moments[0].caption
    for speed, mark in ((1.0, "me on houses"), (4.0, "me on houses, 4 times as fast")):
        with Film(tmp_path / "a.mp4", 1.0) as shot:
            shot.speed = speed
            Subtitles(shot, events, "me on houses")
            assert shot.dress is not None
            frame = shot.dress(picture)
        assert (frame[ABOVE:-BELOW] == picture).all()
        assert (frame == np.asarray(framed(Image.fromarray(picture), start, mark))).all()


def test_mujoco_plays_the_episode_again_with_captions(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    peephole.run("expert", "blocks", tasks=["heavier/1"], out=tmp_path / "run")
    out = tmp_path / "a.mp4"
    try:
        done = film(tmp_path / "run", "heavier/1", "--out", out)
    except Missing as missing:
        pytest.skip(str(missing))
    assert done.stdout == f"Written to {out}: mujoco, played again.\n"
    frames = frames_of(out)
    assert frames[0].shape == (540 + 72 + 84, 960)
    assert np.abs(frames[-1] - frames[0])[72:-84].max() > 50, "the arm has moved"
    assert np.abs(frames[-1] - frames[0])[-84:].max() > 100, "the result is told"
    assert "a floor plan" in film(tmp_path / "run", 1, "--out", out, "--drawn").stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["1", "--out", "a.avi"], "a.avi is no film; give a path that ends in .mp4."),
        (["1", "--out", "nowhere/a.mp4"], "nowhere/a.mp4 cannot be written (No such file"),
        (["7", "--out", "a.mp4"], "has no episode 7; give a number from 1 to 2."),
        (["2", "--out", "a.mp4"], "has not begun"),
    ],
)
def test_what_cannot_be_filmed_is_said(run: Path, arguments: list[str], sentence: str) -> None:
    with pytest.raises(BadInput, match=re.escape(sentence)):
        film(run, *arguments)


@pytest.mark.parametrize("package", ["PIL", "imageio_ffmpeg"])
def test_without_a_package_it_says_what_to_install(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Missing, match=r"pip install 'imageio-ffmpeg<.* 'pillow<"):
        film(run, 1, "--out", tmp_path / "a.mp4")


def test_a_recording_that_tells_nothing_is_refused(run: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(run, tmp_path / "run")
    path = next(episode_files(copy))
    bare = [
        replace(event, world=None, view=None) if hasattr(event, "world") else event
        for event in read_events(path)
    ]
    path.write_bytes(b"".join(map(to_line, bare)))
    with pytest.raises(BadInput, match="records neither places nor images"):
        film(copy, 1, "--out", tmp_path / "a.mp4")
