"""Goals in words: English sentences for people, in reports and goal checks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .goals import (
    MEASURES,
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
    within,
)
from .node import Relation, State

_Name = Callable[[int], str]
_QUANTIFIED = (Exists, ForAll, AtLeast)
_STATES = {State.PLUGGED_OUT: "unplugged"}
#: The wording of relations whose name is not their wording.
_RELATIONS = {
    Relation.CLOSE: "close to",
    Relation.ATTACHED: "attached to",
    Relation.FACING: "facing",
}
#: Wordings of events whose verb needs a preposition.
_ACTIONS = {"lie_down": "lie down on", "look": "look at", "sit": "sit on", "type": "type on"}
#: Effects of appliances, worded in the passive.
_TREATMENTS = frozenset({"heated", "cooled", "cleaned", "toasted", "filled"})
#: Nouns without a plural.
_MASS = re.compile(
    "bread|cereal|cheese|chicken|food|jam|juice|milk|money|rice|salt|soap|sugar|toilet paper"
    "|water|wine"
)
_PLURALS = {"knife": "knives", "loaf": "loaves", "shelf": "shelves", "leaf": "leaves"}


def describe(goal: Goal, name: _Name = str) -> str:
    """Word a goal. name: the name of a node id; free variables stay as they are."""
    return _Writer(name).clause(goal, {})


@dataclass
class _Noun:
    """The wording of a variable: at first, again, and whether it takes a plural verb."""

    first: str
    again: str
    plural: bool = False
    said: bool = False

    def __str__(self) -> str:
        word = self.again if self.said else self.first
        self.said = True
        return word


class _Writer:
    """Words the parts of a goal; `bound` maps the bound variables to their nouns."""

    def __init__(self, name: _Name) -> None:
        self._name = name

    def clause(self, goal: Goal, bound: dict[str, _Noun], negation: str = "") -> str:
        """A goal in words; with negation " not", the opposite of a single predicate."""
        match goal:
            case HasState(thing, state):
                subject, verb = self._subject(thing, bound, "is", "are")
                word = _STATES.get(state, state.replace("_", " "))
                return f"{subject} {verb}{negation} {word}"
            case Related(source, Relation.HOLDS, target):
                subject, verb = self._subject(source, bound, "holds", "hold")
                if negation:
                    verb = "does not hold" if verb == "holds" else "do not hold"
                return f"{subject} {verb} {self._word(target, bound)}"
            case Related(source, relation, target, direct):
                subject, verb = self._subject(source, bound, "is", "are")
                how = "directly inside" if direct else _RELATIONS.get(relation, str(relation))
                return f"{subject} {verb}{negation} {how} {self._word(target, bound)}"
            case EventOccurred((name,), (thing,)) if name in _TREATMENTS:
                subject, verb = self._subject(thing, bound, "has", "have")
                return f"{subject} {verb}{negation} been {name}{_at_least(goal.at_least)}"
            case Not(Not(part)):
                return self.clause(part, bound, negation)
            case Not(HasState() | Related() as part) if not negation:
                return self.clause(part, bound, " not")
            case Not(part):
                return f"it is not so that {self._bracketed(part, bound)}"
            case And(parts):
                return self._joined(parts, bound, " and ") or "nothing"
            case Or(parts):
                return self._joined(parts, bound, " or ") or "the impossible"
            case InOrder(parts):
                return self._joined(parts, bound, ", then ")
            case MeasureInRange():
                return self._measure(goal, bound)
            case EventOccurred():
                return self._event(goal, bound)
            case Exists() | ForAll() | AtLeast():
                return self._quantified(goal, bound)

    def _joined(self, parts: Iterable[Goal], bound: dict[str, _Noun], word: str) -> str:
        return word.join(self._bracketed(part, bound) for part in parts)

    def _bracketed(self, goal: Goal, bound: dict[str, _Noun]) -> str:
        text = self.clause(goal, bound)
        inner = goal.part.part if isinstance(goal, Not) and isinstance(goal.part, Not) else goal
        several = isinstance(inner, And | Or) and len(inner.parts) > 1
        return f"({text})" if several or _is_introduced(inner) else text

    def _subject(
        self, term: Term | None, bound: dict[str, _Noun], one: str, several: str
    ) -> tuple[str, str]:
        """The word of a term, and the verb that agrees with it."""
        noun = bound.get(term) if isinstance(term, str) else None
        plural = noun is not None and noun.plural and not noun.said
        word = self._word(term, bound)
        return word, several if plural or word == "you" else one

    def _word(self, term: Term | None, bound: dict[str, _Noun]) -> str:
        if isinstance(term, int):
            return self._name(term)
        if term is None:
            return "something"
        return str(bound.get(term, term))

    def _measure(self, goal: MeasureInRange, bound: dict[str, _Noun]) -> str:
        things = [self._word(thing, bound) for thing in goal.things]
        what = MEASURES[goal.measure].words.format(*things)
        if math.isinf(goal.high):
            return f"{what} is at least {goal.low:g} m"
        if math.isinf(goal.low):
            return f"{what} is at most {goal.high:g} m"
        return f"{what} is from {goal.low:g} to {goal.high:g} m"

    def _event(self, goal: EventOccurred, bound: dict[str, _Noun]) -> str:
        verbs = " or ".join(_ACTIONS.get(name, name.replace("_", " ")) for name in goal.names)
        things = ", ".join(self._word(thing, bound) for thing in goal.things)
        return f"{verbs} {things}".rstrip() + _at_least(goal.at_least)

    # --- quantifiers -----------------------------------------------------------------------------

    def _quantified(self, goal: Exists | ForAll | AtLeast, bound: dict[str, _Noun]) -> str:
        noun = self._noun(goal)
        if not _is_introduced(goal):
            return self.clause(goal.body, {**bound, goal.variable: noun})
        some = isinstance(goal, Exists) and goal.domain.ids is None
        introduction = f"there is {noun} such that" if some else f"for {noun},"
        return f"{introduction} {self.clause(goal.body, {**bound, goal.variable: noun})}"

    def _noun(self, goal: Exists | ForAll | AtLeast) -> _Noun:
        domain, count = goal.domain, goal.count if isinstance(goal, AtLeast) else 1
        if domain.ids is not None:
            return self._noun_of_ids(goal, sorted(domain.ids), count)
        kind = _kind(domain)
        again = f"that {kind}" if kind else "it"
        if isinstance(goal, ForAll):
            return _Noun(f"every {kind or 'thing'}", again)
        if count == 1:
            some = f"some {kind}" if _MASS.fullmatch(kind) else f"{article(kind)} {kind}"
            return _Noun(some if kind else "something", again)
        return _Noun(f"at least {count} {plural(kind or 'thing')}", again, plural=True)

    def _noun_of_ids(self, goal: Exists | ForAll | AtLeast, ids: list[int], count: int) -> _Noun:
        names = [self._name(node_id) for node_id in ids]
        if not names:
            return _Noun("each of no things" if isinstance(goal, ForAll) else "no thing", "it")
        if len(names) == 1:
            return _Noun(names[0], names[0])
        again = f"that {goal.variable.replace('_', ' ')}"
        if isinstance(goal, ForAll) or count == len(names):
            return _Noun(f"each of {_listed(names, 'and')}", again)
        if count == 1:
            return _Noun(_listed(names, "or"), again)
        return _Noun(f"at least {count} of {_listed(names, 'and')}", again, plural=True)


def _at_least(value: float | None) -> str:
    return f" (at least {value:g})" if value else ""


def _is_introduced(goal: Goal) -> bool:
    """Whether a quantifier must come first in the sentence, to keep its scope clear."""
    if not isinstance(goal, _QUANTIFIED):
        return False
    if isinstance(goal, Exists):
        return any(isinstance(part, ForAll | AtLeast) for part in within(goal.body))
    return any(isinstance(part, (*_QUANTIFIED, Not)) for part in within(goal.body))


# --- nouns ---------------------------------------------------------------------------------------


def _kind(domain: Domain) -> str:
    """The noun of a domain: "apple", "apple or pear", "object"; "" for any."""
    if domain.categories is not None:
        return " or ".join(sorted(domain.categories))
    return "" if domain.kind is None else str(domain.kind)


def article(noun: str) -> str:
    """ "a" or "an"."""
    return "an" if noun[:1] in "aeiou" else "a"


def plural(noun: str) -> str:
    """The plural of an English noun: "knives", "slices of bread", "portions of bread"."""
    if " or " in noun:
        return " or ".join(map(plural, noun.split(" or ")))
    if _MASS.fullmatch(noun):
        return f"portions of {noun}"
    first, _, last = noun.rpartition(" ")
    if " of " in noun:  # "slices of bread"
        head, _, rest = noun.partition(" of ")
        return f"{plural(head)} of {rest}"
    if last in _PLURALS:
        last = _PLURALS[last]
    elif re.search("(s|x|z|ch|sh|to)$", last):
        last += "" if re.search("[^s]s$", last) else "es"  # "glasses", and "bananas" as they are
    elif re.search("[^aeiou]y$", last):
        last = f"{last[:-1]}ies"
    else:
        last += "s"
    return f"{first} {last}".lstrip()


def joined(items: Sequence[str], word: str = "and") -> str:
    """ "a, b and c"; a single item stays as it is."""
    *others, last = items
    return f"{', '.join(others)} {word} {last}" if others else last


def _listed(names: list[str], word: str) -> str:
    """ "candle 1, 2 and 3" if all are alike, else "candle 1, box 2 and box 3"."""
    matches = [re.fullmatch(r"(.+) (\d+)", name) for name in names]
    kinds = {match[1] if match else None for match in matches}
    if len(kinds) == 1 and None not in kinds:
        names = [names[0], *(name.rpartition(" ")[2] for name in names[1:])]
    return joined(names, word)
