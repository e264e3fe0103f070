"""Cheapest deliveries: compared with a search of every state, and among hundreds of goals."""

from __future__ import annotations

import heapq
import json
import random
import time
from itertools import count
from pathlib import Path

import pytest

from peephole.adapters.kitchens.adapter import KitchenAdapter
from peephole.adapters.kitchens.layouts import Layout, layout_of, read_layout
from peephole.adapters.kitchens.scenes import ids_of, load, relation_at, scene_of
from peephole.planners.kits.household.deliveries import cheapest_deliveries
from peephole.planners.kits.household.search import find_plan
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import And, Goal, HasState, Or, Related
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import Action, Verb
from peephole.skills.dynamics import apply, legal_actions
from peephole.suites.kitchens.drawn_suites import rules_of

BODY = KitchenAdapter.spec.embodiment
VERBS = KitchenAdapter.spec.actions
SMALL = {
    "room": {
        "sink": {"a": {"Tin_Drawer": {"is_open": False}, "Sink_Top": {"is_open": True}}},
        "door": {"b": {"Coat_Shelf": {"is_open": True}}},
        "wall": {"c": {"Wall_Cabinet": {"is_open": False}}},
    },
    "edges": [{"link": ["sink", "door"], "cost": 9}, {"link": ["door", "wall"], "cost": 13}],
}


def cost_of(action: Action, before: SceneGraph, after: SceneGraph, layout: Layout) -> float:
    """The cost of an action by the rules, computed independently."""

    def place(graph: SceneGraph) -> str:
        return str(graph[graph.targets(graph.agent().id, Relation.CLOSE)[0]].native_id)

    return 5 + layout.distances[place(before)][place(after)]


def exhaustive(start: SceneGraph, goal: Goal, layout: Layout) -> float:
    """The cost of the cheapest plan, over all states: things may be laid down anywhere."""

    def key(graph: SceneGraph) -> tuple[object, ...]:
        return tuple(sorted((e.source, e.relation, e.target) for e in graph.edges())), tuple(
            sorted(node.id for node in graph.nodes() if State.OPEN in node.states)
        )

    order = count()
    queue = [(0.0, next(order), start)]
    best = {key(start): 0.0}
    while queue:
        cost, _, graph = heapq.heappop(queue)
        if satisfied(goal, graph):
            return cost
        if cost > best[key(graph)]:
            continue
        for action in legal_actions(graph, BODY):
            if action.verb not in VERBS:
                continue
            after = graph.copy()
            apply(after, action, approaches=True)
            total = cost + cost_of(action, graph, after, layout)
            if total < best.get(key(after), total + 1):
                best[key(after)] = total
                heapq.heappush(queue, (total, next(order), after))
    raise AssertionError("there is no plan")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    path: Path = tmp_path_factory.mktemp("kitchen") / "small.json"
    path.write_text(json.dumps(SMALL), encoding="utf-8")
    return read_layout(path)


def drawn(
    layout: Layout, chance: random.Random, things: int, goals: int, fewest: int = 1
) -> tuple[str, Goal]:
    """A scene, and a goal with so many alternatives of its things, not fulfilled."""
    areas = list(layout.areas)
    names = [f"thing_{letter}" for letter in "abcdefgh"[:things]]
    objects = {name: chance.choice(areas) for name in names}
    held = chance.choice([*names, "", ""])
    if held:
        del objects[held]
    ids = ids_of(layout, objects, held)

    def at(name: str, area: str) -> Related:
        return Related(ids[name], relation_at(layout.areas[area].closed), ids[area])

    scene = scene_of(layout, objects, chance.choice(areas), held)
    alternatives = []
    while len(alternatives) < goals:
        some = chance.sample(names, chance.randint(fewest, things))
        wanted = {name: chance.choice(areas) for name in some}
        if any(objects.get(name) != area for name, area in wanted.items()):
            alternatives.append(And(tuple(at(name, area) for name, area in wanted.items())))
    return scene.partition(":")[2], Or(tuple(alternatives))


@pytest.mark.parametrize("seed", [*range(9), 100, 144, 197])  # the last with a full hand
def test_no_plan_is_cheaper(small: Layout, seed: int) -> None:
    """Not even one that lays a thing down on the way."""
    reference, goal = drawn(small, random.Random(seed), things=3, goals=3)
    graph = load(reference)
    plan = cheapest_deliveries(graph, goal, graph.agent().id, rules_of(small).rewards)
    assert plan.exact
    assert plan.actions is not None
    assert played(graph, goal, plan.actions, small) == (plan.cost, True)
    assert plan.cost == exhaustive(graph, goal, small)


def played(
    graph: SceneGraph, goal: Goal, actions: tuple[Action, ...], layout: Layout
) -> tuple[float, bool]:
    """The cost of a plan, and whether the goal holds at its end."""
    total = 0.0
    for action in actions:
        assert action in legal_actions(graph, BODY)
        after = graph.copy()
        apply(after, action, approaches=True)
        total += cost_of(action, graph, after, layout)
        graph = after
    return total, satisfied(goal, graph)


@pytest.mark.slow
def test_among_six_hundred_goals_of_eight_things_it_takes_seconds() -> None:
    layout = layout_of("galley")
    reference, goal = drawn(layout, random.Random(1), things=8, goals=600, fewest=5)
    graph = load(reference)
    began = time.perf_counter()
    plan = cheapest_deliveries(graph, goal, graph.agent().id, rules_of(layout).rewards)
    assert time.perf_counter() - began < 20
    assert plan.exact
    assert plan.actions is not None
    assert played(graph, goal, plan.actions, layout) == (plan.cost, True)


def test_every_search_for_such_a_body_is_for_deliveries() -> None:
    layout = layout_of("l_shaped")
    reference, goal = drawn(layout, random.Random(3), things=4, goals=20)
    graph = load(reference)
    rewards = rules_of(layout).rewards
    plan = find_plan(graph, goal, BODY, VERBS, rewards=rewards)
    assert plan.actions == cheapest_deliveries(graph, goal, graph.agent().id, rewards).actions
    avoided = frozenset(plan.actions or ())
    other = find_plan(graph, goal, BODY, VERBS, rewards=rewards, avoid=avoided)
    assert other.actions is None or avoided.isdisjoint(other.actions)


def test_an_area_is_opened_to_look_into_it() -> None:
    layout = layout_of("one_wall")
    graph = load(scene_of(layout, {"cup_1": "Oven_Inner_Space"}, "Prep_Surface").partition(":")[2])
    oven = ids_of(layout, {"cup_1": ""})["Oven_Inner_Space"]
    plan = find_plan(graph, HasState(oven, State.OPEN), BODY, VERBS)
    assert plan.actions == (Action(Verb.OPEN, oven),)


def test_a_goal_that_is_none_of_placements_has_a_reason() -> None:
    layout = layout_of("one_wall")
    graph = load(scene_of(layout, {"cup_1": "Oven_Inner_Space"}, "Prep_Surface").partition(":")[2])
    cup = ids_of(layout, {"cup_1": ""})["cup_1"]
    plan = find_plan(graph, HasState(cup, State.CLEAN), BODY, VERBS)
    assert plan.actions is None
    assert "placements of named things" in plan.reason
    nowhere = find_plan(graph, Related(cup, Relation.ON, 999), BODY, VERBS)
    assert "within reach" in nowhere.reason
    ids = ids_of(layout, {"cup_1": ""})
    for relation, area in ((Relation.ON, "Oven_Inner_Space"), (Relation.INSIDE, "Prep_Surface")):
        plan = find_plan(graph, Related(cup, relation, ids[area]), BODY, VERBS)
        assert "within reach" in plan.reason, "areas are either containers or surfaces"
