"""The solver process: Fast Downward, by JSON lines.

Each line of standard input is a question: a domain and a problem in PDDL, and a deadline. Each line
of standard output is an answer. The process works in a folder of its own. It removes the folder
when standard input closes, which also happens when its parent is killed.

unified-planning locates the engine. The PDDL goes directly to the two parts of Fast Downward.
unified-planning would hold a value for every predicate of every pair of things, which takes seconds
for a house. Its engine also starts two Python processes per problem. Here the translator runs in
this process, and the search as a program.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from unified_planning.environment import get_environment

_DOMAIN, _PROBLEM, _TASK, _PLAN = "domain.pddl", "problem.pddl", "task.sas", "plan"
#: The exit codes of the search program: https://www.fast-downward.org/ExitCodes.
_SOLVED = (0, 1, 2, 3)
_IMPOSSIBLE = (10, 11, 12)
#: The memory limit of the translator and of the search, each, in bytes.
_MEMORY = 4 << 30


class _Late(BaseException):
    """The deadline passed. Not an Exception, so that no handler takes it for a failure."""


class TranslatorAndSearch:
    """The two parts of Fast Downward, working on files in the current folder."""

    def __init__(self) -> None:
        engine = get_environment().factory.engine("fast-downward")
        package = Path(str(importlib.import_module(engine.__module__).__file__)).parent
        programs = package / "downward" / "builds" / "release" / "bin"
        self._search = programs / "downward"
        sys.path.insert(0, str(programs))
        self._options = importlib.import_module("fast_downward.translate.options")
        self._translator = importlib.import_module("fast_downward.translate.main")

    def plan(self, question: Mapping[str, Any]) -> list[list[str]] | None:
        """The steps that solve a question; None where there are none. Raises _Late."""
        end = time.monotonic() + question["deadline_s"]
        for name in (_TASK, _PLAN):
            Path(name).unlink(missing_ok=True)
        Path(_DOMAIN).write_text(question["domain"], encoding="utf-8")
        Path(_PROBLEM).write_text(question["problem"], encoding="utf-8")
        self._options.set_options([_DOMAIN, _PROBLEM, "--sas-file", _TASK, *question["translator"]])
        with _alarm(question["deadline_s"]):
            self._translator.main()
        status = self._searched(question["search"], end - time.monotonic())
        if status in _IMPOSSIBLE:
            return None
        if status not in _SOLVED:
            raise RuntimeError(f"the search ended with status {status}")
        lines = Path(_PLAN).read_text(encoding="utf-8").splitlines()
        return [line.strip("()").split() for line in lines if line.startswith("(")]

    def _searched(self, search: str, seconds: float) -> int:
        """The exit status of the search. Raises _Late after the search has been stopped.

        The alarm is off here. An alarm during the start of the program would leave it running, to
        write its plan into the next question's folder.
        """
        command = [str(self._search), "--search", search, "--internal-plan-file", _PLAN]
        with open(_TASK, encoding="utf-8") as task:
            try:
                return subprocess.run(
                    command, stdin=task, check=False, timeout=max(0.0, seconds)
                ).returncode
            except subprocess.TimeoutExpired:
                raise _Late from None


def main() -> None:
    """Answer questions until standard input closes. The one argument is the folder."""
    answers = _own_standard_output()
    folder = sys.argv[1]
    os.chdir(folder)
    signal.signal(signal.SIGALRM, _ring)
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = _MEMORY if most == resource.RLIM_INFINITY else min(_MEMORY, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))
    try:
        engine = TranslatorAndSearch()
        _tell(answers, {"ready": True})
        for line in sys.stdin:
            _tell(answers, _answer(engine, json.loads(line)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _own_standard_output() -> TextIO:
    """Standard output for answers alone: output of libraries is discarded."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return answers


def _tell(answers: TextIO, answer: Mapping[str, Any]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def _answer(engine: TranslatorAndSearch, question: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a question; "error" where the engine failed."""
    try:
        return {"steps": engine.plan(question)}
    except _Late:
        return {"error": "TIMEOUT"}
    except (Exception, SystemExit) as error:  # the translator exits on invalid input
        return {"error": f"{type(error).__name__}: {error}"[:500]}


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise _Late when the block lasts longer."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _ring(number: int, frame: object) -> None:
    raise _Late


if __name__ == "__main__":
    main()
