"""Small houses made by hand, and a loop in which a planner acts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pytest
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import Environment
from peephole.episodes.events import RecordedEvent, Stepped
from peephole.episodes.journal import Journal
from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.served_model import ModelEndpoint
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.view import View, Visibility, visible
from peephole.planners.contract import (
    Act,
    Decision,
    Done,
    GiveUp,
    Note,
    Planner,
)
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import And, Goal, Or
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Kind, Node, Relation, State
from peephole.scene_graph.placement_goals import alternatives
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, Verb
from peephole.skills.dynamics import step
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Failure, RawResult, Reason
from peephole.suites.contract import Suite
from peephole.suites.registry import load_suite

from .shortest_plan import shortest_plan

_AFFORDANCES = {
    "table": {Affordance.SURFACE},
    "desk": {Affordance.SURFACE},
    "counter": {Affordance.SURFACE},
    "fridge": {Affordance.CONTAINER, Affordance.OPENABLE},
    "cabinet": {Affordance.CONTAINER, Affordance.OPENABLE},
    "bathroom cabinet": {Affordance.CONTAINER, Affordance.OPENABLE},
    "microwave": {Affordance.CONTAINER, Affordance.OPENABLE, Affordance.SWITCHABLE},
    "dishwasher": {
        Affordance.CONTAINER,
        Affordance.OPENABLE,
        Affordance.SWITCHABLE,
        Affordance.SURFACE,
    },
    "lamp": {Affordance.SWITCHABLE, Affordance.PLUGGABLE},
    "burner": {Affordance.SURFACE},
    "tray": {Affordance.GRASPABLE, Affordance.SURFACE},
    "box": {Affordance.GRASPABLE, Affordance.CONTAINER, Affordance.OPENABLE},
    "knife": {Affordance.GRASPABLE, Affordance.CUTS},
    "sofa": {Affordance.SITTABLE, Affordance.LIEABLE, Affordance.SURFACE},
    "bed": {Affordance.SITTABLE, Affordance.LIEABLE},
    "chair": {Affordance.SITTABLE, Affordance.MOVABLE, Affordance.GRASPABLE},
    "tv": {Affordance.SWITCHABLE, Affordance.WATCHABLE},
    "shirt": {Affordance.GRASPABLE, Affordance.WEARABLE},
    "juice": {Affordance.GRASPABLE, Affordance.POURABLE, Affordance.LIQUID},
    "glass": {Affordance.GRASPABLE, Affordance.RECIPIENT, Affordance.DRINKABLE},
    "bread": {Affordance.GRASPABLE, Affordance.SLICEABLE},
    "statue": set(),
}


class House:
    """A house being furnished. Each method adds one thing and returns its id."""

    def __init__(self) -> None:
        self.graph = SceneGraph()

    def room(self, category: str) -> int:
        return self._add(category, Kind.ROOM, set())

    def agent(self, room: int, *holds: int) -> int:
        agent = self._add("character", Kind.AGENT, set())
        self.graph.add_edge(agent, Relation.INSIDE, room)
        for thing in holds:
            self.graph.add_edge(agent, Relation.HOLDS, thing)
        return agent

    def fixture(self, category: str, room: int, *states: State) -> int:
        fixture = self._add(category, Kind.FIXTURE, _AFFORDANCES[category], *states)
        self.graph.add_edge(fixture, Relation.INSIDE, room)
        return fixture

    def thing(
        self,
        category: str,
        *states: State,
        on: int | None = None,
        inside: int | None = None,
    ) -> int:
        can = _AFFORDANCES.get(category, {Affordance.GRASPABLE})
        thing = self._add(category, Kind.OBJECT, can, *states)
        if on is not None:
            self.graph.add_edge(thing, Relation.ON, on)
        if inside is not None:
            self.graph.add_edge(thing, Relation.INSIDE, inside)
        return thing

    def _add(self, category: str, kind: Kind, can: Iterable[Affordance], *states: State) -> int:
        node_id = len(self.graph) + 1
        self.graph.add_node(
            Node(node_id, category, kind, node_id, frozenset(states), frozenset(can))
        )
        return node_id


@pytest.fixture
def house() -> House:
    return House()


@pytest.fixture
def carried_out() -> Callable[..., SceneGraph]:
    """The graph after a plan, every action of which has to be possible."""

    def carry_out(
        graph: SceneGraph, plan: Iterable[Action], body: Embodiment | None = None
    ) -> SceneGraph:
        after = graph.copy()
        for action in plan:
            assert step(after, action, body or Embodiment()) is None, action
        return after

    return carry_out


@pytest.fixture
def length(carried_out) -> Callable[..., int | None]:
    """The length of the plan found for a goal, which has to work; None where there is none."""

    def measure(graph: SceneGraph, goal: Goal, body: Embodiment | None = None) -> int | None:
        plan = shortest_plan(graph, goal, body or Embodiment(), frozenset(Verb))
        if plan is None:
            return None
        assert satisfied(goal, carried_out(graph, plan, body))
        return len(plan)

    return measure


@dataclass
class Played:
    """The result of an episode."""

    success: bool
    """Whether the goal was reached."""
    ended: str
    """Why the episode ended."""
    actions: list[Action] = field(default_factory=list)
    """The actions, with the ids of the house and not those of the planner."""
    failures: list[Reason] = field(default_factory=list)
    """The reasons of failed actions."""
    decisions: list[Decision] = field(default_factory=list)
    """All decisions."""
    unperceived: list[Action] = field(default_factory=list)
    """The actions on things that were never perceived."""

    def notes(self, name: str) -> list[Note]:
        return [d for d in self.decisions if isinstance(d, Note) and d.name == name]

    def thoughts(self) -> list[str]:
        return [d.thought for d in self.decisions if isinstance(d, Act) and d.thought]


class _House(SymbolicAdapter):
    """The built-in world in a house where some actions fail."""

    def __init__(
        self,
        truth: SceneGraph,
        body: Embodiment,
        visibility: Visibility,
        broken: Callable[[Action], bool],
        room: Mapping[int, int],
        blocked: Callable[[Action, SceneGraph], int | Failure | None],
    ) -> None:
        super().__init__()
        self.spec = replace(SymbolicAdapter.spec, embodiment=body, visibility=visibility)
        self.world = truth.copy()
        self._broken = broken
        self._room = room
        self._blocked = blocked

    def reset(self, task: Task, seed: int) -> None:
        pass

    def attempt(self, action: Action, variation: int) -> RawResult:
        if self._broken(action):
            return RawResult(Failure(Reason.REFUSED))
        obstacle = self._blocked(action, self.world)
        if isinstance(obstacle, Failure):
            return RawResult(obstacle)
        if obstacle is not None:
            return RawResult(Failure(Reason.BLOCKED, obstacle))
        limit = None if action.place is None else self._room.get(action.place)
        if limit is not None and len(self.world.contents(action.place)) >= limit:
            return RawResult(Failure(Reason.NO_FREE_SPOT))
        return RawResult(step(self.world, action, self.spec.embodiment))

    def graph(self) -> SceneGraph:
        return self.world.copy()

    def view(self) -> View:
        return visible(self.world, self.spec.visibility)


Play = Callable[..., Played]


@pytest.fixture
def play() -> Play:
    """Let a planner act in a house until its goal holds, it stops, or `steps` are used up.

    It gets only its declared grants. broken: actions that fail without a reason. room: how many
    things some places can keep, which the planner does not know. blocked: what is in the way of an
    action, or another failure of it. before_step: changes the true
    world before a step, given the number of the step.
    """

    def loop(
        planner: Planner,
        truth: SceneGraph,
        goal: Goal,
        *,
        body: Embodiment | None = None,
        visibility: Visibility = Visibility.NEAR,
        steps: int = 100,
        seed: int = 0,
        until_done: bool = False,
        broken: Callable[[Action], bool] = lambda action: False,
        room: Mapping[int, int] | None = None,
        blocked: Callable[[Action, SceneGraph], int | Failure | None] = lambda action, graph: None,
        before_step: Callable[[int, SceneGraph], None] = lambda step, graph: None,
    ) -> Played:
        house = _House(truth, body or Embodiment(), visibility, broken, room or {}, blocked)
        stepped: list[Action] = []

        def watch(event: RecordedEvent) -> None:
            if isinstance(event, Stepped):
                assert event.action is not None
                stepped.append(event.action)

        environment = Environment(
            house,
            Task("task", "", goal, ""),
            DIALECT,
            rules=Rules(ends=Ends.PLANNER_DONE if until_done else Ends.GOAL_REACHED),
            budgets=Budgets(steps),
            grants=planner.grants,
            seed=seed,
            journal=Journal(watch=watch),
        )
        played = Played(False, "steps", stepped)
        percept = environment.reset()
        plan = planner.plan(environment.brief(), percept)
        decision = next(plan)
        while True:
            played.decisions.append(decision)
            if isinstance(decision, Done | GiveUp):
                played.ended = f"{type(decision).__name__}: {decision.reason}"
                break
            if isinstance(decision, Act):
                if percept.ended == "steps":
                    break
                before_step(environment.steps, house.world)
                action = decision.action
                assert isinstance(action, Action)
                if any(thing not in percept.names for thing in action.things):
                    played.unperceived.append(action)
                percept = environment.step(action)
                if percept.outcome.failure is not None:
                    played.failures.append(percept.outcome.failure.reason)
                if percept.ended == "goal_reached":
                    played.ended = "goal"
                    break
            decision = plan.send(percept)
        played.success = bool(environment.score().success)
        return played

    return loop


@st.composite
def small_houses(draw: DrawFn) -> SceneGraph:
    """Two rooms with a few fixtures, open or shut, and a few things on or in them.

    Fixtures of one room may stand side by side, and the agent may be sitting.
    """
    house = House()
    rooms = [house.room("kitchen"), house.room("bedroom")]
    doors = st.sampled_from([(), (State.OPEN,), (State.CLOSED,)])
    spots: list[tuple[Relation, int]] = []
    for category in ("table", *draw(st.lists(st.sampled_from(("counter", "desk")), max_size=1))):
        spots.append((Relation.ON, house.fixture(category, draw(st.sampled_from(rooms)))))
    for category in ("fridge", "dishwasher"):
        states = draw(doors)
        if category == "dishwasher":
            states = (*states, draw(st.sampled_from([State.ON, State.OFF])))
        fixture = house.fixture(category, draw(st.sampled_from(rooms)), *states)
        spots.append((Relation.INSIDE, fixture))
        if category == "dishwasher":
            spots.append((Relation.ON, fixture))
    for room in rooms:
        beside = [f for f in house.graph.contents(room) if draw(st.integers(0, 3)) == 3]
        for one, other in pairwise(beside):
            house.graph.add_edge(one, Relation.CLOSE, other)
            house.graph.add_edge(other, Relation.CLOSE, one)
    held = []
    kinds = st.sampled_from(["apple", "tray", "box", "milk"])
    for category in draw(st.lists(kinds, min_size=2, max_size=4)):
        thing = house.thing(category, *(draw(doors) if category == "box" else ()))
        if len(held) < 2 and draw(st.integers(0, 3)) == 3:
            held.append(thing)
            continue
        relation, place = draw(st.sampled_from(spots))
        house.graph.add_edge(thing, relation, place)
        if category == "tray":
            spots.append((Relation.ON, thing))
        if category == "box":
            spots.append((Relation.INSIDE, thing))
    agent = house.agent(draw(st.sampled_from(rooms)), *held)
    if draw(st.integers(0, 4)) == 4:
        house.graph.set_state(agent, State.SITTING)
    return house.graph


@st.composite
def homes(draw: DrawFn) -> SceneGraph:
    """Two rooms with seats, a television, clothes and something to pour.

    The agent may sit, face things and wear something.
    """
    house = House()
    graph = house.graph
    rooms = [house.room("living room"), house.room("bedroom")]
    spots: list[tuple[Relation, int]] = []
    for category in ("table", "sofa", "cabinet", "tv"):
        states = [()]
        if category == "cabinet":
            states = [(State.OPEN,), (State.CLOSED,)]
        if category == "tv":
            states = [(State.ON,), (State.OFF,)]
        room = draw(st.sampled_from(rooms))
        fixture = house.fixture(category, room, *draw(st.sampled_from(states)))
        if category != "tv":
            spots.append((Relation.INSIDE if category == "cabinet" else Relation.ON, fixture))
    sofa = spots[1][1]
    if draw(st.booleans()) and graph.room_of(sofa) == graph.room_of(fixture):
        graph.add_edge(sofa, Relation.FACING, fixture)
    for room in rooms:
        beside = [f for f in graph.contents(room) if draw(st.integers(0, 3)) == 3]
        for one, other in pairwise(beside):
            graph.add_edge(one, Relation.CLOSE, other)
            graph.add_edge(other, Relation.CLOSE, one)
    held, worn = [], []
    kinds = st.sampled_from(["shirt", "juice", "glass", "chair"])
    for category in draw(st.lists(kinds, min_size=2, max_size=4)):
        thing = house.thing(category)
        if len(held) < 2 and draw(st.integers(0, 3)) == 3:
            held.append(thing)
        elif category == "shirt" and draw(st.booleans()):
            worn.append(thing)
        elif category == "chair":
            graph.add_edge(thing, Relation.INSIDE, draw(st.sampled_from(rooms)))
        else:
            graph.add_edge(thing, *draw(st.sampled_from(spots)))
    room = draw(st.sampled_from(rooms))
    agent = house.agent(room, *held)
    for thing in worn:
        graph.add_edge(thing, Relation.ON, agent)
    if graph.room_of(sofa) == room and draw(st.booleans()):
        graph.add_edge(agent, Relation.CLOSE, sofa)
        if draw(st.booleans()):
            graph.set_state(agent, State.SITTING)
            graph.add_edge(agent, Relation.ON, sofa)
    return graph


@pytest.fixture(scope="session")
def home_strategy() -> SearchStrategy[SceneGraph]:
    """See `homes`."""
    return homes()


@pytest.fixture(scope="session")
def small_house_strategy() -> SearchStrategy[SceneGraph]:
    """See `small_houses`."""
    return small_houses()


@pytest.fixture
def play_on_map(endpoint, tmp_path) -> Iterator[Callable[..., list[object]]]:
    """Play a planner with a map and a model that gives these answers, in order.

    What it gives: every decision, and the percept after every action.
    """
    where = ModelEndpoint(endpoint.url, "stand-in")
    with ModelConnection(ModelConfig("stand-in", attempts=2), where) as connection:

        def played(
            planner: Planner,
            graph: SceneGraph,
            answers: Iterable[object],
            *,
            known: SceneGraph | None = None,
            **options: object,
        ) -> list[object]:
            left = list(answers)
            endpoint.text = lambda body: (
                said if isinstance(said := left.pop(0), str) else json.dumps(said)
            )
            write_graph(graph, tmp_path / "world.json")
            write_graph(known or graph, tmp_path / "map.json")
            task = Task(
                "example",
                "",
                And(()),
                f"json:{tmp_path / 'world.json'}",
                map=f"json:{tmp_path / 'map.json'}",
            )
            rules = Rules(ends=Ends.PLANNER_DONE)
            world = Environment(
                SymbolicAdapter(), task, DIALECT, rules=rules, grants=planner.grants
            )
            percept = world.reset()
            assert planner.options is not None
            brief = replace(
                world.brief(),
                instruction="Put the apple in the fridge.",
                models={"planner": connection.for_episode("planner", lambda event: None)},
                options=planner.options(**options),
            )
            turns = planner.plan(brief, percept)
            found: list[object] = [next(turns)]
            while not isinstance(found[-1], Done | GiveUp):
                if isinstance(found[-1], Act):
                    percept = world.step(found[-1].action)
                    found.append(percept)
                found.append(turns.send(percept))
            assert not left, "the planner did not ask as often as there are answers"
            return found

        yield played


@pytest.fixture
def three_alike() -> Suite:
    """Three kitchen tasks that differ in which of three alternatives is meant."""
    suite = load_suite("kitchens_ambiguous:easy")
    task = suite.tasks[0]
    assert task.candidates is not None
    placements = {p.source: p for goal in alternatives(task.candidates) or () for p in goal}
    goals = [And((placement,)) for placement in list(placements.values())[:3]]
    return replace(
        suite,
        tasks=[
            replace(
                task,
                id=f"{task.id}-{number}",
                goal=goal,
                candidates=Or(tuple(goals)),
                budgets=Budgets(steps=80),
            )
            for number, goal in enumerate(goals)
        ],
    )
