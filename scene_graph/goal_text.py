"""Goals in words."""

from __future__ import annotations

from collections.abc import Callable

from .goals import (
    And,
    AtLeast,
    Domain,
    EventOccurred,
    Exists,
    ForAll,
    Goal,
    HasState,
    InOrder,
    MeasureInRange,
    Not,
    Or,
    Related,
    Term,
)
from .measures import MEASURES
from .node import PLACEMENTS, Relation


def describe(goal: Goal, name: Callable[[int], str] = str) -> str:
    """Put a goal in words. `name` words a node id; variables stand as they are."""

    def word(term: Term | None) -> str:
        return name(term) if isinstance(term, int) else (term or "anything")

    match goal:
        case HasState(thing, state):
            return f"{word(thing)} is {state.replace('_', ' ')}"
        case Related(source, Relation.CLOSE, target):
            return f"{word(source)} is close to {word(target)}"
        case Related(source, Relation.ATTACHED, target):
            return f"{word(source)} is attached to {word(target)}"
        case Related(source, Relation.HOLDS, target):
            return f"{word(source)} holds {word(target)}"
        case Related(source, relation, target):
            return f"{word(source)} is {relation} {word(target)}"
        case MeasureInRange(measure, things, low, high):
            what = MEASURES[measure].words.format(*map(word, things))
            return f"{what}: {low:g} to {high:g} m"
        case EventOccurred(names, things, at_least):
            verbs = " or ".join(n.replace("_", " ") for n in names)
            concerned = (" " + ", ".join(map(word, things))) if things else ""
            return f"{verbs}{concerned}" + (f" (at least {at_least:g})" if at_least else "")
        case InOrder(parts):
            return ", then ".join(describe(part, name) for part in parts)
        case Not(Not(part)):
            return describe(part, name)
        case Not(part):
            return f"not ({describe(part, name)})"
        case And(parts):
            return " and ".join(_bracketed(part, name) for part in parts) or "nothing"
        case Or(parts):
            return " or ".join(_bracketed(part, name) for part in parts) or "the impossible"
        case ForAll(variable, domain, body):
            return f"for every {variable} ({_domain_text(domain, name)}): {_bracketed(body, name)}"
        case Exists(variable, domain, body):
            return f"for some {variable} ({_domain_text(domain, name)}): {_bracketed(body, name)}"
        case AtLeast(count, variable, domain, Related(source, relation, target)) if (
            source == variable and relation in PLACEMENTS
        ):
            what = f"{count} {_domain_text(domain, name)}".replace("one of", "of", 1)
            return f"{what} {relation} {word(target)}"
        case AtLeast(count, variable, domain, body):
            what = _domain_text(domain, name)
            return f"for at least {count} {variable} ({what}): {_bracketed(body, name)}"


def _bracketed(goal: Goal, name: Callable[[int], str]) -> str:
    text = describe(goal, name)
    inner = goal.part.part if isinstance(goal, Not) and isinstance(goal.part, Not) else goal
    return f"({text})" if isinstance(inner, And | Or) else text


def _domain_text(domain: Domain, name: Callable[[int], str]) -> str:
    words = []
    if domain.categories is not None:
        words.append(" or ".join(sorted(domain.categories)))
    if domain.kind is not None:
        words.append(str(domain.kind))
    if domain.ids is not None:
        words.append("one of " + ", ".join(name(i) for i in sorted(domain.ids)))
    return " ".join(words) or "anything"
