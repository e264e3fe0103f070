"""What `llm_plus_p` notes for the record."""

from __future__ import annotations

from ..contract import Note
from ..kits.pddl.problem import Problem
from ..kits.pddl.solving import Solved


def plan_note(solved: Solved, problem: Problem) -> Note:
    """The note on a plan. Nothing in it depends on time, so that runs can be resumed."""
    steps = [str(step) for step in solved.steps]
    data = {"steps": steps, "rooms": len(problem.rooms), "things": len(problem.things)}
    return Note("plan", " ".join(steps) or "an empty plan", data)
