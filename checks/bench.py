"""The bench: an adapter at the start of a scene, to which a check puts its questions.

Every call through the bench is written down with its answer, ends in time where it can be
interrupted, and raises nothing but subclasses of CannotTell.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from ..adapters.contract import STAND_IN, Adapter, AdapterSpec, Capability
from ..errors import PeepholeError
from ..observation_text.view import View
from ..plugins import reason
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Affordance, Kind, Node, State
from ..scene_graph.task import Task
from ..skills.actions import Action
from ..skills.executor import DeadlineExceeded, SimulatorDied, can_interrupt, deadline
from ..skills.outcomes import RawResult
from .assumption import CannotTell, Differs, Start, task_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_T = TypeVar("_T")

#: Characters of an answer that are kept of a step.
_MOST_SAID = 300
#: Starts in a row, or tries of one thing, in which the engine is lost, before they are given up.
_LOST = 3
#: Seconds to read a state, a view or an image.
_READ_S = 30.0


class Died(CannotTell):
    """The engine is gone: it crashed, closed its connection or sent nonsense."""


class Hung(CannotTell):
    """A call did not return in time."""


class Refused(CannotTell):
    """A call raised an error that is meant for the user, such as BadInput."""


class Broke(CannotTell):
    """A call raised what no caller expects."""


class Bench:
    """One adapter, brought to the start of a scene before each check that needs it.

    task: of the scene in which checks begin. connect: makes a new adapter. left: the seconds that
    are left for all checks.
    """

    def __init__(
        self,
        connect: Callable[[], Adapter],
        task: Task,
        left: Callable[[], float] = lambda: 3600.0,
    ) -> None:
        self._connect, self._left = connect, left
        self.task = task
        self.facts: dict[str, Any] = {}  # of the adapter, once it ran
        self.steps: list[str] = []  # since the check began
        self._lost: Counter[Start | None] = Counter()  # starts in a row that brought no scene
        self._found: dict[str, Any] = {}  # what `once` found out, or why it could not
        self._interrupted: Counter[str] = Counter()  # how often the engine was lost meanwhile
        self._adapter: Adapter | None = None
        self._at: str | Start = ""  # the scene that the world is at the start of, or what began it

    # --- the world ---------------------------------------------------------------------------

    @property
    def adapter(self) -> Adapter:
        """The adapter; a new one after `restart`. What is called on it directly is not guarded."""
        if self._adapter is None:
            self._adapter = self._connect()
        return self._adapter

    @property
    def spec(self) -> AdapterSpec:
        return self.adapter.spec

    @property
    def stand_in(self) -> str:
        """The stand-in that answers instead of the engine; empty for the engine itself."""
        return str(self.facts.get(STAND_IN) or "")

    @property
    def is_over(self) -> bool:
        """Whether no time is left for checks."""
        return self._left() <= 0

    def begin(self, scene: str | Task | None = None, *, again: bool = False, seed: int = 0) -> None:
        """Bring the world to the start of a scene, by default that of the checks.

        again: also where nothing was done since the last start. Raises Died, Hung and the like.
        """
        task = self.task if scene is None else task_in(scene) if isinstance(scene, str) else scene
        if self._at == task.scene and not again:
            return
        reset = f"reset to {task.scene}", lambda: self.adapter.reset(task, seed), self.spec.reset_s
        self._begin(None, lambda: self.call(*reset))
        self._at = task.scene

    def begin_by(self, start: Start, *, again: bool = False) -> None:
        """Bring the engine to the start by a function that asks it directly."""
        if self._at == start and not again:
            return
        self._begin(start, lambda: start(self))
        self._at = start

    def _begin(self, start: Start | None, begin: Callable[[], None]) -> None:
        self._at = ""
        try:
            begin()
        except CannotTell:
            self._lost[start] += 1
            self.close()
            raise
        self._lost[start] = 0
        if not self.facts:
            self.facts = self.call("facts", self.adapter.facts, said=False)

    def gave_up(self, start: Start | None) -> bool:
        """Whether the engine did not come to its start several times in a row."""
        return self._lost[start] >= _LOST

    def another(self) -> Adapter:
        """Another adapter, not yet at any scene; the caller closes it."""
        return self._connect()

    def restart(self) -> None:
        """End the engine, and start a new one at the same scene."""
        self.close()
        self.begin()

    def close(self) -> None:
        """End the engine."""
        adapter, self._adapter, self._at = self._adapter, None, ""
        if adapter is not None:
            with suppress(Exception), self._in_time(_READ_S):
                adapter.close()

    # --- questions ---------------------------------------------------------------------------

    def do(self, action: Action, variation: int = 0) -> RawResult:
        """One try of an action."""
        self._at = ""
        words = " ".join(str(part) for part in (action.verb, *action.things) if part is not None)
        return self.call(
            words,
            lambda: self.adapter.attempt(action, variation),
            self.spec.attempt_s,
            said=_result,
        )

    def must(self, *actions: Action) -> None:
        """Do what a check needs before its question. Raises CannotTell where that fails."""
        for action in actions:
            result = self.do(action)
            if result.failure is not None:
                raise CannotTell(
                    f"{action.verb} {action.target} came first, and failed: {_result(result)}"
                )

    def graph(self) -> SceneGraph:
        """The fresh true state. Raises CannotTell where there is none."""
        if Capability.GRAPH not in self.spec.capabilities:
            raise CannotTell("the adapter has no true state")
        graph = self.call("graph", self.adapter.graph, said=False)
        if graph is None:
            raise Differs("graph is None, although the adapter has the capability graph")
        return graph

    def view(self) -> View:
        """What the agent perceives."""
        return self.call("view", self.adapter.view, said=False)

    def image(self) -> NDArray[np.uint8]:
        """The frame of the agent's camera. Raises CannotTell where there is none."""
        if Capability.IMAGES not in self.spec.capabilities:
            raise CannotTell("the adapter has no images")
        frame = self.call("image", self.adapter.image, said=False)
        if frame is None and self.spec.attended:
            raise CannotTell("nobody took a photo")
        if frame is None:
            raise Differs("image is None, although the adapter has the capability images")
        return frame

    def call(
        self,
        what: str,
        ask: Callable[[], _T],
        within_s: float = _READ_S,
        *,
        said: bool | Callable[[_T], str] = True,
        changes: bool = False,
    ) -> _T:
        """Ask the engine anything, and write it down.

        said: how its answer is written down, if at all. changes: whether the world may be another
        one afterwards. Raises Died, Hung, Refused or Broke.
        """
        if changes:
            self._at = ""
        within_s = min(within_s, self._left())
        if within_s <= 0:
            raise Hung("no time was left")
        began = time.monotonic()
        try:
            with self._in_time(within_s):
                answer = ask()
        except DeadlineExceeded:
            error: CannotTell = Hung(f"no answer to {what} within {within_s:.0f} s")
        except SimulatorDied as died:
            error = Died(f"{what}: {_short(str(died))}")
        except PeepholeError as refused:
            error = Refused(f"{what}: {_short(str(refused))}")
        except CannotTell as known:
            error = known
        except Exception as broken:  # a foreign adapter may raise anything
            error = Broke(f"{what} raised {_short(reason(broken))}")
        else:
            if said is not False:
                words = repr(answer) if said is True else said(answer)
                took = time.monotonic() - began
                self.steps.append(f"{what} → {_short(words)} ({took:.2f} s)")
            return answer
        self.steps.append(f"{what} → {error}")
        self._at = ""
        if isinstance(error, Died | Hung):
            self.close()
        raise error

    def _in_time(self, seconds: float) -> AbstractContextManager[None]:
        return deadline(seconds) if can_interrupt() else nullcontext()

    def once(self, what: str, find_out: Callable[[], _T]) -> _T:
        """What several checks need to know, found out once in a study. Raises what it raised.

        Where the engine died or hung meanwhile, the next check tries it again.
        """
        if what not in self._found:
            try:
                self._found[what] = find_out()
            except (CannotTell, Differs) as error:
                self._interrupted[what] += isinstance(error, Died | Hung)
                if 0 < self._interrupted[what] < _LOST:
                    raise
                self._found[what] = error
        found = self._found[what]
        if isinstance(found, CannotTell | Differs):
            raise found
        answer: _T = found
        return answer

    # --- what there is -----------------------------------------------------------------------

    def find(
        self,
        category: str = "",
        *,
        kind: Kind | None = None,
        affords: Collection[Affordance] = (),
        states: Collection[State] = (),
        where: Callable[[SceneGraph, Node], bool] = lambda graph, node: True,
    ) -> Node:
        """The first node, by id, that is so. Raises CannotTell where the scene has none."""
        graph = self.graph()
        for node in sorted(graph.nodes(kind), key=lambda node: node.id):
            named = category in ("", node.category)
            able = node.affordances >= {*affords} and node.states >= {*states}
            if named and able and where(graph, node):
                return node
        what = " ".join(map(str, filter(None, (*states, category or kind or "thing"))))
        made = f" that is {' and '.join(affords)}" if affords else ""
        raise CannotTell(f"the scene has no {what}{made} as the check needs it")


def _result(result: RawResult) -> str:
    """A result in words."""
    outcome = "success" if result.failure is None else str(result.failure.reason)
    return f"{outcome}: {result.message}" if result.message else outcome


def _short(text: str) -> str:
    """A text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _MOST_SAID else f"{line[:_MOST_SAID]}…"
