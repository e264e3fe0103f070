"""A damaged recording is named, whatever in it is damaged and whoever reads it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from peephole.episodes.recording import EpisodeLog, episode_path, read_episode, read_events
from peephole.episodes.replay import replay_run
from peephole.episodes.report.page import write_report
from peephole.episodes.runner import RunConfig, check_config, load_suite, run, start_run
from peephole.episodes.show import episode_view, run_view
from peephole.errors import BadInput


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damaged") / "run"
    task = load_suite("houses").tasks[0].id
    start_run(check_config(RunConfig("houses", "explore", (task,))), folder)
    list(run(folder))
    return folder


def readers(folder: Path, page: Path) -> list[Callable[[], Any]]:
    return [
        lambda: run_view(folder),
        lambda: episode_view(folder, "1"),
        lambda: write_report([folder], page),
        lambda: list(replay_run(folder)),
    ]


def file_of(folder: Path) -> Path:
    return next((folder / "episodes").iterdir())


@pytest.mark.parametrize("wrong", ["gone", 7, None, [3], "x", {"y": 1}], ids=str)
def test_readers_say_what_is_damaged_and_never_break(
    played: Path, tmp_path: Path, wrong: Any
) -> None:
    path = file_of(played)
    whole = path.read_bytes()
    events = read_events(path)
    kinds = {(event["event"], event.get("kind")): event for event in events}
    complained = 0
    try:
        for event in kinds.values():
            for field in event.keys() - {"v", "t", "step", "event"}:
                spoiled = {k: v for k, v in event.items() if k != field}
                if wrong != "gone":
                    spoiled[field] = wrong
                lines = [spoiled if other is event else other for other in events]
                path.write_text("".join(json.dumps(line) + "\n" for line in lines))
                for read in readers(played, tmp_path / "page.html")[:3]:
                    try:
                        read()
                    except BadInput as error:
                        complained += str(path) in str(error)
    finally:
        path.write_bytes(whole)
    assert complained


def test_a_damaged_step_is_named_with_its_field(played: Path) -> None:
    path = file_of(played)
    whole = path.read_bytes()
    try:
        path.write_bytes(whole.replace(b'"attempts":[{', b'"tries":[{', 1))
        for read in (lambda: read_episode(path), lambda: list(replay_run(played))):
            with pytest.raises(
                BadInput, match=r"at step 1 .*'outcome.attempts' is missing.*--resum"
            ):
                read()
        lines = whole.splitlines(keepends=True)[:-1]  # an episode that has not ended
        torn = b"".join(lines).replace(b'"attempts":[{', b'"tries":[{', 1)
        path.write_bytes(torn)
        with pytest.raises(BadInput, match=r"'outcome.attempts' is missing"):
            list(run(played))
        assert path.read_bytes() == torn
    finally:
        path.write_bytes(whole)


def test_files_that_cannot_be_read_or_written_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "0001-a.jsonl"
    folder.mkdir()
    with pytest.raises(BadInput, match=r"0001-a\.jsonl cannot be read"):
        read_events(folder)
    with pytest.raises(BadInput, match=r"0001-a\.jsonl cannot be written"):
        EpisodeLog(folder)


def test_a_run_starts_in_no_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    config = check_config(RunConfig("houses", "random", (load_suite("houses").tasks[0].id,)))
    for out in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(BadInput, match="choose a"):
            start_run(config, out)
    assert (tmp_path / "file").read_text() == "mine"


def test_what_was_never_played_is_said_to_be_so(tmp_path: Path) -> None:
    config = check_config(RunConfig("houses", "random", (load_suite("houses").tasks[0].id,)))
    start_run(config, tmp_path / "run")
    with pytest.raises(BadInput, match=r"No episode of .* was played yet; continue it with"):
        list(replay_run(tmp_path / "run"))
    empty = episode_path(tmp_path / "run", 1, config.tasks[0])
    empty.parent.mkdir()
    empty.touch()
    with pytest.raises(BadInput, match="has not begun"):
        episode_view(tmp_path / "run", "1")
