"""What is granted before the first step says nothing of what is hidden.

Things that are not seen have names and ids by the instruction, the goal, the map, or by category.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.episodes.environment import Environment
from peephole.planners.contract import Brief, Grant, Percept
from peephole.scene_graph.goals import And, Goal, Related
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.scene_graph.rules import Rules
from peephole.scene_graph.task import Task, scene_digest
from peephole.skills import actions
from peephole.skills.outcomes import Reason
from peephole.suites.registry import load_suite

from .small_house import begun

#: The furniture of a kitchen; cabinets are closed.
FURNITURE = ("cabinet a", "cabinet b", "cabinet c", "table")
BEFORE = {
    "apple x": "table",
    "apple y": "cabinet a",
    "apple z": "cabinet c",
    "cup": "cabinet a",
    "knife": "cabinet b",
}
#: What a planner may be granted of such a kitchen.
GRANTS = [
    {Grant.INVENTORY},
    {Grant.FIXTURES, Grant.INVENTORY},
    {Grant.GOAL},
    {Grant.MAP},
    {Grant.MAP, Grant.GOAL, Grant.INVENTORY},
]


def kitchen(places: Mapping[str, str], ids: Mapping[str, int]) -> SceneGraph:
    """A kitchen with things at places, listed by their ids."""
    nodes = [
        Node(ids["kitchen"], "kitchen", Kind.ROOM, ids["kitchen"]),
        Node(ids["agent"], "agent", Kind.AGENT, ids["agent"]),
    ]
    edges = [Edge(ids["agent"], Relation.INSIDE, ids["kitchen"])]
    opens = frozenset({Affordance.OPENABLE, Affordance.CONTAINER})
    for name in FURNITURE:
        category, _, letter = name.partition(" ")
        states = frozenset({State.CLOSED}) if letter else frozenset[State]()
        affordances = opens if letter else frozenset({Affordance.SURFACE})
        nodes.append(Node(ids[name], category, Kind.FIXTURE, ids[name], states, affordances))
        edges.append(Edge(ids[name], Relation.INSIDE, ids["kitchen"]))
    for name, place in places.items():
        grasp = frozenset({Affordance.GRASPABLE})
        category = name.partition(" ")[0]
        nodes.append(Node(ids[name], category, Kind.OBJECT, ids[name], affordances=grasp))
        relation = Relation.ON if place == "table" else Relation.INSIDE
        edges.append(Edge(ids[name], relation, ids[place]))
    return SceneGraph(sorted(nodes, key=lambda node: node.id), sorted(edges))


def by_place(places: Mapping[str, str]) -> dict[str, int]:
    """Ids as a nested file gives them: furniture, each followed by what it keeps now."""
    order = ["kitchen", "agent"]
    for name in FURNITURE:
        order += [name, *(thing for thing, place in places.items() if place == name)]
    return {name: number for number, name in enumerate(order, start=1)}


@pytest.fixture
def world(tmp_path: Path) -> Callable[[Mapping[str, str], set[Grant]], Environment]:
    """An environment with things at places, and a map of how they were BEFORE."""

    def make(places: Mapping[str, str], grants: set[Grant]) -> Environment:
        ids = by_place(places)
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        write_graph(kitchen(places, ids), folder / "now.json")
        write_graph(kitchen(BEFORE, ids), folder / "map.json")
        goal: Goal = And(
            tuple(
                Related(ids[thing], Relation.ON, ids["table"])
                for thing in ("knife", "apple z", "cup", "apple y")
            )
        )
        task = Task("tidy", "Tidy up.", goal, f"json:{folder / 'now.json'}")
        if Grant.MAP in grants:
            task = Task(task.id, task.instruction, goal, task.scene, map=f"json:{folder}/map.json")
        return begun(task, grants=frozenset(grants))

    return make


def listed(brief: Brief, percept: Percept) -> Any:
    """All that comes before the first step, as it comes."""
    graph = brief.map
    told = None if graph is None else (list(graph.nodes()), list(graph.edges()), graph.room_ids)
    things = (brief.rooms, brief.fixtures, brief.inventory, brief.goal, brief.goal_things)
    names = list(percept.names.items())
    return told, things, names, percept.text, percept.menu(), list(percept.view.graph.nodes())


@pytest.mark.parametrize("grants", GRANTS, ids=lambda grants: "+".join(sorted(grants)))
@pytest.mark.parametrize("moved", [("cup", "cabinet c"), ("apple y", "cabinet b")])
def test_where_a_hidden_thing_is_now_changes_nothing(
    world: Any, grants: set[Grant], moved: tuple[str, str]
) -> None:
    """Although the world numbers its things by where they are."""
    thing, place = moved
    one, other = world(BEFORE, grants), world({**BEFORE, thing: place}, grants)
    assert listed(one.brief(), one.reset()) == listed(other.brief(), other.reset())


def test_the_first_thing_that_is_seen_takes_the_first_name(world: Any) -> None:
    environment = world(BEFORE, {Grant.INVENTORY})
    inventory = {thing.name: thing.id for thing in environment.brief().inventory}
    assert sorted(inventory) == ["apple 1", "apple 2", "apple 3", "cup 1", "knife 1"]
    assert list(inventory.values()) == sorted(inventory.values())
    last = inventory["apple 3"]
    failure = environment.step(actions.pick_up(last)).outcome.failure
    assert (failure.reason, failure.thing) == (Reason.NOT_SEEN, last)
    environment.step("go to cabinet 3")
    percept = environment.step("open cabinet 3")
    assert "apple (1)" in percept.text
    assert inventory["apple 1"] in percept.view.graph
    assert environment.step(actions.pick_up(inventory["apple 1"])).outcome.success
    assert {thing.name: thing.id for thing in environment.brief().inventory} == inventory
    assert {i: percept.names[i] for i in inventory.values()} == {
        i: name for name, i in inventory.items()
    }


def test_a_new_trial_knows_things_by_the_same_names(task: Task) -> None:
    environment = begun(task, grants=frozenset({Grant.INVENTORY}), rules=Rules(trials=2))
    before = environment.brief().inventory
    environment.step("go to fridge 1")
    assert "apple (1)" in environment.step("open fridge 1").text
    percept = environment.new_trial()
    assert environment.brief().inventory == before
    assert before is not None
    assert before[0].id not in percept.view.graph
    assert percept.names[before[0].id] == "apple 1"


def test_a_map_of_an_office_tells_nothing_of_today() -> None:
    """Things come in the order of their places in the map: those of one place without a gap."""
    with peephole.make("office:real", grants=["map"]) as environment:
        seen = environment.reset().view.graph
        graph = environment.brief().map
    assert graph is not None
    places = [
        graph.places(node.id)[0][1]
        for node in graph.nodes(Kind.OBJECT)
        if node.id not in seen and graph[graph.places(node.id)[0][1]].kind is Kind.FIXTURE
    ]
    without_repeats = [place for place, _ in groupby(places)]
    assert len(without_repeats) == len(set(places)) > 5


def test_what_a_planner_calls_is_no_method_of_the_world(task: Task) -> None:
    percept = begun(task, grants=frozenset({Grant.IMAGES})).reset()
    for call in (percept.menu, percept.overview, percept.image):
        assert not hasattr(call, "__self__")


@pytest.mark.parametrize(
    ("suite", "houses"), [("household", 5), ("vh_dynamic", 10), ("behavior:dynamic", 50)]
)
def test_what_a_task_changes_is_no_scene_of_its_own(suite: str, houses: int) -> None:
    scenes = {task.base_scene for task in load_suite(suite).tasks}
    assert len(scenes) <= houses
    assert not any(";" in scene or "?" in scene or "arranged" in scene for scene in scenes)


def test_a_digest_compares_scenes_without_their_changes() -> None:
    house = scene_digest("house:404")
    assert scene_digest("arranged:house:404;magazine on 12") == house
    assert scene_digest("house:404?moved=1") == house
    assert scene_digest("house:405") != house
    assert "404" not in house


def test_a_map_of_a_world_as_it_is_has_no_finer_poses_than_the_view() -> None:
    pytest.importorskip("mujoco")
    with peephole.make("blocks", adapter="mujoco", grants=["map"]) as environment:
        view = environment.reset().view.graph
        graph = environment.brief().map
    assert graph is not None
    assert {node.id: node.pose for node in graph.nodes()} == {n.id: n.pose for n in view.nodes()}
