"""Sixty episodes that fail for a known cause: the labelled failures of `failure_classes.py`.

Each is a task of `wah_train` (or one made for it) in the built-in world, played by a planner that
does one thing wrong on purpose. The label is the class of docs/failures.md that the cause stands
for. The planners know the true state, so that they fail for nothing else: most follow `expert` to a
wrong goal.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from pathlib import Path
from types import ModuleType

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.recording import EpisodeLog
from peephole.episodes.result import EpisodeResult
from peephole.episodes.suites.registry import load_suite
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.planners.contract import (
    Act,
    Brief,
    Decision,
    Decisions,
    Done,
    GiveUp,
    Grant,
    Internal,
    Note,
    Percept,
    Planner,
)
from peephole.planners.expert.planner import plan as pursue_goal
from peephole.planners.llm.config import ModelConfig
from peephole.planners.llm.connection import ModelConnection
from peephole.scene_graph.goals import And, AtLeast, Domain, EventOccurred, Exists, Goal, Related
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Kind, Node, Relation, State
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.scene_graph.task import Task
from peephole.served_model import ModelEndpoint
from peephole.skills.actions import Action, Verb, close, go_to, look, open_, put
from peephole.skills.executor import SimulatorDied
from peephole.skills.outcomes import Failure, RawResult, Reason

#: What an injected planner does; it gives the percept after its last action.
Doing = Generator[Decision, Percept, Percept]
Plan = Callable[[Brief, Percept], Decisions]

_STEPS = 60
_HOUSES = range(4)
_TABLE = "table"


@dataclass(frozen=True)
class InjectedFailure:
    """One labelled episode. faults: of a model's endpoint, for the classes about models."""

    label: str
    number: int
    task: Task
    plan: Plan
    adapter: Callable[[], SymbolicAdapter] = SymbolicAdapter
    faults: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.label}-{self.number}"

    def play(self, path: Path) -> EpisodeResult:
        """Play the episode and record it at a path."""
        if not self.faults:
            return self._run(path, None)
        with _endpoint_module().EndpointStandIn() as endpoint:
            endpoint.faults.extend(self.faults * 20)
            config = ModelConfig("stand-in")
            with ModelConnection(config, ModelEndpoint(endpoint.url, "stand-in")) as model:
                return self._run(path, model)

    def _run(self, path: Path, model: ModelConnection | None) -> EpisodeResult:
        planner = Planner(
            name="injected",
            summary=self.label,
            plan=self.plan,
            grants=frozenset({Grant.TRUTH, Grant.GOAL}),
            models=() if model is None else ("planner",),
        )
        context = EpisodeContext(
            adapter=self.adapter(),
            planner=planner,
            models={} if model is None else {"planner": model},
            dialect=DIALECT,
            rules=Rules(ends=Ends.PLANNER_DONE),
            budgets=Budgets(steps=_STEPS),
        )
        with EpisodeLog(path) as log:
            return run_episode(context, self.task, log)


def _endpoint_module() -> ModuleType:
    path = Path(__file__).parents[1] / "tests" / "endpoint_stand_in.py"
    spec = importlib.util.spec_from_file_location("endpoint_stand_in", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- tasks -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Asked:
    """What a task of `wah` asks for: so many of each category at one place of a category."""

    relation: Relation
    counts: tuple[tuple[str, int], ...]
    place: str

    @property
    def goal(self) -> Exists:
        parts = [
            AtLeast(count, "thing", _of(category), Related("thing", self.relation, "place"))
            for category, count in self.counts
        ]
        return Exists("place", _of(self.place), And(tuple(parts)))

    def without(self, number: int) -> _Asked:
        """All but what is asked for in one place of the list."""
        kept = tuple(c for i, c in enumerate(self.counts) if i != number % len(self.counts))
        return replace(self, counts=kept)

    def with_another(self, number: int, category: str) -> _Asked:
        """One category in place of another."""
        counts = list(self.counts)
        counts[number % len(counts)] = (category, 1)
        return replace(self, counts=tuple(counts))


def _of(category: str) -> Domain:
    return Domain(frozenset({category}))


def _asked(task: Task) -> _Asked:
    """Read a task's goal again."""
    goal = task.goal
    assert isinstance(goal, Exists)
    assert isinstance(goal.body, And)
    (place,) = goal.domain.categories or ()
    counts, relation = [], Relation.ON
    for part in goal.body.parts:
        if isinstance(part, AtLeast) and isinstance(part.body, Related):
            (category,) = part.domain.categories or ()
            counts.append((category, part.count))
            relation = part.body.relation
    return _Asked(relation, tuple(counts), place)


def _tasks(first: int = 0) -> list[Task]:
    """Four tasks without a switch, each in another generated house."""
    found: dict[str, Task] = {}
    for task in load_suite("wah_train").tasks[first:]:
        house = task.scene.split(";")[0]
        if not task.id.startswith("put_dishwasher") and house not in found:
            found[house] = task
        if len(found) == len(_HOUSES):
            break
    return list(found.values())


# --- what planners do ------------------------------------------------------------------------


def _act(action: Action) -> Doing:
    return (yield Act(action))


def _pursue(brief: Brief, percept: Percept, goal: Goal) -> Doing:
    """Bring a goal about as `expert` does; that it is done is not said."""
    decisions = pursue_goal(replace(brief, goal=goal), percept)
    decision = next(decisions)
    while not isinstance(decision, Done | GiveUp):
        percept = yield decision
        decision = decisions.send(percept)
    return percept


def _truth(percept: Percept) -> SceneGraph:
    assert percept.truth is not None
    return percept.truth


def _things(graph: SceneGraph, category: str) -> list[Node]:
    return [node for node in graph.nodes() if node.category == category]


def _has_target(graph: SceneGraph, place: int, asked: _Asked) -> bool:
    """Whether a place, or one that stands on it, keeps anything that is asked for."""
    wanted = {category for category, _ in asked.counts}
    inside = [place]
    for node_id in inside:
        inside += graph.contents(node_id)
    return any(graph[node_id].category in wanted for node_id in inside)


def _places_without(percept: Percept, asked: _Asked, room: int | None = None) -> list[int]:
    """Furniture that stands in its room by itself, at which nothing is that is asked for."""
    graph = _truth(percept)
    return [
        node.id
        for node in graph.nodes(Kind.FIXTURE)
        if any(graph[place].kind is Kind.ROOM for _, place in graph.places(node.id))
        and (room is None or graph.room_of(node.id) == room)
        and not _has_target(graph, node.id, asked)
    ]


def _go(percept: Percept, place: int) -> Doing:
    """Go to a place, through its room where one is in another."""
    graph = _truth(percept)
    room = graph.room_of(place)
    assert room is not None
    if room != graph.room_of(graph.agent().id):
        percept = yield from _act(go_to(room))
    return (yield from _act(go_to(place)))


def _look_into(percept: Percept, place: int) -> Doing:
    percept = yield from _go(percept, place)
    node = _truth(percept)[place]
    if State.CLOSED in node.states and Affordance.OPENABLE in node.affordances:
        percept = yield from _act(open_(place))
    return percept


def _empty_room(percept: Percept, asked: _Asked) -> int:
    """The room with the most furniture among those that the search is safe in."""
    graph = _truth(percept)
    rooms = [
        room.id
        for room in graph.nodes(Kind.ROOM)
        if not any(
            graph[thing].category in {c for c, _ in asked.counts}
            for thing in graph.contents(room.id)
        )
    ]
    return max(rooms, key=lambda room: len(_places_without(percept, asked, room)))


def _bases(percept: Percept, asked: _Asked) -> list[int]:
    """What keeps the things that are asked for, the innermost that can be gone to."""
    graph = _truth(percept)
    found = []
    for category, _ in asked.counts:
        for node in _things(graph, category):
            found += [place for _, place in graph.places(node.id)]
    return list(dict.fromkeys(found))


# --- search ----------------------------------------------------------------------------------


def _searches_little(task: Task, number: int) -> Plan:
    """Looks at three to six places, and gives up or says that it is done."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        for place in _places_without(percept, _asked(task))[: 3 + number]:
            percept = yield from _look_into(percept, place)
        yield GiveUp("I cannot find it.") if number % 2 else Done()

    return plan


def _stays_in_one_room(task: Task, number: int) -> Plan:
    """Goes round and round in one room."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        asked = _asked(task)
        places = _places_without(percept, asked, _empty_room(percept, asked))
        for place in islice(cycle(places[: 5 + number]), 20 + 5 * number):
            percept = yield from _look_into(percept, place)
        yield GiveUp("I cannot find it.")

    return plan


def _searches_again(task: Task, number: int) -> Plan:
    """Walks from room to room between places that it has seen, and to no others."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        asked, graph = _asked(task), _truth(percept)
        of_room: dict[int | None, int] = {}
        for place in _places_without(percept, asked):
            of_room.setdefault(graph.room_of(place), place)
        places = list(of_room.values())[: 3 + number % 2]
        for place in islice(cycle(places), len(places) * (3 + number // 2)):
            percept = yield from _look_into(percept, place)
        yield GiveUp("I cannot find it.")

    return plan


# --- execution -------------------------------------------------------------------------------


def _other_category(percept: Percept, task: Task, number: int) -> str:
    """A category of things that can be carried and that nobody asked for."""
    graph, asked = _truth(percept), _asked(task)
    wanted = {category for category, _ in asked.counts}
    others = {
        node.category
        for node in graph.nodes(Kind.OBJECT)
        if Affordance.GRASPABLE in node.affordances
        and node.category not in wanted
        and not graph.contents(node.id)
        and not any(graph[place].category == asked.place for _, place in graph.places(node.id))
    }
    return sorted(others)[number]


def _confuses(task: Task, number: int) -> Plan:
    """Brings another thing, or all of it to another place, and sees what it was to bring."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        asked = _asked(task)
        if number % 2:
            wrong = replace(asked, place="sofa", relation=Relation.ON)
        else:
            for base in _bases(percept, asked):
                percept = yield from _look_into(percept, base)
            wrong = asked.with_another(number, _other_category(percept, task, number))
        yield from _pursue(brief, percept, wrong.goal)
        yield Done()

    return plan


def _repeats(task: Task, number: int) -> Plan:
    """Sees a thing, and does the same over and over."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        asked, graph = _asked(task), _truth(percept)
        base = _bases(percept, asked)[0]
        percept = yield from _look_into(percept, base)
        thing = next(t for t in graph.contents(base) if graph[t].category in dict(asked.counts))
        box = next(n.id for n in graph.nodes(Kind.FIXTURE) if Affordance.OPENABLE in n.affordances)
        again: list[Action] = [
            [look()],
            [put(thing, Relation.ON, base)],
            [close(box), open_(box)],
            [go_to(base)],
        ][number]
        if number == 2:
            percept = yield from _look_into(percept, box)
        for action in islice(cycle(again), 10):
            percept = yield from _act(action)
        yield GiveUp("It does not work.")

    return plan


def _skips(task: Task, number: int) -> Plan:
    """Stands before what it was to bring and goes on, or brings all but that."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        asked = _asked(task)
        for base in _bases(percept, asked):
            percept = yield from _look_into(percept, base)
        if number % 2:
            yield from _pursue(brief, percept, asked.without(number).goal)
            yield Done()
        for place in _places_without(percept, asked)[: 2 + number]:
            percept = yield from _look_into(percept, place)
        yield GiveUp("I have not seen it.")

    return plan


# --- expansion -------------------------------------------------------------------------------


def _divides(task: Task, subgoals: Callable[[Percept], tuple[list[str], _Asked]]) -> Plan:
    """Divides the goal into subgoals, brings about what they say, and is content."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        texts, done = subgoals(percept)
        yield Internal("expand", f"sequence: {'; '.join(texts)}", {"subgoals": texts})
        nodes = [
            {
                "id": 0,
                "parent": None,
                "kind": "agent",
                "goal": brief.instruction,
                "state": "expand",
            },
            {"id": 1, "parent": 0, "kind": "sequence", "goal": "", "state": "running"},
            *(
                {"id": i, "parent": 1, "kind": "agent", "goal": text, "state": "running"}
                for i, text in enumerate(texts, start=2)
            ),
        ]
        yield Note("tree", "0: sequence", {"nodes": nodes})
        percept = yield from _pursue(brief, percept, done.goal)
        yield Internal("subtask_end", "success", {"node": 0, "status": "success"})
        yield Done()

    return plan


def _subgoal(asked: _Asked, category: str) -> str:
    how = "into" if asked.relation is Relation.INSIDE else "onto"
    return f"find a {category} and put it {how} the {asked.place}"


def _expands_too_little(task: Task, number: int) -> Plan:
    def subgoals(percept: Percept) -> tuple[list[str], _Asked]:
        kept = _asked(task).without(number)
        return [_subgoal(kept, category) for category, _ in kept.counts], kept

    return _divides(task, subgoals)


def _expands_wrongly(task: Task, number: int) -> Plan:
    def subgoals(percept: Percept) -> tuple[list[str], _Asked]:
        asked = _asked(task)
        if number % 2:
            wrong = replace(asked, place="sofa", relation=Relation.ON)
        else:
            other = _other_category(percept, task, number)
            extra = _Asked(asked.relation, ((other, 1),), asked.place)
            wrong = replace(asked.without(0), counts=(*asked.without(0).counts, *extra.counts))
            texts = [_subgoal(asked, category) for category, _ in asked.counts[1:]]
            return [*texts, f"{_subgoal(asked, other)} instead of {asked.counts[0][0]}"], wrong
        return [_subgoal(wrong, category) for category, _ in wrong.counts], wrong

    return _divides(task, subgoals)


# --- vague words -----------------------------------------------------------------------------

_VAGUE = (
    "Give me something to drink.",
    "Bring me a snack, you know where.",
    "Get two things for the guests ready.",
    "Prepare everything as always.",
)


def _vague(task: Task, number: int) -> Task:
    return replace(task, instruction=_VAGUE[number])


def _guesses(task: Task, number: int) -> Plan:
    """Brings something else that the words may mean."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        wrong = _asked(task)
        for i in range(len(wrong.counts)):
            wrong = wrong.with_another(i, _other_category(percept, task, number + i))
        yield from _pursue(brief, percept, wrong.goal)
        yield Done()

    return plan


# --- LLM-POP's: skills and beliefs -----------------------------------------------------------


class _Clumsy(SymbolicAdapter):
    """A world in which a skill fails for its geometry whenever it is used."""

    verb = Verb.PICK_UP
    reason = Reason.SLIPPED

    def attempt(self, action: Action, variation: int) -> RawResult:
        if action.verb is self.verb:
            return RawResult(Failure(self.reason, action.target))
        return super().attempt(action, variation)


class _NoSpot(_Clumsy):
    verb, reason = Verb.PUT, Reason.NO_FREE_SPOT


class _Blocked(_Clumsy):
    reason = Reason.BLOCKED


class _Refusing(_Clumsy):
    verb, reason = Verb.PUT, Reason.REFUSED


def _tries(task: Task, number: int) -> Plan:
    """Does what is right and gives up where the skill fails."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        yield from _pursue(brief, percept, _asked(task).goal)
        yield GiveUp("It does not work.")

    return plan


def _hidden_choice(task: Task, number: int) -> tuple[Task, Node, Node]:
    """A task about one of two alike, which is found out by looking at it; and the two."""
    from peephole.adapters.scenes import load_scene

    graph = load_scene(task.scene)
    pairs = [
        (one, other)
        for one in graph.nodes(Kind.OBJECT)
        for other in _things(graph, one.category)
        if one.id < other.id
        and Affordance.GRASPABLE in one.affordances
        and not graph.contents(one.id)
        and not graph.contents(other.id)
        and graph.closed_around(one.id) is None
        and graph.closed_around(other.id) is None
    ]
    right, wrong = pairs[number]
    table = next(n.id for n in graph.nodes(Kind.FIXTURE) if n.category in ("desk", "sofa", _TABLE))
    made = replace(
        task,
        id=f"hidden/{task.id.replace('/', '-')}",
        instruction=f"Put the {right.category} that is marked on the {graph[table].category}.",
        goal=Related(right.id, Relation.ON, table),
        required_evidence=EventOccurred((str(Verb.LOOK),), (right.id,)),
    )
    return made, right, wrong


def _takes_the_wrong_one(right: Node, wrong: Node, *, looks: bool) -> Plan:
    """Takes the other of two that look alike; after it looked at the right one, or blindly."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        graph = _truth(percept)
        of_native = {node.native_id: node.id for node in graph.nodes()}
        good, bad = of_native[right.native_id], of_native[wrong.native_id]
        assert isinstance(brief.goal, Related)
        if looks:
            percept = yield from _go(percept, graph.places(good)[0][1])
            percept = yield from _act(Action(Verb.LOOK, good))
        yield from _pursue(brief, percept, replace(brief.goal, source=bad))
        yield Done()

    return plan


# --- models and simulators -------------------------------------------------------------------


def _asks(brief: Brief, percept: Percept) -> Decisions:
    """Asks its model what to do, until that gives no usable answer."""
    for _ in range(_STEPS):
        offers = [text for text, _ in percept.options()]
        chosen = brief.model.choose([{"role": "user", "content": percept.text}], offers)
        percept = yield Act(chosen)


class _Dying(SymbolicAdapter):
    """A simulator that does not survive its third action, however often it is started."""

    tries = 2

    def reset(self, task: Task, seed: int) -> None:
        super().reset(task, seed)
        self._left = self.tries

    def attempt(self, action: Action, variation: int) -> RawResult:
        self._left -= 1
        if self._left < 0:
            raise SimulatorDied("The connection was closed.")
        return super().attempt(action, variation)


class _DyingAtOnce(_Dying):
    tries = 0


class _DyingLate(_Dying):
    tries = 5


# --- all of them -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Cause:
    """A label with what causes it. worlds: of each number, one for all where there is one."""

    label: str
    plan: Callable[[Task, int], Plan]
    first: int = 0
    worlds: tuple[Callable[[], SymbolicAdapter], ...] = (SymbolicAdapter,)
    reworded: Callable[[Task, int], Task] = field(default=lambda task, number: task)


_CAUSES = (
    _Cause("search_incomplete", _searches_little),
    _Cause("search_same_room", _stays_in_one_room, 10),
    _Cause("search_revisit", _searches_again, 20),
    _Cause("execution_confusion", _confuses, 30),
    _Cause("execution_repeat", _repeats, 40),
    _Cause("execution_skipping", _skips, 50),
    _Cause("expand_missing", _expands_too_little, 60),
    _Cause("expand_wrong", _expands_wrongly, 70),
    _Cause("ambiguous", _guesses, 80, reworded=_vague),
    _Cause("execution_skill", _tries, 90, (_Clumsy, _NoSpot, _Blocked, _Refusing)),
)
#: What an endpoint answers, by the class that comes of it.
_REPLIES = {
    "model_no_answer": (("empty",), ("context",), ("all_thought",)),
    "model_refused": (("withheld",), ("filtered",), ("free_text", "withheld", "withheld")),
    "model_malformed": (("free_text",), ("invalid_json",), ("wrong_enum",)),
}


def injected_failures(shift: int = 0) -> Iterator[InjectedFailure]:
    """All of them, by label. shift: take the tasks that come so much later in the suite."""
    for cause in _CAUSES:
        for number, task in enumerate(_tasks(cause.first + shift)):
            world = cause.worlds[number % len(cause.worlds)]
            task = cause.reworded(task, number)
            yield InjectedFailure(cause.label, number, task, cause.plan(task, number), world)
    for label, looks in (("belief_plan", False), ("belief_analysis", True)):
        for number, base in enumerate(_tasks(100 + shift)):
            task, right, wrong = _hidden_choice(base, number)
            yield InjectedFailure(
                label, number, task, _takes_the_wrong_one(right, wrong, looks=looks)
            )
    (task, *_) = _tasks(110 + shift)
    for label, lists in _REPLIES.items():
        for number, faults in enumerate(lists):
            yield InjectedFailure(label, number, task, _asks, faults=faults)
    for number, world in enumerate((_Dying, _DyingAtOnce, _DyingLate)):
        yield InjectedFailure("simulator", number, task, _tries(task, number), world)
