"""Assumptions about an engine, each with a check, and what became of them.

A module of checks collects its assumptions in a `Checks`:

    CHECKS = Checks("virtualhome_unity", scene="unity:0")

    @CHECKS.assume(Topic.REFUSALS, "Nothing is grabbed out of a closed fridge.", source="a page")
    def grab_from_closed(bench: Bench) -> str:
        fridge = bench.find("fridge", states={State.CLOSED})
        ...
        return expect(not done.success, f"grab: {done.message}")

The function is the check, and its name that of the assumption. It gets the world at the start of
the scene, and returns the engine's own answer where the claim holds. It raises Differs with that
answer where it does not (`expect` does either), and CannotTell where the scene or the engine lacks
what it needs. Entry points of the group `peephole.checks` name the `Checks` of an adapter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from ..scene_graph.goals import And
from ..scene_graph.task import Task

if TYPE_CHECKING:
    from .bench import Bench


class Topic(StrEnum):
    """What an assumption is about."""

    CONTRACT = "contract"  # of adapters: `adapters.contract`
    CALLS = "calls"  # names, arguments and answers of the engine's interface
    ACTIONS = "actions"  # what an action does
    REFUSALS = "refusals"  # which actions fail, and how the engine says so
    VISIBILITY = "visibility"
    NAMES = "names"  # ids, classes and names
    STATES = "states"
    HANDS = "hands"
    CARRYING = "carrying"  # what moves with what
    SPACE = "space"  # units, frames, distances
    SCENE = "scene"  # loading and changing scenes
    RESTART = "restart"  # reset, repetition, restoring
    TIMING = "timing"
    IMAGES = "images"


class Verdict(StrEnum):
    """What an engine says to an assumption."""

    HOLDS = "holds"
    DIFFERS = "differs"
    CANNOT_TELL = "cannot_tell"


class Differs(Exception):
    """Raised by a check: the engine does otherwise. Its text is the engine's own answer."""


class CannotTell(Exception):
    """Raised by a check: the scene or the engine lacks what it needs. Its text says what."""


def expect(holds: bool, answer: str) -> str:
    """The answer of an engine that does as assumed. Raises Differs with it otherwise."""
    if not holds:
        raise Differs(answer)
    return answer


Check = Callable[["Bench"], str]
Start = Callable[["Bench"], None]


@dataclass(frozen=True)
class Assumption:
    """One thing that code here takes for true of an engine."""

    name: str
    """Unique among the checks of an adapter, such as "grab_from_closed"."""
    topic: Topic
    """What it is about."""
    claim: str
    """The sentence that holds or differs."""
    source: str
    """Where it is from: a page of the engine, a recording, or our code that relies on it."""
    check: Check
    """Puts the claim to an engine."""
    scene: str = ""
    """The scene of its check; empty for that of its `Checks`."""
    bare: bool = False
    """Whether its check needs no scene, or brings the world there itself."""
    start: Start | None = None
    """Brings the engine to the start of the scene, for checks that ask the engine itself; None
    where the adapter's `reset` does. So they can tell something of an engine that `reset` fails on.
    """


@dataclass
class Checks:
    """The assumptions about the engine of one adapter."""

    adapter: str
    """The name of the adapter; empty for assumptions about every adapter."""
    scene: str = ""
    """The scene in which checks begin, as in `Task.scene`; empty for that of a suite's task."""
    assumptions: list[Assumption] = field(default_factory=list)
    """In the order in which they are checked: first those without which others cannot tell."""

    def assume(
        self, topic: Topic, claim: str, *, source: str, scene: str = "", bare: bool = False
    ) -> Callable[[Check], Check]:
        """Add the assumption that the decorated function checks."""

        def add(check: Check) -> Check:
            name = check.__name__
            if any(each.name == name for each in self.assumptions):
                raise ValueError(f"two assumptions are called {name}")
            self.assumptions.append(Assumption(name, topic, claim, source, check, scene, bare))
            return check

        return add


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    assumption: Assumption
    """What was assumed."""
    verdict: Verdict
    """Whether it holds."""
    answer: str
    """The engine's own answer, or why it cannot be told."""
    steps: tuple[str, ...] = ()
    """What was asked of the engine, each with its answer."""
    duration_s: float = 0.0
    """Wall-clock seconds, with those of the reset before it."""


def task_in(scene: str) -> Task:
    """A task without a goal, in a scene."""
    return Task("check", "Do as you like.", And(()), scene)
