"""Decides what a careful person would do next, from what was read so far.

Every request is read anew from its first message, so that the same messages give the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from ..dialects.alfworld import in_other_words
from ..dialects.reactree import category
from ..transcript import DONE, GIVE_UP, Choice, Transcript
from . import activities as doing
from .memory import Memory, remember
from .placements import Errands
from .requirements import YOU, Requirement, Table, Term, named_in, wants_of
from .search import look_for
from .subtasks import Knowledge, Steps, reach, take, uncover
from .treatments import is_treated, treat, under_way

#: How a thing is brought into a state, in the order in which such things are done.
_VERBS = {
    "plugged_out": "unplug",
    "off": "turn off",
    "open": "open",
    "clean": "wash",
    "sliced": "slice",
    "closed": "close",
    "plugged_in": "plug in",
    "on": "turn on",
}
#: Where oneself is to be in the end, in the order in which one sees to it.
_ENDINGS = ("wears", "holds", "inside", "close", "facing", "on", "state")


def decide(transcript: Transcript, table: Table) -> Choice:
    """What to do next, one of the options if there are any."""
    wants = wants_of(table, transcript.instruction)
    if wants is None:
        return Choice("I do not understand what I am asked to do.", GIVE_UP)
    transcript = in_other_words(transcript, table, wants)
    memory = remember(transcript)
    options = None if transcript.options is None else frozenset(transcript.options)
    now = Knowledge(memory, options)
    for choice in _Mind(now, wants, transcript.instruction).choices():
        if now.possible(choice.action):
            return replace(choice, action=_as_said(choice.action, transcript))
    return Choice("I see no way on.", GIVE_UP)


def _as_said(action: str, transcript: Transcript) -> str:
    """An action with its names as the planner says them."""
    said = transcript.said
    if not said:
        return action
    names = "|".join(sorted(map(re.escape, said), key=len, reverse=True))
    return re.sub(rf"(?<!\w)({names})(?!\w)", lambda name: said[name[0]], action)


class _Mind:
    """The wants of an instruction beside what is known."""

    def __init__(self, now: Knowledge, wants: Sequence[Requirement], instruction: str) -> None:
        self.now = now
        self.memory: Memory = now.memory
        self.instruction = instruction
        self.wants = wants
        placements = [w for w in wants if w.place is not None and not _is_you(w.thing)]
        self.treatments = [want for want in wants if want.relation == "treated"]
        self.slices = [
            want
            for want in wants
            if want.state == "sliced" and any(_same(want, other) for other in wants)
        ]
        self.errands = Errands(now, placements, self.fits_prepared, self.name)
        states = [w for w in wants if w.relation == "state" and w not in self.slices]
        self.states = sorted(
            (w for w in states if not _is_you(w.thing)),
            key=lambda want: list(_VERBS).index(want.state) if want.state in _VERBS else 99,
        )
        self.endings = sorted(
            (w for w in wants if w.relation in ("wears", "holds") or _is_you(w.thing)),
            key=lambda want: _ENDINGS.index(want.relation) if want.relation in _ENDINGS else 99,
        )

    def choices(self) -> Steps:
        """All that makes sense now, the best first; the last says that this is the end."""
        memory = self.memory
        if memory.resting and not self._only_rests():
            yield Choice("I have to stand up first.", "stand up")
        events = [want.verbs for want in self.wants if want.relation == "event"]
        yield from doing.events(self.now, events, self.instruction)
        prepared = list(chain(self._slice(), self._treat()))
        yield from prepared
        yield from self.errands.steps()
        lost = self.errands.missing()
        if lost:
            yield from look_for(self.now, lost)
        open_states = list(chain.from_iterable(map(self._state, self.states)))
        yield from open_states
        endings = list(chain.from_iterable(map(self._ending, self.endings)))
        yield from endings
        if lost:
            yield Choice(f"I looked everywhere and found no {' and no '.join(lost)}.", GIVE_UP)
            return
        if prepared or open_states or endings or self.errands.lacking():
            yield Choice("I see no way to do the rest.", GIVE_UP)
            return
        yield from self.errands.doubts()
        if self.errands.of_all():
            yield from look_for(self.now, self.errands.of_all())
        yield Choice("As far as I can tell everything is done.", DONE)

    # --- terms ---------------------------------------------------------------------------------

    def name(self, term: Term) -> str | None:
        """The thing that an instruction names, if it names one."""
        if term.named is None:
            return None
        names = [name for kind in term.categories for name in named_in(self.instruction, kind)]
        return names[term.named - 1] if term.named <= len(names) else None

    def fits(self, term: Term, thing: str) -> bool:
        name = self.name(term)
        return category(thing) in term.categories if name is None else thing == name

    def fits_prepared(self, term: Term, thing: str) -> bool:
        """Whether a thing is what a term means, sliced, heated and so on as it is to be."""
        return self.fits(term, thing) and self._is_prepared(term, thing)

    def _is_prepared(self, term: Term, thing: str) -> bool:
        memory = self.memory
        return all(
            memory.state(thing, "sliced") is True for want in self.slices if want.thing == term
        ) and all(
            is_treated(memory, thing, want.state) for want in self.treatments if want.thing == term
        )

    # --- what is done to things before they are brought anywhere ---------------------------------

    def _slice(self) -> Steps:
        """Have slices of what is to be sliced."""
        for want in self.slices:
            yield from self._state(want)

    def _treat(self) -> Steps:
        """Have one thing heated, cooled or cleaned; a slice of it, where it is to be sliced."""
        for want in self.treatments:
            if want.thing is None:
                continue
            term = want.thing
            things = self._instances(term)
            sliced = any(other.thing == term for other in self.slices)
            if sliced:
                things = [t for t in things if self.memory.state(t, "sliced")]
            if any(is_treated(self.memory, thing, want.state) for thing in things):
                continue
            for thing in sorted(things, key=partial(self._is_new, want.state)):
                yield from treat(self.now, thing, want.state)
            if not sliced or not things:
                yield from look_for(self.now, term.categories)

    def _is_new(self, how: str, thing: str) -> bool:
        """Whether nothing was done yet to have a thing heated, cooled or cleaned."""
        return not under_way(self.memory, thing, how)

    def _instances(self, term: Term) -> list[str]:
        """What fits and can be gone to, what is in hand and in reach first."""
        memory = self.memory
        known = [*memory.held, *memory.worn, *memory.rooms, *memory.known()]
        found = [thing for thing in dict.fromkeys(known) if self.fits(term, thing)]
        return sorted(found, key=lambda thing: not memory.in_reach(thing))

    # --- states and what oneself does ------------------------------------------------------------

    def _state(self, want: Requirement) -> Steps:
        """Bring as many things as wanted into a state."""
        memory, state = self.memory, want.state
        if want.thing is None or state not in _VERBS:
            return
        things = self._instances(want.thing)
        count = max(len(things), 1) if want.count is None else want.count
        missing = count - sum(memory.state(thing, state) is True for thing in things)
        if missing <= 0:
            return
        for thing in things:
            if memory.state(thing, state):
                continue
            yield from self._bring_into(thing, state)
        if missing > sum(memory.state(thing, state) is not True for thing in things):
            yield from look_for(self.now, want.thing.categories)
            yield Choice(f"I looked everywhere for the {want.thing.categories[0]}.", GIVE_UP)

    def _bring_into(self, thing: str, state: str) -> Steps:
        memory = self.memory
        why = f"{thing} has to be {state.replace('_', ' ')}."
        lacks_knife = state == "sliced" and not any("knife" in category(t) for t in memory.held)
        if lacks_knife and memory.hands == 1:
            yield from self._take_knife()
            return
        if not memory.in_reach(thing) and thing not in memory.held:
            yield from reach(self.now, thing, why)
            return
        if state == "open":
            yield from uncover(self.now, thing, why)
            return
        if lacks_knife:
            yield from self._take_knife()
        if state == "on" and memory.state(thing, "plugged_out"):
            yield Choice(f"{why} It has no power yet.", f"plug in {thing}")
        if state == "plugged_out" and memory.state(thing, "on"):
            yield Choice(f"{why} It is still running.", f"turn off {thing}")
        yield Choice(why, f"{_VERBS[state]} {thing}")

    def _take_knife(self) -> Steps:
        knife = Term(("knife", "butter knife"))
        for tool in self._instances(knife):
            yield from take(self.now, tool, "I need a knife.")
        yield from look_for(self.now, knife.categories)

    def _ending(self, want: Requirement) -> Steps:
        """What oneself holds or wears, and where and how one is, in the end."""
        if want.relation in ("holds", "wears") and want.thing is not None:
            yield from self._on_body(want, want.thing)
        elif want.relation == "state":
            yield from doing.rest(self.now, want.state, self.instruction, self._seats())
        elif want.place is not None:
            yield from self._be(want.relation, want.place)

    def _on_body(self, want: Requirement, term: Term) -> Steps:
        memory, now = self.memory, self.now
        there = memory.held if want.relation == "holds" else memory.worn
        if any(self.fits(term, thing) for thing in there):
            return
        keep = frozenset(
            thing
            for other in self.endings
            if other.relation == "holds" and other.thing is not None
            for thing in memory.held
            if self.fits(other.thing, thing)
        )
        for thing in self._instances(term):
            if thing in memory.held:
                yield Choice(f"I am to wear {thing}.", f"put on {thing}")
            elif thing not in memory.worn:
                yield from take(now, thing, f"I am to have {thing}.", keep)
            else:
                yield Choice(f"I am to hold {thing}.", f"take off {thing}")
        yield from look_for(now, term.categories)

    def _be(self, relation: str, term: Term) -> Steps:
        """Be in a room, close to a thing, turned to it, or on it."""
        memory = self.memory
        places = self._instances(term)
        for place in places:
            if place in memory.rooms:
                if memory.here != place:
                    yield Choice(f"I am to be in the {place}.", f"go to {place}")
                return
            if not memory.in_reach(place):
                yield from reach(self.now, place, f"I am to be at {place}.")
            elif relation == "on" and not memory.resting:
                for phrase in doing.ways_to_rest(self._posture()):
                    yield Choice(f"I am to be on {place}.", f"{phrase} {place}")
            elif relation == "facing" and f"turn to {place}" not in memory.happened:
                yield Choice(f"I am to face {place}.", f"turn to {place}")
            return
        yield from look_for(self.now, term.categories)

    def _seats(self) -> list[str]:
        wanted = [w.place for w in self.endings if w.relation == "on" and w.place is not None]
        return [seat for term in wanted for seat in self._instances(term)]

    def _posture(self) -> str:
        return next((w.state for w in self.endings if w.relation == "state"), "sitting")

    def _only_rests(self) -> bool:
        """Whether one rests, and that is what is left to be done."""
        rest = any(w.relation == "state" or w.relation == "on" for w in self.endings)
        walking: Iterator[Choice] = chain(
            self.errands.steps(), *(self._state(want) for want in self.states)
        )
        return rest and next(walking, None) is None


def _same(one: Requirement, other: Requirement) -> bool:
    """Whether something else is asked for of the same things."""
    return other is not one and other.thing == one.thing


def _is_you(term: Term | None) -> bool:
    return term is not None and YOU in term.categories
