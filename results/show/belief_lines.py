"""Beliefs and searches as lines for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from ..notes.belief import SHOWN_CHANGE, BeliefNote, Change, SearchNote, spaced

#: Most areas of an object, and most objects.
_AREAS, _OBJECTS = 4, 6
_INDENT = " " * 7
_NAME, _AREA, _BAR = 16, 26, 10


def belief_lines(belief: BeliefNote) -> list[Text]:
    """The likely places of objects, their changes by an observation, and the likeliest goals."""
    certain = {name: area for name in belief.objects if (area := belief.certain(name))}
    open_ones = [name for name in belief.objects if name not in certain]
    lines = [line for name in open_ones[:_OBJECTS] for line in _object_lines(belief, name)]
    if left := open_ones[_OBJECTS:]:
        lines.append(_line(f"and {len(left)} more: {', '.join(map(spaced, left))}"))
    if certain:
        places = ", ".join(f"{spaced(name)} at {spaced(area)}" for name, area in certain.items())
        lines.append(_line(f"certain: {places}"))
    return lines + [_line(f"goal {goal.weight:.2f}: {goal.text}") for goal in belief.goals]


def _object_lines(belief: BeliefNote, name: str) -> list[Text]:
    """An object with its likeliest areas, a line each, the rest as a sum, and lost areas."""
    changes = [change for change in belief.changes(name) if change.after]
    shown = changes[:_AREAS]
    lines = [_row(spaced(name) * (not place), change) for place, change in enumerate(shown)]
    rest = 1.0 - sum(change.after or 0.0 for change in shown)
    if rest >= SHOWN_CHANGE:
        lines.append(_row("" if shown else spaced(name), Change("elsewhere", None, rest)))
    fell = [c for c in belief.changes(name) if c.fell]
    if fell:
        areas = ", ".join(f"{spaced(each.area)} (was {each.before:.2f})" for each in fell)
        lines.append(Text(f"{_INDENT}{'':{_NAME}} hardly at {areas}", style="dim"))
    return lines


def _row(name: str, change: Change) -> Text:
    now = change.after or 0.0
    bar = "█" * round(_BAR * now) or "▏"
    line = Text(f"{_INDENT}{_cut(name, _NAME):{_NAME}} ", style="dim")
    line.append(f"{_cut(spaced(change.area), _AREA):{_AREA}} ")
    line.append(f"{bar:{_BAR}}", style="magenta")
    line.append(f" {now:.2f}")
    if change.is_shown and change.before is not None:
        line.append(f" was {change.before:.2f}", style="green" if now > change.before else "red")
    return line


def search_lines(search: SearchNote) -> list[Text]:
    """The effort of a search, and the best branch of its tree."""
    return [_line(search.text), *(_line(text) for text in _branch(search))]


def _branch(search: SearchNote) -> Sequence[str]:
    return [
        f"{'  ' * depth}> {step.action}" + (f" → {step.observation}" if step.observation else "")
        for depth, step in enumerate(search.branch)
    ]


def _line(text: str) -> Text:
    return Text(f"{_INDENT}{text}", style="dim")


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
