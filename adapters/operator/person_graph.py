"""What is known of a real room: what the person prepared, saw and did.

Rooms and furniture come from the room file. A thing is known once it was seen, and stays where it
was seen until an action moves it or a later look shows otherwise. Nothing else is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...observation_text.view import View, Visibility, visible
from ...scene_graph.node import OPPOSITE, Affordance, Kind, Node, Relation, State
from ...skills.actions import Action, Verb
from ...skills.dynamics import apply, check
from ...skills.embodiment import Embodiment
from ...skills.outcomes import Failure, Reason
from .questions import KEPT, Kept, KnownThing, Place, Seen, Sighting
from .room_file import RoomTask
from .room_scene import RoomScene, as_typed, labels_of

#: What the robot's own body cannot do. Nobody is asked to try it.
_OF_THE_BODY = frozenset(
    {
        *(Reason.UNKNOWN, Reason.NOT_CLOSE, Reason.HANDS_FULL, Reason.HELD, Reason.NOT_HELD),
        *(Reason.EMPTY_HANDED, Reason.SEATED, Reason.NOT_SEATED, Reason.ALREADY_SITTING),
        *(Reason.ALREADY_LYING, Reason.NOT_WORN, Reason.NOT_FACING, Reason.NOT_IN_SIGHT),
        *(Reason.INTO_ITSELF, Reason.IN_USE, Reason.ON_BODY, Reason.NOT_SUPPORTED),
    }
)
_SWITCHES = {
    Affordance.OPENABLE: (State.OPEN, State.CLOSED),
    Affordance.SWITCHABLE: (State.ON, State.OFF),
    Affordance.PLUGGABLE: (State.PLUGGED_IN, State.PLUGGED_OUT),
}


class PersonGraph:
    """The known state of a room in one trial of a task."""

    def __init__(self, scene: RoomScene, task: RoomTask) -> None:
        self.graph = scene.empty(task)
        self.me = self.graph.agent().id
        self._looked: dict[int, None] = {}  # places whose contents were told
        labels = {**scene.ids, **dict(labels_of(self.graph))}
        self._ids = {label.casefold(): node_id for label, node_id in labels.items()}
        self._file_nodes = {
            scene.ids[thing.name]: scene.node(thing, task) for thing in scene.room.things
        }
        self._typed: dict[int, Node] = {}  # things that the file does not have

    # --- what is known -----------------------------------------------------------------------

    def view(self) -> View:
        """What the agent perceives: of the present room all that is known and not enclosed."""
        view = visible(self.graph, Visibility.ROOM)
        covered = {place: True for place in view.covered if place in self._looked}
        return View(view.graph, covered)

    def label(self, node_id: int) -> str:
        """The label of anything known."""
        return str(self.graph[node_id].native_id)

    def room(self) -> int:
        """The room that the robot is in."""
        room = self.graph.room_of(self.me)
        assert room is not None
        return room

    def stands_at(self) -> list[int]:
        """The furniture and free-standing things that the robot stands at."""
        return self.graph.targets(self.me, Relation.CLOSE)

    def was_looked_at(self, place: int) -> bool:
        """Whether the contents of a place were told."""
        return place in self._looked

    def forbids(self, action: Action, body: Embodiment) -> Failure | None:
        """Why the body cannot even try an action, or None. What things allow is not judged."""
        failure = check(self.graph, action, body, self.me)
        return failure if failure is not None and failure.reason in _OF_THE_BODY else None

    def around(self) -> list[int]:
        """The places of the present room that one sees into or that have a state to tell."""
        room = self.room()
        return [room, *(i for i in self.graph.below(room) if self._is_place(i))]

    def at(self, bases: Iterable[int]) -> list[int]:
        """Bases with the furniture on and in them."""
        places = [node_id for base in bases for node_id in (base, *self.graph.below(base))]
        return [node_id for node_id in dict.fromkeys(places) if self._is_place(node_id)]

    def place(self, node_id: int) -> Place:
        """A place as it stands in a question."""
        node = self.graph[node_id]
        closed = State.CLOSED in node.states
        relations: list[Kept] = []
        if node.kind is Kind.ROOM:
            relations.append(Relation.INSIDE)
        if Affordance.SURFACE in node.affordances:
            relations.append(Relation.ON)
        if Affordance.CONTAINER in node.affordances and not closed:
            relations.append(Relation.INSIDE)
        return Place(
            label=self.label(node_id),
            relations=tuple(relations),
            states=states_of(node),
            is_room=node.kind is Kind.ROOM,
        )

    def expected(self, places: Sequence[int]) -> tuple[Sighting, ...]:
        """What is known at places, and their states, as sightings."""
        found: list[Sighting] = []
        for place in places:
            node = self.graph[place]
            told = tuple(state for state in states_of(node) if state in node.states)
            if told:
                found.append(Sighting(thing=self.label(place), states=told))
            found += self._contents(place)
        return tuple(found)

    def known(self) -> tuple[KnownThing, ...]:
        """The things that a person may pick."""
        nodes = (*self._file_nodes.values(), *self._typed.values())
        return tuple(
            KnownThing(label=str(node.native_id), category=node.category, states=states_of(node))
            for node in nodes
        )

    def reserved(self) -> tuple[str, ...]:
        """The labels of rooms, furniture and the robot."""
        nodes = self.graph.nodes()
        return tuple(self.label(node.id) for node in nodes if node.kind is not Kind.OBJECT)

    def _contents(self, place: int) -> Iterator[Sighting]:
        for relation, thing in self.graph.incoming(place):
            node = self.graph[thing]
            if node.kind is not Kind.OBJECT or relation not in KEPT:
                continue
            told = tuple(state for state in states_of(node) if state in node.states)
            yield Sighting(
                thing=self.label(thing),
                relation=KEPT[relation],
                place=self.label(place),
                states=told,
            )
            if State.CLOSED not in node.states:
                yield from self._contents(thing)

    def _is_place(self, node_id: int) -> bool:
        node = self.graph[node_id]
        if node.kind is not Kind.FIXTURE or self.graph.closed_around(node_id) is not None:
            return False
        keeps = {Affordance.SURFACE, Affordance.CONTAINER} & node.affordances
        return bool(keeps or states_of(node))

    # --- what the person tells ---------------------------------------------------------------

    def saw(self, asked: Sequence[int], seen: Seen) -> None:
        """Take in what was seen at places. What is no longer there is known nowhere."""
        unseen = {self._id_of(label) for label in seen.unseen}
        looked = [place for place in asked if place not in unseen and self._is_open(place)]
        placed = [sighting for sighting in seen.sightings if sighting.place is not None]
        there = {self._id_of(sighting.thing) for sighting in placed}
        for place in looked:
            for sighting in tuple(self._contents(place)):
                thing = self._id_of(sighting.thing)
                if thing not in there and thing in self.graph:
                    self.lose(thing)
        for sighting in placed:
            self._place_thing(sighting)
        for sighting in seen.sightings:
            for state in sighting.states:
                if self._id_of(sighting.thing) in self.graph:
                    self.graph.set_state(self._id_of(sighting.thing), state)
        self._looked.update((place, None) for place in (*looked, *there) if self._is_open(place))

    def did(self, action: Action) -> None:
        """Take in an action that was done."""
        graph = self.graph
        apply(graph, action, self.me)
        for thing in action.things:  # what was done shows that nothing was in the way
            around = graph.closed_around(thing) if thing in graph else None
            if around is not None and action.verb in (Verb.PICK_UP, Verb.PUT):
                graph.set_state(around, State.OPEN)

    def miss(self, thing: int) -> None:
        """Take in that a thing was not found; furniture stays known."""
        if thing in self.graph and self.graph[thing].kind is Kind.OBJECT:
            self.lose(thing)

    def lose(self, thing: int) -> None:
        """Take in that a thing is not where it was believed to be."""
        for carried in (*self.graph.below(thing), thing):
            if carried in self.graph:
                self.graph.remove_node(carried)
                self._looked.pop(carried, None)

    def _is_open(self, place: int) -> bool:
        return State.CLOSED not in self.graph[place].states

    def _id_of(self, label: str) -> int:
        """The id of a label, which a new one gets now. Capitals make no difference."""
        key = label.casefold()
        if key not in self._ids:
            self._ids[key] = max(self._ids.values()) + 1
            self._typed[self._ids[key]] = as_typed(label, self._ids[key])
        return self._ids[key]

    def _place_thing(self, sighting: Sighting) -> None:
        assert sighting.place is not None
        assert sighting.relation is not None
        thing, place = self._id_of(sighting.thing), self._id_of(sighting.place)
        for node_id in (thing, place):
            if node_id not in self.graph:
                node = self._typed.get(node_id) or self._file_nodes[node_id]
                self.graph.add_node(node)
        pair = (sighting.relation, place)
        if self.graph.places(thing) != [pair] or self.graph.holder(thing) is not None:
            self.graph.detach(thing)
            self.graph.add_edge(thing, *pair)


def states_of(node: Node) -> tuple[State, ...]:
    """The states of a thing that are worth telling, in pairs."""
    found: list[State] = []
    for affordance, pair in _SWITCHES.items():
        if affordance in node.affordances:
            found += pair
    for state in sorted(node.states):
        if state not in found and state in OPPOSITE:
            found += (state, OPPOSITE[state])
    return tuple(found)
