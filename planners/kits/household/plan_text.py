"""Plans in words, for notes and thoughts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....skills.actions import Action, to_data
from ...contract import Note
from .search import Plan


def plan_note(plan: Plan, name: Callable[[int], str]) -> Note:
    """Make the note that tells a plan. name: words a node id."""
    actions = plan.actions or ()
    data = {
        "actions": [to_data(action) for action in actions],
        "exact": plan.exact,
        "expanded": plan.expanded,
    }
    return Note("plan", plan_text(actions, name), data)


def plan_text(actions: Sequence[Action], name: Callable[[int], str]) -> str:
    """Word a plan: "go to fridge 1, open fridge 1"; "nothing" where it is empty."""
    return ", ".join(_action_text(action, name) for action in actions) or "nothing"


def enumeration(items: Sequence[str]) -> str:
    """Join items with commas and a last "and": "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def _action_text(action: Action, name: Callable[[int], str]) -> str:
    words = [action.verb.replace("_", " ")]
    if action.target is not None:
        words.append(name(action.target))
    if action.relation is not None and action.place is not None:
        words += [str(action.relation), name(action.place)]
    return " ".join(words)
