"""The reward of an episode over its steps, as a small chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from ..wording import rewarded

#: Size of the chart and its margins, in its own units.
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 320, 96, 44, 16, 16
#: A last reward so many times larger than those before is drawn as an arrow.
_JUMP = 4.0


@dataclass(frozen=True)
class RewardChart:
    """A line through the cumulative rewards: x, y and text of each point, from the start on.

    jump: the last reward, where it is drawn as an arrow; else None.
    """

    width: int
    height: int
    left: int
    bottom: int
    top: int
    points: tuple[tuple[float, float, str], ...]
    zero: float
    low: float
    high: float
    total: float
    jump: float | None


def reward_chart(rewards: Sequence[float]) -> RewardChart | None:
    """The chart of an episode's rewards; None where they say no more than success."""
    if not rewarded(rewards):
        return None
    jump = _jump(rewards)
    drawn = rewards if jump is None else rewards[:-1]
    sums = list(accumulate(drawn, initial=0.0))
    low, high = min(sums), max(sums)
    bottom = _HEIGHT - _BOTTOM
    per_step = (_WIDTH - _LEFT - 8) / len(rewards)
    per_unit = (bottom - _TOP) / ((high - low) or 1.0)
    labels = ["0 at the start", *(f"{s:,.0f} after step {n}" for n, s in enumerate(sums) if n)]
    points = [
        (_LEFT + per_step * step, bottom - per_unit * (each - low), labels[step])
        for step, each in enumerate(sums)
    ]
    return RewardChart(
        width=_WIDTH,
        height=_HEIGHT,
        left=_LEFT,
        bottom=bottom,
        top=_TOP,
        points=tuple(points),
        zero=bottom + per_unit * low,
        low=low,
        high=high,
        total=sum(rewards),
        jump=jump,
    )


def _jump(rewards: Sequence[float]) -> float | None:
    """The last reward, where it is much larger than all before together."""
    *before, last = rewards
    spread = sum(map(abs, before))
    return last if before and spread and last > _JUMP * spread else None
