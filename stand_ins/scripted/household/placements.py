"""Where things are to be put, and what of it is still to be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..dialects.reactree import category
from .meant_things import MeantThings
from .requirements import Requirement, Term
from .situation import Situation

#: As many as there are, of what was not seen yet.
_UNBOUNDED = 10_000


@dataclass(frozen=True)
class RequiredPlacement:
    """A requirement of things at a place.

    place: the instance it is to be, if one is known. placed: what is there. lacking: how many more
    are to be brought. filled_first: what is brought is the place of another placement, which comes
    before.
    """

    requirement: Requirement
    place: str | None
    placed: tuple[str, ...]
    lacking: int
    filled_first: bool = False

    @property
    def thing(self) -> Term:
        """What is to be brought."""
        assert self.requirement.thing is not None
        return self.requirement.thing

    @property
    def relation(self) -> str:
        """How it is to be at the place."""
        return self.requirement.relation


class RequiredPlacements:
    """All placements that an instruction asks for, compared with what is known.

    meant: which things its terms mean.
    """

    def __init__(
        self,
        situation: Situation,
        requirements: Sequence[Requirement],
        is_prepared: Callable[[Term, str], bool],
    ) -> None:
        """is_prepared: see `MeantThings`."""
        self.situation = situation
        self._memory = situation.memory
        self.meant = MeantThings(situation, requirements, is_prepared)
        self._requirements = [required for required in requirements if not required.negated]
        self.all = [self._placement(required) for required in self._requirements]
        self.placed = {thing for placement in self.all for thing in placement.placed}

    # --- what is still to be done ----------------------------------------------------------------

    def missing(self) -> list[str]:
        """The categories of what is still to be found: things, then places."""
        sought: list[str] = []
        for placement in self.all:
            if placement.lacking <= 0:
                continue
            if placement.requirement.origin and not self.meant.has_seen(
                placement.requirement.origin
            ):
                sought.append(placement.requirement.origin)
                continue
            found = [name for name in self.meant.found(placement.thing) if name not in self.placed]
            lacking = 1 if placement.lacking == _UNBOUNDED else placement.lacking
            has_all_seen = placement.requirement.count is None and (
                placement.placed or placement.requirement.origin
            )
            if len(found) < lacking and not has_all_seen:
                sought += placement.thing.categories
            place = placement.requirement.place
            if placement.place is None and found and place is not None and not place.room:
                sought += place.categories
        return list(dict.fromkeys(sought))

    def rooms_of_places(self) -> list[str]:
        """The rooms that instructions name for places that were not seen yet."""
        return [
            placement.requirement.place.room
            for placement in self.all
            if placement.lacking > 0
            and placement.place is None
            and placement.requirement.place is not None
            and placement.requirement.place.room
        ]

    def not_looked_at(self) -> list[str]:
        """Furniture that all is to be brought from and that one did not stand at yet."""
        return [
            name
            for required in self._requirements
            if required.origin and not self.meant.has_seen(required.origin)
            for name in self._memory.furniture
            if category(name) == required.origin
        ]

    def full(self) -> list[str]:
        """Places that things are to be brought to, of which none takes anything any more."""
        return [
            name
            for placement in self.all
            if placement.lacking > 0 and placement.place is None
            for name in self._memory.known_names()
            if (term := placement.requirement.place) is not None
            and self.meant.fits(term, name)
            and not self.meant.is_another(name, term)
            and self.meant.is_full(name, placement.requirement)
        ]

    def lacking(self) -> bool:
        """Whether anything is still to be brought."""
        return any(placement.lacking > 0 for placement in self.all)

    def wanted_everywhere(self) -> list[str]:
        """The categories of which everything is to be brought, wherever it is."""
        return [
            category
            for required in self._requirements
            if required.count is None and required.thing is not None and not required.origin
            for category in required.thing.categories
        ]

    def uncertain(self) -> list[str]:
        """What was seen at its place, where it is not known whether in or on it."""
        found = []
        for thing in (thing for placement in self.all for thing in placement.placed):
            sighting = self._memory.things.get(thing)
            if sighting is not None and not sighting.placed_by_me and sighting.relation is None:
                found.append(thing)
        return found

    # --- what may be brought ---------------------------------------------------------------------

    def accepts(self, placement: RequiredPlacement, thing: str) -> bool:
        """Whether a thing may be brought for a placement."""
        if placement.filled_first:
            return thing in self.candidates(placement)
        return self.meant.fits(placement.thing, thing)

    def candidates(self, placement: RequiredPlacement) -> list[str]:
        """What may be brought for a placement; where it is filled first, what was filled."""
        if not placement.filled_first:
            return self.meant.found(placement.thing, placement.requirement.origin)
        if self._waits(placement):
            return []
        if placement.requirement.count != 1:
            return self.meant.found(placement.thing)
        name = self.meant.instance(placement.thing)
        return [] if name is None else [name]

    def _waits(self, placement: RequiredPlacement) -> bool:
        """Whether what is to be brought has to be filled first, and is not."""
        return any(
            other.lacking > 0
            for other in self.all
            if _means(other.requirement.place, placement.requirement.thing)
        )

    # --- a requirement compared with what is known -----------------------------------------------

    def _placement(self, required: Requirement) -> RequiredPlacement:
        assert required.thing is not None
        place = self.meant.place(required)
        filled_first = any(
            _means(other.place, required.thing) and other is not required
            for other in self._requirements
        )
        found = self.meant.found(required.thing, required.origin)
        placed: list[str] = []
        if place is not None:
            placed = [thing for thing in found if self._is_at(thing, required.relation, place)]
        if required.count is None:
            elsewhere = [thing for thing in found if thing not in placed]
            seen = bool(placed) or (required.origin and self.meant.has_seen(required.origin))
            lacking = len(elsewhere) or (0 if seen else _UNBOUNDED)
        else:
            placed = placed[: required.count]
            lacking = required.count - len(placed)
        return RequiredPlacement(required, place, tuple(placed), lacking, filled_first)

    def _is_at(self, thing: str, relation: str, place: str) -> bool:
        """Whether a thing is where it is to be, as far as is known."""
        memory = self._memory
        if place in memory.rooms:
            return thing not in memory.held and memory.room_of(thing) == place
        sighting = memory.things.get(thing)
        if sighting is None or sighting.place is None:
            return False
        if sighting.place == place:
            return sighting.relation in (None, relation)
        return relation == "inside" and self._is_at(sighting.place, relation, place)


def _means(place: Term | None, thing: Term | None) -> bool:
    """Whether what a place is called means the thing, or is one of them."""
    if place is None or thing is None or place.named != thing.named:
        return False
    return place.categories == thing.categories and thing.which in (0, place.which)
