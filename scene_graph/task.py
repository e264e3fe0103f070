"""A task: a goal, its instruction, and the scene it is set in."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field

from .goal_codec import goal_to_data
from .goals import Goal, Or
from .rules import Budgets, Rules

#: The goal of a task with written criteria alone; no rule finds it fulfilled.
ONLY_A_PERSON_JUDGES = Or(())


@dataclass(frozen=True)
class Task:
    """One task of a suite."""

    id: str
    """Unique in its suite."""
    instruction: str
    """The request to the agent. "{17}" stands for the name of node 17, which exists once the scene
    is loaded.
    """
    goal: Goal
    """What the referee checks."""
    scene: str
    """"LOADER:REFERENCE", such as "virtualhome-eval:1004_2". Each adapter names the loaders that it
    takes.
    """
    labels: dict[str, str] = field(default_factory=dict)
    """Groups for statistics: "category", "scene" if several tasks share one, and "matched", which
    tasks of several suites share that are the same but for what the suites change.
    """
    required_evidence: Goal | None = None
    """What must have happened before the last pick-up that led to the goal; otherwise success was
    luck. None if everything is visible.
    """
    map: str = ""
    """The scene as recorded earlier, in the form of `scene`; empty for the present scene."""
    candidates: Goal | None = None
    """A goal with further alternatives that an ambiguous instruction allows. It is what a planner
    gets that is granted the goal but not the true state. None if the instruction is clear.
    """
    budgets: Budgets | None = None
    """Of this task; None for those of its suite."""
    rules: Rules | None = None
    """Of this task; None for those of its suite."""

    @property
    def base_scene(self) -> str:
        """The scene without the changes of tasks: the label "scene", or else the scene."""
        return unchanged(self.labels.get("scene", self.scene))

    @property
    def asked(self) -> str:
        """A digest of what is asked: the instruction and the goals, in whatever scene."""
        goals = (self.goal, self.required_evidence, self.candidates)
        data = [self.instruction, *(goal and goal_to_data(goal) for goal in goals)]
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def unchanged(scene: str) -> str:
    """A scene without the changes of a task, such as "house:304" of "arranged:house:304;5 on 41".

    Changes come after the first ";" or "?". They tell what is hidden, and are no other house.
    """
    return re.split("[;?]", scene.removeprefix("arranged:"), maxsplit=1)[0]


def scene_digest(scene: str) -> str:
    """A digest of a scene without changes: it compares scenes and says nothing of them."""
    return hashlib.sha256(unchanged(scene).encode()).hexdigest()[:16]
