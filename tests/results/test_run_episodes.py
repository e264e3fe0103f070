"""What is read of an episode without its steps."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

import peephole
from peephole.episodes.events import Ended, ImageTaken, to_line
from peephole.episodes.recording import episode_files
from peephole.episodes.result import EpisodeResult
from peephole.episodes.run_file import read_run
from peephole.results.run_episodes import ended_result, episodes_of, results_in, summaries_of
from peephole.results.show.runs import run_view


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("summaries") / "run"
    return peephole.run("random", "houses", tasks=2, out=folder).folder


def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("peephole.results.run_episodes._CHECKED", 0)


def test_summaries_are_those_of_the_whole_recording(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = read_run(run)
    checked = list(summaries_of(run, content))
    quickly(monkeypatch)
    assert list(summaries_of(run, content)) == checked
    whole = list(episodes_of(run, content))
    assert [each.result for each in checked] == [each.result for each in whole]
    assert [each.result for each in whole] == results_in(run, content)
    assert [each.labels for each in checked] == [each.labels for each in whole]
    assert [each.why for each in checked] == [each.why for each in whole]
    assert [each.kinds for each in checked] == [
        tuple(event.event for event in each.events) for each in whole
    ]


def test_lines_that_are_no_events_are_told_of_a_large_run_too(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quickly(monkeypatch)
    first = next(episode_files(run))
    whole = first.read_bytes()
    lines = whole.splitlines(keepends=True)
    try:
        for wrong, words in ((b"{nonsense\n", "is not JSON"), (b'{"event":"x"}\n', "is no event")):
            first.write_bytes(b"".join([*lines[:2], wrong, *lines[2:]]))
            summary = next(summaries_of(run, read_run(run)))
            assert len(summary.damage) == 1
            assert f"line 3 {words}" in summary.damage[0]
            assert summary.result is not None, "what is sound is shown"
        first.write_bytes(b"".join(lines[:-1]))
        assert next(summaries_of(run, read_run(run))).status == "not finished"
    finally:
        first.write_bytes(whole)


def test_of_many_failures_the_first_are_explained(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("peephole.results.show.runs._EXPLAINED", 1)
    said = io.StringIO()
    Console(file=said, width=200).print(run_view(run))
    assert "Why episodes failed, the first 1 of 2 (docs/reference/failures.md):" in said.getvalue()


def test_an_end_longer_than_what_is_read_at_first_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "episode.jsonl"
    result = EpisodeResult("a", True, 1.0, "done", 1, 1, 0.0, 0.0, detail="x" * 300_000)
    ended = to_line(Ended(step=1, result=result))
    for before in (b"", to_line(ImageTaken(step=0, image="")) * 3):
        path.write_bytes(before + ended + b'{"event":"torn')
        assert ended_result(path) == result
    path.write_bytes(b"")
    assert ended_result(path) is None
