"""A walk: two dozen different actions that our model allows, each with the state around it.

Several checks look at one walk, since a real engine takes seconds for an action.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass

from ...adapters.contract import Capability
from ...observation_text.view import View
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind, State
from ...skills import actions
from ...skills.actions import ARM_ONLY_VERBS, Action, Verb
from ...skills.dynamics import check, legal_actions
from ...skills.outcomes import RawResult
from ..assumption import CannotTell
from ..bench import Bench

#: The most actions of a walk, and the seconds after which it ends.
_ACTIONS, _WITHIN_S = 24, 60.0
#: What is done first, in this order, with the affordances and the state that the target needs.
_NEEDS: dict[Verb, tuple[frozenset[Affordance], State | None]] = {
    Verb.OPEN: (frozenset({Affordance.OPENABLE}), State.CLOSED),
    Verb.PICK_UP: (frozenset({Affordance.GRASPABLE}), None),
    Verb.PUT: (frozenset({Affordance.SURFACE, Affordance.CONTAINER}), None),
    Verb.CLOSE: (frozenset({Affordance.OPENABLE}), State.OPEN),
    Verb.TURN_ON: (frozenset({Affordance.SWITCHABLE}), State.OFF),
    Verb.TURN_OFF: (frozenset({Affordance.SWITCHABLE}), State.ON),
}
_FIRST = (Verb.GO_TO, *_NEEDS)
_RANK = {verb: rank for rank, verb in enumerate((*_FIRST, *(v for v in Verb if v not in _FIRST)))}


@dataclass(frozen=True)
class Step:
    """One try of a walk. before, after: the true states, None where there are none."""

    action: Action
    result: RawResult
    before: SceneGraph | None
    after: SceneGraph | None
    view: View

    @property
    def text(self) -> str:
        return said(self.action)


@dataclass(frozen=True)
class Walk:
    """The start of a walk and its steps."""

    start: SceneGraph | None
    view: View
    steps: tuple[Step, ...]

    def moments(self) -> list[tuple[str, SceneGraph | None, View]]:
        """After what, the true state and the view: at the start and after each step."""
        later = [(f"after {step.text}", step.after, step.view) for step in self.steps]
        return [("at the start", self.start, self.view), *later]

    def states(self) -> list[tuple[str, SceneGraph]]:
        """After what, and the true state. Raises CannotTell where there is none."""
        found = [(when, graph) for when, graph, _ in self.moments() if graph is not None]
        if not found:
            raise CannotTell("the adapter has no true state")
        return found


def said(action: Action) -> str:
    """An action in words: its verb and ids."""
    return " ".join(map(str, (action.verb, *action.things)))


def walk(bench: Bench) -> Walk:
    """The walk of this study. Raises what the bench raises on the way."""
    return bench.once("walk", lambda: _walked(bench))


def _walked(bench: Bench) -> Walk:
    bench.begin()
    start, view = state(bench), bench.view()
    done: Counter[Verb] = Counter()
    walked: set[int] = set()
    chance = random.Random(0)
    steps: list[Step] = []
    before, seen = start, view
    began = time.monotonic()
    while len(steps) < _ACTIONS and time.monotonic() - began < _WITHIN_S:
        action = _next(bench, before or seen.graph, done, walked, chance)
        if action is None:
            break
        done[action.verb] += 1
        result = bench.do(action)
        after, seen = state(bench), bench.view()
        steps.append(Step(action, result, before, after, seen))
        before = after
    if not steps:
        raise CannotTell("our model allows no action in this scene")
    return Walk(start, view, tuple(steps))


def state(bench: Bench) -> SceneGraph | None:
    """The true state, None where the adapter has none."""
    return bench.graph() if Capability.GRAPH in bench.spec.capabilities else None


def _next(
    bench: Bench, graph: SceneGraph, done: Counter[Verb], walked: set[int], chance: random.Random
) -> Action | None:
    """A possible action: of a verb of `_NEEDS` that was not done, a walk to where one can be done,
    or else one whose verb was done least often.
    """
    spec = bench.spec
    if spec.actions & ARM_ONLY_VERBS:
        things = sorted(node.id for node in graph.nodes(Kind.OBJECT))
        possible = [actions.wait(0.1), actions.reset(), *map(actions.pick_up, things)]
    else:
        possible = legal_actions(graph, spec.embodiment)
    possible = [action for action in possible if action.verb in spec.actions]
    undone = [verb for verb in _NEEDS if verb in spec.actions and not done[verb]]
    for verb in undone:
        for action in possible:
            if action.verb is verb:
                return action
    ways = {a.target: a for a in possible if a.verb is Verb.GO_TO and a.target is not None}
    for verb in undone:
        for thing in sorted(ways.keys() - walked):
            if _allows(graph, thing, verb):
                walked.add(thing)
                return ways[thing]
    if not possible:
        return None
    least = min(possible, key=lambda action: (done[action.verb], _RANK[action.verb])).verb
    return chance.choice([action for action in possible if action.verb is least])


def _allows(graph: SceneGraph, thing: int, verb: Verb) -> bool:
    """Whether a thing is made for a verb and in a state for it."""
    affordances, state = _NEEDS[verb]
    node = graph[thing]
    fits = not affordances or not affordances.isdisjoint(node.affordances)
    holding = verb is not Verb.PUT or bool(graph.held(graph.agent().id))
    return fits and holding and (state is None or state in node.states)


def impossible(bench: Bench) -> list[Action]:
    """Actions of the adapter that cannot be done at the start of the scene, by our model."""
    graph, spec = bench.graph(), bench.spec
    if spec.actions & ARM_ONLY_VERBS:
        raise CannotTell("the contact physics of an arm has no preconditions")
    me = graph.agent().id
    things = [n for n in graph.nodes() if n.kind in (Kind.FIXTURE, Kind.OBJECT)]
    fixed = [n for n in things if Affordance.GRASPABLE not in n.affordances]
    shut = [n for n in things if Affordance.OPENABLE not in n.affordances]
    still = [n for n in things if Affordance.SWITCHABLE not in n.affordances]
    enclosed = [n for n in things if graph.closed_around(n.id) is not None]
    opened = [n for n in things if State.OPEN in n.states]
    wanted = [
        *(actions.pick_up(node.id) for node in (*fixed[:2], *enclosed[:1])),
        *(actions.open_(node.id) for node in (*shut[:1], *opened[:1])),
        *(actions.turn_on(node.id) for node in still[:1]),
        *(actions.drop(node.id) for node in things[:1]),
        actions.pick_up(me),
    ]
    found = [
        action
        for action in wanted
        if action.verb in spec.actions and check(graph, action, spec.embodiment) is not None
    ]
    if not found:
        raise CannotTell("no action of the adapter is impossible at the start")
    return found
