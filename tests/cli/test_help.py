"""What the help shows can be copied and run, and what it names can be completed."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from peephole.cli.main import app

COMMANDS = (
    *("adapters", "suites", "planners", "models", "tasks", "audit", "check"),
    *("run", "show", "report", "compare", "plot", "film", "export", "replay", "branch"),
    *("plan-study", "memory", "kitchens", "operator", "blocks", "train"),
)
#: Commands with an agent beside, which `tests/interfaces` plays.
OF_AGENTS = ("mcp", "play", "task", "look", "menu", "act", "status", "done", "give-up")


def examples(page: str) -> list[str]:
    """The examples of a help page as they stand there, a line each."""
    shown = re.split(r"\n Examples?: *\n", page)[1]
    lines = [line.strip() for line in shown.splitlines() if line.strip()]
    assert all(line.startswith("peephole ") for line in lines), lines
    return lines


@pytest.mark.slow
def test_every_command_has_examples_that_run_one_after_the_other(peephole, tmp_path, monkeypatch):
    """The examples run in this process, since some sixty starts of Python take a minute."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    listed = peephole("--help", COLUMNS="80").stdout
    assert {*COMMANDS, *OF_AGENTS} == set(re.findall(r"^│ ([a-z][a-z-]*) ", listed, re.MULTILINE))
    pages = [listed, *(peephole(name, "--help", COLUMNS="80").stdout for name in COMMANDS)]
    found = list(dict.fromkeys(line for page in pages for line in examples(page)))
    # What begins a run comes before what reads or continues it.
    for example in sorted(found, key=lambda line: "--suite" not in line):
        arguments = shlex.split(example)[1:]
        if "NAME" in arguments:
            arguments[arguments.index("NAME")] = "scripted"
            if "--tasks" not in arguments:
                arguments += ["--tasks", "1"]
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, f"{example}: {done.output} {done.exception!r}"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("run --suite robothow:", ["robothow:manipulation"]),
        ("tasks hou", ["household", "houses"]),
        ("tasks wah", ["wah", "wah:generated", "wah:lived_in", "wah:small", "wah:train"]),
        ("run --planner rea", ["react", "reactree", "reactree_seeds"]),
        ("run --adapter virtualhome_", ["virtualhome_room", "virtualhome_unity"]),
        (
            "run --dialect rea",
            ["reactree", "reactree_plain", "reactree_thor", "reactree_thor_plain"],
        ),
        ("run --model l", ["local"]),
        ("repl", ["replay"]),
        ("run --planning", ["--planning-time"]),
    ],
)
def test_names_are_completed(peephole, line, found):
    words = f"peephole {line}"
    done = complete(peephole, words)
    assert (done.returncode, done.stdout.split()) == (0, found), done.stderr


def test_names_of_plugins_are_completed_without_importing_them(peephole, package):
    package("print('imported')\nraise KeyError", {"suites": "S", "planners": "P", "dialects": "D"})
    for option in ("--suite", "--planner", "--dialect"):
        done = complete(peephole, f"peephole run {option} stra")
        assert (done.returncode, done.stdout, done.stderr) == (0, "strange\n", "")


def complete(peephole, words: str):
    """The completions of a line in a shell."""
    position = str(len(words.split()) - 1)
    return peephole(_PEEPHOLE_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=position)


def test_completion_can_be_shown_and_installed(tmp_path):
    assert "--install-completion" in in_bash("--help", tmp_path).stdout
    shown = in_bash("--show-completion", tmp_path).stdout
    assert "complete -o default -F _peephole_completion peephole" in shown
    done = in_bash("--install-completion", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    script = tmp_path / ".bash_completions" / "peephole.sh"
    assert str(script) in done.stdout
    assert script.read_text().split() == shown.split()


def test_where_it_cannot_be_installed_one_sentence_says_so(tmp_path):
    (tmp_path / "file").touch()
    done = in_bash("--install-completion", tmp_path / "file")
    assert (done.returncode, done.stdout) == (1, "")
    assert "file: Not a directory; fix that" in done.stderr or "File exists" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def in_bash(option: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run `peephole` in bash, so that it detects the shell by its parent process."""
    return subprocess.run(
        ["bash", "--norc", "-c", f'"{sys.executable}" -m peephole {option}; exit $?'],
        capture_output=True,
        text=True,
        env={**os.environ, "HOME": str(home)},
        timeout=60,
    )
