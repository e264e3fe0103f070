"""Two runs compared task by task."""

from __future__ import annotations

import pytest

from peephole.episodes.pairing import Paired, mcnemar, paired
from peephole.episodes.result import EpisodeResult


def result(task: str, success: bool | None) -> EpisodeResult:
    return EpisodeResult(
        task, success, progress=None, ended="done", steps=1, decisions=1, planning_s=0, duration_s=0
    )


def test_tasks_that_both_have_scored_are_counted_by_who_solved_them() -> None:
    first = [result(str(i), i < 8) for i in range(10)] + [result("mine", True)]
    second = [result(str(i), i in (0, 9)) for i in reversed(range(10))] + [result("open", None)]
    assert paired(first, second) == Paired(10, 7, 1, mcnemar(7, 1))
    assert paired(second, first) == Paired(10, 1, 7, mcnemar(7, 1))


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [
        (0, 0, 1.0),
        (3, 3, 1.0),
        (0, 5, 2 / 32),
        (1, 7, 2 * 9 / 256),  # no or one head among eight coins, or tails
        (24, 0, 2 / 2**24),
    ],
)
def test_the_p_is_that_of_fair_coins(only_first: int, only_second: int, p: float) -> None:
    assert mcnemar(only_first, only_second) == mcnemar(only_second, only_first)
    assert mcnemar(only_first, only_second) == pytest.approx(p)


def test_tasks_that_were_played_repeatedly_or_by_one_alone_are_not_paired() -> None:
    once, twice = [result("a", True)], [result("a", True), result("a", False)]
    assert paired(once, twice) is None
    assert paired(twice, once) is None
    assert paired(once, [result("b", True)]) is None
