"""Repetition of recorded searches when an episode is resumed."""

from __future__ import annotations

from collections import deque
from typing import Any

from ....errors import BadInput
from ...contract import Brief, Note
from .decide import SearchChoice, SearchOptions, choose
from .notes import search_note
from .search.protocol import Limits
from .tracker import BeliefTracker


class Searches:
    """The searches of an episode, one per decision.

    A search recorded before the interruption is repeated with the same number of simulations,
    however long it takes, so it decides the same. Its note has the recorded seconds.
    """

    def __init__(self, brief: Brief, options: SearchOptions, limits: Limits) -> None:
        """limits: of new searches."""
        self.options = options
        self._limits = limits
        self._recorded = deque(brief.searches)

    def choose(self, tracker: BeliefTracker, seed: int) -> tuple[SearchChoice, Note]:
        """The next decision and its note. Raises EmptyBelief for an empty belief."""
        recorded = self._recorded.popleft() if self._recorded else None
        if recorded is None:
            choice = choose(tracker, self.options, seed, self._limits)
            return choice, search_note(choice)
        choice = choose(tracker, self.options, seed, _limits_of(recorded))
        return choice, search_note(choice, float(recorded["seconds"]))


def _limits_of(recorded: Any) -> Limits:
    """The limits that repeat a recorded search."""
    try:
        by_tree = tuple(int(count) for count in recorded.get("by_tree", ()))
        return Limits(simulations=max(1, int(recorded["simulations"])), by_tree=by_tree)
    except (KeyError, TypeError, ValueError):
        raise BadInput(
            "A recorded search lacks its number of simulations, so it cannot be repeated; "
            "run the episode from its start."
        ) from None
