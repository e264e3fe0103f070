"""The next action of a careful person in a house."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from ..table import Meaning, Requirement, Term, category
from . import agent, states
from .agent import do_events
from .carrying import carry, take_away, take_some_away
from .handling import approach, go_to_room, look_at_the_rest, make_room, search_for
from .memory import DONE, GIVE_UP, Choice, Choices, HouseSituation
from .placements import RequiredPlacements
from .remaining_work import remaining_work
from .states import TOASTED, is_treated, toast, treat, treatment_begun


def next_choice(
    situation: HouseSituation, meanings: Sequence[Meaning], *, thinks_of_rest: bool = False
) -> Choice:
    """The next choice, one of the actions on offer if there are any.

    thinks_of_rest: whether the thought is the remaining work, which a small model can learn.
    """
    if not meanings:
        return Choice("I do not understand what I am asked to do.", GIVE_UP)
    chosen = []
    for meaning in _likely(situation, meanings):
        policy = Policy(situation, meaning)
        choice = first_possible(policy.choices(), situation)
        if thinks_of_rest:
            more = first_possible(policy.search_for_all(), situation)
            choice = replace(choice, thought=policy.remaining(searches=more.action != GIVE_UP))
        chosen.append(choice)
    acting = [choice for choice in chosen if choice.action not in (DONE, GIVE_UP)]
    done = [choice for choice in chosen if choice.action == DONE]
    return [*acting, *done, *chosen][0]


def first_possible(found: Iterable[Choice], situation: HouseSituation) -> Choice:
    """The first choice that is possible, or whose thing the agent can go to."""
    last = (situation.memory.succeeded or [""])[-1]
    for choice in found:
        nearer = _going_to(choice.action)
        if not situation.possible(choice.action) and situation.possible(nearer) and nearer != last:
            choice = replace(choice, action=nearer)
        if situation.possible(choice.action):
            return choice
    return Choice("I see no way on.", GIVE_UP)


def _going_to(action: str) -> str:
    """A walk to the thing of an action, if the action itself is not on offer."""
    for phrase in ("pick up ", "open ", "close ", "turn on ", "turn off ", "slice "):
        if action.startswith(phrase):
            return f"go to {action.removeprefix(phrase)}"
    return ""


class Policy:
    """The requirements of an instruction in a situation, grouped by how they are fulfilled."""

    def __init__(self, situation: HouseSituation, requirements: Sequence[Requirement]) -> None:
        self._situation = situation
        self._events = [r.verbs for r in requirements if r.relation == "event"]
        self._treatments = [r for r in requirements if r.relation == "treated"]
        self._slices = [
            required
            for required in requirements
            if required.state == "sliced"
            and any(o is not required and o.thing == required.thing for o in requirements)
        ]
        self._states = states.in_order(
            r
            for r in requirements
            if r.relation == "state" and r not in self._slices and not agent.is_agent(r.thing)
        )
        self._away = [r for r in requirements if r.relation == "away"]
        self._final = agent.of_agent(requirements)
        self._removals = [r for r in requirements if r.negated]
        self._placements = RequiredPlacements(
            situation,
            [
                r
                for r in requirements
                if r.place is not None and r.relation != "away" and not agent.is_agent(r.thing)
            ],
            self._is_prepared,
        )

    def choices(self) -> Choices:
        """All sensible choices, the best first; the last one ends the episode."""
        situation, placements = self._situation, self._placements
        if situation.memory.resting and not self._only_rest_is_left():
            yield Choice("I have to stand up first.", "stand up")
        yield from do_events(situation, self._events)
        away = [choice for required in self._away for choice in take_some_away(situation, required)]
        yield from away
        prepare = [*self._bring_about(self._slices), *self._treat()]
        yield from prepare
        yield from carry(placements)
        yield from take_away(placements, self._removals)
        for place in placements.not_looked_at():
            yield from approach(situation, place, "All that is on it is asked for.")
        missing = placements.missing()
        for room in [] if missing else placements.rooms_of_places():
            yield from go_to_room(situation, room)
        for place in placements.full():
            yield from make_room(situation, place, placements.placed)
        if missing:
            yield from search_for(situation, missing)
        bring_about = list(self._bring_about(self._states))
        yield from bring_about
        fulfil = list(agent.fulfil(situation, self._final))
        yield from fulfil
        if missing:
            yield Choice(f"I looked everywhere and found no {' and no '.join(missing)}.", GIVE_UP)
            return
        if away or prepare or bring_about or fulfil or placements.lacking():
            yield from look_at_the_rest(situation)
            yield Choice("I see no way to do the rest.", GIVE_UP)
            return
        yield from self.search_for_all()
        yield Choice("As far as I can tell everything is done.", DONE)

    def search_for_all(self) -> Choices:
        """Search for more things of goals on all things."""
        in_states = [r.thing.categories for r in self._states if r.count is None and r.thing]
        wanted = [*self._placements.wanted_everywhere(), *chain.from_iterable(in_states)]
        if wanted:
            yield from search_for(self._situation, wanted)

    def remaining(self, *, searches: bool) -> str:
        """The remaining work; see `remaining_work`."""
        states = [*self._states, *self._slices]
        return remaining_work(
            self._placements, states, self._treatments, self._away, self._final, searches=searches
        )

    def _is_prepared(self, term: Term, thing: str) -> bool:
        """Whether the thing of a term is sliced, heated and so on as it has to be."""
        memory = self._situation.memory
        return all(
            memory.state(thing, "sliced") is True for r in self._slices if r.thing == term
        ) and all(is_treated(memory, thing, r.state) for r in self._treatments if r.thing == term)

    def _treat(self) -> Choices:
        """Heat, cool or clean a thing, or a slice of it if it has to be sliced."""
        memory = self._situation.memory
        for required in self._treatments:
            if required.thing is None:
                continue
            term, state = required.thing, required.state
            if state == TOASTED:
                placed = self._placements.placed
                bring = any(placement.thing == term for placement in self._placements.all)
                yield from toast(self._situation, term, required.count or 1, placed, bring=bring)
                continue
            things = self._situation.instances(term)
            sliced = any(other.thing == term for other in self._slices)
            if sliced:
                things = [thing for thing in things if memory.state(thing, "sliced")]
            if any(is_treated(memory, thing, state) for thing in things):
                continue
            begun = [thing for thing in things if treatment_begun(memory, thing, state)]
            for thing in dict.fromkeys((*begun, *things)):
                yield from treat(self._situation, thing, state)
            if not sliced or not things:
                yield from search_for(self._situation, term.categories)

    def _bring_about(self, requirements: Sequence[Requirement]) -> Choices:
        for required in requirements:
            yield from states.bring_about(self._situation, required)

    def _only_rest_is_left(self) -> bool:
        """Whether the agent has to rest in the end and nothing else remains."""
        left = chain(carry(self._placements), self._bring_about(self._states))
        rests = any(required.relation in ("state", "on") for required in self._final)
        return rests and next(left, None) is None


# --- what an instruction may mean where tasks of different goals have the same words --------------


def _likely(situation: HouseSituation, meanings: Sequence[Meaning]) -> list[Meaning]:
    """The meanings to fulfil, in their order."""
    if len(meanings) == 1:
        return list(meanings)
    memory = situation.memory
    seen = {category(name) for name in (*memory.rooms, *memory.things, *memory.held)}
    unseen = [_unseen_places(meaning, seen) for meaning in meanings]
    best = min(unseen)
    left = [meaning for meaning, count in zip(meanings, unseen, strict=True) if count == best]
    taken = left[:1]
    for meaning in left[1:]:
        if not any(_undoes(meaning, other) for other in taken):
            taken.append(meaning)
    return taken


def _unseen_places(meaning: Meaning, seen: set[str]) -> int:
    """The number of its places that were not seen yet."""
    places = {r.place for r in meaning if r.place is not None}
    return sum(not seen.intersection(place.categories) for place in places)


def _undoes(meaning: Meaning, other: Meaning) -> bool:
    """Whether both bring things of a category to different places, or hold different things."""
    for a in meaning:
        for b in other:
            if a.thing is None or b.thing is None:
                continue
            if a.relation == b.relation == "holds" and a.thing != b.thing:
                return True
            alike = set(a.thing.categories) & set(b.thing.categories)
            if alike and a.place is not None and b.place is not None and a.place != b.place:
                return True
    return False
