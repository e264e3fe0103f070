"""The share of fulfilled tasks as a function of the allowed steps or tokens."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from ...episodes.result import EpisodeResult
from .comparison import Contender

#: Size of a chart and its margins, in its own units.
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 460, 260, 44, 14, 12, 40
#: Number of colours, and dashes of curves; each curve of a chart has its own pair.
COLOURS, DASHES = 8, ("", "7 3", "2 3")


@dataclass(frozen=True)
class Curve:
    """A planner's curve: an SVG path, its end point, and its result in words."""

    label: str
    """The planner."""
    number: int
    """Number of its colour and dash."""
    path: str
    """Path of an SVG."""
    end: tuple[float, float]
    """Its end point."""
    text: str
    """Its result in words."""

    @property
    def colour(self) -> int:
        return self.number % COLOURS

    @property
    def dash(self) -> str:
        return DASHES[self.number % len(DASHES)]


@dataclass(frozen=True)
class Chart:
    """Curves over a common axis, which is a field of results: steps or tokens."""

    title: str
    """Title of the chart."""
    axis: str
    """Field of the results: steps or tokens."""
    curves: tuple[Curve, ...]
    """The planners' curves."""
    x_ticks: tuple[tuple[float, str], ...]
    """Positions on the axis, with their labels."""
    y_ticks: tuple[tuple[float, str], ...]
    """Positions at the left, with their labels."""
    width: int = _WIDTH
    """Width in its own units."""
    height: int = _HEIGHT
    """Height."""
    left: int = _LEFT
    """Left end of the axis."""
    right: int = _WIDTH - _RIGHT
    """Right end of the axis."""
    bottom: int = _HEIGHT - _BOTTOM
    """Bottom of the chart area."""


def charts(everyone: Sequence[Contender], suites: Sequence[str]) -> list[Chart]:
    """Success by steps, and by tokens of planners that ask models.

    One chart over all suites where every planner played all of them, else one for each suite.
    """
    together = all(set(contender.episodes) == set(suites) for contender in everyone)
    found = []
    for suite in [""] if together else suites:
        where = f" on {suite}" if suite else ""
        scored = _scored(everyone, suite)
        found.append(_chart(f"Success within so many steps{where}", "steps", scored))
        asking = [each for each in scored if any(result.tokens for result in each[2])]
        found.append(_chart(f"Success within so many tokens{where}", "tokens", asking))
    return [chart for chart in found if chart is not None]


#: A planner's number, label and scored episodes.
_Scored = tuple[int, str, Sequence[EpisodeResult]]


def _scored(everyone: Sequence[Contender], suite: str) -> list[_Scored]:
    """The scored episodes of each planner in a suite, "" for all."""
    found = [(n, c.label, c.results_in(suite)) for n, c in enumerate(everyone)]
    return [each for each in found if each[2]]


def _chart(title: str, axis: str, scored: Sequence[_Scored]) -> Chart | None:
    value: Callable[[EpisodeResult], int] = attrgetter(axis)
    most = max((value(result) for _, _, results in scored for result in results), default=0)
    if not most or len(scored) > COLOURS * len(DASHES):
        return None
    step = _step(most)
    last = step * math.ceil(most / step)
    curves = [_curve(number, label, results, value, last) for number, label, results in scored]
    return Chart(
        title=title,
        axis=axis,
        curves=tuple(curves),
        x_ticks=tuple((_x(at, last), _short(at)) for at in range(0, last + 1, step)),
        y_ticks=tuple((_y(share / 100), f"{share}") for share in range(0, 101, 25)),
    )


def _curve(
    number: int,
    label: str,
    results: Sequence[EpisodeResult],
    value: Callable[[EpisodeResult], int],
    last: int,
) -> Curve:
    """A staircase: at each value, the share of episodes that succeeded with no more."""
    reached = sorted(value(result) for result in results if result.success)
    path = f"M{_x(0, last):.1f} {_y(0):.1f}"
    for place, at in enumerate(reached, start=1):
        if place < len(reached) and reached[place] == at:
            continue  # equal values are one stair
        path += f"H{_x(at, last):.1f}V{_y(place / len(results)):.1f}"
    share = len(reached) / len(results)
    text = f"{label}: {100 * share:.0f} % of {len(results)} episodes"
    if reached:
        text += f", half of its successes within {reached[(len(reached) - 1) // 2]:,}"
    return Curve(label, number, f"{path}H{_x(last, last):.1f}", (_x(last, last), _y(share)), text)


def _step(most: int) -> int:
    """The distance of ticks: 1, 2 or 5 times a power of ten."""
    size = 1
    while size * 50 < most:
        size *= 10
    return next(size * times for times in (1, 2, 5, 10) if size * times * 5 >= most)


def _short(value: int) -> str:
    """A number for a tick: 2000 is "2k"."""
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if value >= unit:
            return f"{value / unit:g}{letter}"
    return str(value)


def _x(value: float, last: int) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * value / last


def _y(share: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - _TOP) * share
