"""Toasting slices one after the other: a toaster takes one at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise

from ..dialects.reactree import category
from ..transcript import Choice
from .memory import Memory
from .requirements import Term
from .search import search_for
from .situation import Choices, Situation
from .subtasks import approach, pick_up, put_down
from .treatments import is_treated

TOASTED = "toasted"
TOASTER = "toaster"
_GOING_ON = ("go to ", "open ")
_WHY = "The bread is to be toasted."


def toast(
    situation: Situation, term: Term, count: int, placed: Collection[str], *, bring: bool
) -> Choices:
    """Have so many slices toasted. placed: what is where it is to be. bring: toast goes somewhere.

    Nothing is to be done while toast waits to be brought: it lies where the next slice goes.
    """
    memory = situation.memory
    slices = situation.instances(term)
    done = [name for name in slices if is_treated(memory, name, TOASTED)]
    if len(done) >= count or (bring and any(name not in placed for name in done)):
        return
    toasters = [name for name in memory.known_names() if category(name) == TOASTER]
    if not toasters:
        yield from search_for(situation, (TOASTER,))
        return
    for toaster in toasters:
        if any(_is_in(memory, name, toaster) for name in slices if name not in done):
            yield from _run(situation, toaster)
            return
    raw = [name for name in slices if name not in done]
    held = [name for name in raw if name in memory.held]
    for name in held:
        for toaster in toasters:
            yield from _make_room(situation, done, toaster)
            yield from put_down(situation, name, "inside", toaster, _WHY)
        return
    others = [name for name in raw if not _cannot_be_taken(situation, name)]
    fresh = [name for name in others if not _was_passed_over(memory, name)]
    for name in fresh:
        yield from pick_up(situation, name, _WHY)
    yield from search_for(situation, term.categories)
    for name in others:
        yield from pick_up(situation, name, _WHY)


def _run(situation: Situation, toaster: str) -> Choices:
    """Turn a toaster on, which may still be on from the slice before."""
    yield from approach(situation, toaster, _WHY)
    if situation.memory.state(toaster, "on"):
        yield Choice(f"{_WHY} {toaster} is on already; once more.", f"turn off {toaster}")
    yield Choice(_WHY, f"turn on {toaster}")


def _make_room(situation: Situation, done: Collection[str], toaster: str) -> Iterator[Choice]:
    """Take out the toast that is still inside."""
    for name in done:
        if _is_in(situation.memory, name, toaster):
            yield from pick_up(situation, name, f"{toaster} takes one slice at a time.")


def _is_in(memory: Memory, name: str, toaster: str) -> bool:
    sighting = memory.things.get(name)
    return sighting is not None and sighting.place == toaster


def _was_passed_over(memory: Memory, name: str) -> bool:
    """Whether one stood where a slice lies and went on without taking anything there."""
    sighting = memory.things.get(name)
    place = None if sighting is None else sighting.stood_at
    for action, following in pairwise(memory.succeeded):
        left = following.startswith(_GOING_ON) and _stood_at(memory, following) != place
        if place is not None and left and _stood_at(memory, action) == place:
            return True
    return False


def _stood_at(memory: Memory, action: str) -> str | None:
    """The furniture that an action goes to or opens."""
    return memory.furniture_of(action.removeprefix("go to ").removeprefix("open "))


def _cannot_be_taken(situation: Situation, name: str) -> bool:
    """Whether a slice that is in reach is not on offer although a hand is free."""
    memory = situation.memory
    if name in memory.not_graspable or memory.is_futile(f"pick up {name}"):
        return True
    waits = memory.in_reach(name) and len(memory.held) < memory.hands
    return waits and situation.options is not None and not situation.offered(f"pick up {name}")
