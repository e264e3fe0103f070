"""Packages that carry data: found without being imported, and what is said where they are not."""

from __future__ import annotations

import ast
import pickle
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from peephole import installed
from peephole.errors import Missing

SHELVES = installed.DataPackage("shelves", "shelves_data", "boards")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed package that cannot be imported."""
    (tmp_path / "no-deps.txt").write_text("shelves==2  # of oak\nattic==1\n")
    monkeypatch.setattr(installed, "NO_DEPS", tmp_path)
    installed._pins.cache_clear()
    folder = tmp_path / "shelves_data"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise ImportError('it needs more than is there')")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    installed._pins.cache_clear()


def test_its_files_are_found_without_its_being_imported(root: Path) -> None:
    (root / "boards").mkdir()
    (root / "boards" / "oak.json").write_text("{}")
    assert installed.missing(SHELVES) is None
    assert installed.file_in(SHELVES, "boards/oak.json") == root / "boards" / "oak.json"
    assert "shelves_data" not in sys.modules
    with pytest.raises(Missing, match=r"no file .*elm\.json.*--force-reinstall"):
        installed.file_in(SHELVES, "boards/elm.json")


def test_what_is_missing_is_named_with_the_command_that_installs_it(root: Path) -> None:
    with pytest.raises(Missing, match=r"no folder .*boards; .* --force-reinstall .*shelves==2"):
        installed.require(SHELVES)
    nowhere = installed.DataPackage("attic", "attic_data", "boards")
    with pytest.raises(Missing, match=r"attic is not installed; .*pip install --no-deps attic==1$"):
        installed.require(nowhere)


def test_a_pin_of_another_interpreter_is_no_pin_of_ours(root: Path) -> None:
    (root.parent / "simulator.txt").write_text("mujoco==3.0\n")
    assert "3.0" not in installed.install_command("mujoco")


ROOT = Path(installed.__file__).parent


def _needs_in_the_sources() -> list[tuple[str, list[str]]]:
    """Where a `Lack` is made, with the needs that it names as they stand there."""
    found = []
    for file in ROOT.glob("*/**/*.py"):
        if file.relative_to(ROOT).parts[0] in ("tests", "benchmarks", "build", ".venv"):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Lack":
                given = [each for argument in node.args[1:] for each in ast.walk(argument)]
                names = [each.value for each in given if isinstance(each, ast.Constant)]
                found.append((f"{file.name}:{node.lineno}", names))
    return found


def test_what_a_message_says_to_install_exists() -> None:
    found = _needs_in_the_sources()
    assert len(found) > 15
    for place, needs in found:
        for need in needs:
            assert installed.install_command(need), place


def test_no_message_installs_peephole_from_an_index() -> None:
    for file in ROOT.glob("*/**/*.py"):
        if file.relative_to(ROOT).parts[0] not in ("tests", "build", ".venv"):
            assert not re.search(r"install ['\"]?peephole", file.read_text("utf-8")), file


def test_one_command_installs_all_that_several_errors_lack() -> None:
    lacking = [
        Missing(installed.Lack("A needs ray", "ray")),
        Missing("Set X."),
        Missing(installed.Lack("B needs its graphs", "virtualhome-eval", "rerun")),
    ]
    told = str(installed.together(lacking))
    assert told.startswith("A needs ray; B needs its graphs; install it with: ")
    assert told.count("install ") == 2 + 1  # "install it", of packages, of those without others
    assert re.search(r"install 'ray<\S+ 'rerun-sdk<\S+ && .* --no-deps virtualhome-eval==", told)
    assert str(installed.together(lacking[1:])) == "Set X."


def test_the_command_takes_the_pip_of_this_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert installed.install_command("ray").startswith(f"{sys.executable} -m pip install ")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    if shutil.which("pip"):
        assert installed.install_command("ray").startswith("pip install ")


def test_a_sentence_that_goes_to_another_process_stays_whole() -> None:
    lack = installed.Lack("A needs ray", "ray")
    assert pickle.loads(pickle.dumps(lack)) == str(lack)
