"""The ids of the agent: by first sight, the same objects under both, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import Environment
from peephole.episodes.events import Decided, RecordedEvent, Stepped
from peephole.episodes.journal import Journal
from peephole.episodes.planner_ids import PlannerIds
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.names import Names
from peephole.observation_text.view import Visibility, visible
from peephole.planners.contract import Grant
from peephole.scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    EventOccurred,
    Exists,
    ForAll,
    HasState,
    InOrder,
    MeasureInRange,
    Not,
    Or,
    Related,
    named_ids,
    with_ids,
)
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Edge, Relation, State
from peephole.scene_graph.rules import Rules
from peephole.scene_graph.task import Task
from peephole.skills import actions
from peephole.skills.outcomes import Reason


@given(data=st.data())
def test_a_view_is_the_same_under_other_ids(
    data: st.DataObject, house_strategy: SearchStrategy[SceneGraph]
) -> None:
    view = visible(data.draw(house_strategy), data.draw(st.sampled_from([*Visibility][:2])))
    names = Names()
    ids = PlannerIds(names)
    names.append(view.graph.nodes())
    told = ids.view(view)
    assert sorted(told.graph.by_id) == list(range(1, len(view.graph) + 1))
    assert all(node.native_id == node.id for node in told.graph.nodes())
    for planner_id, node in told.graph.by_id.items():
        theirs = view.graph[ids.world_id(planner_id)]
        assert replace(node, id=theirs.id, native_id=theirs.native_id) == theirs
        assert ids.planner_id(theirs.id) == planner_id
    assert [
        (ids.world_id(a), relation, ids.world_id(b)) for a, relation, b in told.graph.edges()
    ] == list(view.graph.edges())
    assert {ids.world_id(place): whole for place, whole in told.covered.items()} == view.covered
    whole = SceneGraph(told.graph.nodes(), told.graph.edges())
    for place in whole.by_id:
        assert sorted(told.graph.incoming(place)) == sorted(whole.incoming(place))
    assert (told.graph.room_ids, told.graph.agent_ids) == (whole.room_ids, whole.agent_ids)
    assert told.agent().id == ids.planner_id(view.agent().id)
    held = [ids.planner_id(thing) for thing in view.held()]
    assert (told.held(), told.arm) == (held, view.arm)


def test_a_goal_is_the_same_under_other_ids() -> None:
    domain = Domain(frozenset({"apple"}), None, frozenset({3, 4}))
    body = And((Related("x", Relation.ON, 5), HasState("x", State.HOT)))
    goal = Or(
        (
            Not(ForAll("x", domain, body)),
            Exists("x", Domain(), body),
            AtLeast(2, "x", domain, body),
            InOrder((EventOccurred(("open",), (6, None)), EventOccurred(("close",), ("x",)))),
            MeasureInRange("distance", (7, "x"), 0.0, 1.0),
            EventOccurred(("open",), (8,)),
        )
    )
    assert named_ids(goal) == {3, 4, 5, 6, 7, 8}
    assert named_ids(with_ids(goal, lambda old: old + 10)) == {13, 14, 15, 16, 17, 18}
    assert with_ids(with_ids(goal, lambda old: old + 10), lambda old: old - 10) == goal


def test_another_hidden_thing_changes_no_id(task: Task, house: SceneGraph, tmp_path: Path) -> None:
    """As a loader numbers: the one that was added comes first, and the others move up."""
    higher = SceneGraph(
        [replace(node, id=node.id + 7, native_id=node.id + 7) for node in house.nodes()],
        [Edge(e.source + 7, e.relation, e.target + 7) for e in house.edges()],
    )
    apple = higher[8]
    higher.add_node(replace(apple, id=1, native_id=1))
    higher.add_edge(1, Relation.INSIDE, 9)
    told = []
    for graph, moved in ((house, 0), (higher, 7)):
        path = tmp_path / f"moved-{moved}.json"
        write_graph(graph, path)
        goal = with_ids(task.goal, lambda old, moved=moved: old + moved)  # type: ignore[misc]
        environment = Environment(
            SymbolicAdapter(),
            replace(task, instruction="Do it.", goal=goal, scene=f"json:{path}"),
            DIALECT,
            grants=frozenset({Grant.GOAL, Grant.FIXTURES}),
        )
        percept = environment.reset()
        brief = environment.brief()
        nodes, names = list(percept.view.graph.nodes()), list(percept.names.items())
        told.append((percept.text, percept.menu(), brief, nodes, names))
    assert told[0] == told[1]


def test_what_is_recorded_has_the_ids_of_the_world(task: Task) -> None:
    events: list[RecordedEvent] = []
    unnamed = replace(task, instruction="Do it.")
    environment = Environment(
        SymbolicAdapter(), unnamed, DIALECT, journal=Journal(watch=events.append)
    )
    percept = environment.reset()
    fridge = {name: node for node, name in percept.names.items()}["fridge 1"]
    assert fridge != 2, "the scene calls it 2"
    environment.step(actions.go_to(fridge))
    percept = environment.step(actions.open_(987))  # made up
    assert percept.outcome is not None
    assert percept.outcome.failure is not None
    assert (percept.outcome.failure.reason, percept.outcome.failure.thing) == (Reason.UNKNOWN, 987)
    went, made_up = (event for event in events if isinstance(event, Stepped))
    assert went.action == actions.go_to(2)
    assert made_up.action is not None
    assert made_up.action.target is not None
    assert made_up.action.target < -(10**12)
    assert not [event for event in events if isinstance(event, Decided)]


def test_with_the_truth_ids_are_the_simulators(task: Task, house: SceneGraph) -> None:
    environment = Environment(SymbolicAdapter(), task, DIALECT, grants=frozenset({Grant.TRUTH}))
    percept = environment.reset()
    assert percept.truth == house
    assert percept.view.graph.by_id.items() <= house.by_id.items()


def test_names_stay_over_trials(task: Task) -> None:
    """They stay, although an object has to be seen again to be named."""
    environment = Environment(
        SymbolicAdapter(), replace(task, instruction="Do it."), DIALECT, rules=Rules(trials=2)
    )
    environment.reset()
    for words in ("go to living room 1", "go to table 1"):
        percept = environment.step(words)
    before = {name: node for node, name in percept.names.items()}
    percept = environment.new_trial()
    assert "table 1" not in percept.names.values(), "it was not seen in this trial"
    percept = environment.step("go to living room 1")
    assert {name: node for node, name in percept.names.items()}["table 1"] == before["table 1"]
