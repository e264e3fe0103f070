"""The scene loader "behavior": an activity's objects in one of BEHAVIOR-1K's scenes.

"behavior:picking_up_trash" is the scene, among the 51 of the inventory, that has the rooms that the
activity names with most of the furniture it names, the other rooms with it. Among several it is the
activity's name that decides, once for all. A room that it lacks is borrowed from another scene,
furniture that a room lacks is added.

What init says the room of is a fixture; what it says to lie on or in something can be picked up,
and so can furniture that the goal wants elsewhere. Furniture that the goal wants on the floor of
its own room stands there already.
What opens is closed and what can be switched is off unless init says otherwise, as in OmniGibson.
`native_id` of the activity's own objects is what BDDL calls them ("ashcan.n.01_1"), of the other
furniture a name as in OmniGibson's scenes ("bottom_cabinet_slgzfc_0"), of rooms "kitchen_0".

"behavior:picking_up_trash?moved=7" is the same after somebody moved one to three of the things that
the goal names to other furniture, which the number decides.
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
from ...skills.dynamics import PUTS_BY_AFFORDANCE
from ..random_draws import RandomDraws
from . import activities
from .bddl_files import Activity, Atom, Condition, Joined, Quantified
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
                f"The scene 'behavior:{reference}' is not of the form behavior:ACTIVITY or "
                f"behavior:ACTIVITY?moved=NUMBER."
            )
        _move(graph, activities.read(name), RandomDraws(int(moved[1])))
    return graph


def scene_of(activity: Activity) -> SceneGraph:
    """The scene graph that an activity begins with."""
    return _Builder(activity).build()


def ids_of(graph: SceneGraph) -> dict[str, int]:
    """The nodes of an activity's scene by what BDDL and OmniGibson call them."""
    return {str(node.native_id): node.id for node in graph.nodes()}


def rooms_of(activity: Activity) -> dict[str, str]:
    """The sort of room that init says each piece of furniture to stand in."""
    return {
        fact.things[0]: fact.things[1]
        for fact in activity.init
        if fact.predicate == "inroom" and fact.holds
    }


def _move(graph: SceneGraph, activity: Activity, chance: RandomDraws) -> None:
    """Bring one to three things that the goal names to furniture that the activity does not name.

    What keeps other things stays, for they would fall out of it.
    """
    ids = ids_of(graph)
    own = {ids[thing] for things in activity.objects.values() for thing in things}
    spots = [
        (relation, node.id)
        for node in graph.nodes(Kind.FIXTURE)
        if node.id not in own
        for affordance, relation in PUTS_BY_AFFORDANCE
        if affordance in node.affordances
    ]
    movable = [
        thing
        for thing in sorted(named_ids(to_goal(activity, ids)))
        if Affordance.GRASPABLE in graph[thing].affordances and not graph.contents(thing)
    ]
    if not spots:
        return
    for thing in chance.shuffled(movable)[: chance.between(1, 3)]:
        relation, place = chance.pick(spots)
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
                if taken[each.synset] > 0:  # this one is the activity's
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
        """Furniture on the floor of its room, of which the goal speaks."""
        return {
            ("ontop", (thing, floor))
            for thing in self._room_of
            for floor in self._wanted.get(thing, ())
            if self._on_own_floor(thing, floor)
        }

    def _on_own_floor(self, thing: str, place: str) -> bool:
        return is_floor(self._sort[place]) and self._room_of.get(place) == self._room_of[thing]

    def _begins_in(self, chosen: Mapping[str, str]) -> int:
        """The room of the floor that the agent stands on."""
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
    """The affordances that things need to keep what the activity has on or in them, by name."""
    found: dict[str, set[Affordance]] = {}
    ways = {"ontop": Affordance.SURFACE, "inside": Affordance.CONTAINER}
    init = [(f.predicate, f.things[1]) for f in activity.init if f.predicate in ways]
    for predicate, place in (*init, *((p, place) for p, _, place in placed(activity))):
        found.setdefault(place, set()).add(ways[predicate])
    return found


def _wanted_at(activity: Activity) -> dict[str, set[str]]:
    """The places that the goal speaks of for each thing."""
    found: dict[str, set[str]] = {}
    for _, thing, place in placed(activity):
        found.setdefault(thing, set()).add(place)
    return found


def placed(activity: Activity) -> Iterator[Placed]:
    """(predicate, thing, place) of all that the goal speaks of, its variables replaced."""
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
    """The rooms of the scene that suits an activity best, what lacks of them borrowed."""
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
    """How many of the sorts of rooms and how much of the furniture is there; and several rooms."""
    there = {sort: _best_fit(rooms, sort, furniture) for sort, furniture in wanted.items()}
    found = [fit for fit in there.values() if fit is not None]
    return len(found), sum(found), min(len(rooms), 5)


def _best_fit(rooms: Rooms, sort: str, furniture: Counter[str]) -> int | None:
    fits = (_shared(things, furniture) for room, things in rooms.items() if sort_of(room) == sort)
    return max(fits, default=None)


def _shared(things: Sequence[InventoryItem], furniture: Counter[str]) -> int:
    """How much of some furniture is there."""
    return sum(
        min(count, sum(each.synset == sort for each in things)) for sort, count in furniture.items()
    )


def _borrowed(sort: str, furniture: Counter[str]) -> tuple[InventoryItem, ...]:
    """The furniture of the first best room of a sort in any scene; none where there is no such."""
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
    """For each sort of room that the activity names, the room that suits best."""
    meant = {}
    for sort, furniture in _wanted(room_of, sort_of_thing).items():
        fits = {r: _shared(things, furniture) for r, things in rooms.items() if sort_of(r) == sort}
        best = [room for room, fit in fits.items() if fit == max(fits.values())]
        meant[sort] = best[_number(name) % len(best)]
    return meant


def _wanted(
    room_of: Mapping[str, str], sort_of_thing: Mapping[str, str]
) -> dict[str, Counter[str]]:
    """The furniture that an activity names, floors aside, by the sort of room."""
    wanted: dict[str, Counter[str]] = {}
    for thing, room in room_of.items():
        sort = sort_of_thing[thing]
        wanted.setdefault(room, Counter())
        if not is_floor(sort):
            wanted[room][sort] += 1
    return wanted


def _number(name: str) -> int:
    """A number that depends on the name alone, the same everywhere."""
    return zlib.crc32(name.encode())
