"""Two runs of the same tasks compared task by task: the exact McNemar test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from .metrics import scored_of
from .result import EpisodeResult


@dataclass(frozen=True)
class Paired:
    """What came of the tasks that two runs have both scored.

    only_first, only_second: the tasks that one of them alone has solved. p: of the exact McNemar
    test, two-sided: how likely a difference is at least as large where both solve a task equally
    often.
    """

    tasks: int
    only_first: int
    only_second: int
    p: float


def paired(first: Sequence[EpisodeResult], second: Sequence[EpisodeResult]) -> Paired | None:
    """The comparison; None where no task is in both, or one was played more than once.

    Episodes of one task are not independent, which the test takes for granted.
    """
    one, other = _by_task(first), _by_task(second)
    if one is None or other is None or not one.keys() & other.keys():
        return None
    outcomes = Counter((one[task], other[task]) for task in one.keys() & other.keys())
    only_first, only_second = outcomes[True, False], outcomes[False, True]
    return Paired(outcomes.total(), only_first, only_second, mcnemar(only_first, only_second))


def mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided p of the exact test: as many heads or tails among so many fair coins."""
    number = only_first + only_second
    tail = sum(comb(number, i) for i in range(min(only_first, only_second) + 1))
    return float(min(1.0, 2 * tail / 2**number))


def _by_task(results: Sequence[EpisodeResult]) -> dict[str, bool] | None:
    """Whether each scored task was solved; None where one was scored more than once."""
    scored = scored_of(results)
    by_task = {result.task: bool(result.success) for result in scored}
    return by_task if len(by_task) == len(scored) else None
