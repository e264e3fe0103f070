"""Which runs a folder holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from peephole.episodes.run_file import run_folders
from peephole.errors import BadInput


def _make(*folders: Path) -> None:
    for folder in folders:
        (folder / "episodes").mkdir(parents=True)
        (folder / "run.json").write_text("{}")


def test_a_run_is_its_own_only_run(tmp_path: Path) -> None:
    _make(tmp_path, tmp_path / "episodes" / "kept")
    assert run_folders(tmp_path) == [tmp_path]


def test_the_runs_of_a_grid_come_suite_by_suite_in_the_order_of_its_rows(tmp_path: Path) -> None:
    rows = [tmp_path / suite / f"{row:02d}-x-0" for suite in ("blocks", "wah") for row in (1, 2)]
    _make(*reversed(rows))
    (tmp_path / "blocks" / "notes").mkdir()
    (tmp_path / "episodes.parquet").touch()
    assert run_folders(tmp_path) == rows


def test_what_lies_within_a_run_is_no_other_run(tmp_path: Path) -> None:
    _make(tmp_path / "one", tmp_path / "one" / "copy")
    assert run_folders(tmp_path) == [tmp_path / "one"]


def test_a_folder_without_runs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds no run"):
        run_folders(tmp_path)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"/nothing is no run folder"):
        run_folders(tmp_path / "nothing")
