"""Searches that come out again as they were recorded: where an episode is continued."""

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
    """The searches of an episode, one a decision.

    A search that was recorded before the episode was cut off is repeated with as many simulations,
    however long that takes now, so it decides the same; its note tells the seconds of then.
    """

    def __init__(self, brief: Brief, options: SearchOptions, limits: Limits) -> None:
        """limits: of searches that are not repeated."""
        self.options = options
        self._limits = limits
        self._recorded = deque(brief.searches)

    def choose(self, tracker: BeliefTracker, seed: int) -> tuple[SearchChoice, Note]:
        """The next decision and the note on it. Raises EmptyBelief where nothing is believed."""
        recorded = self._recorded.popleft() if self._recorded else None
        if recorded is None:
            choice = choose(tracker, self.options, seed, self._limits)
            return choice, search_note(choice)
        choice = choose(tracker, self.options, seed, _limits_of(recorded))
        return choice, search_note(choice, float(recorded["seconds"]))


def _limits_of(recorded: Any) -> Limits:
    """The limits by which a recorded search comes out again."""
    try:
        by_tree = tuple(int(count) for count in recorded.get("by_tree", ()))
        return Limits(simulations=max(1, int(recorded["simulations"])), by_tree=by_tree)
    except (KeyError, TypeError, ValueError):
        raise BadInput(
            "A recorded search does not tell its simulations, so it cannot be repeated; "
            "run the episode anew."
        ) from None
