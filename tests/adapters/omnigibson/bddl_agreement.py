"""Our goals beside bddl's own evaluation of them, on random states.

bddl evaluates facts, which are read off the scene graph by itself: `inside` is followed here over
what stands between, as simulators measure it. Needs bddl with what it imports (networkx, numpy,
future), which nothing else here does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from peephole.adapters.omnigibson import goals, scenes
from peephole.adapters.omnigibson.bddl_files import Activity
from peephole.adapters.random_draws import RandomDraws
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Kind, Relation, State

#: A predicate and what it is said of, as bddl's backend is asked.
Facts = set[tuple[str, ...]]


def evaluation_of(activity: Activity, facts: Facts) -> Callable[[], bool]:
    """bddl's own evaluation of an activity's goal on these facts, as they are when it is called."""
    from bddl.activity import (
        Conditions,
        evaluate_goal_conditions,
        get_goal_conditions,
        get_object_scope,
    )

    conditions = Conditions(activity.name, 0, "omnigibson")
    scope = {name: _Thing(name) for name in get_object_scope(conditions)}
    compiled = get_goal_conditions(
        conditions, _backend(facts), scope, generate_ground_options=False
    )
    return lambda: bool(evaluate_goal_conditions(compiled)[0])


def facts_of(graph: SceneGraph) -> Facts:
    """A scene graph in bddl's predicates."""
    name = {node.id: str(node.native_id) for node in graph.nodes()}
    facts: Facts = set()
    for node in graph.nodes():
        for predicate, state in goals.STATES.items():
            if state in node.states:
                facts.add((predicate, name[node.id]))
        for place in graph.targets(node.id, Relation.ON):
            facts.add(("ontop", name[node.id], name[place]))
        for place in _within(graph, node.id):
            facts.add(("inside", name[node.id], name[place]))
    return facts


def _within(graph: SceneGraph, thing: int) -> set[int]:
    """The things that a thing is inside, itself or by what it stands on or in."""
    inside: set[int] = set()
    for relation in (Relation.INSIDE, Relation.ON):
        for place in graph.targets(thing, relation):
            inside |= _within(graph, place)
            if relation is Relation.INSIDE:
                inside.add(place)
    return inside


def shuffle(graph: SceneGraph, activity: Activity, chance: RandomDraws) -> None:
    """Bring a scene into a random state, near the goal more often than chance would.

    Things of the activity are moved, one in four of them to two places at once, states changed.
    """
    ids = scenes.ids_of(graph)
    wanted = _wanted(activity, ids)
    own = [ids[thing] for things in activity.objects.values() for thing in things]
    eager = chance.between(1, 6)
    for thing in own:
        node = graph[thing]
        for state, opposite in ((State.OPEN, State.CLOSED), (State.ON, State.OFF)):
            graph.set_state(thing, state if chance.one_in(2) else opposite)
        ways = wanted.get(thing, [])
        if node.kind is Kind.AGENT or (node.kind is Kind.FIXTURE and not ways):
            continue
        graph.detach(thing)
        for _ in range(1 + chance.one_in(4)):
            if ways and not chance.one_in(eager):
                relation, place = chance.pick(ways)
            else:
                relation = Relation.ON if chance.one_in(2) else Relation.INSIDE
                place = chance.pick(own)
            if place != thing and place not in graph.below(thing):
                graph.add_edge(thing, relation, place)


def _wanted(activity: Activity, ids: dict[str, int]) -> dict[int, list[tuple[Relation, int]]]:
    """Where the goal speaks of things being, for each."""
    wanted: dict[int, list[tuple[Relation, int]]] = {}
    for predicate, thing, place in scenes.placed(activity):
        wanted.setdefault(ids[thing], []).append((goals.RELATIONS[predicate], ids[place]))
    return wanted


class _Thing:
    """An object in bddl's scope, which takes neither texts nor None."""

    def __init__(self, name: str) -> None:
        self.name = name


def _backend(facts: Facts) -> Any:
    from bddl.backend_abc import BDDLBackend
    from bddl.logic_base import BinaryAtomicFormula, UnaryAtomicFormula

    def unary(predicate: str) -> type:
        class Unary(UnaryAtomicFormula):  # type: ignore[misc]
            STATE_NAME = predicate

            def _evaluate(self, one: _Thing) -> bool:
                return (predicate, one.name) in facts

            def _sample(self, *_: object) -> None:  # bddl asks for it, and never calls it here
                raise NotImplementedError

        return Unary

    def binary(predicate: str) -> type:
        class Binary(BinaryAtomicFormula):  # type: ignore[misc]
            STATE_NAME = predicate

            def _evaluate(self, one: _Thing, other: _Thing) -> bool:
                return (predicate, one.name, other.name) in facts

            def _sample(self, *_: object) -> None:  # bddl asks for it, and never calls it here
                raise NotImplementedError

        return Binary

    known = {
        **{predicate: unary(predicate) for predicate in goals.STATES},
        **{predicate: binary(predicate) for predicate in goals.RELATIONS},
    }

    class Backend(BDDLBackend):  # type: ignore[misc]
        def get_predicate_class(self, predicate_name: str) -> type:
            return known[predicate_name]

    return Backend()
