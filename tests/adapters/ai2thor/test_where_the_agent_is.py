"""The agent is close to what it is at now, and sees what is to be seen from there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from peephole.adapters.ai2thor import objects
from peephole.adapters.ai2thor.alfred_files import TaskType
from peephole.adapters.ai2thor.connection import EngineAnswer
from peephole.adapters.ai2thor.graph import AGENT, graph_of
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.node import Affordance, Kind, Node, Relation, State
from peephole.skills.actions import (
    drop,
    go_to,
    look,
    open_,
    pick_up,
    put,
    turn_on,
)
from peephole.skills.appliance_events import appliance_events
from peephole.skills.outcomes import Reason
from peephole.suites.alfred.goals import TaskParameters, goal_of

IN, ON = Relation.INSIDE, Relation.ON


def close_to(played: Any) -> set[int]:
    return set(played.graph.targets(AGENT, Relation.CLOSE))


def place_of(played: Any) -> tuple[float, float]:
    pose = played.adapter.world.pose()
    return pose.x, pose.z


def far_fixtures(played: Any) -> list[Node]:
    """The fixtures over 3 m away."""
    x, z = place_of(played)
    return [
        node
        for node in played.graph.nodes(Kind.FIXTURE)
        if node.pose is not None
        and (node.pose.position[0] - x) ** 2 + (node.pose.position[1] - z) ** 2 > 9
    ]


def behind(played: Any, thing: int) -> Node:
    """A fixture far away, on the other side of the agent than a thing."""
    x, z = place_of(played)

    def towards(node: Node) -> tuple[float, float]:
        assert node.pose is not None
        return node.pose.position[0] - x, node.pose.position[1] - z

    there = towards(played.graph[thing])
    far = ((node, towards(node)) for node in far_fixtures(played))
    return next(node for node, at in far if at[0] * there[0] + at[1] * there[1] < 0)


# --- look ----------------------------------------------------------------------------------------


def test_who_looks_at_something_stays_where_it_stands(playing: Callable[[str], Any]) -> None:
    played = playing("ithor:FloorPlan10#1")
    counter = played.first("counter top")
    played.do(go_to(counter))
    before, close, seen = place_of(played), close_to(played), set(played.adapter.world.seen)
    far = far_fixtures(played)
    assert far
    for node in far:
        played.do(look(node.id))
        assert place_of(played) == before
        assert close_to(played) == close
    # All that came into sight is near; what is kept far away did not.
    metadata = played.adapter.world.step("Pass").metadata
    distances = {raw["objectId"]: raw["distance"] for raw in metadata["objects"]}
    assert all(distances[name] < 2.5 for name in played.adapter.world.seen - seen)


def test_what_is_looked_at_is_in_the_middle_of_the_picture(playing: Callable[[str], Any]) -> None:
    played = playing("ithor:FloorPlan10#1")
    fridge = played.first("fridge")
    played.do(go_to(fridge), look())
    played.do(look(behind(played, fridge).id))
    assert not played.adapter.world.in_sight(fridge)
    played.do(look(fridge))
    assert played.adapter.world.in_sight(fridge)


# --- moving --------------------------------------------------------------------------------------


def test_who_steps_over_to_one_place_has_left_the_other(playing: Callable[[str], Any]) -> None:
    """What was dropped fell onto a counter; from the counter's far side the cabinet is not near."""
    played = playing("ithor:FloorPlan8#1")
    bottle, cabinet = played.fetch("bottle"), played.first("cabinet")
    played.do(go_to(cabinet), drop(bottle))
    ((_, counter),) = played.graph.places(bottle)
    assert {cabinet, counter} <= close_to(played)
    assert played.adapter.attempt(pick_up(bottle), 1).success  # from another pose
    assert counter in close_to(played)
    assert cabinet not in close_to(played)


def test_who_does_not_arrive_is_where_it_was(begun: Callable[..., Any]) -> None:
    played = begun()
    counter, fridge = played.first("counter top"), played.first("fridge")
    played.do(go_to(counter))
    world = played.adapter.world
    before, close, view = world.pose(), close_to(played), played.adapter.view()
    world.in_sight = lambda thing: False
    failure = played(go_to(fridge))
    assert failure is not None
    assert failure.reason is Reason.UNREACHABLE
    assert world.pose() == before
    assert close_to(played) == close
    assert played.adapter.view() == view


def test_who_cannot_get_back_is_at_nothing(begun: Callable[..., Any]) -> None:
    played = begun()
    counter, fridge = played.first("counter top"), played.first("fridge")
    played.do(go_to(counter))
    world, here = played.adapter.world, played.adapter.world.pose()
    take, world.in_sight = world.take_pose, lambda thing: False

    def cannot_return(pose: Any) -> EngineAnswer:
        if pose == here:
            return EngineAnswer(False, "is blocking Agent", world.step("Pass").metadata)
        return take(pose)

    world.take_pose = cannot_return
    assert played(go_to(fridge)) is not None
    assert close_to(played) == set()


# --- light ---------------------------------------------------------------------------------------


def test_a_lamp_counts_while_it_is_in_sight(playing: Callable[[str], Any]) -> None:
    """Lit, and then looked away from, or left."""
    played = playing("ithor:FloorPlan308#1")
    lamp, held = played.first("desk lamp"), played.fetch("pencil")
    goal = goal_of(TaskParameters(TaskType.LIGHT, "Pencil", toggle="DeskLamp"))
    played.do(go_to(lamp), turn_on(lamp))
    assert held in played.graph.held(AGENT)
    assert satisfied(goal, played.graph)
    away = behind(played, lamp)
    played.do(look(away.id))
    assert not played.adapter.world.in_sight(lamp)
    assert not satisfied(goal, played.graph)
    played.do(look(lamp))
    assert satisfied(goal, played.graph)
    played.do(go_to(away.id))
    assert not satisfied(goal, played.graph)


# --- water ---------------------------------------------------------------------------------------


def test_only_the_faucets_of_sinks_clean() -> None:
    missing = objects.missing()
    if missing is not None:
        pytest.skip(missing)
    baths = 0
    for scene in objects.SCENES:
        graph = graph_of(
            {"objects": objects.objects(scene), "inventoryObjects": [], "sceneName": scene}
        )
        for node in graph.nodes():
            beside = {graph[other].category for other in graph.targets(node.id, Relation.CLOSE)}
            rinses = node.category == "faucet" and "sink basin" in beside
            assert (Affordance.RINSES in node.affordances) == rinses, (scene, node)
            baths += node.category == "faucet" and "bathtub basin" in beside
    assert baths >= 9


def test_what_lies_in_a_bathtub_is_not_cleaned_by_its_water(playing: Callable[[str], Any]) -> None:
    played = playing("ithor:FloorPlan407#1")
    graph = played.graph
    faucet, tub = next(
        (node.id, near)
        for node in graph.nodes()
        if node.category == "faucet"
        for near in graph.targets(node.id, Relation.CLOSE)
        if graph[near].category == "bathtub basin"
    )
    soap = played.fetch("soap bar")
    played.do(go_to(tub), put(soap, IN, tub))
    before = played.graph
    assert soap in before.contents(tub)
    played.do(turn_on(faucet))
    assert State.ON in played.graph[faucet].states
    assert appliance_events(before, turn_on(faucet), 1) == []


# --- containment ---------------------------------------------------------------------------------


def test_what_is_in_a_bowl_in_the_fridge_is_not_in_the_fridge(
    playing: Callable[[str], Any],
) -> None:
    """Unless the engine lists it there too."""
    played = playing("ithor:FloorPlan10#1")
    fridge, bowl = played.first("fridge"), played.first("bowl")
    played.do(go_to(fridge), open_(fridge))
    apple = played.fetch("apple")
    played.do(go_to(bowl), put(apple, IN, bowl), pick_up(bowl), go_to(fridge))
    played.do(put(bowl, IN, fridge))
    truth = played.graph
    assert truth.is_inside(apple, fridge)
    listed = {o["objectId"]: o for o in played.adapter.world.step("Pass").metadata["objects"]}
    kept = listed[truth[fridge].native_id]["receptacleObjectIds"]
    assert truth[apple].native_id not in kept
    goals = [
        goal_of(TaskParameters(TaskType.SIMPLE, target, "Fridge", as_movable))
        for target, as_movable in (("Apple", ""), ("Bowl", ""))
    ]
    assert [satisfied(goal, truth) for goal in goals] == [False, True]
    stack = goal_of(TaskParameters(TaskType.MOVABLE, "Apple", "Fridge", "Bowl"))
    assert satisfied(stack, truth)
