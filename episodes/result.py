"""The result of one episode, and what counts as a refused answer in it.

An answer is refused by one of three. The model client refuses a reply that does not have the wanted
form. The dialect refuses a text that is no action. The planner refuses an answer in an `Internal`
decision, whose `refused` names the kind. The model reads the reason each time. Unusable images
are counted in `augmentation`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..models.contract import REFUSED_BY_JUDGE, SCHEMA_CHECK
from ..models.events import ModelEvent, ModelReplied
from ..planners.contract import Decision, Internal, Note
from ..scene_graph.goal_evaluation import Subgoal
from .augmentation import AugmentationScore


@dataclass(frozen=True)
class EpisodeResult:
    """The result of an episode, as the event `ended` records it."""

    task: str
    """Id of the task."""
    success: bool | None
    """The goal held at the end, and no action was infeasible where the rules forbid it. Counts for
    GSR; None where nobody can tell, and for a voided episode.
    """
    progress: float | None
    """Share of the goal's literals that hold at the end, in [0, 1], or None. Counts for SSR."""
    ended: str
    """goal_reached, done, gave_up, no_answer, steps, decisions, planning_time, infeasible (too many
    failed actions in a row), planner_error, voided, or stopped. The last means that a real arm's
    protective stop was tripped, which fails the episode.
    """
    steps: int
    """Actions tried."""
    decisions: int
    """Counted decisions of the planner."""
    planning_s: float
    """Seconds of the planner itself, without waiting for models."""
    duration_s: float
    """Seconds in the simulator."""
    reward: float = 0.0
    """Sum over steps, by the suite's rules."""
    trials: int = 1
    """Times that the task was begun."""
    retries: int = 0
    """Attempts after the first of each action."""
    voided: int = 0
    """Earlier starts that the simulator did not survive."""
    failures: Mapping[str, int] = field(default_factory=dict)
    """Failed actions by reason."""
    subgoals: tuple[Subgoal, ...] = ()
    """The parts of the goal at the end."""
    detail: str = ""
    """A sentence on why the episode ended, or ""."""
    calls: int = 0
    """Replies of models over all starts, cached ones included."""
    tokens_in: int = 0
    """Tokens read by models, over all starts."""
    tokens_out: int = 0
    """Tokens written by models, over all starts."""
    peak_tokens_in: int = 0
    """Tokens of the longest request."""
    purposes: Mapping[str, int] = field(default_factory=dict)
    """Tokens by purpose."""
    usd: float = 0.0
    """US dollars that the replies cost."""
    tokens_cached: int = 0
    """Part of tokens_in that the servers had read before."""
    calls_cached: int = 0
    """Replies from the reply cache. They count as calls with their tokens, and are free."""
    usd_saved: float = 0.0
    """US dollars that the cached replies would have cost."""
    informed: bool | None = None
    """Whether success was no luck, see `Task.required_evidence`. What the task depends on had been
    measured before the plan was made by which the goal came to hold. Where the planner has to say
    that it is done, it did. None for a task without such a condition.
    """
    model_s: float = 0.0
    """Seconds of the models' replies, without HTTP errors and the pauses after them."""
    planning_tokens: int = 0
    """Tokens of the start that counts, without those to augment a graph (`model.AUGMENTATION`).
    Counts for TPA.
    """
    changed_nodes: int | None = None
    """Nodes that the goal asks to change, see `scene_graph.changed_nodes`. Counts for APP; None
    without a true state.
    """
    correct_nodes: int | None = None
    """Those of them that are right at the end."""
    step_limit: int | None = None
    """Steps that were allowed."""
    infeasible: int | None = None
    """Infeasible actions of the last trial, where one fails the episode (`Rules.infeasible_fails`);
    else None.
    """
    augmentation: AugmentationScore | None = None
    """Score of what the planner found at places; None where it did not look."""
    refused: Mapping[str, int] = field(default_factory=dict)
    """Refused answers of models, by kind."""
    corrections: int = 0
    """Calls of the model that were completed by rule."""

    @property
    def is_voided(self) -> bool:
        """Whether the simulator was lost too often for the episode to count."""
        return self.ended == "voided"

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


def histogram(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The sum of counts, such as `failures` of several results, most frequent first."""
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total.most_common())


#: The longest reason of a refused answer that is counted.
_REASON = 80
#: Kinds of refused answers that need no word of the planner.
WORDS, WITHHELD, CUT_OFF, UNUSABLE = "words", "withheld reply", "reply cut off", "unusable reply"


def refused_kind(decision: Decision) -> str | None:
    """The kind of answer that a decision refuses; None where it refuses none."""
    kind = decision.data.get("refused") if isinstance(decision, Internal) else None
    return kind if isinstance(kind, str) and kind else None


def completed_calls(decision: Decision) -> int:
    """Number of calls that a decision says were completed by rule: one, or none."""
    corrected = decision.data.get("corrected") if isinstance(decision, Note) else None
    return int(isinstance(corrected, Mapping))


def with_reason(kind: str, sentence: str) -> str:
    """A kind of refused answer with its reason, such as "words: there is no such action".

    sentence: what the model read. Without numbers of things and what it said itself; a reason that
    quotes the model, or is long, is left out.
    """
    told = sentence.rpartition(REFUSED_BY_JUDGE)[2]
    clause = re.sub(r" \(?\d+\)?", "", re.split(r"[.;:]", told, maxsplit=1)[0]).strip()
    if not clause or '"' in clause or len(clause) > _REASON:
        return kind
    return f"{kind}: {clause[0].lower()}{clause[1:]}"


def refused_replies(events: Iterable[ModelEvent]) -> Counter[str]:
    """The replies that the client refused, by kind and reason."""
    return Counter(
        WITHHELD
        if event.withheld
        else CUT_OFF
        if event.cut
        else with_reason(UNUSABLE, event.problem)
        for event in events
        if isinstance(event, ModelReplied) and event.problem and event.purpose != SCHEMA_CHECK
    )
