"""Bringing things to places: what is to be taken, in which order, and where to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..dialects.reactree import category
from ..transcript import Choice
from .memory import Sighting
from .requirements import Requirement, Term
from .subtasks import Knowledge, Steps, is_shut, put, reach, take, uncover

_UNBOUNDED = 10_000


@dataclass(frozen=True)
class _Errand:
    """One placement wanted. place: the instance it is to be at, if one is known.

    done: what is there. lacking: how many more are to be brought. filled_first: what is brought is
    the place of another errand, which comes before.
    """

    want: Requirement
    place: str | None
    done: tuple[str, ...]
    lacking: int
    filled_first: bool = False


class Errands:
    """All placements that an instruction asks for.

    fits: whether a thing is what a term means. name: the thing that the instruction names.
    """

    def __init__(
        self,
        now: Knowledge,
        wants: Sequence[Requirement],
        fits: Callable[[Term, str], bool],
        name: Callable[[Term], str | None],
    ) -> None:
        self.now = now
        self.memory = now.memory
        self._fits = fits
        self._name = name
        self._wants = wants
        self._chosen: dict[Term, str | None] = {}
        self._errands = [self._errand(want) for want in wants]
        self._kept = {thing for errand in self._errands for thing in errand.done}

    def steps(self) -> Steps:
        """The next steps with things that were found: bring what is in hand, fetch the next."""
        carried = list(self._carried())
        ready = self._ready([thing for thing, _ in carried])
        if not carried:
            for thing, errand in ready:
                yield from self._open_first(errand)
                yield from self._fetch(thing, errand)
            return
        first = carried[0][1]
        more = (
            ready
            if len(self.memory.held) < self.memory.hands and not self._door_first(first)
            else []
        )
        for thing, errand in more[:1]:
            if self._on_the_way(thing, first):
                yield from self._fetch(thing, errand)
        for thing, errand in carried:
            yield from self._deliver(thing, errand)
        for thing, errand in more:
            yield from self._fetch(thing, errand)

    def missing(self) -> list[str]:
        """Categories of what is still to be found: things, then places."""
        sought: list[str] = []
        for errand in self._errands:
            thing, place = errand.want.thing, errand.want.place
            assert thing is not None
            assert place is not None
            if errand.lacking <= 0:
                continue
            found = [name for name in self._instances(thing) if name not in self._kept]
            lacks = 1 if errand.lacking == _UNBOUNDED else errand.lacking
            if len(found) < lacks and not (errand.want.count is None and errand.done):
                sought += thing.categories
            if errand.place is None and found:
                sought += place.categories
        return list(dict.fromkeys(sought))

    def lacking(self) -> bool:
        """Whether anything is still to be brought."""
        return any(errand.lacking > 0 for errand in self._errands)

    def of_all(self) -> list[str]:
        """Categories of which everything is to be brought, wherever it is."""
        return [
            kind
            for want in self._wants
            if want.count is None and want.thing is not None
            for kind in want.thing.categories
        ]

    def doubts(self) -> Steps:
        """Make sure of what was only seen at its place, in or on it: take it and put it there."""
        for errand in self._errands:
            for thing in errand.done:
                sighting = self.memory.things.get(thing)
                if sighting is not None and not sighting.mine and sighting.relation is None:
                    yield from take(self.now, thing, f"I make sure where {thing} is.")

    # --- what is wanted ------------------------------------------------------------------------

    def _errand(self, want: Requirement) -> _Errand:
        assert want.thing is not None
        assert want.place is not None
        place = self._place(want)
        filled_first = any(other.place == want.thing and other is not want for other in self._wants)
        done = []
        if place is not None:
            done = [t for t in self._instances(want.thing) if self._is_at(t, want.relation, place)]
        if want.count is None:
            elsewhere = [t for t in self._instances(want.thing) if t not in done]
            lacking = len(elsewhere) or (0 if done else _UNBOUNDED)
        else:
            done = done[: want.count]
            lacking = want.count - len(done)
        return _Errand(want, place, tuple(done), lacking, filled_first)

    def _place(self, want: Requirement) -> str | None:
        """The instance that things go to: always the same of a category, as far as it takes them.

        What oneself has put something at comes first, then what was seen first.
        """
        term = want.place
        assert term is not None
        named = self._name(term)
        if named is not None:
            known = self.memory.located(named) or named in self.memory.rooms
            return named if known or named in self.memory.held else None
        if term not in self._chosen:
            memory = self.memory
            refusing = {place for _, place in memory.no_place}
            places = [
                name
                for name in [*memory.rooms, *memory.known(), *memory.held]
                if self._fits(term, name) and name not in refusing
            ]
            mine = [s.place for s in memory.things.values() if s.mine]
            places.sort(key=lambda name: -mine.count(name))
            self._chosen[term] = places[0] if places else None
        return self._chosen[term]

    def _may_bring(self, errand: _Errand, thing: str) -> bool:
        assert errand.want.thing is not None
        if errand.filled_first:
            return thing in self._to_bring(errand)
        return self._fits(errand.want.thing, thing)

    def _waits(self, errand: _Errand) -> bool:
        """Whether what is to be brought has to be filled first, and is not."""
        return errand.filled_first and any(
            other.lacking > 0 for other in self._errands if other.want.place == errand.want.thing
        )

    def _to_bring(self, errand: _Errand) -> list[str]:
        """What may be brought for an errand: once it is filled, what was filled."""
        assert errand.want.thing is not None
        if not errand.filled_first:
            return self._instances(errand.want.thing)
        if self._waits(errand):
            return []
        name = self._name(errand.want.thing) or self._chosen.get(errand.want.thing)
        return [] if name is None else [name]

    def _instances(self, term: Term) -> list[str]:
        memory = self.memory
        known = (*memory.held, *memory.things, *memory.furniture)
        return [
            name
            for name in dict.fromkeys(known)
            if self._fits(term, name)
            and name not in memory.no_grip
            and not memory.worn_out(f"pick up {name}")
        ]

    def _is_at(self, thing: str, relation: str, place: str) -> bool:
        """Whether a thing is where it is to be, as far as is known."""
        memory = self.memory
        if place in memory.rooms:
            return thing not in memory.held and memory.room_of(thing) == place
        sighting = memory.things.get(thing)
        if sighting is None or sighting.place is None:
            return False
        if sighting.place == place:
            return sighting.relation in (None, relation)
        return relation == "inside" and self._is_at(sighting.place, relation, place)

    # --- bringing ------------------------------------------------------------------------------

    def _carried(self) -> Iterator[tuple[str, _Errand]]:
        """What is in hand, each with an errand that needs it."""
        needs = {id(errand): errand.lacking for errand in self._errands}
        for thing in self.memory.held:
            for errand in self._errands:
                if needs[id(errand)] > 0 and self._may_bring(errand, thing):
                    needs[id(errand)] -= 1
                    yield thing, errand
                    break

    def _ready(self, carried: Sequence[str]) -> list[tuple[str, _Errand]]:
        """What was found and is still to be fetched, the nearest first."""
        memory = self.memory
        needs = {id(errand): errand.lacking for errand in self._errands}
        for _, errand in self._carried():
            needs[id(errand)] -= 1
        taken: set[str] = set(carried)
        found: list[tuple[str, _Errand]] = []
        for errand in self._errands:
            if errand.place is None:
                continue  # where to is found out first, while the hands are free
            things = [
                name
                for name in self._to_bring(errand)
                if name not in taken
                and name not in self._kept
                and name not in memory.held
                and name != errand.place
            ]
            things.sort(key=self._distance)
            for name in things[: max(needs[id(errand)], 0)]:
                taken.add(name)
                found.append((name, errand))
        return sorted(found, key=lambda pair: self._distance(pair[0]))

    def _distance(self, thing: str) -> int:
        memory = self.memory
        if memory.in_reach(thing):
            return 0
        return 1 if memory.room_of(thing) == memory.here else 2

    def _on_the_way(self, thing: str, errand: _Errand) -> bool:
        """Whether to fetch another thing before bringing what is in hand."""
        if errand.place is None or self._distance(thing) == 0:
            return True
        if self.memory.in_reach(errand.place):
            return False
        return self._distance(thing) == 1 or self._distance(errand.place) == 2

    def _door_first(self, errand: _Errand) -> bool:
        """Whether a hand has to stay free for a door."""
        memory, place = self.memory, errand.place
        return (
            memory.hand_to_open
            and errand.want.relation == "inside"
            and (place is None or memory.state(place, "open") is not True)
        )

    def _open_first(self, errand: _Errand) -> Steps:
        """Open where a thing goes while one stands there and the hand is free."""
        place = errand.place
        if place is None or not self.memory.hand_to_open or errand.want.relation != "inside":
            return
        if self.memory.in_reach(place) and is_shut(self.now, place):
            yield from uncover(self.now, place, "Things are to go in.")

    def _deliver(self, thing: str, errand: _Errand) -> Steps:
        if errand.place is None:
            return
        words = f"{errand.want.relation} {errand.place}"
        yield from put(
            self.now, thing, errand.want.relation, errand.place, f"{thing} is to be {words}."
        )

    def _fetch(self, thing: str, errand: _Errand) -> Steps:
        memory, place = self.memory, errand.place
        if place is not None and self._may_be_there(thing, errand.want.relation, place):
            if not memory.in_reach(place):
                yield from reach(self.now, place, f"{thing} may be there already.")
            yield Choice(f"Is {thing} {errand.want.relation} {place} already?", f"look at {place}")
        yield from take(self.now, thing, f"The task needs a {category(thing)}.")

    def _may_be_there(self, thing: str, relation: str, place: str) -> bool:
        """Whether a thing may be at its place already, and a look would tell."""
        memory = self.memory
        sighting: Sighting | None = memory.things.get(thing)
        if sighting is None or sighting.place is not None or place in memory.rooms:
            return False
        if (thing, place) in memory.apart or f"look at {place}" in memory.happened[-1:]:
            return False
        if relation == "inside" and (
            (thing, place) in memory.outside or memory.state(place, "closed")
        ):
            return False
        return memory.in_reach(thing) and memory.in_reach(place)
