"""How far two judges of the same episodes agree: Cohen's kappa."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from ..statistics.agreement import OutcomeAgreement, outcome_agreement
from .verdicts import all_verdicts

#: The judges whose verdicts are in the recordings: the goal by the true state, or a person.
TRUTH, FIRST_JUDGE = "the true state", "the first judge"
#: The fewest episodes with two verdicts that are compared.
_FEWEST = 2


@dataclass(frozen=True)
class JudgeAgreement:
    """Two judges of the same episodes."""

    first: str
    """The first judge: the one of the recordings, or a name."""
    second: str
    """The second judge's name."""
    episodes: int
    """Episodes that both judged."""
    outcomes: OutcomeAgreement
    """Their verdicts."""


@dataclass(frozen=True)
class JudgedEpisode:
    """An episode with the recorded verdict. path: of its recording."""

    task: str
    path: Path
    success: bool


def judge_agreements(episodes: Sequence[JudgedEpisode], recorded: str) -> Iterator[JudgeAgreement]:
    """The agreement of each two judges of some of the episodes.

    recorded: the name of the judge whose verdicts are in the recordings. Raises BadInput for a
    damaged file of verdicts.
    """
    by_judge: dict[str, dict[Path, bool]] = {recorded: {e.path: e.success for e in episodes}}
    for run in dict.fromkeys(episode.path.parents[1] for episode in episodes):
        for verdicts in all_verdicts(run):
            said = by_judge.setdefault(verdicts.judge, {})
            for name, verdict in verdicts.by_episode.items():
                said[run / "episodes" / name] = verdict.success
    for one, other in combinations(by_judge, 2):
        found = _agreement(episodes, by_judge[one], by_judge[other])
        if found is not None:
            yield JudgeAgreement(one, other, *found)


def _agreement(
    episodes: Sequence[JudgedEpisode], one: Mapping[Path, bool], other: Mapping[Path, bool]
) -> tuple[int, OutcomeAgreement] | None:
    both = [each for each in episodes if each.path in one and each.path in other]
    if len(both) < _FEWEST:
        return None
    return len(both), outcome_agreement(
        [float(one[each.path]) for each in both],
        [float(other[each.path]) for each in both],
        [each.task for each in both],
    )
