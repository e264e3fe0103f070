"""LIBERO's engine in a process of its own: its calls, with what it answers as typed values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from ...errors import BadInput, Missing
from ...scene_graph.fields import Field
from ...skills.outcomes import Reason
from ..process.supervisor import Supervisor
from . import interpreter
from .goals import Conjunct, read_goal
from .state import EngineState, read_state

_WHERE = "an answer of LIBERO's engine"
_T = TypeVar("_T")


@dataclass(frozen=True)
class LiberoDeadlines:
    """The time for the engine to answer, in seconds.

    Measured on one idle core: 3 to start, 0.5 to begin (2 for the first), 6 for the slowest try,
    0.03 for a view, 3 for the first image. A loaded machine takes ten times as long.
    """

    start_s: float = 120.0
    begin_s: float = 120.0
    attempt_s: float = 180.0
    read_s: float = 60.0


@dataclass(frozen=True)
class CatalogueTask:
    """A task of the installed package."""

    index: int
    """Its number in its suite, from 0."""
    name: str
    """The package's own name."""
    instruction: str
    """The text of its BDDL file."""
    goal: tuple[Conjunct, ...]
    """What must hold."""
    starts: int
    """How many stored starts it has."""


@dataclass(frozen=True)
class Begun:
    """A task at its start."""

    instruction: str
    """The text of its BDDL file."""
    goal: tuple[Conjunct, ...]
    """What must hold, in the order of `EngineState.goal`."""
    state: EngineState
    """The start."""


@dataclass(frozen=True)
class Attempted:
    """The result of one try."""

    failure: Reason | None
    """Why it failed; None for a success."""
    thing: str | None
    """The name of what the failure is about."""
    told: str
    """The measured cause, in words and numbers."""
    sim_s: float
    """Simulated seconds."""
    state: EngineState
    """The state afterwards."""


class LiberoConnection:
    """The engine's process, with one task at a time. Its calls raise SimulatorDied."""

    def __init__(self, deadlines: LiberoDeadlines | None = None) -> None:
        self._deadlines = deadlines or LiberoDeadlines()
        self._process: Supervisor | None = None
        self._hello: Mapping[str, Any] = {}

    def catalogue(self, suite: str) -> list[CatalogueTask]:
        """The tasks of a suite by the package's own name. Raises BadInput for an unknown one."""
        answer = self._load("catalogue", {"suite": suite})
        return self._understood(catalogue_of, answer)

    def begin(self, suite: str, task: int, start: int, seed: int) -> Begun:
        """Begin a task. Raises BadInput for a task or a start that does not exist."""
        arguments = {"suite": suite, "task": task, "start": start, "seed": seed}
        answer = self._load("begin", arguments)
        return self._understood(_begun, answer)

    def attempt(
        self, verb: str, target: str, place: str | None, relation: str | None, variation: int
    ) -> Attempted:
        """One try. target, place: names of the engine. relation: "on" or "inside"."""
        arguments = {
            "verb": verb,
            "target": target,
            "place": place,
            "relation": relation,
            "variation": variation,
        }
        answer = self._call("attempt", arguments, self._deadlines.attempt_s)
        return self._understood(_attempted, answer)

    def seen(self, enough: int) -> dict[str, int]:
        """The names of the things in view, with the pixels that show them.

        enough: the pixels of an object that show it, so that no other camera need look.
        """
        answer = self._call("view", {"enough": enough}, self._deadlines.read_s)
        return self._understood(_seen, answer)

    def image(self, width: int, height: int) -> str:
        """The view of the camera, an RGB PNG in base64."""
        arguments = {"camera": CAMERA, "width": width, "height": height}
        answer = self._call("image", arguments, self._deadlines.read_s)
        return self._understood(_png, answer)

    def snapshot(self) -> str:
        """The complete state of the physics, for `restore`."""
        answer = self._call("snapshot", {}, self._deadlines.read_s)
        return self._understood(_snapshot, answer)

    def restore(self, snapshot: str) -> EngineState:
        """Restore a snapshot of this task; returns the state."""
        answer = self._call("restore", {"data": snapshot}, self._deadlines.read_s)
        return self._understood(read_state, answer)

    def facts(self) -> Mapping[str, Any]:
        """The facts of the engine. Starts the process if none runs."""
        self._running()
        return dict(self._hello.get("facts", {}))

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.stop()

    def _load(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """The answer to a call that reads LIBERO's files."""
        process = self._running()
        with _installed():
            return process.call(name, arguments, self._deadlines.begin_s)

    def _call(self, name: str, arguments: Mapping[str, Any], deadline_s: float) -> Any:
        return self._running().call(name, arguments, deadline_s)

    def _running(self) -> Supervisor:
        """The process, started if it does not run. Raises Missing without an interpreter."""
        if self._process is None:
            problem = interpreter.missing()
            if problem is not None:
                raise Missing(problem)
            self._process = Supervisor("libero", interpreter.command(), self._deadlines.start_s)
        if not self._process.running:
            with _installed():
                self._hello = self._process.start()
        return self._process

    def _understood(self, read: Callable[[Field], _T], answer: Any) -> _T:
        """An answer as a value; a malformed one ends the process."""
        try:
            return read(Field(_WHERE, "", answer))
        except BadInput as error:
            assert self._process is not None
            raise self._process.lost(f"answered nonsense ({error})") from error


@contextmanager
def _installed() -> Iterator[None]:
    """Says how to get what the engine says that it lacks."""
    try:
        yield
    except Missing as error:
        raise Missing(f"{str(error).rstrip('.')}; {interpreter.repair()}") from None


#: The camera of images and views.
CAMERA = "agentview"


def catalogue_of(field: Field) -> list[CatalogueTask]:
    """The tasks of a catalogue's data. Raises BadInput."""
    return [_task(each) for each in field.entries(("tasks",), None)["tasks"].items()]


def _task(field: Field) -> CatalogueTask:
    parts = field.entries(("index", "name", "instruction", "goal", "starts"), None)
    return CatalogueTask(
        parts["index"].integer(0),
        parts["name"].text(),
        parts["instruction"].text(),
        read_goal(parts["goal"]),
        parts["starts"].integer(0),
    )


def _begun(field: Field) -> Begun:
    parts = field.entries(("instruction", "goal", "state"), None)
    goal, state = read_goal(parts["goal"]), read_state(parts["state"])
    if len(goal) != len(state.goal):
        raise parts["goal"].wrong(f"expected {len(state.goal)} conjuncts, as many as the state has")
    return Begun(parts["instruction"].text(), goal, state)


def _attempted(field: Field) -> Attempted:
    parts = field.entries(("failure", "sim_s", "state"), None)
    told, reason, thing = "", None, None
    if parts["failure"].value is not None:
        failure = parts["failure"].entries(("reason",), None)
        reason = failure["reason"].name_of(Reason)
        thing = failure["thing"].value if "thing" in failure else None
        told = str(failure["told"].value or "") if "told" in failure else ""
    measured = parts["measured"].value if "measured" in parts else None
    return Attempted(
        reason,
        thing if isinstance(thing, str) else None,
        _with_numbers(told, measured),
        parts["sim_s"].number(),
        read_state(parts["state"]),
    )


def _with_numbers(told: str, measured: object) -> str:
    """The cause with what was measured: "the fingers closed on nothing (width 0.0011, tries 3)"."""
    if not isinstance(measured, dict):
        return told
    numbers = [
        f"{name.replace('_', ' ')} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in measured.items()
        if isinstance(value, int | float | str)
    ]
    if not numbers:
        return told
    return f"{told.rstrip('.')} ({', '.join(numbers)})".strip()


def _seen(field: Field) -> dict[str, int]:
    seen = field.entries(("seen",), None)["seen"].entries((), None)
    return {name: pixels.integer(0) for name, pixels in seen.items()}


def _png(field: Field) -> str:
    return field.entries(("png",), None)["png"].text()


def _snapshot(field: Field) -> str:
    return field.entries(("data",), None)["data"].text()
