"""What a planner is: a generator that yields decisions and is sent percepts.

    def plan(brief: Brief, percept: Percept) -> Decisions:
        while True:
            percept = yield Act(...)

A planner sees neither adapters nor suites. It declares what it must be granted, and gets exactly
that.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ..models.contract import Model
from ..observation_text.view import View
from ..scene_graph.goals import Goal
from ..scene_graph.graph import SceneGraph
from ..scene_graph.rules import Budgets, Rules
from ..skills.actions import Action, Verb
from ..skills.embodiment import Embodiment
from ..skills.outcomes import Outcome

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import BaseModel

    OptionsT = TypeVar("OptionsT", bound=BaseModel)


class Grant(StrEnum):
    """What a planner may be given beyond views, which it always gets."""

    GOAL = "goal"  # the symbolic goal
    FIXTURES = "fixtures"  # the furniture of every room
    INVENTORY = "inventory"  # names of the things there are, without places
    MAP = "map"  # a graph recorded before the episode, perhaps stale
    IMAGES = "images"  # the agent's camera
    TRUTH = "truth"  # the true graph at every step; for upper bounds only


@dataclass(frozen=True)
class Thing:
    """A thing by name: what the goal, an inventory or a map mentions. room: of a fixture."""

    id: int
    name: str
    category: str
    room: int | None = None


@dataclass(frozen=True)
class Brief:
    """What a planner is told before it starts. Fields it was not granted are None.

    goal_things: the things that the goal names, by id. ambiguous: the instruction can be understood
    in several ways, so only some of the alternatives of `goal` are right, and which is not told;
    whoever says that it is done is told whether it is. rooms: the rooms there are. fixtures: the
    furniture with its rooms. rules, budgets: how the episode ends and what it costs.
    seed: of the planner's own randomness. sources: the data that the tasks are made of, whose
    placements no prior may count here. models: by role, those that the planner declares.
    options: an instance of the planner's options. forms: how the dialect says each kind of action,
    with "thing 1" for what it is done to. prepared: what its `prepare` gave. searches: where a
    recording is continued, the data of its `search` notes in order, so that a planner repeats them
    with as many simulations.
    """

    instruction: str
    agent: int
    rooms: tuple[Thing, ...]
    embodiment: Embodiment
    actions: frozenset[Verb]
    budgets: Budgets
    dialect: str
    seed: int
    rules: Rules = field(default_factory=Rules)
    goal: Goal | None = None
    goal_things: Mapping[int, Thing] | None = None
    ambiguous: bool = False
    fixtures: tuple[Thing, ...] | None = None
    inventory: tuple[Thing, ...] | None = None
    map: SceneGraph | None = None
    models: Mapping[str, Model] = field(default_factory=dict)
    sources: frozenset[str] = frozenset()
    options: BaseModel | None = None
    forms: tuple[str, ...] = ()
    prepared: Mapping[str, Any] | None = None
    searches: tuple[Mapping[str, Any], ...] = ()

    @property
    def model(self) -> Model:
        """The model of the role "planner". Raises KeyError for a planner that declares none."""
        return self.models["planner"]

    def options_of(self, kind: type[OptionsT]) -> OptionsT:
        """The options as an instance of the planner's own class; defaults where none are set."""
        if self.options is None:
            return kind()
        assert isinstance(self.options, kind), f"options of another planner: {self.options!r}"
        return self.options


@dataclass(frozen=True)
class Percept:
    """What whoever acts is sent.

    text: the observation in the episode's dialect. view: what is perceived; ids count by first
    sight, in nodes, names, outcomes and menu alike. names: the names of all things perceived or
    granted so far. step: the actions so far. outcome: of the last action, None at the start and
    after anything but an action. action: that action as it was understood, where it was.
    refused: why a text was not understood as an action. feedback: what a goal check says, None
    where nobody asked for one.
    confirmed: the things in view that lie where some acceptable goal has them, under rules that
    tell so (`Rules.confirms_placements`), in the order of their ids.
    ended: why the episode is over, None while it goes on.
    truth: the true graph, where granted. menu: the actions on offer now in the dialect, text and
    value; overview: the present place told from nothing; image: the camera as RGB, shape (height,
    width, 3), or None where there is none or it is not granted. The three are made when asked for.
    """

    text: str
    view: View
    names: Mapping[int, str]
    step: int
    outcome: Outcome | None = None
    action: Action | None = None
    refused: str | None = None
    feedback: str | None = None
    confirmed: tuple[int, ...] = ()
    ended: str | None = None
    truth: SceneGraph | None = None
    menu: Callable[[], list[tuple[str, Action]]] = list
    overview: Callable[[], str] = str
    image: Callable[[], NDArray[np.uint8] | None] = lambda: None


# --- decisions -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Act:
    """Do something: a typed action, or text in the dialect, which is parsed.

    thought: the reason that came with it in the same sample of a model. continued: it is a further
    action of a plan that was decided before, and no decision of its own.
    """

    action: Action | str
    thought: str = ""
    continued: bool = False
    kind: Literal["act"] = field(default="act", kw_only=True, repr=False)


@dataclass(frozen=True)
class Think:
    """A thought in words that is a sample of its own; it costs a decision, not a step."""

    text: str
    kind: Literal["think"] = field(default="think", kw_only=True, repr=False)


@dataclass(frozen=True)
class Internal:
    """A decision that reaches no simulator.

    name: what was decided: "expand", "recall", "verify", "subtask_end" … data: where an answer of
    the model is refused, `refused` says what kind of answer, and results count it.
    """

    name: str
    text: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    kind: Literal["internal"] = field(default="internal", kw_only=True, repr=False)


@dataclass(frozen=True)
class Note:
    """Something for the record: 'tree', 'belief', 'memory', 'plan' or 'search'; no decision."""

    name: str
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    kind: Literal["note"] = field(default="note", kw_only=True, repr=False)


@dataclass(frozen=True)
class Done:
    """The planner believes that the task is done."""

    reason: str = ""
    kind: Literal["done"] = field(default="done", kw_only=True, repr=False)


@dataclass(frozen=True)
class GiveUp:
    """The planner sees no way on."""

    reason: str = ""
    kind: Literal["give_up"] = field(default="give_up", kw_only=True, repr=False)


@dataclass(frozen=True)
class NewTrial:
    """Begin the task anew, from its start, with what was learnt (Reflexion).

    Budgets go on. Where no trial is left, the episode ends as by `GiveUp`.
    """

    reason: str = ""
    kind: Literal["new_trial"] = field(default="new_trial", kw_only=True, repr=False)


Decision = Act | Think | Internal | Note | Done | GiveUp | NewTrial
Decisions = Generator[Decision, Percept, None]


def counts(decision: Decision) -> bool:
    """Whether a decision counts against `Budgets.decisions`.

    One rule for all planners: a sample of a model that decides something is one decision. So a
    thought that came with an action, and further actions of a plan, count nothing by themselves.
    """
    if isinstance(decision, Act):
        return not decision.continued
    return not isinstance(decision, Note)


# --- planners ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Preparation:
    """What a planner's `prepare` is given, once a run.

    suite: whose tasks are played. scenes: their `Task.base_scene`. options, models, seed, dialect:
    as in `Brief`.
    """

    suite: str
    dialect: str
    actions: frozenset[Verb]
    embodiment: Embodiment
    rules: Rules
    seed: int
    scenes: frozenset[str] = frozenset()
    models: Mapping[str, Model] = field(default_factory=dict)
    options: BaseModel | None = None


@dataclass(frozen=True)
class Planner:
    """A planner as it is registered.

    grants: what it must be given. dialects: those it supports, the default first.
    sources: data whose placements it has counted and cannot leave out, in the words of
    `Suite.sources`; it does not play a suite that is made from any of them.
    models: the roles of the language models that it asks: "planner", "vision", "builder" …
    options: a pydantic class, every field with its paper's value as default; None for no options.
    prepare: asked once a run; what it gives (JSON data) is recorded and handed to every episode.
    more_grants: what its options have it granted besides. more_models: the roles that its options
    have it ask besides.
    example: an episode as an example in prompts, from its first message, and from each decision
    with the answer to it; None for a planner whose episodes are no examples.
    missing: one sentence on what is not installed and how to get it, or None.
    """

    name: str
    summary: str
    plan: Callable[[Brief, Percept], Decisions]
    grants: frozenset[Grant] = frozenset()
    dialects: tuple[str, ...] = ("reactree",)
    sources: frozenset[str] = frozenset()
    models: tuple[str, ...] = ()
    options: type[BaseModel] | None = None
    prepare: Callable[[Preparation], Mapping[str, Any]] | None = None
    more_grants: Callable[[BaseModel], frozenset[Grant]] = lambda options: frozenset()
    more_models: Callable[[BaseModel], tuple[str, ...]] = lambda options: ()
    example: Callable[[str, Iterable[tuple[Decision, str]]], str] | None = None
    missing: Callable[[], str | None] = lambda: None

    def granted_by(self, options: BaseModel | None) -> Planner:
        """The planner with all the grants and roles of models that it has with these options."""
        if options is None:
            return self
        return replace(
            self,
            grants=self.grants | self.more_grants(options),
            models=tuple(dict.fromkeys((*self.models, *self.more_models(options)))),
        )
