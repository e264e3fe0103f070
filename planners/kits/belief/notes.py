"""The notes of planners in belief: what they believe, and how they searched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...contract import Note
from .decide import SearchChoice
from .tracker import BeliefTracker

#: The most areas of an object, and the most goals, in a note.
_MOST_AREAS, _MOST_GOALS = 8, 5

Belief = Mapping[str, Mapping[str, float]]


def likely_places(tracker: BeliefTracker) -> dict[str, dict[str, float]]:
    """The likeliest areas of each object of some goal, with their probabilities."""
    places = {}
    for name, at in sorted(tracker.objects().items()):
        best = sorted(at, key=lambda area: (-at[area], area))[:_MOST_AREAS]
        places[name] = {area: round(at[area], 3) for area in best}
    return places


def belief_note(
    before: Belief, tracker: BeliefTracker, survived: float, *, replenished: bool
) -> Note:
    """A note on the belief before and after an observation."""
    goals = [
        {"weight": round(weight, 3), "targets": goal}
        for weight, goal in tracker.goals()[:_MOST_GOALS]
    ]
    data = {
        "before": before,
        "after": likely_places(tracker),
        "goals": goals,
        "survived": round(survived, 3),
        "replenished": replenished,
    }
    text = f"{survived:.0%} of the belief agrees with what is seen"
    return Note("belief", f"{text}; replenished" if replenished else text, data)


def search_note(choice: SearchChoice, seconds: float | None = None) -> Note:
    """A note on a search. seconds: the wall time of the recorded search that this one repeats."""
    data: dict[str, Any] = {
        "action": str(choice.action),
        "value": round(choice.value, 3),
        "lower": round(choice.lower, 3),
        "upper": round(choice.upper, 3),
        "simulations": choice.simulations,
        "nodes": choice.nodes,
        "seconds": round(choice.seconds, 6) if seconds is None else seconds,
        "branch": [{"action": action, "observation": seen} for action, seen in choice.branch],
    }
    if choice.result.by_tree:
        data["by_tree"] = list(choice.result.by_tree)
    text = f"{choice.action}, worth {choice.value:.0f}, by {choice.simulations} simulations"
    return Note("search", text, data)
