"""Where things are to be put, and what of it is still to be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..dialects.reactree import category
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

    is_prepared: whether a thing that a term means is sliced, heated and so on as it is to be.
    """

    def __init__(
        self,
        situation: Situation,
        requirements: Sequence[Requirement],
        is_prepared: Callable[[Term, str], bool],
    ) -> None:
        self.situation = situation
        self._memory = situation.memory
        self._all_requirements = requirements
        self._requirements = [required for required in requirements if not required.negated]
        self._is_prepared = is_prepared
        self._chosen: dict[Term, str | None] = {}
        self.all = [self._placement(required) for required in self._requirements]
        self.placed = {thing for placement in self.all for thing in placement.placed}

    # --- what is still to be done ----------------------------------------------------------------

    def missing(self) -> list[str]:
        """The categories of what is still to be found: things, then places."""
        sought: list[str] = []
        for placement in self.all:
            if placement.lacking <= 0:
                continue
            if placement.requirement.origin and not self._has_seen(placement.requirement.origin):
                sought.append(placement.requirement.origin)
                continue
            found = [name for name in self._found(placement.thing) if name not in self.placed]
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
            if required.origin and not self._has_seen(required.origin)
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
            and self._fits(term, name)
            and not self._is_another(name, term)
            and self._is_full(name, placement.requirement)
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
        return self._fits(placement.thing, thing)

    def candidates(self, placement: RequiredPlacement) -> list[str]:
        """What may be brought for a placement; where it is filled first, what was filled."""
        if not placement.filled_first:
            return self._found(placement.thing, placement.requirement.origin)
        if self._waits(placement):
            return []
        if placement.requirement.count != 1:
            return self._found(placement.thing)
        name = self.situation.named_by(placement.thing) or self._chosen.get(placement.thing)
        return [] if name is None else [name]

    def _waits(self, placement: RequiredPlacement) -> bool:
        """Whether what is to be brought has to be filled first, and is not."""
        return any(
            other.lacking > 0
            for other in self.all
            if _means(other.requirement.place, placement.requirement.thing)
        )

    def chosen(self, term: Term) -> str | None:
        """What is meant by a term that is told from others; None for any other."""
        return self._chosen.get(term) if term.which else None

    def _fits(self, term: Term, thing: str) -> bool:
        meant = self.chosen(term)
        if meant is not None:
            return thing == meant
        return self.situation.fits(term, thing) and self._is_prepared(term, thing)

    def _found(self, term: Term, origin: str = "") -> list[str]:
        """What was found that a term means, and that can be picked up as far as is known.

        origin: the category of where it lay, "" where that does not matter.
        """
        memory = self._memory
        known = (*memory.held, *memory.things, *memory.furniture)
        return [
            name
            for name in dict.fromkeys(known)
            if self._fits(term, name)
            and (not origin or self._is_from(name, origin))
            and name not in memory.not_graspable
            and not memory.is_futile(f"pick up {name}")
        ]

    def _is_from(self, thing: str, origin: str) -> bool:
        """Whether a thing lies at furniture of a category, or was taken or brought by oneself."""
        sighting = self._memory.things.get(thing)
        if sighting is None:
            return thing in self._memory.held
        at = (sighting.place, sighting.stood_at)
        return sighting.placed_by_me or any(category(name or "") == origin for name in at)

    def _has_seen(self, origin: str) -> bool:
        """Whether one stood at furniture of a category."""
        return any(category(name) == origin for name in self._memory.inspected)

    # --- a requirement compared with what is known -----------------------------------------------

    def _placement(self, required: Requirement) -> RequiredPlacement:
        assert required.thing is not None
        place = self._place(required)
        filled_first = any(
            _means(other.place, required.thing) and other is not required
            for other in self._requirements
        )
        found = self._found(required.thing, required.origin)
        placed: list[str] = []
        if place is not None:
            placed = [thing for thing in found if self._is_at(thing, required.relation, place)]
        if required.count is None:
            elsewhere = [thing for thing in found if thing not in placed]
            seen = bool(placed) or (required.origin and self._has_seen(required.origin))
            lacking = len(elsewhere) or (0 if seen else _UNBOUNDED)
        else:
            placed = placed[: required.count]
            lacking = required.count - len(placed)
        return RequiredPlacement(required, place, tuple(placed), lacking, filled_first)

    def _place(self, required: Requirement) -> str | None:
        """The instance that things go to: always the same of a category, as far as it takes them.

        What oneself has put something at comes first, then what was seen first.
        """
        memory, term = self._memory, required.place
        assert term is not None
        named = self.situation.named_by(term)
        if named is not None:
            known = memory.located(named) or named in memory.rooms or named in memory.held
            return named if known else None
        if term not in self._chosen:
            places = [
                name
                for name in [*memory.rooms, *memory.known_names(), *memory.held]
                if self._fits(term, name)
                and not self._is_full(name, required)
                and not self._is_another(name, term)
            ]
            places.sort(key=lambda name: -self._begun(name, term))
            self._chosen[term] = places[0] if places else None
        return self._chosen[term]

    def _is_another(self, name: str, term: Term) -> bool:
        """Whether a name was chosen for what is told from a term by its number."""
        return any(
            chosen == name and other.which != term.which and other.categories == term.categories
            for other, chosen in self._chosen.items()
        )

    def _begun(self, name: str, term: Term) -> int:
        """How much speaks for a place: the things there that belong there, less those that do not.

        Where places are not told apart, the things that one has put there oneself.
        """
        there = [t for t, sighting in self._memory.things.items() if sighting.place == name]
        if not term.which:
            return sum(self._memory.things[thing].placed_by_me for thing in there)
        asked = [r for r in self._all_requirements if r.place == term and r.thing is not None]
        return sum(
            -1 if required.negated else 1
            for required in asked
            for thing in there
            if required.thing is not None and self.situation.fits(required.thing, thing)
        )

    def _is_full(self, place: str, required: Requirement) -> bool:
        """Whether a place took nothing, or one had no way to put down there what is for it.

        There is none where one stands there with such a thing in hand and none is on offer.
        """
        memory, options = self._memory, self.situation.options
        if place in memory.refusing or any(
            where == place and required.thing is not None and self._fits(required.thing, thing)
            for where, thing in memory.passed_by
        ):
            return True
        if options is None or not memory.in_reach(place) or memory.state(place, "closed"):
            return False
        if place != memory.last_target or self.situation.offered(f"open {place}"):
            return False
        carried = [t for t in memory.held if required.thing and self._fits(required.thing, t)]
        return bool(carried) and not any(
            option == f"put down {thing}"
            or (option.startswith(f"put down {thing} ") and option.endswith(f" {place}"))
            for thing in carried
            for option in options
        )

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
