"""Recordings on full disks, with damaged lines, and under two hands at once."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import peephole
from peephole.api import RunResults
from peephole.episodes.events import Perceived, Started
from peephole.episodes.recording import (
    RecordedImages,
    RecordingFailed,
    episode_files,
    read_events,
    run_lock,
    without_times,
)
from peephole.models.config import ModelConfig
from peephole.models.failures import ModelFailure
from peephole.planners.contract import Act, Brief, Decisions, Percept, Planner

from .. import commands

TASKS = 2


def command(*arguments: str | Path, bytes_a_file: int | None = None) -> Any:
    """The command line, perhaps where no file may become longer than so many bytes."""
    if bytes_a_file is None:
        return commands.command(*arguments)
    sizes = (bytes_a_file, bytes_a_file)
    return subprocess.run(
        [sys.executable, "-m", "peephole", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, sizes),
    )


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing happened to."""
    folder = tmp_path_factory.mktemp("faults") / "run"
    return peephole.run("explore", "houses", tasks=TASKS, out=folder).folder


def recorded(folder: Path) -> list[list[dict[str, Any]]]:
    return [without_times(read_events(path)) for path in episode_files(folder)]


def lines_of(folder: Path) -> list[bytes]:
    return [line for path in episode_files(folder) for line in path.read_bytes().splitlines()]


# --- writing -------------------------------------------------------------------------------------


def test_a_full_disk_is_told_in_a_sentence_and_loses_nothing(
    undisturbed: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    size = next(episode_files(undisturbed)).stat().st_size
    done = command(
        *("run", "--suite", "houses", "--planner", "explore", "--tasks", TASKS, "--out", folder),
        bytes_a_file=int(0.8 * size),
    )
    assert done.returncode == 1, done.stderr
    path = next(episode_files(folder))
    assert done.stderr.strip().splitlines()[-1] == (
        f"peephole: {path} cannot be written (File too large); nothing that was finished is lost; "
        f"correct that, then continue the run with --resume, or a grid with its command."
    )
    assert "Traceback" not in done.stderr
    assert path.read_bytes().endswith(b"\n"), "a part of a line was left"
    kept = lines_of(folder)
    assert len(kept) > 5
    done = command("run", "--resume", "--out", folder)
    assert done.returncode == 0, done.stderr
    assert recorded(folder) == recorded(undisturbed)
    assert lines_of(folder)[: len(kept)] == kept


def test_a_disk_that_is_full_for_run_json_is_no_wrong_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    arguments = ("run", "--suite", "houses", "--planner", "explore", "--tasks", 1, "--out", folder)
    done = command(*arguments, bytes_a_file=100)
    assert done.returncode == 1
    assert done.stderr == (
        f"peephole: The folder {folder} cannot be written (File too large); nothing that was "
        f"finished is lost: free some space, then give the command again.\n"
    )
    assert command(*arguments).returncode == 0  # as it says


@pytest.mark.parametrize("arguments", [("show",), ("show", "--json"), ("run",)])
def test_a_disk_that_is_full_for_what_is_printed_is_told_in_a_sentence(
    run: Path, arguments: tuple[str, ...]
) -> None:
    shown = ["--resume", "--out", run] if arguments == ("run",) else [run]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "peephole", *arguments, *map(str, shown)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
        )
    assert done.returncode == 1
    assert done.stderr == (
        "peephole: The output cannot be written, because the disk is full; free some space.\n"
    )


def test_writes_that_come_short_are_completed(
    undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[: len(data) // 2 + 1]))
    run = peephole.run("explore", "houses", tasks=TASKS, out=tmp_path / "run")
    monkeypatch.undo()
    assert recorded(run.folder) == recorded(undisturbed)


@pytest.mark.parametrize("short", [False, True], ids=["at once", "after a part of the line"])
def test_a_run_goes_on_wherever_the_disk_was_full(
    undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short: bool
) -> None:
    """At the first event, at the end of an episode, and between."""
    folder = tmp_path / "run"
    write = os.write
    left = 0

    def full(fd: int, data: bytes) -> int:
        nonlocal left
        if os.readlink(f"/proc/self/fd/{fd}").endswith(".jsonl"):
            left -= 1
            if left <= 0 and short and left % 2 == 0:
                return write(fd, data[: len(data) // 2])
            if left <= 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(fd, data)

    def go_on(folder: Path) -> RunResults:
        if folder.exists():
            return peephole.resume(folder)
        return peephole.run("explore", "houses", tasks=TASKS, out=folder)

    first = len(next(episode_files(undisturbed)).read_bytes().splitlines())
    for writes in (1, first - 1, 2, 7):
        left = writes
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(RecordingFailed, match="No space left on device") as caught:
            go_on(folder)
        assert caught.value.exit_code == 1
        monkeypatch.undo()
        for path in episode_files(folder):
            assert not path.read_bytes() or path.read_bytes().endswith(b"\n")
    peephole.resume(folder)
    assert recorded(folder) == recorded(undisturbed)


def test_a_disk_that_is_full_at_the_start_of_an_episode_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = os.open

    def full(path: Any, *arguments: Any, **more: Any) -> int:
        if str(path).endswith(".jsonl"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return opened(path, *arguments, **more)

    monkeypatch.setattr(os, "open", full)
    with pytest.raises(RecordingFailed, match="nothing that was finished is lost"):
        peephole.run("explore", "houses", tasks=1, out=tmp_path / "run")
    monkeypatch.undo()
    assert len(peephole.resume(tmp_path / "run").results) == 1


def test_a_disk_that_is_full_for_a_models_reply_is_no_fault_of_the_planner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where the planner catches whatever befalls its model."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        try:
            text = brief.model.complete([{"role": "user", "content": "What now?"}])
        except Exception:
            text = "look"
        yield Act(text)

    planner = Planner("asks", "asks a model", plan, models=("planner",))
    replies = tmp_path / "replies.txt"
    replies.write_text('{"when": "What now?", "reply": "look"}')
    write = os.write

    def full(fd: int, data: bytes) -> int:
        if b'"event":"model_replied"' in data:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(fd, data)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(RecordingFailed):
        peephole.run(planner, "houses", tasks=1, model=f"replies:{replies}", out=tmp_path / "run")
    monkeypatch.undo()
    (path,) = episode_files(tmp_path / "run")
    assert [event.event for event in read_events(path)] == ["started"]
    run = peephole.resume(tmp_path / "run", planner=planner)
    assert [result.ended for result in run.results] == ["done"]


# --- damaged files -------------------------------------------------------------------------------


@pytest.fixture
def run(undisturbed: Path, tmp_path: Path) -> Path:
    """A copy to do with as one likes."""
    return Path(shutil.copytree(undisturbed, tmp_path / "run"))


def test_a_torn_last_line_is_done_again(undisturbed: Path, run: Path) -> None:
    path = next(episode_files(run))
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * 0.7)])
    assert command("show", run, "1").returncode == 0
    done = command("run", "--resume", "--out", run)
    assert done.returncode == 0, done.stderr
    assert "damaged" not in done.stderr
    assert recorded(run) == recorded(undisturbed)


@pytest.mark.parametrize("ended", [True, False], ids=["of an episode that ended", "that did not"])
def test_a_damaged_file_is_kept_and_its_episode_played_anew(
    undisturbed: Path, run: Path, ended: bool
) -> None:
    first, second = episode_files(run)
    lines = first.read_bytes().splitlines(keepends=True)
    lines[9] = lines[9][:20] + b"\x00\xff" + lines[9][22:]
    damaged = b"".join(lines if ended else lines[:-3])
    first.write_bytes(damaged)
    untouched = second.read_bytes()
    shown = command("show", run, "1")
    assert shown.returncode == 0, shown.stderr
    assert f"{first}, line 10 is not JSON" in " ".join(shown.stdout.split())
    assert "go to" in shown.stdout  # the rest
    report = command("report", run, "--out", run / "page.html")
    assert report.returncode == 0, report.stderr
    assert "line 10 is not JSON" in " ".join((run / "page.html").read_text().split())
    assert first.read_bytes() == damaged

    done = command("run", "--resume", "--out", run)
    assert done.returncode == 0, done.stderr
    assert done.stderr.strip() == (
        f"peephole: {first}, line 10 is not JSON; it is kept as {first.name}.damaged and recorded "
        f"again."
    )
    assert first.with_name(f"{first.name}.damaged").read_bytes() == damaged
    assert recorded(run) == recorded(undisturbed)
    assert second.read_bytes() == untouched

    first.write_bytes(damaged)  # once more: what is kept already stays
    with pytest.warns(UserWarning, match=r"kept as .*\.damaged-2 and recorded again"):
        results = peephole.resume(run)
    assert first.with_name(f"{first.name}.damaged-2").read_bytes() == damaged
    assert len(results.results) == TASKS
    assert recorded(run) == recorded(undisturbed)


def test_what_damaged_files_spent_is_still_counted(tmp_path: Path) -> None:
    def plan(brief: Brief, percept: Percept) -> Decisions:
        for _ in range(2):
            yield Act(brief.model.complete([{"role": "user", "content": "What now?"}]))

    planner = Planner("asks", "asks a model", plan, models=("planner",))
    replies = tmp_path / "replies.txt"
    replies.write_text('{"when": "What now?", "reply": "look"}')
    config = ModelConfig(f"replies:{replies}")
    out = tmp_path / "run"
    spent = peephole.run(planner, "houses", tasks=1, model=config, out=out).results[0].tokens
    assert spent > 0
    content = json.loads((out / "run.json").read_text())
    content["config"]["models"]["planner"]["budget_tokens"] = spent + 1
    (out / "run.json").write_text(json.dumps(content))
    (path,) = episode_files(out)
    path.write_bytes(path.read_bytes() + b"{nonsense\n")
    with (
        pytest.warns(UserWarning, match="recorded again"),
        pytest.raises(ModelFailure, match="budget"),
    ):
        peephole.resume(out, planner=planner)


@pytest.mark.slow  # five seconds of patience, as in `tests/cli/test_interruption.py`
def test_a_run_that_is_played_already_is_told_in_a_sentence(undisturbed: Path, run: Path) -> None:
    next(episode_files(run)).unlink()
    with run_lock(run):
        done = command("run", "--resume", "--out", run)
        assert done.returncode == 2
        assert done.stderr == (
            f"peephole: Another process is writing {run}; wait until it has ended, or choose "
            f"another --out.\n"
        )
        assert done.stdout == ""
    assert command("run", "--resume", "--out", run).returncode == 0
    assert recorded(run) == recorded(undisturbed)


def test_a_run_that_was_told_to_end_comes_out_as_if_it_was_not(
    undisturbed: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    arguments = ("run", "--suite", "houses", "--planner", "explore", "--tasks", str(TASKS))
    with subprocess.Popen(
        [sys.executable, "-m", "peephole", *arguments, "--out", str(folder), "--watch"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for _ in range(9):
            process.stdout.readline()
        process.terminate()
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors.strip() == (
        f"peephole: Interrupted. Continue with: peephole run --resume --out {folder}"
    )
    kept = lines_of(folder)
    assert kept
    assert command("run", "--resume", "--out", folder).returncode == 0
    assert recorded(folder) == recorded(undisturbed)
    assert lines_of(folder)[: len(kept) - 1] == kept[:-1]


# --- images --------------------------------------------------------------------------------------


def png_size(content: bytes) -> tuple[int, int]:
    """Width and height that a PNG's header tells."""
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert content[12:16] == b"IHDR"
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def filmed(tmp_path: Path, **more: Any) -> RunResults:
    pytest.importorskip("mujoco")
    run: Callable[..., RunResults] = peephole.run
    return run("expert", "blocks", tasks=1, out=tmp_path / "run", **more)


def test_each_step_names_the_image_of_what_was_seen(tmp_path: Path) -> None:
    folder = filmed(tmp_path, images=True).folder
    (path,) = episode_files(folder)
    seen = [event for event in read_events(path) if isinstance(event, Perceived)]
    assert len(seen) > 2
    named = {event.image for event in seen}
    assert named == {file.name for file in (folder / "images").iterdir()}
    with peephole.make("blocks", task=seen[0].task, grants=["images"]) as environment:  # type: ignore[attr-defined]
        assert isinstance(seen[0], Started)
        image = environment.reset().image()
        assert image is not None
    for name in named:
        assert png_size((folder / "images" / name).read_bytes()) == image.shape[1::-1]


def test_no_images_are_recorded_where_none_are_wanted(tmp_path: Path) -> None:
    folder = filmed(tmp_path).folder
    assert not (folder / "images").exists()
    (path,) = episode_files(folder)
    assert not any(e.image for e in read_events(path) if isinstance(e, Perceived))


def test_the_same_image_is_kept_once_and_by_whoever_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    images = RecordedImages(tmp_path)
    black, grey = np.zeros((4, 6, 3), np.uint8), np.full((4, 6, 3), 9, np.uint8)
    replace = Path.replace

    def late(draft: Path, target: Path) -> Path:
        """Another process keeps the same image just before."""
        monkeypatch.undo()
        other = subprocess.run(
            [
                *(sys.executable, "-c"),
                "import sys, numpy as np; from pathlib import Path; "
                "from peephole.episodes.recording import RecordedImages; "
                "RecordedImages(Path(sys.argv[1])).save(np.zeros((4, 6, 3), np.uint8))",
                str(tmp_path),
            ],
            check=True,
        )
        assert other.returncode == 0
        return replace(draft, target)

    monkeypatch.setattr(Path, "replace", late)
    name = images.save(black)
    assert images.save(black.copy()) == name
    assert images.save(grey) != name
    assert len(list((tmp_path / "images").iterdir())) == 2
    assert png_size((tmp_path / "images" / name).read_bytes()) == (6, 4)


def test_an_image_that_finds_no_space_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(RecordingFailed, match=r"\.png cannot be written \(No space left"):
        RecordedImages(tmp_path).save(np.zeros((4, 6, 3), np.uint8))
    assert not list((tmp_path / "images").iterdir())


def test_images_need_an_adapter_that_gives_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "urdf/franka_description/robots/franka_panda_gripper.urdf"
    model.parent.mkdir(parents=True)
    model.touch()
    monkeypatch.setenv("PEEPHOLE_ISAACGYM_ASSETS", str(tmp_path))
    monkeypatch.setenv("PEEPHOLE_ISAACGYM_PYTHON", sys.executable)
    done = command(
        *("run", "--suite", "blocks", "--planner", "expert", "--adapter", "isaacgym"),
        *("--tasks", 1, "--images", "--out", tmp_path / "run"),
    )
    assert done.returncode == 2
    assert "does not offer images (--images records them)" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()
