"""The pages in docs/ whose Python is to be run say what comes of it."""

from __future__ import annotations

import contextlib
import html
import io
import os
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import typer

from peephole import plugins
from peephole.cli.main import app

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
#: Python, and the output that is shown right after it.
BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<output>.*?)```\n)?", re.DOTALL)


@pytest.mark.parametrize(("name", "least"), [("python_api.md", 8), ("pomdp.md", 1)])
def test_a_python_page_runs_as_it_stands_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, least: int
) -> None:
    page = DOCS / name
    blocks = list(BLOCK.finditer(page.read_text()))
    assert len(blocks) >= least
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for number, block in enumerate(blocks, start=1):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], f"{page}, block {number}", "exec"), names)
        assert printed.getvalue() == (block["output"] or ""), f"block {number}"


def test_a_world_is_stepped_in_ten_lines() -> None:
    (code, *_) = (block["code"] for block in BLOCK.finditer((DOCS / "python_api.md").read_text()))
    assert len(code.splitlines()) <= 10


def test_importing_peephole_alone_loads_nothing_heavy() -> None:
    heavy = "numpy", "pydantic", "openai", "typer", "rich", "jinja2"
    code = f"import sys, peephole\nprint(*(m for m in {heavy} if m in sys.modules))\npeephole.make"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def commands(page: Path) -> list[list[str]]:
    """The command lines of a page, in words, without `peephole`."""
    text = re.sub(r"\\\n +", "", page.read_text())
    text = re.sub(r"\$\(.*\)", "1", text)  # what another command gives
    lines = re.findall(r"^ +peephole (.*)$|`peephole ([^`]+)`", text, re.MULTILINE)
    return [shlex.split(block or inline, comments=True) for block, inline in lines]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_command_lines_of_a_page_are_understood(page):
    registered = {f"--{kind}": plugins.names(kind) for kind in ("suite", "adapter", "dialect")}
    shown = typer.main.get_command(app)
    own = set(re.findall(r"^(\w+) = \"", page.read_text(), re.MULTILINE))  # plugins of the page
    for words in commands(page):
        name, *arguments = words
        given = ["1" if word in ("N", "K", "T", "S", "USD") else word for word in arguments]
        if name.startswith("--"):
            assert name in {option for each in shown.params for option in each.opts}, words
            continue
        assert name in shown.commands, words
        if "…" not in " ".join(words) and given:
            shown.commands[name].make_context(name, given, resilient_parsing=len(given) == 1)
        for option, value in pairwise(given):
            if option in registered and value.islower():
                assert value in {*registered[option], *own}, words


def test_measures_that_a_page_names_are_there():
    for page in PAGES:
        for script in re.findall(r"\b(benchmarks/\w+\.py)", page.read_text()):
            assert (ROOT / script).is_file(), f"{page.name}: {script}"


def words_of(picture: str) -> list[str]:
    """The words that a picture of rich's shows, in the order of its lines."""
    return html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", picture, flags=re.S)).split()


def test_the_picture_is_of_what_an_episode_prints_now(tmp_path):
    """After a change of wording `make picture` draws it anew."""
    makefile = (ROOT / "Makefile").read_text()
    (task,) = re.findall(r"--tasks (\S+) --out build/picture", makefile)
    (columns,) = re.findall(r"COLUMNS=(\d+) .* --svg docs/explore.svg", makefile)
    for arguments in (
        ("run", "--suite", "robothow", "--planner", "explore", "--tasks", task, "--out", "run"),
        ("show", "run", "1", "--svg", "explore.svg"),
    ):
        subprocess.run(
            [sys.executable, "-m", "peephole", *arguments],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": columns},
            check=True,
            capture_output=True,
        )
    now = words_of((tmp_path / "explore.svg").read_text())
    assert now == words_of((DOCS / "explore.svg").read_text()), "run `make picture`"
