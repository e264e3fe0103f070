"""The findings of an audit, and their texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from ..data_files import csv_text
from .wording import Ambiguity


class AuditVerdict(StrEnum):
    """Whether a goal can be fulfilled."""

    FULFILLABLE = "fulfillable"
    HOLDS = "holds"  # already at the start
    IMPOSSIBLE = "impossible"
    OPEN = "open"  # neither fulfilled nor proven impossible within limits


class Proof(StrEnum):
    """What a verdict rests on."""

    PLAYED = "played"  # the planner expert fulfilled the goal in the world
    PLAN = "plan"  # a plan, carried out in a fresh world
    STATE = "state"  # the state that the task begins in
    ARGUMENT = "argument"  # facts that no action brings about
    SEARCH = "search"  # an exhausted search
    NONE = "none"


@dataclass(frozen=True)
class AuditedTask:
    """The findings on one task."""

    task: str
    """Id of the task."""
    scene: str
    """Its scene."""
    instruction: str
    """Its instruction."""
    goal: str
    """Its goal in words."""
    verdict: AuditVerdict
    """Whether the goal can be fulfilled."""
    proof: Proof
    """What the verdict rests on."""
    facts: tuple[str, ...] = ()
    """The reasons for the verdict, in words."""
    plan: tuple[str, ...] = ()
    """Actions in words."""
    steps: int = 0
    """Actions of the episode or plan that fulfilled it."""
    choices: int = 0
    """Values tried by the search among states."""
    ambiguous: tuple[Ambiguity, ...] = ()
    """Why the instruction is ambiguous."""

    @property
    def listed(self) -> bool:
        """Whether a reader should see it: all but clear tasks that expert simply fulfilled."""
        return self.proof is not Proof.PLAYED or bool(self.ambiguous)

    def to_data(self) -> dict[str, Any]:
        """The same as JSON data."""
        return asdict(self)


@dataclass(frozen=True)
class Audit:
    """The findings on a suite. played_in: the adapter. stand_in: for its engine."""

    suite: str
    played_in: str
    stand_in: str
    tasks: tuple[AuditedTask, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Number of tasks by verdict, and of ambiguous ones by rule."""
        verdicts = Counter(str(task.verdict) for task in self.tasks)
        rules = Counter(rule for task in self.tasks for rule in {a.rule for a in task.ambiguous})
        ambiguous = sum(bool(task.ambiguous) for task in self.tasks)
        return {
            "tasks": len(self.tasks),
            **{str(verdict): verdicts[verdict] for verdict in AuditVerdict},
            "ambiguous": ambiguous,
            **dict(sorted(rules.items())),
        }

    def to_data(self) -> dict[str, Any]:
        """The same as JSON data."""
        return {
            "suite": self.suite,
            "played_in": self.played_in,
            "stand_in": self.stand_in or None,
            "counts": self.counts,
            "tasks": [task.to_data() for task in self.tasks],
        }


_COLUMNS = (
    *("task", "scene", "instruction", "goal", "verdict", "proof"),
    *("facts", "plan", "steps", "choices", "ambiguous", "stand_in"),
)


def to_csv(audit: Audit) -> str:
    """The findings as CSV, a line for each task."""
    rows: list[tuple[object, ...]] = [_COLUMNS]
    for each in audit.tasks:
        ambiguous = "; ".join(f"{a.rule}: {a.proof}" for a in each.ambiguous)
        cells = (each.task, each.scene, each.instruction, each.goal, each.verdict, each.proof)
        reasons = ("; ".join(each.facts), ", ".join(each.plan), each.steps, each.choices)
        rows.append((*cells, *reasons, ambiguous, audit.stand_in))
    return csv_text(rows)


def lines_of(audit: Audit) -> list[str]:
    """The findings in words, the counts first."""
    counts = audit.counts
    lines = [
        f"{audit.suite}: {counts['tasks']} tasks, {counts['fulfillable']} fulfillable, "
        f"{counts['holds']} hold already, {counts['impossible']} impossible, "
        f"{counts['open']} open; "
        f"{counts['ambiguous']} ambiguous."
    ]
    if audit.stand_in:
        lines.append(f"Played in {audit.played_in} with a stand-in: {audit.stand_in}.")
    for task in audit.tasks:
        if task.listed:
            lines += ["", *_task_lines(task)]
    return lines


def _task_lines(task: AuditedTask) -> Iterable[str]:
    yield f"{task.task}: {', '.join(_labels(task))}"
    yield f"  instruction: {task.instruction}"
    yield f"  goal: {task.goal}"
    if task.proof is Proof.SEARCH:
        yield (
            f"  proof: no state that actions lead to fulfils it; all were ruled out after "
            f"{task.choices} choices"
        )
    for fact in task.facts:
        yield f"  {'because' if task.verdict is AuditVerdict.OPEN else 'fact'}: {fact}"
    if task.plan:
        yield f"  plan, carried out ({task.steps} actions): {', '.join(task.plan)}"
    for ambiguity in task.ambiguous:
        yield f"  {ambiguity.rule}: {ambiguity.proof}"


def _labels(task: AuditedTask) -> Sequence[str]:
    verdict = {AuditVerdict.HOLDS: "holds already"}.get(task.verdict, str(task.verdict))
    return [verdict, *(["ambiguous"] if task.ambiguous else [])]
