"""A belief as the report draws it: areas by place, with the objects that may be in each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..notes.belief import BeliefNote, HypothesisedGoal, spaced
from .areas import DrawnArea, StandingPlace, area_key

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
    return BeliefPicture(tuple(drawn), belief.goals)


def _objects(belief: BeliefNote) -> dict[str, tuple[Presence, ...]]:
    """The objects that were or are likely in each area, by its name in the note."""
    found: dict[str, list[Presence]] = {}
    for name in belief.objects:
        for change in belief.changes(name):
            if max(change.before or 0.0, change.after or 0.0) >= _DRAWN:
                changed = change.is_shown or change.fell
                each = Presence(spaced(name), change.before, change.after, changed)
                found.setdefault(change.area, []).append(each)
    return {area: tuple(sorted(each, key=_by_share)) for area, each in found.items()}


def _by_share(each: Presence) -> float:
    return -(each.after or 0.0)


def _wanted(goals: Iterable[HypothesisedGoal]) -> Mapping[str, tuple[tuple[str, float], ...]]:
    """The objects that goals bring to each area, with the sum of their weights."""
    found: dict[str, dict[str, float]] = {}
    for goal in goals:
        for name, area in goal.targets.items():
            of_area = found.setdefault(area, {})
            of_area[spaced(name)] = of_area.get(spaced(name), 0.0) + goal.weight
    return {area: tuple(each.items()) for area, each in found.items()}
