"""The known things of an instruction, their places, and the work that remains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..table import Requirement, Term, category
from .memory import HouseSituation

#: As many as there are, of what was not seen yet.
_UNBOUNDED = 10_000


class MeantThings:
    """The things and places of terms, by what is known.

    is_prepared: whether the thing of a term is sliced, heated and so on as it has to be.
    """

    def __init__(
        self,
        situation: HouseSituation,
        requirements: Sequence[Requirement],
        is_prepared: Callable[[Term, str], bool],
    ) -> None:
        self._situation = situation
        self._memory = situation.memory
        self._all_requirements = requirements
        self._is_prepared = is_prepared
        self._chosen: dict[Term, str | None] = {}

    def chosen(self, term: Term) -> str | None:
        """The thing of a numbered term (`Term.which`); None for other terms."""
        return self._chosen.get(term) if term.which else None

    def instance(self, term: Term) -> str | None:
        """The thing of a term that means one thing, or None if it is open."""
        return self._situation.named_by(term) or self._chosen.get(term)

    def fits(self, term: Term, thing: str) -> bool:
        """Whether a term may mean a thing."""
        meant = self.chosen(term)
        if meant is not None:
            return thing == meant
        return self._situation.fits(term, thing) and self._is_prepared(term, thing)

    def found(self, term: Term, origin: str = "") -> list[str]:
        """The found things of a term that can be picked up, as far as is known.

        origin: the category of their first place, "" for any.
        """
        memory = self._memory
        known = sorted(memory.things, key=lambda name: memory.things[name].at is None)
        return [
            name
            for name in (*memory.held, *known)
            if self.fits(term, name)
            and (not origin or self._is_from(name, origin))
            and memory.graspable(name)
            and not memory.is_futile(f"pick up {name}")
        ]

    def _is_from(self, thing: str, origin: str) -> bool:
        """Whether a thing lies at furniture of a category, or the agent took or brought it."""
        known = self._memory.things.get(thing)
        if known is None:
            return thing in self._memory.held
        at = (known.place, known.at)
        return known.mine or any(category(name or "") == origin for name in at)

    def has_seen(self, origin: str) -> bool:
        """Whether the agent stood at furniture of a category."""
        return any(category(name) == origin for name in self._memory.looked)

    # --- where things go ------------------------------------------------------------------------

    def place(self, required: Requirement) -> str | None:
        """The target of things: always the same one of a category, while it takes them.

        A place where the agent has put something comes first, then the one seen first.
        """
        memory, term = self._memory, required.place
        assert term is not None
        named = self._situation.named_by(term)
        if named is not None:
            return named if named in {*memory.things, *memory.rooms, *memory.held} else None
        if term not in self._chosen:
            places = [
                name
                for name in [*memory.rooms, *memory.known_names(), *memory.held]
                if self.fits(term, name)
                and not self.is_full(name, required)
                and not self.is_another(name, term)
            ]
            places.sort(key=lambda name: -self._begun(name, term))
            self._chosen[term] = places[0] if places else None
        return self._chosen[term]

    def is_another(self, name: str, term: Term) -> bool:
        """Whether a name is chosen for another term with the same categories."""
        return any(
            chosen == name and other.which != term.which and other.categories == term.categories
            for other, chosen in self._chosen.items()
        )

    def _begun(self, name: str, term: Term) -> int:
        """A score for a place: the things there that belong there, minus the others.

        Where the terms of places are not numbered, only things that the agent has put there count.
        """
        there = [t for t, known in self._memory.things.items() if known.place == name]
        if not term.which:
            return sum(self._memory.things[thing].mine for thing in there)
        asked = [r for r in self._all_requirements if r.place == term]
        return sum(
            -1 if required.negated else 1
            for required in asked
            for thing in there
            if required.thing is not None and self._situation.fits(required.thing, thing)
        )

    def is_full(self, place: str, required: Requirement) -> bool:
        """Whether a place refused a thing, or the menu had no action to put a thing there.

        The latter counts if the agent stands there with such a thing in hand.
        """
        memory, menu = self._memory, self._situation.menu
        if place in memory.refusing or any(
            where == place and required.thing is not None and self.fits(required.thing, thing)
            for where, thing in memory.passed_by
        ):
            return True
        if menu is None or not memory.in_reach(place) or memory.state(place, "closed"):
            return False
        if place != memory.last_target:
            return False
        carried = [t for t in memory.held if required.thing and self.fits(required.thing, t)]
        return bool(carried) and not any(
            action.startswith(f"put down {thing} ") and action.endswith(f" {place}")
            for thing in carried
            for action in menu
        )


@dataclass(frozen=True)
class RequiredPlacement:
    """A requirement of things at a place, compared with what is known."""

    requirement: Requirement
    """The requirement."""
    place: str | None
    """The target, if it is known."""
    placed: tuple[str, ...]
    """The things that are there."""
    lacking: int
    """How many more have to be brought."""
    filled_first: bool = False
    """Whether the thing is the target of another placement, which comes first."""

    @property
    def thing(self) -> Term:
        """The things to bring."""
        assert self.requirement.thing is not None
        return self.requirement.thing

    @property
    def relation(self) -> str:
        """The relation to the place."""
        return self.requirement.relation


class RequiredPlacements:
    """All placements of an instruction. meant: the things of its terms."""

    def __init__(
        self,
        situation: HouseSituation,
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

    def missing(self) -> list[str]:
        """The categories that are still to be found: of things, then of places."""
        sought: list[str] = []
        for placement in self.all:
            required = placement.requirement
            if placement.lacking <= 0:
                continue
            if required.origin and not self.meant.has_seen(required.origin):
                sought.append(required.origin)
                continue
            found = [name for name in self.meant.found(placement.thing) if name not in self.placed]
            lacking = 1 if placement.lacking == _UNBOUNDED else placement.lacking
            has_all_seen = required.count is None and (placement.placed or required.origin)
            if len(found) < lacking and not has_all_seen:
                sought += placement.thing.categories
            place = required.place
            if placement.place is None and found and place is not None and not place.room:
                sought += place.categories
        return list(dict.fromkeys(sought))

    def rooms_of_places(self) -> list[str]:
        """The rooms that the instruction names for places that were not seen yet."""
        terms = [p.requirement.place for p in self.all if p.lacking > 0 and p.place is None]
        return [term.room for term in terms if term is not None and term.room]

    def not_looked_at(self) -> list[str]:
        """Furniture from which all has to be brought and at which the agent did not stand yet."""
        return [
            name
            for required in self._requirements
            if required.origin and not self.meant.has_seen(required.origin)
            for name in self._memory.furniture
            if category(name) == required.origin
        ]

    def full(self) -> list[str]:
        """Targets of things, of which none takes more."""
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
        """Whether anything remains to bring."""
        return any(placement.lacking > 0 for placement in self.all)

    def wanted_everywhere(self) -> list[str]:
        """The categories of which all things have to be brought, from anywhere."""
        return [
            kind
            for required in self._requirements
            if required.count is None and required.thing is not None and not required.origin
            for kind in required.thing.categories
        ]

    def accepts(self, placement: RequiredPlacement, thing: str) -> bool:
        """Whether a thing may be brought for a placement."""
        if placement.filled_first:
            return thing in self.candidates(placement)
        return self.meant.fits(placement.thing, thing)

    def candidates(self, placement: RequiredPlacement) -> list[str]:
        """The things for a placement; filled ones if they are filled first."""
        if not placement.filled_first:
            return self.meant.found(placement.thing, placement.requirement.origin)
        thing = placement.requirement.thing
        if any(p.lacking > 0 and _means(p.requirement.place, thing) for p in self.all):
            return []
        if placement.requirement.count != 1:
            return self.meant.found(placement.thing)
        name = self.meant.instance(placement.thing)
        return [] if name is None else [name]

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
        """Whether a thing is at its place, as far as is known."""
        memory = self._memory
        if place in memory.rooms:
            return thing not in memory.held and memory.room_of(thing) == place
        known = memory.things.get(thing)
        if known is None or known.place is None:
            return False
        if known.place == place:
            return known.relation == relation
        return relation == "inside" and self._is_at(known.place, relation, place)


def _means(place: Term | None, thing: Term | None) -> bool:
    """Whether a place's term means the thing or one of them."""
    if place is None or thing is None or place.named != thing.named:
        return False
    return place.categories == thing.categories and thing.which in (0, place.which)
