"""Plans in words, for notes and thoughts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...skills.actions import Action


def in_words(actions: Sequence[Action], name: Callable[[int], str]) -> str:
    """Actions one after the other: "go to fridge 1, open fridge 1"."""
    return ", ".join(_action(action, name) for action in actions) or "nothing"


def listed(items: Sequence[str]) -> str:
    """ "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def _action(action: Action, name: Callable[[int], str]) -> str:
    words = [action.verb.replace("_", " ")]
    if action.target is not None:
        words.append(name(action.target))
    if action.relation is not None and action.place is not None:
        words += [str(action.relation), name(action.place)]
    return " ".join(words)
