"""The README and the pages in docs/: their commands work, their Python prints what they show."""

from __future__ import annotations

import contextlib
import html
import io
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import typer

from peephole.cli.main import app, main

from .commands import command
from .doc_pages import (
    DOCS,
    PAGES,
    ROOT,
    Block,
    blocks,
    command_lines,
    inline_commands,
    page_id,
    python_blocks,
    registered,
    small,
)

#: The pages of which all that is quick is typed in each run of the tests.
FRONT = [
    page
    for page in PAGES
    if page.parent in (ROOT, DOCS / "tutorials") or page.name in ("resume_replay.md", "export.md")
]
REST = [page for page in PAGES if page not in FRONT]
WITH_PYTHON = [page for page in PAGES if any(shown for _, shown in python_blocks(page))]


# --- commands, typed -----------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The present folder: an empty one, with what pages name of a checkout."""
    for name in ("grids", "benchmarks", "training"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_files(page: Path, folder: Path) -> None:
    """Write the files that a page shows."""
    for block in blocks(page):
        if block.title:
            (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.title).write_text(block.text)


def type_commands(page: Path, monkeypatch: pytest.MonkeyPatch, folder: Path, slow: bool) -> None:
    """Type the commands of a page in their order."""
    write_files(page, folder)
    for block in blocks(page):
        if not block.needs and (slow or not block.slow):
            _type_block(block, monkeypatch)


def _type_block(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    for first, *words in command_lines(block):
        if first == "export":
            for assigned in words:
                name, _, value = assigned.partition("=")
                monkeypatch.setenv(name, value)
        elif "…" not in " ".join(words):
            _type(small(words), monkeypatch)


def _type(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run one command as the shell would, in this process."""
    monkeypatch.setattr(sys, "argv", ["peephole", *words])
    printed = io.StringIO()
    code: Any = 0
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    assert code in (0, None), f"peephole {' '.join(words)}\n{printed.getvalue()}"


@pytest.mark.parametrize("page", FRONT, ids=page_id)
def test_the_quick_commands_of_a_first_page_work_in_their_order(
    page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    type_commands(page, monkeypatch, folder, slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_all_commands_of_a_page_work_in_their_order(
    page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    type_commands(page, monkeypatch, folder, slow=True)


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_the_command_lines_of_a_page_are_understood(page: Path, folder: Path) -> None:
    write_files(page, folder)
    assert not re.search(r"^ +peephole ", page.read_text(), re.MULTILINE), "not in a bash block"
    names = registered()
    shown: Any = typer.main.get_command(app)
    texts = "".join(each.read_text() for each in PAGES)
    own = set(re.findall(r"^(\w+) = \"", texts, re.MULTILINE))  # plugins that pages write
    in_blocks = [words[1:] for block in blocks(page) for words in command_lines(block)]
    for words in [*in_blocks, *inline_commands(page)]:
        if not words or "=" in words[0]:
            continue  # `export NAME=value`
        name, *arguments = words
        given = ["1" if word in ("N", "K", "T", "S", "USD") else word for word in arguments]
        if name.startswith("--"):
            assert name in {option for each in shown.params for option in each.opts}, words
            continue
        if name.isupper():
            continue  # a placeholder
        assert name in shown.commands, words
        if "…" not in " ".join(words) and given:
            shown.commands[name].make_context(name, [*given], resilient_parsing=len(given) == 1)
        for option, value in pairwise(given):
            if option in names and value.islower() and not set("./=") & set(value):
                assert value in {*names[option], *own}, words


# --- Python ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", WITH_PYTHON, ids=page_id)
def test_the_python_of_a_page_prints_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for number, (code, shown) in enumerate(python_blocks(page), start=1):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"{page}, block {number}", "exec"), names)
        assert printed.getvalue() == shown, f"block {number}"


def test_a_world_is_stepped_in_ten_lines() -> None:
    code, _ = python_blocks(DOCS / "tutorials" / "own_planner.md")[0]
    assert len(code.splitlines()) <= 10


def test_importing_peephole_alone_loads_nothing_heavy() -> None:
    heavy = "numpy", "pydantic", "openai", "typer", "rich", "jinja2"
    code = f"import sys, peephole\nprint(*(m for m in {heavy} if m in sys.modules))\npeephole.make"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


# --- the picture ----------------------------------------------------------------------------------


def words_of(picture: str) -> list[str]:
    """The words that a picture of rich's shows, in the order of its lines."""
    return html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", picture, flags=re.S)).split()


def test_the_picture_is_of_what_an_episode_prints_now(tmp_path: Path) -> None:
    """After a change of wording `make picture` draws it again."""
    script = (DOCS / "pictures" / "draw.sh").read_text()
    (task,) = re.findall(r"--tasks (\S+) --out build/picture", script)
    ((columns, picture),) = re.findall(r"COLUMNS=(\d+) .* --svg (\S+explore.svg)", script)
    for arguments in (
        ("run", "--suite", "robothow", "--planner", "explore", "--tasks", task, "--out", "run"),
        ("show", "run", "1", "--svg", "explore.svg"),
    ):
        wide = {**os.environ, "COLUMNS": columns}
        assert command(*arguments, cwd=tmp_path, environment=wide).returncode == 0
    now = words_of((tmp_path / "explore.svg").read_text())
    assert now == words_of((ROOT / picture).read_text()), "run `make picture`"
