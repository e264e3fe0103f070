"""Run folders of strangers are read, or refused with a sentence, within bounds."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import peephole
from peephole.episodes.run_file import read_run
from peephole.errors import PeepholeError
from peephole.results.exports.export import Wanted, export
from peephole.results.films.film import film_episode
from peephole.results.replay import replay_run
from peephole.results.report.page import write_report
from peephole.results.show.episode_view import episode_view, find_episode
from peephole.results.show.runs import compare_view, run_view
from peephole.results.tables.rows import episode_document, episodes_csv, run_document
from peephole.terminal import terminal_console

from .hostile_runs import hostile_run

#: Seconds of CPU that one reader may take for one of these small runs.
LONGEST_S = 10.0
SLOWEST = ("report", "film", "film of images", "export minari", "export lerobot", "export mcap")


def _shown(view: object) -> None:
    file = io.StringIO()
    terminal_console(file=file, force_terminal=True, color_system=None, width=100).print(
        view, soft_wrap=True
    )
    assert "\x1b]" not in file.getvalue()
    assert "\x1b[2J" not in file.getvalue()


def _readers(out: Path) -> dict[str, Callable[[Path], object]]:
    readers: dict[str, Callable[[Path], object]] = {
        "show": lambda run: _shown(run_view(run)),
        "show two": lambda run: _shown(compare_view([run, run])),
        "show 1": lambda run: _shown(episode_view(run, "1")),
        "show --json": lambda run: json.dumps(run_document(run)),
        "show 1 --json": lambda run: json.dumps(
            episode_document(run, read_run(run), find_episode(run, read_run(run), "1"))
        ),
        "show --csv": episodes_csv,
        "report": lambda run: write_report([run], out / "page.html"),
        "film": lambda run: film_episode(run, "1", out / "film.mp4", drawn=True),
        "film of images": lambda run: film_episode(run, "1", out / "images.mp4"),
        "replay": lambda run: list(replay_run(run)),
    }
    for form in ("chat", "instructions", "lerobot", "mcap", "minari", "parquet"):
        readers[f"export {form}"] = lambda run, form=form: export(
            run, form, out / form, Wanted("" if form == "instructions" else "all")
        )
    return readers


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a model and with images."""
    run = tmp_path_factory.mktemp("base") / "run"
    peephole.run(
        "react", "houses", model="scripted", adapter="symbolic", tasks=["gather/house-1-1"], out=run
    )
    return run


@pytest.mark.parametrize(
    "count", [8, pytest.param(200, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_hostile_runs_are_read_or_refused(count: int, base: Path, tmp_path: Path) -> None:
    for seed in range(count):
        run, out = tmp_path / f"run{seed}", tmp_path / f"out{seed}"
        what = hostile_run(base, run, seed)
        out.mkdir()
        for name, read in _readers(out).items():
            if count < 200 and name in SLOWEST:
                continue
            began = time.process_time()
            with suppress(PeepholeError):
                read(run)
            assert time.process_time() - began < LONGEST_S, f"{what}: {name}"
        assert not (tmp_path / "planted.png").exists(), what
