"""A belief as the report draws it: areas by the place where one stands to reach them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...episodes.events import Perceived
from ...scene_graph.changes import GraphChange, applied
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Node, Relation, State
from ..notes import BeliefNote, HypothesisedGoal, spaced


@dataclass(frozen=True)
class DrawnArea:
    """A fixture that holds objects. key: its name as notes are matched with it."""

    name: str
    key: str
    closed: bool


@dataclass(frozen=True)
class StandingPlace:
    """A place to stand at: the fixture that areas are attached to, else their room.

    here: whether the agent stands there.
    """

    name: str
    areas: tuple[DrawnArea, ...]
    here: bool = False


class AreasReader:
    """Follows the world of an episode; areas are made when they are asked for."""

    def __init__(self) -> None:
        self._waiting: list[GraphChange] = []
        self._graph = SceneGraph()

    def after(self, event: Perceived) -> None:
        """Take in an event."""
        if event.world is not None:
            self._waiting.append(event.world)

    def places(self) -> list[StandingPlace]:
        """The places to stand at with their areas; none without a recorded true state."""
        for change in self._waiting:
            self._graph = applied(self._graph, change, "the recording")
        self._waiting.clear()
        graph = self._graph
        fixtures = [node for node in graph.nodes(Kind.FIXTURE) if not _areas_of(graph, node)]
        keys = Counter(area_key(node.category) for node in fixtures)
        found: dict[int | None, list[DrawnArea]] = {}
        for node in fixtures:
            key = area_key(node.category)
            # Notes do not say which of several of a kind is meant.
            area = DrawnArea(
                node.category, key if keys[key] == 1 else "", State.CLOSED in node.states
            )
            found.setdefault(_standing(graph, node), []).append(area)
        close = {place for me in graph.agent_ids for place in graph.targets(me, Relation.CLOSE)}
        return [
            StandingPlace(
                "" if place is None else graph[place].category, tuple(areas), place in close
            )
            for place, areas in found.items()
        ]


def area_key(name: str) -> str:
    """The name of an area without what dialects write differently, as in "Prep_Surface 1"."""
    return re.sub(r" \d+$", "", re.sub(r"[_\s]+", " ", name).strip().lower())


def _areas_of(graph: SceneGraph, node: Node) -> list[int]:
    """The fixtures that are attached to one, which is no area then."""
    attached = graph.sources(node.id, Relation.ATTACHED)
    return [other for other in attached if graph[other].kind is Kind.FIXTURE]


def _standing(graph: SceneGraph, node: Node) -> int | None:
    attached_to = graph.targets(node.id, Relation.ATTACHED)
    return attached_to[0] if attached_to else graph.room_of(node.id)


#: Smallest probability that is drawn.
_DRAWN = 0.005


@dataclass(frozen=True)
class Presence:
    """An object that may be in an area; None for an unknown probability."""

    name: str
    before: float | None
    after: float | None
    changed: bool


@dataclass(frozen=True)
class BeliefTile:
    """An area with a belief about it.

    wanted: the objects that goals bring here, with the weight of these goals.
    """

    name: str
    closed: bool
    objects: tuple[Presence, ...]
    wanted: tuple[tuple[str, float], ...]

    @property
    def likeliest(self) -> float:
        """The darkness of the tile."""
        return max((each.after or 0.0 for each in self.objects), default=0.0)


@dataclass(frozen=True)
class DrawnPlace:
    """A place to stand at. here: whether the agent does. others: areas without any belief."""

    name: str
    here: bool
    tiles: tuple[BeliefTile, ...]
    others: tuple[DrawnArea, ...]


@dataclass(frozen=True)
class BeliefPicture:
    """A belief over the areas of a world."""

    places: tuple[DrawnPlace, ...]
    goals: tuple[HypothesisedGoal, ...]


def belief_picture(belief: BeliefNote, places: Sequence[StandingPlace]) -> BeliefPicture:
    """The picture of a belief. places: of the world; other areas stand in "elsewhere"."""
    objects = _objects(belief)
    wanted = _wanted(belief.goals)
    names = {area_key(name): name for name in (*objects, *wanted)}
    known = {area.key for place in places for area in place.areas}
    unknown = [
        DrawnArea(spaced(name), key, False) for key, name in names.items() if key not in known
    ]
    everywhere = [*places, *([StandingPlace("elsewhere", tuple(unknown))] if unknown else [])]
    drawn = []
    for place in everywhere:
        tiles = [
            BeliefTile(area.name, area.closed, objects.get(name, ()), wanted.get(name, ()))
            for area in place.areas
            if (name := names.get(area.key)) is not None
        ]
        others = tuple(area for area in place.areas if area.key not in names)
        drawn.append(DrawnPlace(place.name, place.here, tuple(tiles), others))
    return BeliefPicture(tuple(drawn), tuple(belief.likeliest_goals))


def _objects(belief: BeliefNote) -> dict[str, tuple[Presence, ...]]:
    """The objects that were or are likely in each area, by its name in the note."""
    found: dict[str, list[Presence]] = {}
    for name in belief.objects:
        for change in belief.changes(name):
            if max(change.before or 0.0, change.after or 0.0) >= _DRAWN:
                changed = change.is_shown or change.fell
                each = Presence(spaced(name), change.before, change.after, changed)
                found.setdefault(change.area, []).append(each)
    return {
        area: tuple(sorted(each, key=lambda each: (-(each.after or 0.0), each.name)))
        for area, each in found.items()
    }


def _wanted(goals: Iterable[HypothesisedGoal]) -> Mapping[str, tuple[tuple[str, float], ...]]:
    """The objects that goals bring to each area, with the sum of their weights."""
    found: dict[str, dict[str, float]] = {}
    for goal in goals:
        for name, area in goal.targets.items():
            of_area = found.setdefault(area, {})
            of_area[spaced(name)] = of_area.get(spaced(name), 0.0) + goal.weight
    return {area: tuple(each.items()) for area, each in found.items()}
