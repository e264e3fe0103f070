"""What is known when the next action is chosen: the memory, the options and the instruction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..dialects.reactree import category
from ..transcript import Choice
from .memory import Memory
from .requirements import ANYTHING, Term, named_in

#: Actions to choose from, the best first: the first one that is possible is taken.
Choices = Iterator[Choice]


@dataclass(frozen=True)
class Situation:
    """See the module.

    options: the actions on offer now, None where nothing says so. not_looked_at: the places or
    rooms that are told to be left to look at, in their order.
    """

    memory: Memory
    options: frozenset[str] | None
    instruction: str
    not_looked_at: tuple[str, ...] = ()

    def offered(self, action: str) -> bool:
        """Whether an action is said to be on offer."""
        return self.options is not None and action in self.options

    def possible(self, action: str) -> bool:
        """Whether an action may be chosen."""
        on_offer = self.options is None or action in self.options
        return on_offer and not self.memory.is_futile(action)

    def named_by(self, term: Term) -> str | None:
        """The thing that the instruction names for a term, if it names one."""
        if term.named is None:
            return None
        names = [name for kind in term.categories for name in named_in(self.instruction, kind)]
        return self._as_told(names[term.named - 1]) if term.named <= len(names) else None

    def _as_told(self, name: str) -> str:
        """A name of the instruction as the house has it: "microwave oven 1" of "microwave 1"."""
        number = name.rpartition(" ")[2]
        told = (
            known
            for known in self.memory.known_names()
            if category(known) == category(name) and known.endswith(f" {number}")
        )
        return next(told, name)

    def fits(self, term: Term, thing: str) -> bool:
        """Whether a term may mean a thing."""
        name = self.named_by(term)
        if name is not None:
            return thing == name
        if term.room and not self._is_in(thing, term.room):
            return False
        return category(thing) in term.categories or ANYTHING in term.categories

    def _is_in(self, thing: str, room: str) -> bool:
        there = self.memory.room_of(thing) or ""
        return room in (there, category(there))

    def instances(self, term: Term) -> list[str]:
        """What a term may mean and can be gone to, what is within reach first."""
        memory = self.memory
        known = [*memory.held, *memory.worn, *memory.rooms, *memory.known_names()]
        found = [thing for thing in dict.fromkeys(known) if self.fits(term, thing)]
        return sorted(found, key=lambda thing: not memory.in_reach(thing))
