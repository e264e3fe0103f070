"""What came of one episode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import BadInput
from ..scene_graph.goal_evaluation import Subgoal


@dataclass(frozen=True)
class EpisodeResult:
    """The result of an episode, as its `end` event holds it.

    success: the goal held at the end (counts for GSR). progress: the share of the goal's literals
    fulfilled at the end, in [0, 1] (counts for SSR). ended: why it ended: goal_reached, done,
    gave_up, no_answer, steps, decisions, planning_time, planner_error, voided, or stopped: a real
    arm's protective stop was tripped, which fails the episode.
    planning_s: seconds in the planner. duration_s: seconds in the simulator.
    failures: failed actions by reason.
    voided: earlier starts of the episode that the simulator did not survive. calls: replies of
    the model, tokens_in, tokens_out and usd what they took, over all starts.
    informed: whether it was no luck, as `Task.required_evidence` has it: what the task depends on
    had been found out by the action that fulfilled the goal for good; None where a task asks for
    nothing.
    """

    task: str
    success: bool
    progress: float
    ended: str
    steps: int
    decisions: int
    planning_s: float
    duration_s: float
    retries: int = 0
    voided: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    subgoals: tuple[Subgoal, ...] = ()
    detail: str = ""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    usd: float = 0.0
    informed: bool | None = None

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


def to_data(result: EpisodeResult) -> dict[str, Any]:
    return {
        "task": result.task,
        "success": result.success,
        "progress": result.progress,
        "ended": result.ended,
        "steps": result.steps,
        "decisions": result.decisions,
        "planning_s": round(result.planning_s, 6),
        "duration_s": round(result.duration_s, 6),
        "retries": result.retries,
        "voided": result.voided,
        "failures": dict(sorted(result.failures.items())),
        "subgoals": [[part.text, part.earned, part.total] for part in result.subgoals],
        "detail": result.detail,
        "calls": result.calls,
        "tokens_in": result.tokens_in,
        "tokens_out": result.tokens_out,
        "usd": round(result.usd, 8),
        "informed": result.informed,
    }


def from_data(data: Mapping[str, Any], where: str) -> EpisodeResult:
    """The result of an `end` event. Raises BadInput naming the field that is missing."""
    try:
        return EpisodeResult(
            task=data["task"],
            success=bool(data["success"]),
            progress=float(data["progress"]),
            ended=data["ended"],
            steps=int(data["steps"]),
            decisions=int(data["decisions"]),
            planning_s=float(data["planning_s"]),
            duration_s=float(data["duration_s"]),
            retries=int(data["retries"]),
            voided=int(data["voided"]),
            failures=dict(data["failures"]),
            subgoals=tuple(Subgoal(*part) for part in data["subgoals"]),
            detail=data["detail"],
            calls=int(data.get("calls", 0)),
            tokens_in=int(data.get("tokens_in", 0)),
            tokens_out=int(data.get("tokens_out", 0)),
            usd=float(data.get("usd", 0.0)),
            informed=data.get("informed"),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"{where}: the event 'end' is malformed ({error}).") from None


def failure_histogram(results: Iterable[EpisodeResult]) -> dict[str, int]:
    """Failed actions by reason, most frequent first."""
    total: Counter[str] = Counter()
    for result in results:
        total.update(result.failures)
    return dict(total.most_common())
