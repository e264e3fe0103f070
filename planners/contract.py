"""What a planner is: a generator that yields decisions and is sent percepts.

    def plan(brief: Brief, percept: Percept) -> Decisions:
        while True:
            percept = yield Act(...)

A planner sees neither adapters nor suites. It declares what it must be granted, and the runner
hands over exactly that.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ..observation_text.view import View
from ..scene_graph.goals import Goal
from ..scene_graph.graph import SceneGraph
from ..skills.actions import Action, Verb
from ..skills.embodiment import Embodiment
from ..skills.outcomes import Outcome

if TYPE_CHECKING:
    from pydantic import BaseModel

    Shape = TypeVar("Shape", bound=BaseModel)


class Grant(StrEnum):
    """What a planner may be given beyond views, which it always gets."""

    GOAL = "goal"  # the symbolic goal
    INVENTORY = "inventory"  # names of the things there are, without places
    MAP = "map"  # a graph recorded before the episode, perhaps stale
    TRUTH = "truth"  # the true graph at every step; for upper bounds only


@dataclass(frozen=True)
class Thing:
    """A thing by name: what the goal or an inventory mentions."""

    id: int
    name: str
    category: str


@dataclass(frozen=True)
class Budgets:
    """How long an episode may be.

    steps: actions. decisions: everything a planner yields but notes. planning_s: seconds spent
    in the planner.
    """

    steps: int = 200
    decisions: int = 400
    planning_s: float = 600.0


#: One chat message as plain data: {"role": "system" | "user" | "assistant", "content": …}; the
#: content is a text, or a list of parts ({"type": "text", …}, {"type": "image_url", …}).
Message = Mapping[str, Any]


@dataclass(frozen=True)
class Request:
    """One question to a model.

    options: the answer is one of these texts. shape: the answer is an instance of this pydantic
    class. Neither: the answer is free text. max_tokens: of the reply, the model's default if None.
    temperature: the run's own if None.
    """

    messages: Sequence[Message]
    options: Sequence[str] = ()
    shape: type[BaseModel] | None = None
    max_tokens: int | None = None
    temperature: float | None = None


class NoAnswer(Exception):
    """A model gave no usable answer, asked again with the reason as often as is allowed.

    It is the planner's to handle; an episode whose planner does not ends with `no_answer`.
    """


class ContextFull(NoAnswer):
    """The messages are longer than what the model can read; shorten them and ask again."""


class Model(Protocol):
    """A language model as a planner sees it, for one episode; every reply is recorded.

    Calls are synchronous, made inside the planner's generator. They raise NoAnswer as said there;
    what goes wrong around the model (no connection, a used-up budget) ends the run and is no
    concern of the planner, which must let it pass.
    """

    @property
    def name(self) -> str: ...

    def choose(self, messages: Sequence[Message], options: Sequence[str]) -> str:
        """One of the options."""
        ...

    def answer(self, messages: Sequence[Message], shape: type[Shape]) -> Shape:
        """An instance of a pydantic class."""
        ...

    def complete(self, messages: Sequence[Message], max_tokens: int | None = None) -> str:
        """Free text."""
        ...

    def many(self, requests: Sequence[Request]) -> list[Any]:
        """Ask several at once; the answers in order, a NoAnswer in place of one that failed."""
        ...


@dataclass(frozen=True)
class Brief:
    """What a planner is told before it starts. Fields it was not granted are None.

    goal_things: the things that the goal names, by id. rooms: the rooms there are.
    seed: of the planner's own randomness. model: for planners that need one. sources: the data
    that the tasks are made of, whose placements no prior may count here.
    """

    instruction: str
    agent: int
    rooms: tuple[Thing, ...]
    embodiment: Embodiment
    actions: frozenset[Verb]
    budgets: Budgets
    dialect: str
    seed: int
    goal: Goal | None = None
    goal_things: Mapping[int, Thing] | None = None
    inventory: tuple[Thing, ...] | None = None
    map: SceneGraph | None = None
    model: Model | None = None
    sources: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Percept:
    """What a planner is sent.

    text: the observation in the episode's dialect. names: the names of all things perceived so
    far. outcome: of the last action, None at the start and after anything but an action.
    refused: why a textual action was not understood. truth: the true graph, where granted.
    options: the dialect's menu of actions now, text and value; made when asked for.
    """

    text: str
    view: View
    names: Mapping[int, str]
    step: int
    outcome: Outcome | None = None
    refused: str | None = None
    truth: SceneGraph | None = None
    options: Callable[[], list[tuple[str, Action]]] = list


@dataclass(frozen=True)
class Act:
    """Do something: a typed action, or text in the dialect, which the runner parses."""

    action: Action | str


@dataclass(frozen=True)
class Think:
    """A thought in words; it costs a decision, not a step."""

    text: str


@dataclass(frozen=True)
class Note:
    """Something for the record: kind is 'tree', 'belief', 'memory', 'plan' or 'search'."""

    kind: str
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Done:
    """The planner believes that the task is done."""

    reason: str = ""


@dataclass(frozen=True)
class GiveUp:
    """The planner sees no way on."""

    reason: str = ""


Decision = Act | Think | Note | Done | GiveUp
Decisions = Generator[Decision, Percept, None]


@dataclass(frozen=True)
class Planner:
    """A planner as it is registered.

    grants: what it must be given. dialects: those it supports, the default first.
    sources: data whose placements it has counted and cannot leave out, in the words of
    `Suite.sources`; it does not play a suite that is made from any of them. needs_model: it asks a
    language model. missing: one sentence on what is not installed and how to get it, or None.
    """

    name: str
    summary: str
    plan: Callable[[Brief, Percept], Decisions]
    grants: frozenset[Grant] = frozenset()
    dialects: tuple[str, ...] = ("reactree",)
    sources: frozenset[str] = frozenset()
    needs_model: bool = False
    missing: Callable[[], str | None] = lambda: None
