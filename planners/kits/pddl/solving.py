"""Solving of problems by Fast Downward, in a process of its own, with a deadline and a cache.

unified-planning takes over a second to import, and Fast Downward writes files, so both live in one
process for many problems. It starts early, so that it is ready when a model has written its
problem. It ends with its parent process. When a deadline passes, it is killed with its children.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....baton import waiting
from ....data_files import json_data
from ....errors import Missing
from ....installed import Lack
from ....skills.embodiment import Embodiment
from .domain import HOLDS, PlanStep, domain_text
from .problem import Problem, alternatives, without_negated_places

DEADLINE_S = 30.0

#: The search of Fast Downward: that of LAMA. Costs of greedy plans, as from its first search,
#: depend more on irrelevant parts of a problem.
_SEARCH = (
    "let(hlm, landmark_sum(lm_reasonable_orders_hps(lm_rhw()), pref=false),"
    " let(hff, ff(), lazy_wastar([hff, hlm], preferred=[hff, hlm], w=5)))"
)
#: Goals with more alternatives get derived predicates; the translator would expand every
#: alternative.
_ALTERNATIVES = 200
_DERIVED = ("--condition-normalization-strategy", "axiomatize_disjunctions")
_PACKAGES = ("unified-planning", "up-fast-downward")
_START_S = 120.0
#: The grace time of the process after a deadline, which it normally keeps itself.
_GRACE_S = 2.0
#: The version of cached plans; those of other versions are ignored.
_FORMAT = 2


class Unsolved(Exception):
    """No plan; the message says why in one sentence."""


@dataclass(frozen=True)
class Solved:
    """The solution of a problem.

    steps: the plan. seconds: from question to answer. cached: whether it came from disk.
    """

    steps: tuple[PlanStep, ...]
    seconds: float
    cached: bool = False


def missing() -> str | None:
    """One sentence on what is not installed and how to install it, or None."""
    for package, module in zip(_PACKAGES, ("unified_planning", "up_fast_downward"), strict=True):
        if importlib.util.find_spec(module) is None:
            return Lack(f"The package {package} is not installed", "pddl")
    return None


@contextmanager
def solver(cache: Path | None = None, deadline_s: float = DEADLINE_S) -> Iterator[FastDownward]:
    """Fast Downward for as long as the context lasts.

    cache: the folder of plans; None: no cache. Raises Missing.
    """
    reason = missing()
    if reason is not None:
        raise Missing(reason)
    engine = FastDownward(cache, deadline_s)
    engine.begin()
    try:
        yield engine
    finally:
        engine.end()


class FastDownward:
    """Fast Downward in a process; made by `solver`."""

    def __init__(self, cache: Path | None, deadline_s: float) -> None:
        self._cache = cache
        self._deadline_s = deadline_s
        self._process: _Process | None = None

    def begin(self) -> None:
        """Start the process, or take an idle one, without waiting for it."""
        if self._process is None:
            self._process = _idle()

    def end(self) -> None:
        """Release the process for the next episode."""
        if self._process is not None:
            with _LOCK:
                _IDLE.append(self._process)
            self._process = None

    def solve(self, body: Embodiment, problem: Problem) -> Solved:
        """The plan of a body for a problem. Raises Unsolved: no plan, or none by the deadline."""
        began = time.perf_counter()
        positive = without_negated_places(problem)
        held = sum(fact[0] == HOLDS for fact in problem.facts)
        domain = domain_text(body, held, opposites=positive != problem)
        problem = positive
        path = None if self._cache is None else self._cache / _file_name(domain, problem)
        answer = None if path is None else _kept(path)
        cached = answer is not None
        if answer is None:
            answer = self._asked(domain, problem)
            if path is not None:
                _keep(path, answer)
        if answer["steps"] is None:
            raise Unsolved("Fast Downward finds that no plan reaches the goal.")
        steps = tuple(PlanStep(action, tuple(things)) for action, *things in answer["steps"])
        return Solved(steps, time.perf_counter() - began, cached)

    def _asked(self, domain: str, problem: Problem) -> dict[str, Any]:
        self.begin()
        assert self._process is not None
        question = {
            "domain": domain,
            "problem": problem.text(),
            "translator": _DERIVED if alternatives(problem.goal) > _ALTERNATIVES else (),
            "search": _SEARCH,
            "deadline_s": self._deadline_s,
        }
        try:
            answer = self._process.ask(question, self._deadline_s + _GRACE_S)
        except _Lost as lost:
            self._process.kill()
            self._process = None
            if lost.late:
                answer = {"error": "TIMEOUT"}
            else:
                raise Unsolved(f"Fast Downward's process ended ({lost}).") from None
        if answer.get("error") == "TIMEOUT":
            raise Unsolved(f"Fast Downward found no plan within {self._deadline_s:g} s.")
        if "error" in answer:
            raise Unsolved(f"Fast Downward failed: {answer['error']}.")
        return answer


# --- the process ---------------------------------------------------------------------------------


class _Lost(Exception):
    """The process does not answer. late: it is still running."""

    def __init__(self, reason: str, *, late: bool) -> None:
        super().__init__(reason)
        self.late = late


class _Process:
    """The process of `solver_process`."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._folder = tempfile.mkdtemp(prefix="peephole-plans-")
        self._read = b""
        self._ready = False
        self._popen = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.solver_process", self._folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # The translator's order of things, and so the plan, must be the same in every process.
            env={**os.environ, "TMPDIR": self._folder, "PYTHONHASHSEED": "0"},
            start_new_session=True,  # so that it is killed with its children
        )

    @property
    def owned(self) -> bool:
        """Whether it belongs to this process, not to the parent of a fork."""
        return self._owner == os.getpid()

    @property
    def alive(self) -> bool:
        return self._popen.poll() is None

    def ask(self, question: Mapping[str, Any], deadline_s: float) -> dict[str, Any]:
        """The answer to a question. Raises _Lost."""
        if not self._ready:
            self._line(_START_S)
            self._ready = True
        assert self._popen.stdin is not None
        try:
            self._popen.stdin.write(json.dumps(question).encode() + b"\n")
            self._popen.stdin.flush()
        except OSError:
            raise _Lost("it closed its input", late=False) from None
        answer: dict[str, Any] = json_data(self._line(deadline_s))
        return answer

    def kill(self) -> None:
        """Kill the process with its children, and remove its folder."""
        with suppress(ProcessLookupError):
            os.killpg(self._popen.pid, signal.SIGKILL)
        self._popen.communicate()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _line(self, seconds: float) -> bytes:
        """The next line of its output."""
        assert self._popen.stdout is not None
        output = select.poll()  # `select.select` takes no number of a file above 1023
        output.register(self._popen.stdout, select.POLLIN)
        end = time.monotonic() + seconds
        while b"\n" not in self._read:
            left = max(0.0, end - time.monotonic())
            with waiting():
                ready = output.poll(1000 * left)
            if not ready:
                raise _Lost("it gave no answer in time", late=True)
            part = os.read(self._popen.stdout.fileno(), 1 << 16)
            if not part:
                raise _Lost("it closed its output", late=False)
            self._read += part
        line, _, self._read = self._read.partition(b"\n")
        return line


#: Idle processes, kept for the next episode of this process.
_IDLE: list[_Process] = []
_LOCK = threading.Lock()


def _idle() -> _Process:
    """An idle process, or a new one."""
    with _LOCK:
        while _IDLE:
            process = _IDLE.pop()
            if process.owned:
                if process.alive:
                    return process
                process.kill()
    return _Process()


# --- the cache -----------------------------------------------------------------------------------


def _file_name(domain: str, problem: Problem) -> str:
    versions = [importlib.metadata.version(package) for package in _PACKAGES]
    whole = [_FORMAT, versions, _SEARCH, domain, problem.text()]
    digest = hashlib.blake2b(json.dumps(whole, sort_keys=True).encode(), digest_size=16).hexdigest()
    return f"{digest[:2]}/{digest}.json"


def _kept(path: Path) -> dict[str, Any] | None:
    """The answer in a file; None for a missing or damaged file."""
    try:
        answer = json_data(path.read_bytes())
        steps = answer["steps"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return {"steps": steps} if steps is None or _is_plan(steps) else None


def _is_plan(steps: object) -> bool:
    """Whether these are steps: lists of an action and its arguments."""
    return isinstance(steps, list) and all(
        isinstance(step, list) and step and all(isinstance(word, str) for word in step)
        for step in steps
    )


def _keep(path: Path, answer: Mapping[str, Any]) -> None:
    """Write an answer atomically; failures to write are ignored."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd, draft = tempfile.mkstemp(dir=path.parent, suffix=".new")
        try:
            with os.fdopen(fd, "w", encoding="utf-8") as file:
                json.dump({"steps": answer["steps"]}, file)
            Path(draft).replace(path)
        finally:
            Path(draft).unlink(missing_ok=True)
    except OSError:
        pass
