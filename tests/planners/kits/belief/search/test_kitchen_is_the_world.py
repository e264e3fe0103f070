"""The arrays of a kitchen against the world that episodes are played in."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import pytest

from peephole.adapters.kitchens.adapter import KitchenAdapter
from peephole.adapters.kitchens.layouts import Layout, layouts
from peephole.adapters.kitchens.scenes import ids_of, relation_at, scene_of
from peephole.adapters.scenes import load_scene
from peephole.planners.kits.belief.search.kitchen import (
    DONE,
    INFEASIBLE,
    NULL,
    OPEN,
    PICK,
    PLACE,
    Arrangement,
    Kitchen,
    KitchenRewards,
)
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Kind, Relation, State
from peephole.skills import dynamics
from peephole.skills.actions import Action, Verb
from peephole.suites.kitchens.drawn_suites import rules_of

from .kitchens import one_step

OBJECTS = tuple(f"thing_{number}" for number in range(20))
BODY = KitchenAdapter.spec.embodiment
SCORING = KitchenRewards(manipulation=5, infeasible=25, subgoal=0, task=0, undo=0)


@dataclass
class World:
    """A kitchen of the suite and its arrays, with the same numbers for the same things."""

    layout: Layout
    """The kitchen of the suite."""
    kitchen: Kitchen
    """Its arrays."""
    areas: list[int]
    """The node ids of the areas."""
    things: list[int]
    """The node ids of the objects."""
    places: list[int]
    """The node ids of the standing places."""


def world_of(layout: Layout) -> World:
    """The arrays of a layout.

    They have one object more than the world. It is wanted in area 0, lies in area 1 and is never
    picked up, so that no episode ends.
    """
    stations = list(layout.distances)
    kitchen = Kitchen(
        standing=[stations.index(area.place) for area in layout.areas.values()],
        travel=[[layout.distances[a][b] for b in stations] for a in stations],
        objects=len(OBJECTS) + 1,
        goals=[{len(OBJECTS): 0}],
        rewards=SCORING,
        offered="all",
    )
    ids = ids_of(layout, dict.fromkeys(OBJECTS, ""))
    graph = load_scene(scene_of(layout, {}, next(iter(layout.areas))))
    named = {node.native_id: node.id for node in graph.nodes(Kind.FIXTURE)}
    return World(
        layout,
        kitchen,
        [ids[area] for area in layout.areas],
        [ids[thing] for thing in OBJECTS],
        [named[station] for station in stations],
    )


def start(world: World, rng: random.Random) -> SceneGraph:
    """Objects anywhere."""
    areas = list(world.layout.areas)
    objects = {thing: rng.choice(areas) for thing in OBJECTS}
    return load_scene(scene_of(world.layout, objects, rng.choice(areas)))


def arrangement(world: World, graph: SceneGraph) -> Arrangement:
    """The state of the arrays that a graph is."""
    agent = graph.agent().id
    held = graph.held(agent)
    places = [
        len(world.areas) if thing in held else world.areas.index(graph.places(thing)[0][1])
        for thing in world.things
    ]
    opened = sum(
        1 << number
        for number, area in enumerate(world.areas)
        if State.CLOSED not in graph[area].states
    )
    (stands,) = [near for near in graph.targets(agent, Relation.CLOSE) if near in world.places]
    return Arrangement((*places, 1), opened, world.places.index(stands), 0)


def action_of(world: World, number: int, held: list[int]) -> Action:
    """The house action of an action of the arrays."""
    verb, which = world.kitchen.action(number)
    if verb == NULL:
        return Action(Verb.WAIT)
    if verb == OPEN:
        return Action(Verb.OPEN, world.areas[which])
    if verb == PICK:
        return Action(Verb.PICK_UP, world.things[which])
    assert verb == PLACE
    area = list(world.layout.areas.values())[which]
    thing = held[0] if held else world.things[0]
    return Action(Verb.PUT, thing, relation_at(area.closed), world.areas[which])


def reward_of(world: World, action: Action, failed: bool, way: tuple[int, int]) -> float:
    """The reward of an action by the rules of the suite. way: the places of the walk."""
    rewards = rules_of(world.layout).rewards
    if failed:
        return rewards.failed
    graph = load_scene(scene_of(world.layout, {}, next(iter(world.layout.areas))))
    start, end = (graph[world.places[number]].category for number in way)
    travelled = 0.0 if start == end else rewards.travel[start][end]
    return rewards.verbs.get(str(action.verb), 0.0) + travelled


@pytest.mark.parametrize(
    ("count", "seed"), [(1_500, 1), pytest.param(100_000, 2, marks=pytest.mark.slow)]
)
def test_random_steps_are_those_of_the_world(count: int, seed: int) -> None:
    """Where everything is, what is open, what is shown, what fails, and what all of it costs."""
    rng = random.Random(seed)
    failed = opened = 0
    for layout in layouts():
        world = world_of(layout)
        kitchen, model = world.kitchen, world.kitchen.compiled()
        costs: dict[tuple[Verb, bool, tuple[int, int]], float] = {}
        for number in range(count // 5):
            if number % 60 == 0:
                graph = start(world, rng)
            before = arrangement(world, graph)
            feasible = [a for a in kitchen.feasible(before) if a != last_pick(kitchen)]
            often = rng.random() < 0.8
            chosen = rng.choice(feasible) if often else rng.randrange(kitchen.number(NULL) + 1)
            if chosen == last_pick(kitchen):
                continue
            action = action_of(world, chosen, graph.held(graph.agent().id))
            row = model.rows([before])
            shown, reward, done = one_step(model.data, row, chosen, np.uint64(0))
            step = kitchen.step(before, chosen)
            failure = dynamics.step(graph, action, BODY)
            after = arrangement(world, graph)
            assert not done
            assert (row == model.rows([after])).all(), (kitchen.action(chosen), failure)
            assert (shown == INFEASIBLE) == (failure is not None), (kitchen.action(chosen), failure)
            key = (action.verb, failure is not None, (before.robot, after.robot))
            if key not in costs:
                costs[key] = reward_of(world, action, *key[1:])
            assert reward == step.reward == costs[key]
            if failure is None and action.verb is Verb.OPEN:
                inside = graph.contents(world.areas[kitchen.action(chosen)[1]])
                things = tuple(sorted(world.things.index(thing) for thing in inside))
                wanted = (len(OBJECTS),) * (kitchen.action(chosen)[1] == 1)
                assert step.observation == ("contents", (*things, *wanted))
                opened += 1
            else:
                assert step.observation == (DONE if failure is None else INFEASIBLE)
            failed += failure is not None
    assert failed > count / 20
    assert opened > count / 100


def last_pick(kitchen: Kitchen) -> int:
    """Picking up the object that the world does not have."""
    return kitchen.number(PICK, len(OBJECTS))
