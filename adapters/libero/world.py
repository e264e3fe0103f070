"""The scene graph of a task: fixtures with drawers and doors, places, things, and what moves them.

The arm is bolted before the table, so all that stands in its room is close to it. A drawer is a
node of its own, attached to its cabinet. The door of a microwave and the knob of a
stove are states of the appliance. Zones of the table are surfaces where they lie beside something,
or where the goal speaks of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...scene_graph.goals import Goal, HasState, Related
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import (
    Affordance,
    Box,
    Edge,
    Kind,
    Node,
    Pose,
    Quaternion,
    Relation,
    State,
    Vector,
)
from ...skills.actions import Action, Verb
from . import names
from .goals import Conjunct, part_of
from .names import AGENT_ID, ROOM_ID, node_id, place_of
from .state import EngineState, Joint, JointKind, Thing, ThingKind

#: From this share of its way on a front counts as open. LIBERO's own predicate asks for 0.875 of a
#: drawer's and 0.62 of a microwave door's; one that does not reach it stands ajar: neither state.
OPENED = {JointKind.SLIDE: 0.88, JointKind.HINGE: 0.63}
#: Up to this share it counts as closed. Less than this shows nothing of the inside.
CLOSED = 0.06
#: From this share on a knob is on: 0.5 rad of 2.1, as in LIBERO's predicate.
TURNED = 0.5 / 2.1
#: Digits of positions in m, and of orientations.
_DIGITS = 3


@dataclass
class _Place:
    """A node in the making: the engine's things that it stands for."""

    name: str
    """That of the node."""
    category: str
    """In our words."""
    kind: Kind
    """The layer of the graph."""
    thing: Thing
    """The one with the node's pose."""
    owner: str | None = None
    """The name of the node that it is attached to."""
    front: Thing | None = None
    """What opens and closes it."""
    knob: Thing | None = None
    """What switches it."""
    own: str | None = None
    """The name of the thing itself where things can be put on it."""
    tops: list[str] = field(default_factory=list)
    """The engine's names of where things can be put on it."""
    insides: list[str] = field(default_factory=list)
    """The same for its inside."""


class LiberoWorld:
    """Makes graphs of the states of one task, and the engine's words of actions.

    Ids and categories stay the same through the task.
    """

    def __init__(self, goal: Iterable[Conjunct], start: EngineState, salt: str) -> None:
        """salt: of the ids (`SceneOfTask.salt`)."""
        conjuncts = tuple(goal)
        self._asked = {each.things[-1] for each in conjuncts}
        self._goal = tuple(part_of(each, salt) for each in conjuncts)
        self._start = start
        self._owner: dict[str, str] = {}  # the node of each thing of the engine
        self._places: dict[str, _Place] = {}
        for thing in start.things.values():
            self._add(thing)
        for thing in start.things.values():
            self._join(thing)
        for place in self._places.values():
            if place.own is not None and not place.tops and not place.insides:
                place.tops.append(place.own)
        self.ids = {name: node_id(name, salt) for name in self._places}
        self._names = {number: name for name, number in self.ids.items()}

    # --- the graph ---------------------------------------------------------------------------

    def graph(self, state: EngineState) -> SceneGraph:
        """The true state, owned by the caller."""
        nodes = [Node(ROOM_ID, self._room(), Kind.ROOM, "room"), _agent()]
        nodes += [self._node(place, state) for place in self._places.values()]
        graph = SceneGraph(nodes, [Edge(AGENT_ID, Relation.INSIDE, ROOM_ID)])
        for place in self._places.values():
            if place.owner is not None:
                graph.add_edge(self.ids[place.name], Relation.ATTACHED, self.ids[place.owner])
        for source, relation, target in self._told(state):
            start, end = self.ids[self._owner[source]], self.ids[self._owner[target]]
            if start not in graph.above(end):  # physics sometimes reports circles
                graph.add_edge(start, relation, end)
        for part, holds in zip(self._goal, state.goal, strict=True):
            _set_as_judged(graph, part, holds=holds)
        if state.held is not None:
            held = self.ids[self._owner[state.held]]
            graph.detach(held)
            graph.add_edge(AGENT_ID, Relation.HOLDS, held)
        for number in self.ids.values():
            if not graph.places(number) and graph.holder(number) is None:
                graph.add_edge(number, Relation.INSIDE, ROOM_ID)
                graph.add_edge(AGENT_ID, Relation.CLOSE, number)
        return graph

    def node_of(self, name: str | None) -> int | None:
        """The id of the node of a thing of the engine; None for what has none."""
        owner = None if name is None else self._owner.get(name)
        return None if owner is None else self.ids[owner]

    def _told(self, state: EngineState) -> Iterator[tuple[str, Relation, str]]:
        """The relations of movable things, by the engine's names.

        A thing in a drawer touches the cabinet as well; only where it is counts.
        """
        told = [
            (source, relation, target)
            for source, relation, target in state.relations
            if relation is not Relation.ATTACHED
            if source in self._owner and target in self._owner
        ]
        within = {(source, state.things[target].parent) for source, _, target in told}
        for source, relation, target in told:
            thing, place = state.things[target], self._places[self._owner[target]]
            if thing.kind not in (ThingKind.REGION, ThingKind.PART):
                if thing.kind is ThingKind.TABLE or (source, target) not in within:
                    yield source, relation, target
            elif relation is not Relation.UNDER:
                yield source, Relation.INSIDE if target in place.insides else Relation.ON, target

    def _node(self, place: _Place, state: EngineState) -> Node:
        now = state.things.get(place.thing.name, place.thing)
        states: set[State] = set()
        can: set[Affordance] = set()
        if place.front is not None:
            can.add(Affordance.OPENABLE)
            states |= _front_states(_joint(state, place.front))
        if place.knob is not None:
            can.add(Affordance.SWITCHABLE)
            states.add(State.ON if _joint(state, place.knob).share >= TURNED else State.OFF)
        if place.tops:
            can.add(Affordance.SURFACE)
        if place.insides:
            can.add(Affordance.CONTAINER)
        if place.kind is Kind.OBJECT:
            can.add(Affordance.GRASPABLE)
        return Node(
            self.ids[place.name],
            place.category,
            place.kind,
            place.name,
            frozenset(states),
            frozenset(can),
            _rounded_pose(now.pose),
            None if now.box is None else _rounded_box(now.box),
        )

    def _room(self) -> str:
        tables = (t.name for t in self._start.things.values() if t.kind is ThingKind.TABLE)
        return next((words for table in tables if (words := names.room_words(table))), "room")

    # --- which node a thing belongs to -------------------------------------------------------

    def _add(self, thing: Thing) -> None:
        """Make the node of a thing that has one of its own."""
        parent = self._start.things.get(thing.parent or "")
        if thing.kind is ThingKind.OBJECT:
            self._new(thing, names.words_of(thing.name), Kind.OBJECT)
        elif thing.kind in (ThingKind.FIXTURE, ThingKind.TABLE) or parent is None:
            self._new(thing, names.words_of(thing.name), Kind.FIXTURE)
        elif self._is_drawer(thing):
            words = names.drawer_words(thing.name, parent.name)
            self._new(thing, words, Kind.FIXTURE, parent)
        elif thing.kind is ThingKind.REGION and parent.kind is ThingKind.TABLE:
            if thing.name in self._asked or names.has_side(thing.name):
                self._new(thing, names.zone_words(thing.name, parent.name), Kind.FIXTURE, parent)
        elif thing.kind is ThingKind.REGION and place_of(thing.name) == thing.name:
            self._new(thing, names.region_words(thing.name, parent.name), Kind.FIXTURE, parent)

    def _new(self, thing: Thing, words: str, kind: Kind, parent: Thing | None = None) -> None:
        owner = None if parent is None else place_of(parent.name)
        self._places[thing.name] = _Place(thing.name, words, kind, thing, owner)

    def _join(self, thing: Thing) -> None:
        """Make a thing a part of its node: its own, or that of what it belongs to."""
        owner = thing.name if thing.name in self._places else place_of(thing.name)
        if owner not in self._places:
            owner = thing.parent or ""
        if owner not in self._places:
            return
        self._owner[thing.name] = owner
        place = self._places[owner]
        if thing.joint is not None and thing.joint.kind is JointKind.KNOB:
            place.knob = thing
        elif thing.joint is not None:
            place.front = thing
        if thing.kind in (ThingKind.REGION, ThingKind.PART):
            is_top = names.is_top(thing.name) or self._is_zone(thing)
            (place.tops if is_top else place.insides).append(thing.name)
        elif thing.surface or thing.container or thing.name in self._asked:
            place.own = thing.name

    def _is_zone(self, thing: Thing) -> bool:
        parent = self._start.things.get(thing.parent or "")
        return parent is not None and parent.kind is ThingKind.TABLE

    def _is_drawer(self, thing: Thing) -> bool:
        return thing.joint is not None and thing.joint.kind is JointKind.SLIDE

    # --- actions -----------------------------------------------------------------------------

    def command(self, action: Action) -> Mapping[str, str | None]:
        """An action in the engine's words: verb, target, place and relation."""
        assert action.target is not None
        target = self._places[self._names[action.target]]
        words: dict[str, str | None] = {
            "verb": str(action.verb),
            "target": target.name,
            "place": None,
            "relation": None,
        }
        if action.verb is Verb.PUT:
            assert action.place is not None
            place = self._places[self._names[action.place]]
            within = place.insides if action.relation is Relation.INSIDE else place.tops
            words |= {"place": within[0], "relation": str(action.relation)}
        return words


def _set_as_judged(graph: SceneGraph, part: Goal, *, holds: bool) -> None:
    """Give what the goal speaks of as the engine's predicate does.

    Otherwise a planner could not know that the bowl on the rim of the plate is not "on" it, or that
    a drawer which was pulled out by a millimetre is not "closed".
    """
    match part:
        case HasState(int(thing), state) if thing in graph:
            node = graph[thing]
            if holds:
                graph.set_state(thing, state)
            elif state in node.states:
                graph.replace_node(replace(node, states=node.states - {state}))
        case Related(int(source), relation, int(target)) if source in graph and target in graph:
            if holds and source not in graph.above(target):
                graph.add_edge(source, relation, target)
            elif not holds and graph.has_edge(source, relation, target):
                graph.remove_edge(source, relation, target)


def _joint(state: EngineState, thing: Thing) -> Joint:
    """The joint of a thing now."""
    now = state.things.get(thing.name, thing).joint or thing.joint
    assert now is not None, "it had one at the start"
    return now


def _front_states(joint: Joint) -> frozenset[State]:
    if joint.share >= OPENED[joint.kind]:
        return frozenset({State.OPEN})
    return frozenset({State.CLOSED} if joint.share <= CLOSED else ())


def _agent() -> Node:
    return Node(AGENT_ID, "robot", Kind.AGENT, "robot")


def _rounded_pose(pose: Pose) -> Pose:
    x, y, z, w = (round(number, _DIGITS) + 0.0 for number in pose.orientation)
    orientation: Quaternion = (x, y, z, w)
    return Pose(_rounded(pose.position), orientation)


def _rounded_box(box: Box) -> Box:
    return Box(_rounded(box.center), _rounded(box.size))


def _rounded(vector: Vector) -> Vector:
    """A vector in mm steps, without a negative zero: resting things tremble by less."""
    x, y, z = (round(number, _DIGITS) + 0.0 for number in vector)
    return x, y, z
