"""The scene loader "behavior": an activity's objects in one of BEHAVIOR-1K's scenes.

"behavior:picking_up_trash" is the scene, among the 51 of the inventory, that has the rooms that the
activity names with most of the furniture it names, the other rooms with it. Among several it is the
activity's name that decides, once for all. A room that it lacks is borrowed from another scene,
furniture that a room lacks is added.

What init says the room of is a fixture; what it says to lie on or in something can be picked up.
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
from collections.abc import Mapping, Sequence

from ...errors import BadInput
from ...scene_graph.goals import mentioned
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from ...skills.dynamics import PUTS
from ..houses.chance import Chance
from . import activities, bddl_files
from .bddl_files import Activity
from .goals import RELATIONS, to_goal
from .rooms import Furniture, Rooms, is_floor, scenes, sort_of
from .taxonomy import english, synset

AGENT = "agent.n.01_1"
#: What BDDL calls an activity's own objects.
_OWN = re.compile(r"\.n\.\d+_\d+$", re.ASCII)

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
        move(graph, movable(activities.read(name), graph), Chance(int(moved[1])))
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


def movable(activity: Activity, graph: SceneGraph) -> list[int]:
    """What the goal names that can be moved without anything falling out of it."""
    goal = to_goal(activity, ids_of(graph))
    return [
        thing
        for thing in sorted(mentioned(goal))
        if Affordance.GRASPABLE in graph[thing].affordances and not graph.contents(thing)
    ]


def move(graph: SceneGraph, things: list[int], chance: Chance) -> None:
    """Bring one to three of some things to furniture that the activity does not name."""
    spots = [
        (relation, node.id)
        for node in graph.nodes(Kind.FIXTURE)
        if not _OWN.search(str(node.native_id))
        for affordance, relation in PUTS
        if affordance in node.affordances
    ]
    if not spots:
        return
    for thing in chance.shuffled(things)[: chance.between(1, 3)]:
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
                self._place(thing, self._sort[thing], room)
            taken = Counter(self._sort[thing] for thing in named)
            for each in furniture:
                if taken[each.synset] > 0:  # this one is the activity's
                    taken[each.synset] -= 1
                else:
                    self._place(each.name, each.synset, room)
        placed = [t for t in self._sort if t not in self._room_of and t != AGENT]
        for thing in placed:
            self._thing(thing, self._sort[thing], Kind.OBJECT)
        for predicate, things in sorted(self._facts):
            if predicate in RELATIONS and things[0] != AGENT:
                source, target = (self._ids[each] for each in things)
                self._edges.append(Edge(source, RELATIONS[predicate], target))
        self._add(AGENT, "agent", Kind.AGENT)
        self._edges.append(Edge(self._ids[AGENT], Relation.INSIDE, self._begins_in(chosen)))
        return SceneGraph(self._nodes, self._edges)

    def _begins_in(self, chosen: Mapping[str, str]) -> int:
        """The room of the floor that the agent stands on."""
        for predicate, things in sorted(self._facts):
            if predicate == "ontop" and things[0] == AGENT and things[1] in self._room_of:
                return self._ids[chosen[self._room_of[things[1]]]]
        return next(iter(self._ids.values()))

    def _place(self, name: str, sort: str, room: str) -> None:
        self._thing(name, sort, Kind.FIXTURE)
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
    """What the activity itself has things on or in can keep them so."""
    found: dict[str, set[Affordance]] = {}
    ways = {"ontop": Affordance.SURFACE, "inside": Affordance.CONTAINER}
    init = ((fact.predicate, fact.things) for fact in activity.init)
    goal = ((atom.predicate, atom.terms) for atom in bddl_files.atoms(activity.goal))
    for predicate, terms in (*init, *goal):
        if predicate in ways:
            for thing in activity.objects.get(terms[1], (terms[1],)):
                found.setdefault(thing, set()).add(ways[predicate])
    return found


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


def _shared(things: Sequence[Furniture], furniture: Counter[str]) -> int:
    """How much of some furniture is there."""
    return sum(
        min(count, sum(each.synset == sort for each in things)) for sort, count in furniture.items()
    )


def _borrowed(sort: str, furniture: Counter[str]) -> tuple[Furniture, ...]:
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
    """Of each sort of room that the activity names the one that suits best."""
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
