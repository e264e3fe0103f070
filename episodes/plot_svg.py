"""Plots as SVG: panels side by side with a common legend."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from .grid import FIGURES
from .metrics import Estimate
from .plot import Plot

#: Colours that are told apart by people with any colour vision too (Okabe and Ito, 2008).
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7f7f7f", "#b8a800")
_HEIGHT, _LEFT, _GAP, _BAR, _LETTER = 220, 52, 26, 13, 6.6
#: Panels in a row, and the width that a panel has at least.
_IN_A_ROW, _NARROWEST = 3, 200


@dataclass(frozen=True)
class _Axis:
    """The vertical axis of a panel. bottom, top: of the panel."""

    low: float
    high: float
    step: float
    top: float
    bottom: float

    def y(self, value: float) -> float:
        kept = min(max(value, self.low), self.high)
        return self.bottom - (self.bottom - self.top) * (kept - self.low) / (self.high - self.low)

    @property
    def ticks(self) -> list[float]:
        count = round((self.high - self.low) / self.step)
        return [self.low + self.step * i for i in range(count + 1)]


def svg(plot: Plot) -> str:
    """The plot as an SVG document."""
    names = _shown(plot.groups)
    bars = 3 if plot.lines else len(plot.series)
    group = max([_GAP + _BAR * bars, *(_GAP / 2 + _LETTER * len(name) for name in names)])
    panel = _LEFT + max(_NARROWEST, group * len(plot.groups))
    columns = min(_IN_A_ROW, len(plot.figures))
    width = 16 + columns * panel
    legend, below_legend = _legend(plot, width, 26 if plot.title else 8)
    rows = math.ceil(len(plot.figures) / columns)
    height = below_legend + rows * (_HEIGHT + 56) + 18
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
        *([_text(8, 18, plot.title, weight="bold")] if plot.title else []),
        *legend,
    ]
    for number, figure in enumerate(plot.figures):
        row, column = divmod(number, columns)
        left = 8 + column * panel + _LEFT
        top = below_legend + row * (_HEIGHT + 56) + 26
        parts += _panel(plot, figure, left, top, panel - _LEFT)
    parts.append(_text(8, height - 8, plot.note, fill="#555"))
    return "\n".join([*parts, "</svg>", ""])


def _legend(plot: Plot, width: float, top: float) -> tuple[list[str], float]:
    """The names of the series in as many lines as they need, and where they end."""
    parts, x, y = [], 8.0, top + 10
    for series, colour in zip(plot.series, _colours(plot), strict=True):
        wide = 30 + _LETTER * len(series.name)
        if x + wide > width and x > 8:
            x, y = 8.0, y + 18
        parts.append(f'<rect x="{x:.0f}" y="{y - 9:.0f}" width="10" height="10" fill="{colour}"/>')
        parts.append(_text(x + 15, y, series.name))
        x += wide
    return parts, y + 8


def _shown(groups: Sequence[str]) -> list[str]:
    """The groups without the words that all begin with: easy, medium and hard of kitchens."""
    words = [group.split("_") for group in groups]
    common = 0
    while len(groups) > 1 and len({tuple(each[: common + 1]) for each in words}) == 1:
        common += 1
    return ["_".join(each[common:]) or group for each, group in zip(words, groups, strict=True)]


def _colours(plot: Plot) -> list[str]:
    return [_COLOURS[i % len(_COLOURS)] for i in range(len(plot.series))]


def _panel(plot: Plot, figure: str, left: float, top: float, width: float) -> Iterator[str]:
    values = [
        s.figures[g][figure] for s in plot.series for g in s.figures if figure in s.figures[g]
    ]
    limits = (plot.limits or {}) if figure == "limit_steps" else {}
    axis = _axis(figure, values, list(limits.values()), top, top + _HEIGHT)
    yield _text(left, top - 9, FIGURES[figure][0], weight="bold")
    for tick in axis.ticks:
        y, shade = axis.y(tick), "#888" if abs(tick) < 1e-9 else "#ddd"
        yield _line(left, y, left + width, y, shade)
        yield _text(left - 6, y + 4, f"{tick:,.{_places(axis.step)}f}", anchor="end", fill="#555")
    wide = width / len(plot.groups)
    for number, (group, name) in enumerate(zip(plot.groups, _shown(plot.groups), strict=True)):
        begin = left + wide * number
        yield _text(begin + wide / 2, axis.bottom + 18, name, anchor="middle")
        if group in limits:
            y = axis.y(limits[group])
            yield _line(begin + 4, y, begin + wide - 4, y, "#555", 'stroke-dasharray="4 3"')
    yield from (_lines if plot.lines else _bars)(plot, figure, axis, left, wide)


def _bars(plot: Plot, figure: str, axis: _Axis, left: float, wide: float) -> Iterator[str]:
    first = (wide - _BAR * len(plot.series)) / 2
    for number, group in enumerate(plot.groups):
        for place, (series, colour) in enumerate(zip(plot.series, _colours(plot), strict=True)):
            value = series.figures.get(group, {}).get(figure)
            if value is None:
                continue
            x = left + wide * number + first + _BAR * place
            ends = sorted((axis.y(value.mean), axis.y(0.0)))
            tall = max(ends[1] - ends[0], 0.8)  # a bar of 0 is there too
            yield (
                f'<rect x="{x + 1:.1f}" y="{ends[0]:.1f}" width="{_BAR - 2}" '
                f'height="{tall:.1f}" fill="{colour}">'
                f"<title>{escape(_told(series.name, group, value))}</title></rect>"
            )
            yield _whisker(x + _BAR / 2, value, axis, "#222")


def _lines(plot: Plot, figure: str, axis: _Axis, left: float, wide: float) -> Iterator[str]:
    for place, (series, colour) in enumerate(zip(plot.series, _colours(plot), strict=True)):
        aside = 4.0 * (place - (len(plot.series) - 1) / 2)  # so that whiskers can be told apart
        found = [
            (left + wide * (number + 0.5) + aside, group, value)
            for number, group in enumerate(plot.groups)
            if (value := series.figures.get(group, {}).get(figure)) is not None
        ]
        points = " ".join(f"{x:.1f},{axis.y(value.mean):.1f}" for x, _, value in found)
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        for x, group, value in found:
            yield _whisker(x, value, axis, colour)
            yield (
                f'<circle cx="{x:.1f}" cy="{axis.y(value.mean):.1f}" r="3" fill="{colour}">'
                f"<title>{escape(_told(series.name, group, value))}</title></circle>"
            )


def _axis(
    figure: str, values: Sequence[Estimate], limits: Sequence[float], top: float, bottom: float
) -> _Axis:
    """An axis from 0, or from below it, in steps of 1, 2 or 5."""
    if FIGURES[figure][0].endswith("%"):
        return _Axis(0.0, 100.0, 25.0, top, bottom)
    low = min([0.0, *(value.low for value in values)])
    high = max([0.0, *(value.high for value in values), *limits])
    rough = ((high - low) or 1.0) / 4
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * times for times in (1, 2, 5, 10) if size * times >= rough)
    first, last = math.floor(low / step), max(math.ceil(high / step), 1)
    return _Axis(first * step, last * step, step, top, bottom)


def _places(step: float) -> int:
    """The decimals that ticks need."""
    return max(0, -math.floor(math.log10(step) + 1e-9))


def _told(name: str, group: str, value: Estimate) -> str:
    return f"{name}, {group}: {value.mean:,.1f} [{value.low:,.1f}, {value.high:,.1f}]"


def _whisker(x: float, value: Estimate, axis: _Axis, colour: str) -> str:
    return _line(x, axis.y(value.low), x, axis.y(value.high), colour)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, more: str = "") -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" {more}/>'
    )


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", fill: str = "#111", weight: str = ""
) -> str:
    bold = f' font-weight="{weight}"' if weight else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}"{bold}>'
        f"{escape(text)}</text>"
    )
