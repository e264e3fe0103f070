"""Which of the known things the terms of an instruction mean, and where things go."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..dialects.reactree import category
from .requirements import Requirement, Term
from .situation import Situation


class MeantThings:
    """The things and places that terms mean, by what is known.

    is_prepared: whether a thing that a term means is sliced, heated and so on as it is to be.
    """

    def __init__(
        self,
        situation: Situation,
        requirements: Sequence[Requirement],
        is_prepared: Callable[[Term, str], bool],
    ) -> None:
        self._situation = situation
        self._memory = situation.memory
        self._all_requirements = requirements
        self._is_prepared = is_prepared
        self._chosen: dict[Term, str | None] = {}

    def chosen(self, term: Term) -> str | None:
        """What is meant by a term that is told from others; None for any other."""
        return self._chosen.get(term) if term.which else None

    def instance(self, term: Term) -> str | None:
        """What a term that means one thing means, as far as that is settled."""
        return self._situation.named_by(term) or self._chosen.get(term)

    def fits(self, term: Term, thing: str) -> bool:
        """Whether a term may mean a thing."""
        meant = self.chosen(term)
        if meant is not None:
            return thing == meant
        return self._situation.fits(term, thing) and self._is_prepared(term, thing)

    def found(self, term: Term, origin: str = "") -> list[str]:
        """What was found that a term means, and that can be picked up as far as is known.

        origin: the category of where it lay, "" where that does not matter.
        """
        memory = self._memory
        known = (*memory.held, *memory.things, *memory.furniture)
        return [
            name
            for name in dict.fromkeys(known)
            if self.fits(term, name)
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

    def has_seen(self, origin: str) -> bool:
        """Whether one stood at furniture of a category."""
        return any(category(name) == origin for name in self._memory.inspected)

    # --- where things go ------------------------------------------------------------------------

    def place(self, required: Requirement) -> str | None:
        """The instance that things go to: always the same of a category, as far as it takes them.

        What oneself has put something at comes first, then what was seen first.
        """
        memory, term = self._memory, required.place
        assert term is not None
        named = self._situation.named_by(term)
        if named is not None:
            known = memory.located(named) or named in memory.rooms or named in memory.held
            return named if known else None
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
            if required.thing is not None and self._situation.fits(required.thing, thing)
        )

    def is_full(self, place: str, required: Requirement) -> bool:
        """Whether a place took nothing, or one had no way to put down there what is for it.

        There is none where one stands there with such a thing in hand and none is on offer.
        """
        memory, options = self._memory, self._situation.options
        if place in memory.refusing or any(
            where == place and required.thing is not None and self.fits(required.thing, thing)
            for where, thing in memory.passed_by
        ):
            return True
        if options is None or not memory.in_reach(place) or memory.state(place, "closed"):
            return False
        if place != memory.last_target or self._situation.offered(f"open {place}"):
            return False
        carried = [t for t in memory.held if required.thing and self.fits(required.thing, t)]
        return bool(carried) and not any(
            option == f"put down {thing}"
            or (option.startswith(f"put down {thing} ") and option.endswith(f" {place}"))
            for thing in carried
            for option in options
        )
