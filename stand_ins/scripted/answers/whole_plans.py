"""Answers to planners of whole plans: `zsp` and `tree_planner`.

Things are imagined at their usual places, or at those of a granted map, and the plan is made there.
Samples take a random one of the usual places; else it is the likeliest.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ....observation_text.dialect import Dialect
from ....observation_text.dialects.reactree.grammar import PHRASES, PREPOSITIONS
from ....scene_graph.graph import SceneGraph
from ....scene_graph.json_codec import graph_from_data
from ....scene_graph.node import Affordance, Kind, Node, Relation, State
from ....skills.actions import Action, Verb
from ....skills.embodiment import Embodiment
from ..asked import Asked, WrittenChoice, as_text
from ..home import commonsense
from ..home.memory import DONE, Choice
from ..home.policy import Policy
from ..imagination import plan_on
from ..table import ANYTHING, Meaning, category, terms_of
from .steps import called, dialect_of, situation_of

#: Things that some tasks need but no task names.
_TOOLS = ("knife", "butter knife")
_SURFACES = frozenset({Affordance.SURFACE, Affordance.CONTAINER})
_MOVABLE = frozenset({Affordance.GRASPABLE, Affordance.SLICEABLE, *_SURFACES})
_VERBS = frozenset(
    {Verb.GO_TO, Verb.PICK_UP, Verb.PUT, Verb.OPEN, Verb.CLOSE, Verb.TURN_ON, Verb.TURN_OFF}
)


def line(asked: Asked) -> WrittenChoice:
    """The next line of a plan. lines: those before it."""
    lines = _lines(asked)
    return as_text(lines[min(len(asked.about["lines"]), len(lines) - 1)])


def plan(asked: Asked) -> WrittenChoice:
    """A whole plan, line by line."""
    return as_text("\n".join(_lines(asked)))


def fork(asked: Asked) -> WrittenChoice:
    """One of the next lines of plans: the present choice, else the line of most plans."""
    situation = situation_of(asked)
    offered = list(asked.choices["choice"])
    dialect = dialect_of(asked)
    said = {_plain(text): text for text in reversed(offered)}
    meaning = next(iter(asked.meanings), ())
    for choice in Policy(situation, meaning).choices():
        if situation.possible(choice.action):
            for wording in _wordings(choice.action, dialect):
                if _plain(wording) in said:
                    return _chosen(said[_plain(wording)], offered)
    return _chosen(offered[0], offered)


def _chosen(text: str, offered: Sequence[str]) -> WrittenChoice:
    return WrittenChoice(Choice("", text), lambda c: json.dumps({"choice": c.action}), offered)


def _wordings(action: str, dialect: Dialect) -> Iterator[str]:
    """The wordings of an action in plans: with the number of its thing, or without."""
    if action == DONE:
        yield DONE
    for phrase in PHRASES.values():
        name = action.removeprefix(f"{phrase} ")
        if name != action:
            for how in PREPOSITIONS.values():
                name = name.partition(f" {how} ")[0]
            yield f"{phrase} {called(name, dialect)}"
            yield f"{phrase} {dialect.kind(category(name))}"


def _plain(text: str) -> str:
    return text.replace("(", "").replace(")", "").lower()


# --- what is imagined ----------------------------------------------------------------------------


def _lines(asked: Asked) -> tuple[str, ...]:
    meaning = next(iter(asked.meanings), ())
    if not meaning:
        return (DONE,)
    granted = json.dumps({k: v for k, v in asked.episode.items() if k not in ("log", "menu")})
    return _planned(granted, meaning, asked.seed, dialect_of(asked))


@lru_cache(maxsize=64)  # since the planner asks line by line
def _planned(granted: str, meaning: Meaning, seed: int | None, dialect: Dialect) -> tuple[str, ...]:
    episode = json.loads(granted)
    chance = None if seed is None else random.Random(seed)
    graph, names = _imagined(episode, meaning, chance)
    body = Embodiment(
        hands=episode["hands"],
        needs_free_hand=frozenset({Verb.OPEN} if episode["hand_to_open"] else ()),
    )
    verbs = _VERBS | ({Verb.SLICE} & set(map(Verb, episode["verbs"])))
    actions = plan_on(graph, names, episode["instruction"], [meaning], body, verbs)
    walks = Verb.GO_TO in map(Verb, episode["verbs"])
    return (*_said(actions, graph, names, dialect, walks=walks), DONE)


def _said(
    actions: Sequence[Action],
    graph: SceneGraph,
    names: Mapping[int, str],
    dialect: Dialect,
    *,
    walks: bool,
) -> Iterator[str]:
    """The lines of a plan. Objects have no numbers; things are put at the last place visited.

    walks: whether the robot visits places; if not, a line says where a thing is put.
    """
    at: int | None = None

    def said(node_id: int) -> str:
        name = names[node_id]
        if graph[node_id].kind is Kind.OBJECT:
            return dialect.kind(category(name))
        return called(name, dialect)

    for action in actions:
        target = action.target
        visits = action.verb is Verb.GO_TO
        if target is None or action.verb not in PHRASES or (visits and not walks):
            continue
        text = f"{PHRASES[action.verb]} {said(target)}"
        if action.verb is Verb.PUT and action.place is not None and action.relation is not None:
            if graph[action.place].kind is Kind.OBJECT or not walks:
                text += f" {PREPOSITIONS[action.relation]} {said(action.place)}"
            elif action.place != at:
                at = action.place
                yield f"{PHRASES[Verb.GO_TO]} {said(at)}"
        elif visits:
            at = _furniture(graph, target)
            text = f"{PHRASES[Verb.GO_TO]} {said(at)}"
        yield text


def _furniture(graph: SceneGraph, node_id: int) -> int:
    """The furniture that keeps a thing; the thing itself where nothing keeps it."""
    for _, place in graph.places(node_id):
        if graph[place].kind is not Kind.ROOM:
            return _furniture(graph, place)
    return node_id


def _imagined(
    episode: Mapping[str, Any], meaning: Meaning, chance: random.Random | None
) -> tuple[SceneGraph, dict[int, str]]:
    """The house with its things, at the places of the map or their usual ones."""
    if "map" in episode:
        names = {int(node_id): name for node_id, name in episode["map_names"].items()}
        return graph_from_data(episode["map"]), names
    ids = {name: number for number, name in enumerate(episode["rooms"], start=1)}
    nodes = [Node(number, category(name), Kind.ROOM, number) for name, number in ids.items()]
    kinds = {kind for term in terms_of(meaning) for kind in term.categories} | {*_TOOLS}
    wanted = [n for n in episode["inventory"] if category(n) in kinds or ANYTHING in kinds]
    rooms = dict(episode["fixtures"])
    for name in (*rooms, *wanted):
        ids[name] = len(ids) + 1
        nodes.append(_node(ids[name], name, fixed=name in rooms))
    me = len(ids) + 1
    nodes.append(Node(me, "character", Kind.AGENT, me))
    graph = SceneGraph(nodes)
    for name, room in rooms.items():
        graph.add_edge(ids[name], Relation.INSIDE, ids[room])
        for sink in (s for s in rooms if category(name) == "faucet" and "sink" in s):
            graph.add_edge(ids[sink], Relation.CLOSE, ids[name])
            graph.add_edge(ids[name], Relation.CLOSE, ids[sink])
    for name in wanted:
        place = _likely(name, rooms, chance)
        how = Relation.INSIDE if commonsense.has_door(category(place)) else Relation.ON
        graph.add_edge(ids[name], how, ids[place])
    graph.add_edge(me, Relation.INSIDE, ids[episode["room"]])
    return graph, {number: name for name, number in ids.items()}


def _node(number: int, name: str, *, fixed: bool) -> Node:
    """A thing with its usual affordances."""
    kind = category(name)
    if not fixed:
        cuts = frozenset({Affordance.CUTS}) if kind in _TOOLS else frozenset()
        return Node(number, kind, Kind.OBJECT, number, affordances=_MOVABLE | cuts)
    can = {*_SURFACES, Affordance.SWITCHABLE}
    states = {State.OFF}
    if commonsense.has_door(kind):
        can.add(Affordance.OPENABLE)
        states.add(State.CLOSED)
    return Node(
        number, kind, Kind.FIXTURE, number, states=frozenset(states), affordances=frozenset(can)
    )


def _likely(thing: str, rooms: Mapping[str, str], chance: random.Random | None) -> str:
    """Furniture where a thing usually is: the likeliest, or a random one of the likely."""
    names = sorted(rooms)
    values = [
        commonsense.search_value(category(thing), category(name), category(rooms[name]))
        for name in names
    ]
    if chance is None:
        return names[values.index(max(values))]
    return chance.choices(names, [value**2 for value in values])[0]
