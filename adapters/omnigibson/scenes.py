"""The scene loader "behavior": an activity's objects in one of BEHAVIOR-1K's scenes.

"behavior:picking_up_trash" is the one of the inventory's 51 scenes that has the activity's rooms
with most of its furniture, together with its other rooms. Among equal scenes a hash of the
activity's name decides. A missing room is borrowed from another scene, missing furniture is added.

Things to which init assigns a room are fixtures. Things in or on something can be picked up, and so
can furniture that the goal wants elsewhere. Furniture that the goal wants on the floor of its own
room stands there already. As in OmniGibson, things are closed and switched off unless init says
otherwise. `native_id` is BDDL's name for the activity's own objects ("ashcan.n.01_1"), a name as in
OmniGibson's scenes for other furniture ("bottom_cabinet_slgzfc_0"), and "kitchen_0" for rooms.

"behavior:picking_up_trash?moved=7" is the same scene after one to three things of the goal were
moved to where a person may have put them (`everyday_places`), drawn by the number.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ...errors import BadInput
from ...scene_graph.goals import named_ids
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from ..random_draws import RandomDraws
from . import activities
from .bddl_files import Activity, Atom, Condition, Joined, Quantified
from .everyday_places import everyday_places
from .goals import RELATIONS, to_goal
from .rooms import InventoryItem, Rooms, is_floor, scenes, sort_of
from .taxonomy import english, synset

AGENT = "agent.n.01_1"
#: A predicate, a thing and a place.
Placed = tuple[str, str, str]

_SURFACES = ("furniture.n.01", "home_appliance.n.01", "horizontal_surface.n.01", "tabletop.n.01")
_ABLE = (
    ("openable", Affordance.OPENABLE),
    ("openable", Affordance.CONTAINER),
    ("fillable", Affordance.CONTAINER),
    ("toggleable", Affordance.SWITCHABLE),
)


def load(reference: str) -> SceneGraph:
    """The scene graph of an activity. Raises Missing and BadInput."""
    name, _, option = reference.partition("?")
    graph = scene_of(activities.read(name))
    if option:
        moved = re.fullmatch(r"moved=(\d{1,9})", option, re.ASCII)
        if moved is None:
            raise BadInput(
                f"The scene 'behavior:{reference}' is malformed; give behavior:ACTIVITY or "
                f"behavior:ACTIVITY?moved=NUMBER."
            )
        _move(graph, activities.read(name), RandomDraws(int(moved[1])))
    return graph


def scene_of(activity: Activity) -> SceneGraph:
    """The scene graph at the start of an activity."""
    return _Builder(activity).build()


def ids_of(graph: SceneGraph) -> dict[str, int]:
    """The nodes of an activity's scene by their names in BDDL and OmniGibson."""
    return {str(node.native_id): node.id for node in graph.nodes()}


def rooms_of(activity: Activity) -> dict[str, str]:
    """The sort of room of each piece of furniture, from init."""
    return {
        fact.things[0]: fact.things[1]
        for fact in activity.init
        if fact.predicate == "inroom" and fact.holds
    }


def _move(graph: SceneGraph, activity: Activity, chance: RandomDraws) -> None:
    """Move one to three things of the goal to where a person may have put them.

    The activity does not mention that furniture. Things with contents stay, because the contents
    would fall out.
    """
    ids = ids_of(graph)
    sorts = {ids[thing]: sort for sort, things in activity.objects.items() for thing in things}
    movable = [
        thing
        for thing in sorted(named_ids(to_goal(activity, ids)))
        if Affordance.GRASPABLE in graph[thing].affordances and not graph.contents(thing)
    ]
    spots = {
        thing: [
            spot
            for spot in everyday_places(graph, sorts[thing])
            if spot[1] not in sorts and spot not in graph.places(thing)
        ]
        for thing in movable
    }
    moved = [thing for thing in chance.shuffled(movable) if spots[thing]]
    for thing in moved[: chance.between(1, 3)]:
        relation, place = chance.pick(spots[thing])
        graph.detach(thing)
        graph.add_edge(thing, relation, place)


class _Builder:
    def __init__(self, activity: Activity) -> None:
        self._activity = activity
        self._sort = {t: s for s, things in activity.objects.items() for t in things}
        self._room_of = rooms_of(activity)
        self._facts = {(f.predicate, f.things) for f in activity.init if f.holds}
        self._keeps = _keeping(activity)
        self._wanted = _wanted_at(activity)
        self._nodes: list[Node] = []
        self._edges: list[Edge] = []
        self._ids: dict[str, int] = {}

    def build(self) -> SceneGraph:
        rooms = _choose(self._activity.name, self._room_of, self._sort)
        chosen = _rooms_meant(rooms, self._room_of, self._sort, self._activity.name)
        for room in rooms:
            self._add(room, sort_of(room).replace("_", " "), Kind.ROOM)
        for room, furniture in rooms.items():
            named = [t for t, sort in self._room_of.items() if chosen[sort] == room]
            for thing in named:
                goes = any(not self._on_own_floor(thing, p) for p in self._wanted.get(thing, ()))
                kind = Kind.OBJECT if goes else Kind.FIXTURE
                self._place(thing, self._sort[thing], room, kind)
            taken = Counter(self._sort[thing] for thing in named)
            for each in furniture:
                if taken[each.synset] > 0:  # this one belongs to the activity
                    taken[each.synset] -= 1
                else:
                    self._place(each.name, each.synset, room, Kind.FIXTURE)
        placed = [t for t in self._sort if t not in self._room_of and t != AGENT]
        for thing in placed:
            self._thing(thing, self._sort[thing], Kind.OBJECT)
        for predicate, things in sorted(self._facts | self._standing()):
            if predicate in RELATIONS and things[0] != AGENT:
                source, target = (self._ids[each] for each in things)
                self._edges.append(Edge(source, RELATIONS[predicate], target))
        self._add(AGENT, "agent", Kind.AGENT)
        self._edges.append(Edge(self._ids[AGENT], Relation.INSIDE, self._begins_in(chosen)))
        return SceneGraph(self._nodes, self._edges)

    def _standing(self) -> set[tuple[str, tuple[str, ...]]]:
        """Furniture on the floor of its room that the goal mentions."""
        return {
            ("ontop", (thing, floor))
            for thing in self._room_of
            for floor in self._wanted.get(thing, ())
            if self._on_own_floor(thing, floor)
        }

    def _on_own_floor(self, thing: str, place: str) -> bool:
        return is_floor(self._sort[place]) and self._room_of.get(place) == self._room_of[thing]

    def _begins_in(self, chosen: Mapping[str, str]) -> int:
        """The room of the floor where the agent starts."""
        for predicate, things in sorted(self._facts):
            if predicate == "ontop" and things[0] == AGENT and things[1] in self._room_of:
                return self._ids[chosen[self._room_of[things[1]]]]
        return next(iter(self._ids.values()))

    def _place(self, name: str, sort: str, room: str, kind: Kind) -> None:
        self._thing(name, sort, kind)
        self._edges.append(Edge(self._ids[name], Relation.INSIDE, self._ids[room]))

    def _thing(self, name: str, sort: str, kind: Kind) -> None:
        known = synset(sort)
        able = frozenset[str]() if known is None else known.abilities
        can = {affordance for ability, affordance in _ABLE if ability in able}
        can |= self._keeps.get(name, set())
        if kind is Kind.OBJECT:
            can.add(Affordance.GRASPABLE)
        elif known is not None and any(map(known.is_a, _SURFACES)):
            can.add(Affordance.SURFACE)
        states = set()
        if Affordance.OPENABLE in can:
            is_open = ("open", (name,)) in self._facts
            states.add(State.OPEN if is_open else State.CLOSED)
        if Affordance.SWITCHABLE in can:
            is_on = ("toggled_on", (name,)) in self._facts
            states.add(State.ON if is_on else State.OFF)
        self._add(name, english(sort), kind, frozenset(states), frozenset(can))

    def _add(
        self,
        name: str,
        category: str,
        kind: Kind,
        states: frozenset[State] = frozenset(),
        affordances: frozenset[Affordance] = frozenset(),
    ) -> None:
        number = self._ids[name] = len(self._nodes) + 1
        self._nodes.append(Node(number, category, kind, name, states, affordances))


def _keeping(activity: Activity) -> dict[str, set[Affordance]]:
    """The affordances that things need for the activity's contents, by name."""
    keeping: dict[str, set[Affordance]] = {}
    ways = {"ontop": Affordance.SURFACE, "inside": Affordance.CONTAINER}
    init = [(f.predicate, f.things[1]) for f in activity.init if f.predicate in ways]
    for predicate, place in (*init, *((p, place) for p, _, place in placed(activity))):
        keeping.setdefault(place, set()).add(ways[predicate])
    return keeping


def _wanted_at(activity: Activity) -> dict[str, set[str]]:
    """The places in the goal for each thing."""
    places: dict[str, set[str]] = {}
    for _, thing, place in placed(activity):
        places.setdefault(thing, set()).add(place)
    return places


def placed(activity: Activity) -> Iterator[Placed]:
    """(predicate, thing, place) of all placements in the goal, with variables replaced."""
    members = {**activity.objects, **{t: (t,) for ts in activity.objects.values() for t in ts}}

    def read(condition: Condition, bound: Mapping[str, tuple[str, ...]]) -> Iterator[Placed]:
        match condition:
            case Joined(_, parts):
                for part in parts:
                    yield from read(part, bound)
            case Quantified(_, _, binds, body):
                yield from read(body, {**bound, **{v: members[s] for v, s in binds}})
            case Atom(predicate, (thing, place)) if predicate in RELATIONS:
                yield from ((predicate, t, p) for t in bound[thing] for p in bound[place])

    return read(activity.goal, members)


# --- which scene ---------------------------------------------------------------------------------


def _choose(name: str, room_of: Mapping[str, str], sort_of_thing: Mapping[str, str]) -> Rooms:
    """The rooms of the scene that suits an activity best, with missing ones borrowed."""
    wanted = _wanted(room_of, sort_of_thing)
    fits = {scene: _fit(rooms, wanted) for scene, rooms in scenes().items()}
    best = max(fits.values())
    suiting = [scene for scene, fit in fits.items() if fit == best]
    rooms = dict(scenes()[suiting[_number(name) % len(suiting)]])
    for sort, furniture in wanted.items():
        if not any(sort_of(room) == sort for room in rooms):
            borrowed = _borrowed(sort, furniture)
            rooms[f"{sort}_0"] = tuple(f._replace(name=f"{sort}_{f.name}") for f in borrowed)
    return rooms


def _fit(rooms: Rooms, wanted: Mapping[str, Counter[str]]) -> tuple[int, int, int]:
    """How many sorts of rooms and how much furniture match, and whether there are several rooms."""
    there = {sort: _best_fit(rooms, sort, furniture) for sort, furniture in wanted.items()}
    fits = [fit for fit in there.values() if fit is not None]
    return len(fits), sum(fits), min(len(rooms), 5)


def _best_fit(rooms: Rooms, sort: str, furniture: Counter[str]) -> int | None:
    fits = (_shared(things, furniture) for room, things in rooms.items() if sort_of(room) == sort)
    return max(fits, default=None)


def _shared(things: Sequence[InventoryItem], furniture: Counter[str]) -> int:
    """How many of some furniture are there."""
    return sum(
        min(count, sum(each.synset == sort for each in things)) for sort, count in furniture.items()
    )


def _borrowed(sort: str, furniture: Counter[str]) -> tuple[InventoryItem, ...]:
    """The furniture of the best room of a sort in any scene; none if there is no such room."""
    rooms = [
        things
        for scene in scenes().values()
        for room, things in scene.items()
        if sort_of(room) == sort
    ]
    return max(rooms, key=lambda things: _shared(things, furniture), default=())


def _rooms_meant(
    rooms: Rooms, room_of: Mapping[str, str], sort_of_thing: Mapping[str, str], name: str
) -> dict[str, str]:
    """For each sort of room of the activity, the room that suits best."""
    meant = {}
    for sort, furniture in _wanted(room_of, sort_of_thing).items():
        fits = {r: _shared(things, furniture) for r, things in rooms.items() if sort_of(r) == sort}
        best = [room for room, fit in fits.items() if fit == max(fits.values())]
        meant[sort] = best[_number(name) % len(best)]
    return meant


def _wanted(
    room_of: Mapping[str, str], sort_of_thing: Mapping[str, str]
) -> dict[str, Counter[str]]:
    """The furniture of an activity, without floors, by sort of room."""
    wanted: dict[str, Counter[str]] = {}
    for thing, room in room_of.items():
        sort = sort_of_thing[thing]
        wanted.setdefault(room, Counter())
        if not is_floor(sort):
            wanted[room][sort] += 1
    return wanted


def _number(name: str) -> int:
    """A stable hash of the name (CRC-32)."""
    return zlib.crc32(name.encode())
