"""A task: what an agent is asked to do, and where."""

from __future__ import annotations

from dataclasses import dataclass, field

from .goals import Goal
from .rules import Budgets, Rules


@dataclass(frozen=True)
class Task:
    """One task of a suite.

    instruction: what the agent is told. "{17}" stands for the name of node 17, which is known
    once the scene is loaded.
    scene: what the adapter loads, "LOADER:REFERENCE", for instance "virtualhome-eval:1004_2";
    every adapter says in its reset which loaders it takes.
    labels: what tasks are grouped by: "category", and "scene" where several share one.
    required_evidence: what must have happened before the last thing was picked up by which the goal
    came to hold for good, or else that was luck: what the task depends on was measured. None where
    everything is to be seen.
    map: the scene as it was when somebody recorded it, of the same form; empty: as it is now.
    candidates: a goal of more alternatives than `goal`, those of which the instruction does not say
    whether they are right; a planner that is granted the goal, but not the true state, is told
    this one. None where the instruction is clear.
    budgets, rules: of this task, None for those of its suite.
    """

    id: str
    instruction: str
    goal: Goal
    scene: str
    labels: dict[str, str] = field(default_factory=dict)
    required_evidence: Goal | None = None
    map: str = ""
    candidates: Goal | None = None
    budgets: Budgets | None = None
    rules: Rules | None = None

    @property
    def base_scene(self) -> str:
        """The scene without what tasks change in it: the label "scene", or else the scene."""
        return self.labels.get("scene", self.scene)
