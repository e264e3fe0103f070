"""The next action in a house: what a careful person would do, from what was read so far.

Every request is read anew from its first message, so that the same messages give the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from .. import kitchens
from ..dialects import alfworld, lookplangraph_games
from ..transcript import DONE, GIVE_UP, Choice, Transcript
from . import carrying, final_conditions, removals, states, whole_house
from .events import do_events
from .meanings import likely
from .memory_updates import memory_of
from .placements import RequiredPlacements
from .remaining_work import Work, remaining_work
from .requirements import Requirement, Table, Term, meanings_of
from .search import look_at_the_rest, search_for
from .situation import Choices, Situation
from .subtasks import approach, make_room
from .taking_away import take_some_away
from .toast import TOASTED, toast
from .treatments import is_treated, treat, treatment_begun


def next_action(transcript: Transcript, table: Table) -> Choice:
    """What to do next, one of the options if there are any."""
    meanings = meanings_of(table, transcript.instruction)
    if not meanings:
        return Choice("I do not understand what I am asked to do.", GIVE_UP)
    if kitchens.is_told(transcript):
        return kitchens.next_action(transcript, meanings[0])
    transcript = alfworld.to_reactree(transcript, table, [r for m in meanings for r in m])
    transcript = lookplangraph_games.to_reactree(transcript, table)
    situation = situation_of(transcript)
    chosen = [_chosen(situation, meaning, transcript) for meaning in likely(situation, meanings)]
    for choice in chosen:
        if choice.action not in (DONE, GIVE_UP):
            return choice
    return next((choice for choice in chosen if choice.action == DONE), chosen[0])


def _chosen(
    situation: Situation, requirements: Sequence[Requirement], transcript: Transcript
) -> Choice:
    """The first possible choice for some requirements."""
    policy = _Policy(situation, requirements)
    choice = first_possible(policy.choices(), situation, transcript)
    if transcript.thinks_of_rest:
        more = first_possible(policy.search_for_all(), situation, transcript)
        remaining = policy.remaining(searches=more.action != GIVE_UP)
        choice = replace(choice, thought=in_original_wording(remaining, transcript))
    return choice


def action_for(transcript: Transcript, requirements: Sequence[Requirement]) -> Choice:
    """What to do next for some requirements."""
    situation = situation_of(transcript)
    return first_possible(choices(situation, requirements), situation, transcript)


def situation_of(transcript: Transcript) -> Situation:
    """The situation after a transcript."""
    options = None if transcript.options is None else frozenset(transcript.options)
    memory = memory_of(transcript)
    return Situation(memory, options, transcript.instruction, transcript.not_looked_at)


def first_possible(found: Choices, situation: Situation, transcript: Transcript) -> Choice:
    """The first of some choices that is possible, or whose thing can be gone to."""
    last = transcript.turns[-1].action if transcript.turns else ""
    for choice in found:
        nearer = _going_to(choice.action)
        if not situation.possible(choice.action) and situation.possible(nearer) and nearer != last:
            choice = replace(choice, action=nearer)
        if situation.possible(choice.action):
            return replace(choice, action=in_original_wording(choice.action, transcript))
    return Choice("I see no way on.", GIVE_UP)


def choices(situation: Situation, requirements: Sequence[Requirement]) -> Choices:
    """All that makes sense now, the best first; the last says that this is the end."""
    return _Policy(situation, requirements).choices()


def _going_to(action: str) -> str:
    """Going to what an action handles, which is offered from afar where the action is not."""
    for phrase in ("pick up ", "open ", "close ", "turn on ", "turn off ", "slice "):
        if action.startswith(phrase):
            return f"go to {action.removeprefix(phrase)}"
    return ""


def in_original_wording(action: str, transcript: Transcript) -> str:
    """An action with its names as the planner says them."""
    wording = transcript.wording
    if not wording:
        return action
    names = "|".join(sorted(map(re.escape, wording), key=len, reverse=True))
    return re.sub(rf"(?<!\w)({names})(?!\w)", lambda name: wording[name[0]], action)


class _Policy:
    """The requirements of an instruction in a situation, by how they are seen to."""

    def __init__(self, situation: Situation, requirements: Sequence[Requirement]) -> None:
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
            if r.relation == "state"
            and r not in self._slices
            and not final_conditions.is_agent(r.thing)
        )
        self._away = [r for r in requirements if r.relation == "away"]
        self._final = final_conditions.of_agent(requirements)
        self._removals = [r for r in requirements if r.negated]
        self._placements = RequiredPlacements(
            situation,
            [
                r
                for r in requirements
                if r.place is not None
                and r.relation != "away"
                and not final_conditions.is_agent(r.thing)
            ],
            self._is_prepared,
        )

    def choices(self) -> Choices:
        """All that makes sense now, the best first; the last says that this is the end."""
        situation, placements = self._situation, self._placements
        if situation.memory.resting and not self._only_rest_is_left():
            yield Choice("I have to stand up first.", "stand up")
        yield from do_events(situation, self._events)
        away = [choice for required in self._away for choice in take_some_away(situation, required)]
        yield from away
        prepare = list(chain(self._slice(), self._treat()))
        yield from prepare
        yield from carrying.carry(placements)
        yield from removals.take_away(placements, self._removals)
        for place in placements.not_looked_at():
            yield from approach(situation, place, "All that is on it is asked for.")
        missing = placements.missing()
        for room in [] if missing else placements.rooms_of_places():
            yield from whole_house.go_to_room(situation, room)
        for place in placements.full():
            yield from make_room(situation, place, placements.placed)
        if missing:
            yield from search_for(situation, missing)
        bring_about = list(self._bring_about_states())
        yield from bring_about
        fulfil = list(final_conditions.fulfil(situation, self._final))
        yield from fulfil
        if missing:
            yield Choice(f"I looked everywhere and found no {' and no '.join(missing)}.", GIVE_UP)
            return
        if away or prepare or bring_about or fulfil or placements.lacking():
            yield from look_at_the_rest(situation)
            yield Choice("I see no way to do the rest.", GIVE_UP)
            return
        yield from carrying.make_sure(placements)
        yield from self.search_for_all()
        yield Choice("As far as I can tell everything is done.", DONE)

    def search_for_all(self) -> Choices:
        """Search for more of what is asked of all there are."""
        wanted = [*self._placements.wanted_everywhere(), *self._in_states_everywhere()]
        if wanted:
            yield from search_for(self._situation, wanted, thoroughly=False)

    def remaining(self, *, searches: bool) -> str:
        """What is still to be brought somewhere or to come to a state. searches: see `Work`."""
        work = Work(
            self._placements,
            [*self._states, *self._slices],
            self._treatments,
            self._away,
            self._final,
            searches,
        )
        return remaining_work(work)

    def _is_prepared(self, term: Term, thing: str) -> bool:
        """Whether a thing that a term means is sliced, heated and so on as it is to be."""
        memory = self._situation.memory
        return all(
            memory.state(thing, "sliced") is True for r in self._slices if r.thing == term
        ) and all(is_treated(memory, thing, r.state) for r in self._treatments if r.thing == term)

    def _slice(self) -> Choices:
        """Have slices of what is to be sliced before it is brought anywhere."""
        for required in self._slices:
            yield from states.bring_about(self._situation, required)

    def _treat(self) -> Choices:
        """Have one thing heated, cooled or cleaned; a slice of it, where it is to be sliced."""
        memory = self._situation.memory
        for required in self._treatments:
            if required.thing is None:
                continue
            term, state = required.thing, required.state
            if state == TOASTED:
                yield from self._toast(required, term)
                continue
            things = self._situation.instances(term)
            sliced = any(other.thing == term for other in self._slices)
            if sliced:
                things = [thing for thing in things if memory.state(thing, "sliced")]
            if any(is_treated(memory, thing, state) for thing in things):
                continue
            for thing in sorted(things, key=partial(self._not_begun, state)):
                yield from treat(self._situation, thing, state)
            if not sliced or not things:
                yield from search_for(self._situation, term.categories)

    def _toast(self, required: Requirement, term: Term) -> Choices:
        placements = self._placements
        return toast(
            self._situation,
            term,
            required.count or 1,
            placements.placed,
            bring=any(placement.thing == term for placement in placements.all),
        )

    def _not_begun(self, state: str, thing: str) -> bool:
        return not treatment_begun(self._situation.memory, thing, state)

    def _in_states_everywhere(self) -> list[str]:
        """The categories of which everything is to be in a state, wherever it is."""
        return [
            kind
            for required in self._states
            if required.count is None and required.thing is not None
            for kind in required.thing.categories
        ]

    def _bring_about_states(self) -> Choices:
        for required in self._states:
            yield from states.bring_about(self._situation, required)

    def _only_rest_is_left(self) -> bool:
        """Whether the agent is to rest in the end, and nothing else is left to be done."""
        rest = final_conditions.wants_rest(self._final)
        return (
            rest
            and next(chain(carrying.carry(self._placements), self._bring_about_states()), None)
            is None
        )
