"""A damaged recording is reported, whatever in it is damaged and whatever command reads it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console, RenderableType

import peephole
from peephole.episodes.events import Stepped, from_line
from peephole.episodes.recording import (
    Damage,
    EpisodeLog,
    episode_files,
    episode_path,
    read_episode,
    read_events,
    read_lines,
)
from peephole.episodes.resolve import resolve
from peephole.episodes.run_file import RunConfig
from peephole.episodes.runner import start_run
from peephole.errors import BadInput
from peephole.results.replay import replay_run
from peephole.results.report.page import write_report
from peephole.results.show.episode_view import episode_view
from peephole.results.show.runs import run_view


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damaged") / "run"
    return peephole.run("explore", "houses", tasks=1, out=folder).folder


@pytest.fixture
def file(played: Path) -> Any:
    """The file of the run's episode, which is whole again after the test."""
    (path,) = episode_files(played)
    whole = path.read_bytes()
    yield path
    path.write_bytes(whole)


def shown(renderable: RenderableType) -> str:
    console = Console(width=500)
    with console.capture() as captured:
        console.print(renderable)
    return captured.get()


def readers(folder: Path, page: Path) -> list[Callable[[], Any]]:
    return [
        lambda: shown(run_view(folder)),
        lambda: shown(episode_view(folder, "1")),
        lambda: (write_report([folder], page), page.read_text())[1],
    ]


slow = pytest.mark.slow


@pytest.mark.parametrize(
    "wrong",
    ["gone", 7, None, {"y": 1}, pytest.param([3], marks=slow), pytest.param("x", marks=slow)],
    ids=str,
)
def test_readers_say_what_is_damaged_and_never_break(
    played: Path, file: Path, tmp_path: Path, wrong: Any
) -> None:
    recorded = [json.loads(line) for line in file.read_text().splitlines()]
    kinds = {(line["event"], line.get("decision", {}).get("kind")): line for line in recorded}
    lines = list(kinds.values())  # one of each kind
    assert len(lines) >= 5
    complained = 0
    for line in lines:
        for field in line.keys() - {"t", "step", "event"}:
            spoiled = {k: v for k, v in line.items() if k != field}
            if wrong != "gone":
                spoiled[field] = wrong
            changed = [spoiled if other is line else other for other in lines]
            file.write_text("".join(json.dumps(other) + "\n" for other in changed))
            if field == "schema_version" and type(wrong) is int:
                with pytest.raises(BadInput, match=f"{file}, line 1 has the schema version 7"):
                    run_view(played)
                continue
            problems = [item for item in read_lines(file) if isinstance(item, Damage)]
            assert len(problems) <= 1
            for read in readers(played, tmp_path / "page.html"):
                text = read()
                for damage in problems:
                    assert f"{file}, line {damage.line} " in text
                    assert field in text
            for damage in problems:
                assert damage.problem.startswith(f"{file}, line {damage.line} ")
                assert field in damage.problem
                with pytest.raises(BadInput):
                    read_events(file)
                complained += 1
    assert complained


def test_a_damaged_step_is_named_with_its_field_and_the_rest_is_shown(
    played: Path, file: Path, tmp_path: Path
) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b'"attempts":[{', b'"tries":[{', 1))
    for read in (lambda: read_episode(file), lambda: list(replay_run(played))):
        with pytest.raises(
            BadInput, match=r"line \d+ is a damaged 'stepped': outcome\.tries: unknown .*--resum"
        ):
            read()
    for read in readers(played, tmp_path / "page.html"):
        assert "outcome.tries: unknown field" in " ".join(read().replace("&#39;", "'").split())
    sound = [item for item in read_lines(file) if isinstance(item, Stepped)]
    assert len(sound) > 3
    told = shown(episode_view(played, "1"))
    assert all(step.wording in told for step in sound)
    assert "Success after" in told
    lines = whole.splitlines(keepends=True)[:-1]  # an episode that has not ended
    torn = b"".join(lines).replace(b'"attempts":[{', b'"tries":[{', 1)
    file.write_bytes(torn)
    with pytest.warns(UserWarning, match=r"outcome\.tries: unknown field; it is kept as"):
        peephole.resume(played)
    kept = file.with_name(f"{file.name}.damaged")
    assert kept.read_bytes() == torn
    kept.unlink()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"{nonsense", "is not JSON"),
        (b"[]", "is no event"),
        (b"{}", "has no 'event'"),
        (b'{"event":"dance"}', "is no event"),
        (
            b'{"event":"text_refused","step":1,"said":"jump"}',
            "is a damaged 'text_refused': reason: field required",
        ),
        (
            b'{"event":"text_refused","step":"1","said":"jump","reason":"?"}',
            "is a damaged 'text_refused': step: input should be a valid integer",
        ),
        (
            b'{"event":"image_taken","step":1,"t":NaN,"image":""}',
            "is a damaged 'image_taken': t: input should be a finite number",
        ),
    ],
)
def test_what_is_wrong_with_a_line_is_told(line: bytes, problem: str) -> None:
    with pytest.raises(BadInput) as caught:
        from_line(line)
    assert str(caught.value).startswith(problem)


def test_files_that_cannot_be_read_or_written_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "0001-a.jsonl"
    folder.mkdir()
    with pytest.raises(BadInput, match=r"0001-a\.jsonl cannot be read"):
        read_events(folder)
    with pytest.raises(BadInput, match=r"0001-a\.jsonl cannot be written"):
        EpisodeLog(folder)


def test_a_run_starts_in_no_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for out in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(BadInput, match="choose a"):
            peephole.run("random", "houses", tasks=1, out=out)
    assert (tmp_path / "file").read_text() == "mine"


def test_what_was_never_played_is_said_to_be_so(tmp_path: Path) -> None:
    run = resolve(RunConfig("houses", "random"), "1")
    start_run(run, tmp_path / "run")
    with pytest.raises(BadInput, match=r"No episode of .* was played yet; continue it with"):
        list(replay_run(tmp_path / "run"))
    empty = episode_path(tmp_path / "run", 1, run.config.tasks[0])
    empty.parent.mkdir()
    empty.touch()
    with pytest.raises(BadInput, match="has not begun"):
        episode_view(tmp_path / "run", "1")
