"""The levels of kitchen tasks, and the rules of their episodes."""

from __future__ import annotations

from dataclasses import dataclass

from ...adapters.kitchens.layouts import Layout, english
from ...scene_graph.rules import Budgets, Ends, Feedback, RefusedText, Rewards, Rules
from ...skills.actions import Verb

PLANNING_S = 600.0
#: What the paper's scores count: the task, an action that could not be done, and one that was.
GOAL, INFEASIBLE, MANIPULATION = 1000.0, -25.0, -5.0


@dataclass(frozen=True)
class Level:
    """A level of difficulty. needs: how many things are asked for, and how often so many."""

    name: str
    steps: int
    needs: dict[int, int]


LEVELS = (
    Level("easy", 25, {2: 1}),
    Level("medium", 30, {3: 1}),
    Level("hard", 35, {4: 5, 5: 4, 6: 3, 7: 2, 8: 1}),
)


def rules_of(layout: Layout) -> Rules:
    """The rules of an episode in a kitchen: the ways between its places cost their lengths."""
    travel = {
        english(start): {english(end): -float(length) for end, length in ends.items() if length}
        for start, ends in layout.distances.items()
    }
    verbs = {str(verb): MANIPULATION for verb in (Verb.OPEN, Verb.PICK_UP, Verb.PUT)}
    return Rules(
        ends=Ends.GOAL_REACHED,
        refused=RefusedText.STEP,
        feedback=Feedback.GOAL_CHECK,
        rewards=Rewards(goal=GOAL, failed=INFEASIBLE, verbs=verbs, travel=travel),
        confirms_placements=True,
    )


def budgets_of(level: Level) -> Budgets:
    return Budgets(steps=level.steps, planning_s=PLANNING_S)
