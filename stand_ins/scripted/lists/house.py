"""A task in a house that lists tell of: what it asks for, and what one can do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..dialects.llm_state import ListedScene, Words
from ..household.memory import Memory
from ..household.requirements import Requirement
from .knowledge import memory_of_lists
from .log import Logged


@dataclass(frozen=True)
class ListedHouse:
    """The task, how names are worded, the calls on offer, and the body."""

    instruction: str
    requirements: Sequence[Requirement]
    words: Words
    functions: frozenset[str]
    hands: int = 2
    opening_needs_hand: bool = False

    def memory(self, scene: ListedScene, log: Sequence[Logged]) -> Memory:
        """What is known after the actions of a log, in a scene."""
        return memory_of_lists(
            scene, log, hands=self.hands, opening_needs_hand=self.opening_needs_hand
        )

    def wants_in_state(self, category: str, *states: str) -> bool:
        """Whether the task wants things of a category in one of some states, or in any."""
        return any(
            required.thing is not None
            and category in required.thing.categories
            and (required.state in states if states else required.state != "")
            for required in self.requirements
        )
