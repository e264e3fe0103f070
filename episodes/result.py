"""What came of one episode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..models.contract import SCHEMA_CHECK
from ..models.events import ModelEvent, ModelReplied
from ..planners.contract import Decision, Internal, Note
from ..scene_graph.goal_evaluation import Subgoal
from .augmentation import AugmentationScore


@dataclass(frozen=True)
class EpisodeResult:
    """The result of an episode, as its event `ended` holds it.

    success: the goal held at the end, and no action was infeasible where the suite's rules say so
    (counts for GSR); None where nobody could tell, and where the
    simulator was lost (`ended` is voided). progress: the share of the goal's literals fulfilled at
    the end, in [0, 1] (counts for SSR), or None.
    ended: why it ended: goal_reached, done, gave_up, no_answer, steps, decisions, planning_time,
    infeasible (too many failed actions in a row), planner_error, voided, or stopped: a real arm's
    protective stop was tripped, which fails the episode.
    planning_s: seconds of the planner's own, without those in which it waited for a model. model_s:
    seconds that models took for their replies, without HTTP errors and the pauses after them.
    duration_s: seconds in the simulator.
    step_limit: how many steps there were to take at most.
    reward: the sum over steps, by the suite's rules. trials: how often the task was begun.
    failures: failed actions by reason.
    voided: earlier starts of the episode that the simulator did not survive. calls: replies of
    the models, tokens_in, tokens_out and usd what they took, over all starts; tokens_cached: those
    of tokens_in that the servers had read before. calls_cached: replies out of the reply cache,
    which count as calls with their tokens and cost nothing; usd_saved: what they would have cost.
    purposes: their
    tokens by purpose; peak_tokens_in: of the longest request. planning_tokens: those of the start
    that counts, without what was asked to augment a graph (`model.AUGMENTATION`); for TPA.
    changed_nodes, correct_nodes: how many nodes the goal asks to change, and how many of them are
    right at the end, see `scene_graph.changed_nodes`; for APP; None without a true state.
    infeasible: actions of the last trial that could not be done as the world was, where one of them
    fails the episode (`Rules.infeasible_fails`); else None.
    informed: whether it was no luck, as `Task.required_evidence` has it: what the task depends on
    had been measured before the last lift by which the goal came to hold for good, and the planner
    said that it was done where that ends an episode; None where a task asks for nothing.
    augmentation: how right what the planner found at places was; None where it looked for nothing.
    refused: answers of models that could not be used and were asked for again or told to be wrong,
    by kind; corrections: calls of the model that were completed by rule (`episodes.refusals`).
    """

    task: str
    success: bool | None
    progress: float | None
    ended: str
    steps: int
    decisions: int
    planning_s: float
    duration_s: float
    reward: float = 0.0
    trials: int = 1
    retries: int = 0
    voided: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    subgoals: tuple[Subgoal, ...] = ()
    detail: str = ""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    peak_tokens_in: int = 0
    purposes: Mapping[str, int] = field(default_factory=dict)
    usd: float = 0.0
    tokens_cached: int = 0
    calls_cached: int = 0
    usd_saved: float = 0.0
    informed: bool | None = None
    model_s: float = 0.0
    planning_tokens: int = 0
    changed_nodes: int | None = None
    correct_nodes: int | None = None
    step_limit: int | None = None
    infeasible: int | None = None
    augmentation: AugmentationScore | None = None
    refused: Mapping[str, int] = field(default_factory=dict)
    corrections: int = 0

    @property
    def is_voided(self) -> bool:
        """Whether the simulator was lost so often that the episode says nothing of the planner."""
        return self.ended == "voided"

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


def failure_histogram(results: Iterable[EpisodeResult]) -> dict[str, int]:
    """Failed actions by reason, most frequent first."""
    return _histogram(result.failures for result in results)


def refused_histogram(results: Iterable[EpisodeResult]) -> dict[str, int]:
    """Refused answers of models by kind, most frequent first."""
    return _histogram(result.refused for result in results)


def _histogram(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total.most_common())


#: Kinds of answers that no planner has to tell.
WORDS, WITHHELD, CUT_OFF, UNUSABLE = "words", "withheld reply", "reply cut off", "unusable reply"


def refused_kind(decision: Decision) -> str | None:
    """The kind of answer that a decision refuses; None where it refuses none."""
    kind = decision.data.get("refused") if isinstance(decision, Internal) else None
    return kind if isinstance(kind, str) and kind else None


def completed_calls(decision: Decision) -> int:
    """How many calls a decision tells to have been completed by rule: one, or none."""
    told = decision.data.get("corrected") if isinstance(decision, Note) else None
    return int(isinstance(told, Mapping))


def refused_replies(events: Iterable[ModelEvent]) -> Counter[str]:
    """The replies that the client refused, by kind."""
    return Counter(
        WITHHELD if event.withheld else CUT_OFF if event.cut else UNUSABLE
        for event in events
        if isinstance(event, ModelReplied) and event.problem and event.purpose != SCHEMA_CHECK
    )
