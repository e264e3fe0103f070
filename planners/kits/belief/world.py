"""The world of an episode as a kitchen of areas, by name, as observed so far.

An area is a piece of furniture that keeps things. Rooms not yet entered are areas, too, where there
are several rooms; so is unseen furniture that a goal names. An area is open once its contents are
seen. Only seen objects are listed, at their last seen places.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Kind, Node, Relation, State
from ....skills.actions import Action, Verb, open_, pick_up, put
from ...contract import Brief, Percept
from ..household.observed_graph import ObservedGraph
from .search.kitchen import (
    NULL,
    OPEN,
    PICK,
    PLACE,
    Arrangement,
    Kitchen,
    KitchenRewards,
    RolloutPolicy,
)

#: A goal: (object, destination area) pairs, sorted by object name.
Targets = tuple[tuple[str, str], ...]
#: The area of objects whose place is unknown; it is never opened.
NOWHERE = "nowhere"
#: The place of a held object in `BeliefTracker.objects`.
HAND = "hand"
#: Default costs of walks: to other furniture, to another room, to nowhere.
WAY, WAY_TO_ROOM, WAY_TO_NOWHERE = 5.0, 7.0, 1000.0

_KEEPS = frozenset({Affordance.SURFACE, Affordance.CONTAINER, Affordance.OPENABLE})


@dataclass(frozen=True)
class Hypothesis:
    """A possible goal and possible places of its unseen objects, by name.

    targets: the destination area of each wanted object. places: the area of each unseen object.
    weight: its likelihood, on any scale.
    """

    targets: Mapping[str, str]
    places: Mapping[str, str] = field(default_factory=dict)
    weight: float = 1.0


def sorted_targets(targets: Mapping[str, str]) -> Targets:
    """A goal as a value that can be compared and hashed."""
    return tuple(sorted(targets.items()))


@dataclass(frozen=True, slots=True)
class KnownArea:
    """A place that keeps things."""

    id: int
    """Its node id."""
    name: str
    """Its name, in one word."""
    category: str | None
    """As the prior knows it; None for a room."""
    room: str | None
    """The category of its room, as the prior knows it."""
    stand: int
    """The node where the robot stands to reach it; the area itself where unknown."""
    is_open: bool
    """Whether its contents are seen."""
    is_known: bool
    """Whether its contents were seen since they last changed by others, or count as none."""
    is_seen: bool = True
    """Whether the area itself was seen."""


@dataclass(frozen=True, slots=True)
class Move:
    """A decision of a search. verb: "open", "pick", "place" or "null". what: an area or object."""

    verb: str
    what: str = ""

    def __str__(self) -> str:
        return "wait" if self.verb == NULL else f"{self.verb} {self.what}"

    def with_object(self, held: str | None) -> str:
        """The move with the object in hand before it: "place cup at shelf"."""
        placing = self.verb == PLACE and held is not None
        return f"{self.verb} {held} at {self.what}" if placing else str(self)


class KitchenWorld:
    """The observed world, as areas and objects by name.

    areas: by name. located: the area of each object whose place is known. held: the object in hand.
    given_up: areas that cannot be opened, which count as empty. pays_walks: whether each walk has
    its price, whatever its length.
    """

    def __init__(
        self,
        brief: Brief,
        percept: Percept,
        targets: Collection[int] = (),
        observed: ObservedGraph | None = None,
    ) -> None:
        """targets: the areas that goals name, included before they are seen.

        observed: the observations so far, if the caller records percepts itself.
        """
        self.brief = brief
        self.observed = ObservedGraph() if observed is None else observed
        self.given_up: set[int] = set()
        self._observes = observed is None
        self._targets = tuple(targets)
        rewards = brief.rules.rewards
        self.pays_walks = Verb.GO_TO in rewards.verbs and not rewards.travel
        self._names = {thing.id: thing.name for thing in (brief.goal_things or {}).values()}
        self._ids: dict[str, int] = {}
        self.areas: dict[str, KnownArea] = {}
        self.located: dict[str, str] = {}
        self.held: str | None = None
        self._relations: dict[tuple[object, int], Relation] = {}
        self.update(percept)

    @property
    def graph(self) -> SceneGraph:
        """All that was observed."""
        return self.observed.graph

    def update(self, percept: Percept) -> None:
        """Record a percept."""
        if self._observes:
            self.observed.update(percept.view, percept.step)
        self._names.update(percept.names)
        self._ids = {joined(name): thing for thing, name in self._names.items()}
        areas = [self._area(node) for node in self.graph.nodes() if self._is_area(node)]
        areas += [
            self._unseen_target(thing)
            for thing in self._targets
            if thing not in {area.id for area in areas}
        ]
        self.areas = {area.name: area for area in areas}
        by_id = {area.id: area.name for area in areas}
        agent = self.brief.agent
        held = self.graph.held(agent) if agent in self.graph else []
        self.held = self.name(held[0]) if held else None
        self.located = {}
        for node in self.graph.nodes(Kind.OBJECT):
            if not self.observed.located(node.id) or node.id in held:
                continue
            around = (by_id.get(place) for place in self.graph.above(node.id))
            area = next((each for each in around if each is not None), None)
            if area is not None:
                self.located[self.name(node.id)] = area

    # --- names -----------------------------------------------------------------------------------

    def name(self, thing: int) -> str:
        """The name of a thing: "water_glass", "water_glass_2"."""
        return joined(self._names.get(thing, f"thing {thing}"))

    def id_of(self, name: str) -> int | None:
        """The node of a name; None for an unknown name."""
        return self._ids.get(name)

    def closed(self) -> list[str]:
        """The areas whose contents are not in sight."""
        return [area.name for area in self.areas.values() if not area.is_open]

    def unknown(self) -> list[str]:
        """The areas where unseen things may be."""
        return [area.name for area in self.areas.values() if not area.is_known]

    def is_out_of_sight(self, name: str) -> bool:
        """Whether an area counts as closed although it has nothing to open."""
        area = self.areas[name]
        node = self.graph.get(area.id)
        return not area.is_open and node is not None and State.CLOSED not in node.states

    def objects(self) -> list[str]:
        """The seen objects, wherever they are."""
        return [self.name(node.id) for node in self.graph.nodes(Kind.OBJECT)]

    def way(self, start: str, end: str) -> float:
        """The cost of the walk between two areas."""
        return self._way(self.areas[start].stand, self.areas[end].stand)

    # --- moves and house actions -----------------------------------------------------------------

    def relate(self, thing: object, relation: Relation, area: int) -> None:
        """Set the relation that a goal wants for a thing, where it is not the area's usual one."""
        self._relations[thing, area] = relation

    def relation(self, thing: int, area: int) -> Relation:
        """The relation of a put of a thing at an area."""
        wanted = self._relations.get((thing, area))
        if wanted is not None:
            return wanted
        node = self.graph.get(area)
        inside = node is not None and Affordance.CONTAINER in node.affordances
        return Relation.INSIDE if inside else Relation.ON

    def action(self, move: Move) -> Action | None:
        """The action of a move, for a body that approaches by itself; None for waiting."""
        thing = self.id_of(move.what)
        if move.verb == NULL or thing is None:
            return None
        if move.verb == OPEN:
            return open_(thing)
        if move.verb == PICK:
            return pick_up(thing)
        held = self.graph.held(self.brief.agent)
        return put(held[0], self.relation(held[0], thing), thing) if held else None

    # --- the array model -------------------------------------------------------------------------

    def kitchen(
        self,
        objects: Sequence[str],
        goals: Sequence[Targets],
        *,
        rewards: KitchenRewards | None = None,
        discount: float = 0.95,
        offered: Literal["relevant", "all"] = "relevant",
        policy: RolloutPolicy | None = None,
    ) -> Kitchen:
        """The model of this world with some objects and goals; `NOWHERE` is its last area."""
        stands = self._stands()
        areas = {name: number for number, name in enumerate(self.areas)}
        rows = {name: number for number, name in enumerate(objects)}
        standing = [stands.index(area.stand) for area in self.areas.values()]
        return Kitchen(
            standing=[*standing, len(stands)],
            travel=self._travel(stands),
            objects=len(objects),
            goals=[{rows[o]: areas[a] for o, a in goal} for goal in goals],
            rewards=rewards,
            discount=discount,
            offered=offered,
            feedback=self.brief.rules.confirms_placements,
            policy=policy,
        )

    def arrangements(
        self, objects: Sequence[str], particles: Sequence[tuple[Targets, int]]
    ) -> list[Arrangement]:
        """States of that model: the areas of unseen objects, and one goal each."""
        areas = {name: number for number, name in enumerate(self.areas)}
        rows = {name: row for row, name in enumerate(objects)}
        nowhere = len(areas)
        seen = [areas.get(self.located.get(name, NOWHERE), nowhere) for name in objects]
        unseen = {name for name in objects if name not in self.located}
        if self.held in rows:
            seen[rows[self.held]] = nowhere + 1
            unseen.discard(self.held)
        opened = sum(1 << n for n, area in enumerate(self.areas.values()) if area.is_open)
        robot = self._stands().index(self._stand())
        states = []
        for places, goal in particles:
            own = seen.copy()
            for name, area in places:
                if name in unseen:
                    own[rows[name]] = areas.get(area, nowhere)
            states.append(Arrangement(tuple(own), opened, robot, goal))
        return states

    def move_of(self, kitchen: Kitchen, objects: Sequence[str], number: int) -> Move:
        """The move of an action of that model; an action at `NOWHERE` becomes waiting."""
        verb, which = kitchen.action(number)
        names = list(objects) if verb == PICK else [*self.areas, NOWHERE]
        if verb == NULL or names[which] == NOWHERE:
            return Move(NULL)
        return Move(verb, names[which])

    def _stand(self) -> int:
        """Where the robot stands; its own node where it is at no area."""
        near = self.graph.targets(self.brief.agent, Relation.CLOSE)
        served: dict[int, set[int]] = {}
        for area in self.areas.values():
            reached = self._base(area.id) if self.pays_walks else area.stand
            served.setdefault(area.stand, set()).add(reached)
        whole = (place for place in near if place in served and served[place] <= {*near})
        return next(whole, self.brief.agent)

    def _base(self, area: int) -> int:
        return (self.observed.base(area) if area in self.graph else None) or area

    def _stand_at(self, area: int) -> int:
        """Where the robot goes for an area.

        Where each walk has its price, that is where it reaches the most areas besides.
        """
        base, graph = self._base(area), self.graph
        if not self.pays_walks or base not in graph:
            return base
        beside = [near for near in graph.targets(base, Relation.CLOSE) if near in graph]
        reached = {place: len(graph.targets(place, Relation.CLOSE)) for place in (base, *beside)}
        return max(reached, key=lambda place: (reached[place], -place))

    def _stands(self) -> list[int]:
        own = [self.brief.agent] if self._stand() == self.brief.agent else []
        return list(dict.fromkeys([*(area.stand for area in self.areas.values()), *own]))

    def _travel(self, stands: Sequence[int]) -> list[list[float]]:
        """The costs of walks between standing places; the last place is `NOWHERE`."""
        table = [[self._way(a, b) for b in stands] + [WAY_TO_NOWHERE] for a in stands]
        return [*table, [WAY_TO_NOWHERE] * len(stands) + [0.0]]

    def _way(self, start: int, end: int) -> float:
        if start == end:
            return 0.0
        graph, rewards = self.graph, self.brief.rules.rewards
        if rewards.travel and start in graph and end in graph:
            return -rewards.way(graph[start].category, graph[end].category)
        rooms = [graph.room_of(place) if place in graph else None for place in (start, end)]
        return WAY if rooms[0] == rooms[1] and rooms[0] is not None else WAY_TO_ROOM

    # --- areas -----------------------------------------------------------------------------------

    def _is_area(self, node: Node) -> bool:
        if node.kind is Kind.ROOM:
            return node.id not in self.observed.inspected and node.id not in self.given_up
        is_furniture = node.kind is Kind.FIXTURE and bool(node.affordances & _KEEPS)
        return (is_furniture or node.id in self._targets) and self.observed.located(node.id)

    def _area(self, node: Node) -> KnownArea:
        if node.kind is Kind.ROOM:
            return KnownArea(
                node.id,
                self.name(node.id),
                None,
                node.category,
                node.id,
                is_open=False,
                is_known=False,
            )
        room = self.graph.room_of(node.id)
        is_known = node.id in self.observed.inspected
        given_up = node.id in self.given_up
        return KnownArea(
            id=node.id,
            name=self.name(node.id),
            category=node.category,
            room=None if room is None else self.graph[room].category,
            stand=self._stand_at(node.id),
            is_open=given_up or (is_known and State.CLOSED not in node.states),
            is_known=given_up or is_known,
        )

    def _unseen_target(self, thing: int) -> KnownArea:
        known = (self.brief.goal_things or {})[thing]
        name = self.name(thing)
        return KnownArea(
            thing, name, known.category, None, thing, is_open=False, is_known=False, is_seen=False
        )


def joined(name: str) -> str:
    """A name in one word: "water_glass" of "water glass 1", "water_glass_2" of "water glass 2"."""
    words = name.split()
    if len(words) > 1 and words[-1] == "1" and not words[-2][-1:].isdigit():
        words.pop()
    return "_".join(words)
