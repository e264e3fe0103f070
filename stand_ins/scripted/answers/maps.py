"""Answers to planners with a granted map: plans, searches by rooms, and problem files.

For `llm_as_planner`, `sayplan`, `sayplan_lite` and `llm_plus_p`. The plan is imagined on the map.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ....scene_graph.graph import SceneGraph
from ....scene_graph.json_codec import graph_from_data
from ....scene_graph.node import Kind, Relation, State
from ....skills.actions import Action, Verb
from ....skills.dynamics import step
from ....skills.embodiment import Embodiment
from ..asked import Asked, WrittenChoice, as_json, as_text, node_name
from ..imagination import plan_on, standing
from ..table import YOU, Requirement, category

EXPAND, END = "expand_node", "verify_plan"
_PUTS = {Relation.ON: "put_on", Relation.INSIDE: "put_inside", Relation.UNDER: "put_under"}
_RELEASES = {Relation.ON: "ontop_of", Relation.INSIDE: "inside_of"}
#: Functions of plans whose names are not verbs.
_VERBS = {"release": "put", "access": "go_to", **dict.fromkeys(_PUTS.values(), "put")}
_PLACES = {Relation.ON: "ontop", Relation.INSIDE: "inside"}
_STATES = {
    State.CLOSED: "(closed {})",
    State.OPEN: "(not (closed {}))",
    State.ON: "(on-state {})",
    State.OFF: "(not (on-state {}))",
}


@dataclass(frozen=True)
class _Map:
    """The granted map with the names of prompts, and the actions of a plan on it."""

    graph: SceneGraph
    names: dict[int, str]
    body: Embodiment
    actions: Sequence[Action]

    def name(self, node_id: int) -> str:
        return node_name(self.names[node_id])


def _map(asked: Asked, verbs: Iterable[str]) -> _Map:
    """The map and a plan on it with some verbs."""
    episode = asked.episode
    graph = standing(graph_from_data(episode["map"]))
    names = {int(node_id): name for node_id, name in episode["map_names"].items()}
    opening = frozenset({Verb.OPEN} if episode["hand_to_open"] else ())
    body = Embodiment(hands=episode["hands"], needs_free_hand=opening)
    there = frozenset(Verb(verb) for verb in verbs if verb in set(Verb)) | {Verb.LOOK}
    meanings = asked.meanings
    actions = plan_on(graph, names, episode["instruction"], meanings, body, there)
    return _Map(graph, names, body, actions)


def written(asked: Asked) -> WrittenChoice:
    """A plan. functions: those that it may call. thinks: whether a chain of thought comes first."""
    thought = {"chain_of_thought": ["One after the other."]} if asked.about["thinks"] else {}
    return as_json({**thought, "plan": _calls(asked)})


def search(asked: Asked) -> WrittenChoice:
    """The next command of the search, with the plan if `functions` is not empty.

    expanded: expanded rooms. The rooms of the plan's things are expanded, then the search ends.
    """
    verbs = [_VERBS.get(name, name) for name in asked.about["functions"]]
    known = _map(asked, verbs or asked.episode["verbs"])
    things = {thing for action in known.actions for thing in action.things}
    rooms = [room for room in known.graph.room_ids if things & {room, *known.graph.below(room)}]
    left = [known.name(room) for room in rooms if known.name(room) not in asked.about["expanded"]]
    thought = f"What is needed may be in {left[0]}." if left else "This is all that is needed."
    command: dict[str, Any] = {"command_name": EXPAND, "node_name": left[0]} if left else {}
    answer: dict[str, Any] = {"chain_of_thought": [thought], "reasoning": thought}
    if asked.about["functions"]:
        answer = {"mode": "exploring" if left else "planning", **answer}
        command = command or {"command_name": END, "plan": _calls(asked)}
    return as_json({**answer, "command": command or {"command_name": END}})


# --- plans as calls: furniture is accessed, or taken for granted ---------------------------------


def _calls(asked: Asked) -> list[str]:
    functions = asked.about["functions"]
    known = _map(asked, [_VERBS.get(name, name) for name in functions])
    releases = "release" in functions
    meaning = next(iter(asked.meanings), ())
    to_the_end = any(r.place and r.thing and YOU in r.thing.categories for r in meaning)
    graph = known.graph.copy()
    me = graph.agent().id
    room = graph.room_of(me)  # up to here in the plan
    accessed: int | None = None
    calls: list[str] = []
    for action in known.actions:
        here = graph.room_of(me)
        at = action.target if action.place is None else action.place
        if action.verb is Verb.STAND_UP:
            calls.append("stand_up()")
        if action.verb in (Verb.GO_TO, Verb.LOOK) or at is None:
            step(graph, action, known.body)
            continue
        if here is not None and here != room:
            calls.append(f"go_to({known.name(here)})")
            room, accessed = here, None
        if releases and _needs_access(action, at, accessed, graph):
            calls.append(f"access({known.name(at)})")
            accessed = at
        calls.append(_call(action, known, graph, releases=releases))
        step(graph, action, known.body)
    end = graph.room_of(me)
    if to_the_end and end is not None and end != room:
        calls.append(f"go_to({known.name(end)})")
    return calls


def _needs_access(action: Action, at: int, accessed: int | None, graph: SceneGraph) -> bool:
    """Whether the place of an action was not accessed yet."""
    if at == accessed or at in graph.held(graph.agent().id):
        return False
    return action.verb is Verb.PUT or accessed is None or at not in graph.below(accessed)


def _call(action: Action, known: _Map, graph: SceneGraph, *, releases: bool) -> str:
    if action.verb is not Verb.PUT or action.target is None or action.place is None:
        return f"{action.verb}({'' if action.target is None else known.name(action.target)})"
    assert action.relation is not None
    thing = known.name(action.target)
    if releases:
        how = _RELEASES.get(action.relation)
        return f"release({thing}, {how})" if how else f"release({thing})"
    last = graph.held(graph.agent().id)[-1:] == [action.target]
    return f"{_PUTS[action.relation]}({known.name(action.place)}{'' if last else f', {thing}'})"


# --- problem files -------------------------------------------------------------------------------


def problem(asked: Asked) -> WrittenChoice:
    """A problem in PDDL: the known facts, and as goal the differences after a plan.

    verbs: of the domain. rooms, things, facts: of the known scene, by the names there.
    """
    about = asked.about
    known = _map(asked, about["verbs"])
    after = known.graph.copy()
    for action in known.actions:
        step(after, action, known.body)
    meaning = next(iter(asked.meanings), ())
    used = {thing for action in known.actions for thing in action.things}
    goal = [*_position(known, after, meaning)]
    for thing in sorted(used):
        if known.graph[thing].kind in (Kind.FIXTURE, Kind.OBJECT):
            goal += [*_placed(known, after, thing), *_in_states(known, after, thing, meaning)]
    facts = "\n    ".join(f"({' '.join(fact)})" for fact in about["facts"])
    lines = [
        "(define (problem task) (:domain instruction-following)",
        f"  (:objects\n    {' '.join(about['rooms'])} - room",
        f"    {' '.join(about['things'])} - thing)",
        f"  (:init\n    {facts})",
        f"  (:goal (and {' '.join(goal)})))",
    ]
    return as_text("\n".join(lines))


def _position(known: _Map, after: SceneGraph, meaning: Iterable[Requirement]) -> Iterator[str]:
    room = after.room_of(after.agent().id)
    for required in meaning:
        thing, place = required.thing, required.place
        to_be_in = thing and place and required.relation == "inside" and YOU in thing.categories
        if to_be_in and place and room is not None and after[room].category in place.categories:
            yield f"(robot-in {known.name(room)})"


def _placed(known: _Map, after: SceneGraph, thing: int) -> Iterator[str]:
    before, name = known.graph, known.name(thing)
    if after.holder(thing) is not None:
        yield f"(agent-hold {name})"
    elif after.places(thing) != before.places(thing) or before.holder(thing) is not None:
        for relation, place in after.places(thing):
            if relation in _PLACES:
                yield f"({_PLACES[relation]} {name} {known.name(place)})"


def _in_states(
    known: _Map, after: SceneGraph, thing: int, meaning: Iterable[Requirement]
) -> Iterator[str]:
    """The states that the instruction asks for of a thing."""
    kind = category(known.names[thing])
    for required in meaning:
        if required.relation == "state" and required.thing and kind in required.thing.categories:
            states = after[thing].states & _STATES.keys()
            yield from (_STATES[s].format(known.name(thing)) for s in states if s == required.state)
