"""Packages that carry data: found without being imported, and what is said where they are not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from peephole import installed
from peephole.errors import Missing

SHELVES = installed.DataPackage("shelves", "shelves_data", "boards", "pip install shelves==2")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package that cannot be imported."""
    folder = tmp_path / "shelves_data"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise ImportError('it needs more than is there')")
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder


def test_its_files_are_found_without_its_being_imported(root: Path) -> None:
    (root / "boards").mkdir()
    (root / "boards" / "oak.json").write_text("{}")
    assert installed.missing(SHELVES) is None
    assert installed.file_in(SHELVES, "boards/oak.json") == root / "boards" / "oak.json"
    assert "shelves_data" not in sys.modules
    with pytest.raises(Missing, match=r"no file .*elm\.json.*--force-reinstall"):
        installed.file_in(SHELVES, "boards/elm.json")


def test_what_is_missing_is_named_with_the_command_that_installs_it(root: Path) -> None:
    with pytest.raises(Missing, match=r"no folder .*boards; .*pip install shelves==2 --force"):
        installed.require(SHELVES)
    nowhere = installed.DataPackage("attic", "attic_data", "boards", "pip install attic==1")
    with pytest.raises(Missing, match="attic is not installed; get it with: pip install attic==1"):
        installed.require(nowhere)
