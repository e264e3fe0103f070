"""What a planner is: a generator that yields decisions and receives percepts.

    def plan(brief: Brief, percept: Percept) -> Decisions:
        while True:
            percept = yield Act(...)

A planner sees neither adapters nor suites. It declares its grants, and gets exactly those.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ..errors import each_name, unknown_name
from ..models.contract import Model
from ..observation_text.layout import Directions
from ..observation_text.observer import Reading
from ..observation_text.view import View
from ..scene_graph.goals import Goal
from ..scene_graph.graph import SceneGraph
from ..scene_graph.rules import Budgets, Rules
from ..skills.actions import Action, Verb
from ..skills.dynamics import achieved
from ..skills.embodiment import Embodiment
from ..skills.outcomes import Outcome

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import BaseModel

    OptionsT = TypeVar("OptionsT", bound=BaseModel)


class Grant(StrEnum):
    """Data that a planner may get beyond views, which it always gets."""

    GOAL = "goal"  # the symbolic goal
    FIXTURES = "fixtures"  # the furniture of every room
    INVENTORY = "inventory"  # names of all things, without their places
    MAP = "map"  # a graph recorded before the episode, perhaps stale
    IMAGES = "images"  # the agent's camera
    TRUTH = "truth"  # the true graph at every step; for upper bounds only


def grants_of(names: str | Iterable[str]) -> frozenset[Grant]:
    """The grants of these names. Raises BadInput for an unknown one."""
    for name in (given := each_name(names)):
        if name not in tuple(Grant):
            raise unknown_name("grant", str(name), tuple(Grant))
    return frozenset(map(Grant, given))


@dataclass(frozen=True)
class Thing:
    """A thing by name, from the goal, an inventory or a map. room: the id of a fixture's room."""

    id: int
    name: str
    category: str
    room: int | None = None


@dataclass(frozen=True)
class Brief:
    """The data of a planner before it starts; a field that was not granted is None."""

    instruction: str
    """The task in words."""
    agent: int
    """The id of the agent in the graph."""
    rooms: tuple[Thing, ...]
    """The rooms of the house."""
    embodiment: Embodiment
    """The agent's body: its hands and how it reaches things."""
    actions: frozenset[Verb]
    """The kinds of action that the simulator has."""
    budgets: Budgets
    """What the episode may cost: steps, decisions, time."""
    dialect: str
    """The name of the dialect of observations and actions."""
    seed: int
    """Seed of the planner's own randomness."""
    rules: Rules = field(default_factory=Rules)
    """How the episode ends."""
    goal: Goal | None = None
    """The symbolic goal, where granted."""
    goal_things: Mapping[int, Thing] | None = None
    """The things that the goal names, by id; where the goal is granted."""
    ambiguous: bool = False
    """Whether the instruction has several readings.

    Only some alternatives of `goal` are right then. A planner that declares the task done learns
    whether it is.
    """
    fixtures: tuple[Thing, ...] | None = None
    """The furniture with its rooms, where granted."""
    inventory: tuple[Thing, ...] | None = None
    """The things in the house, without their places, where granted."""
    map: SceneGraph | None = None
    """A graph recorded before the episode, where granted; it may be stale."""
    models: Mapping[str, Model] = field(default_factory=dict)
    """The models that the planner declares, by role."""
    sources: frozenset[str] = frozenset()
    """The data that the tasks are made of; no prior may count their placements."""
    options: BaseModel | None = None
    """An instance of the planner's options class, None for the defaults."""
    directions: Directions | None = None
    """Which way is right and front, where texts tell how things lie to each other."""
    forms: tuple[str, ...] = ()
    """How the dialect writes each kind of action, with "thing 1" as its object."""
    prepared: Mapping[str, Any] | None = None
    """The result of the planner's `prepare`."""
    searches: tuple[Mapping[str, Any], ...] = ()
    """The data of the `search` notes of a recording that is continued, in order.

    A planner repeats these searches with as many simulations.
    """
    hidden: tuple[Path, ...] = ()
    """Files and folders of recordings and tasks. A program of a planner must not see them."""
    recorded: tuple[Decision, ...] = ()
    """The decisions of a recording that is continued, in order.

    A planner that cannot ask again repeats them; the others decide again, and decide the same.
    """

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
    """The answer to a decision of a planner: the observation and the outcome."""

    text: str
    """The observation in the episode's dialect."""
    view: View
    """What the agent perceives.

    Ids count by first sight, alike in nodes, names, outcomes and menu.
    """
    names: Mapping[int, str]
    """The names of all things perceived or granted so far, by id."""
    step: int
    """The number of actions so far."""
    outcome: Outcome | None = None
    """The outcome of the last action; None at the start and after other decisions."""
    action: Action | None = None
    """The last action as it was parsed, None where it could not be."""
    refused: str | None = None
    """Why a text could not be parsed as an action."""
    feedback: str | None = None
    """The result of a goal check, None where the planner asked for none."""
    confirmed: tuple[int, ...] = ()
    """The ids, in order, of things in view that lie where some acceptable goal wants them.

    Empty unless the rules have `Rules.confirms_placements`.
    """
    ended: str | None = None
    """Why the episode is over, None while it goes on."""
    truth: SceneGraph | None = None
    """The true graph, where granted."""
    menu: Callable[[], list[tuple[str, Action]]] = list
    """Makes the menu: the text of each possible action in the dialect, and the action."""
    sayable: Callable[[], list[tuple[str, Action]]] = list
    """Makes the possible actions in every form, for schemas: those of the menu, their other forms,
    and walks to what was seen before. Empty: only those of the menu are known.
    """
    read: Callable[[str], Reading] | None = None
    """Reads a text as an action, with why it is not possible now; None: not known."""
    overview: Callable[[], str] = str
    """Makes a description of the present place that assumes nothing known."""
    surroundings: Callable[[], str] = str
    """Makes a description of the present place for one who was told the rooms."""
    image: Callable[[], NDArray[np.uint8] | None] = lambda: None
    """Makes the camera image as RGB, shape (height, width, 3).

    None where there is no camera or it is not granted.
    """

    @property
    def succeeded(self) -> bool:
        """Whether the last action succeeded."""
        return self.outcome is not None and self.outcome.success

    @property
    def already_so(self) -> bool:
        """Whether the last action failed while its effect holds in view: opening what is open."""
        return (
            self.outcome is not None
            and not self.outcome.success
            and self.action is not None
            and achieved(self.view.graph, self.action)
        )


# --- decisions -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Act:
    """Do something: a typed action, or text in the dialect, which is parsed.

    thought: the reason from the same model reply. continued: a further action of an earlier plan,
    which is no decision of its own.
    """

    action: Action | str
    thought: str = ""
    continued: bool = False
    kind: Literal["act"] = field(default="act", kw_only=True, repr=False)


@dataclass(frozen=True)
class Think:
    """A thought that took a model reply of its own; it costs a decision, not a step."""

    text: str
    kind: Literal["think"] = field(default="think", kw_only=True, repr=False)


@dataclass(frozen=True)
class Internal:
    """A decision that does not reach the simulator.

    name: the kind of decision: "expand", "recall", "verify", "subtask_end" …
    data: JSON data. For a refused answer, `refused` is the kind of error, which results count.
    """

    name: str
    text: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    kind: Literal["internal"] = field(default="internal", kw_only=True, repr=False)


@dataclass(frozen=True)
class Note:
    """An entry for the recording: 'tree', 'belief', 'memory', 'plan' or 'search'; no decision."""

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
    """Restart the task from its initial state, keeping what the planner learnt (Reflexion).

    Budgets are not reset. Where no trial is left, the episode ends as by `GiveUp`.
    """

    reason: str = ""
    kind: Literal["new_trial"] = field(default="new_trial", kw_only=True, repr=False)


Decision = Act | Think | Internal | Note | Done | GiveUp | NewTrial
_Value = TypeVar("_Value")
#: A plan within a plan, for `yield from`; it returns a value.
SubPlan = Generator[Decision, Percept, _Value]
Decisions = SubPlan[None]


class EpisodeOver(GeneratorExit):
    """Thrown into a planner's generator where its episode has ended, in the place of its next turn.

    percept: the last one, which the generator may not have got. ended: as `EpisodeResult.ended`.
    A generator may leave it alone, as any GeneratorExit, or yield notes as its last words.
    """

    def __init__(self, percept: Percept, ended: str) -> None:
        super().__init__(ended)
        self.percept = percept
        self.ended = ended


def counts(decision: Decision) -> bool:
    """Whether a decision counts against `Budgets.decisions`.

    One rule for all planners: one model reply that decides something is one decision. So a thought
    that comes with an action, and further actions of a plan, do not count.
    """
    if isinstance(decision, Act):
        return not decision.continued
    return not isinstance(decision, Note)


# --- planners ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Preparation:
    """The argument of a planner's `prepare`, once a run."""

    suite: str
    """The suite whose tasks are played."""
    dialect: str
    """As in `Brief`."""
    actions: frozenset[Verb]
    """As in `Brief`."""
    embodiment: Embodiment
    """As in `Brief`."""
    rules: Rules
    """As in `Brief`."""
    seed: int
    """As in `Brief`."""
    scenes: frozenset[str] = frozenset()
    """The digest (`scene_graph.task.scene_digest`) of every task's scene.

    It tells whether a memory was made in a scene that is played, and nothing of the scene.
    """
    models: Mapping[str, Model] = field(default_factory=dict)
    """As in `Brief`."""
    options: BaseModel | None = None
    """As in `Brief`."""


#: The dialects of most household planners, the default first; then those as in ReAcTree.
HOMES = ("reactree_plain", "reactree", "reactree_thor_plain", "reactree_thor")


@dataclass(frozen=True)
class OnlyWith:
    """A condition of an option: it counts only where another option has one of these values.

    Without values that is any but none. An option whose condition does not hold is refused::

        flat_particles: Annotated[int, OnlyWith("hypotheses", "flat")] = Field(9, …)
    """

    option: str
    """The name of the other option."""
    values: tuple[str, ...]
    """Its values, as after `--set key=`."""

    def __init__(self, option: str, *values: str) -> None:
        object.__setattr__(self, "option", option)
        object.__setattr__(self, "values", values)


@dataclass(frozen=True)
class Planner:
    """A registered planner."""

    name: str
    """The name for `--planner`."""
    summary: str
    """One line for `peephole planners`."""
    plan: Callable[[Brief, Percept], Decisions]
    """Starts an episode; the generator yields decisions and receives percepts."""
    grants: frozenset[Grant] = frozenset()
    """What the planner must get beyond views."""
    dialects: tuple[str, ...] = HOMES[:1]
    """The dialects it supports, the default first."""
    sources: frozenset[str] = frozenset()
    """Data whose placements the planner counts and cannot leave out, named as in `Suite.sources`.

    It does not play suites made from any of them.
    """
    models: tuple[str, ...] = ()
    """The roles of the language models it asks: "planner", "vision", "builder" …"""
    options: type[BaseModel] | None = None
    """A pydantic class whose defaults are the paper's values; None for no options."""
    prepare: Callable[[Preparation], Mapping[str, Any]] | None = None
    """Runs once a run. Its result (JSON data) is recorded and passed to every episode."""
    more_grants: Callable[[BaseModel], frozenset[Grant]] = lambda options: frozenset()
    """The grants that given options add."""
    more_models: Callable[[BaseModel], tuple[str, ...]] = lambda options: ()
    """The model roles that given options add."""
    example: Callable[[str, Iterable[tuple[Decision, str]]], str] | None = None
    """Writes an episode as an example for prompts, from its first message and each decision with
    the answer to it. None: its episodes are no examples.
    """
    missing: Callable[[], str | None] = lambda: None
    """One sentence on what is not installed and how to install it, or None."""
    facts: Callable[[BaseModel | None], Mapping[str, Any]] = lambda options: {}
    """What run.json says of this machine, as JSON data; a sentence under "note" is told the user.
    """
    argument: str = ""
    """The option that NAME:TEXT sets to TEXT; "" for none."""

    def __post_init__(self) -> None:
        """Raises BadInput for an unknown grant."""
        object.__setattr__(self, "grants", grants_of(self.grants))
        object.__setattr__(self, "sources", frozenset(each_name(self.sources)))
        for name in ("dialects", "models"):
            object.__setattr__(self, name, each_name(getattr(self, name)))

    def granted_by(self, options: BaseModel | None) -> Planner:
        """The planner with the grants and model roles that these options add."""
        if options is None:
            return self
        more = each_name(self.more_models(options))
        return replace(
            self,
            grants=self.grants | grants_of(self.more_grants(options)),
            models=tuple(dict.fromkeys((*self.models, *more))),
        )
