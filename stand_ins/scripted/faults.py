"""Injected faults: errors of real endpoints and models, at rates of the user.

Faults are drawn from a seed, the messages and how often these were asked before. So a run can be
repeated, while asking again may succeed. Errors of a weaker model keep the planner's format: only
the text of the choice changes, be it an action, a plan, a subgoal or a program.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import BadInput
from ..rates import read_rates
from .home.memory import DONE, GIVE_UP, Choice
from .table import Table

#: Errors of a model: an action that no planner offers, a thing that is not there, a wrong thing, a
#: wrong place, and an end before the task is done.
ERRORS = ("illegal", "invented", "wrong_subgoal", "early_stop")
#: All errors of `mistaken`. The rate `errors` is spread over the first ones; the others need their
#: own rate.
MISTAKES = (*ERRORS, "wrong_place", "wrong_delivery", "wrong_thought")

_ILLEGAL = "fly to the moon 1"
#: Predicates of PDDL files, and wrong ones in their place.
_PROBLEM = "(define (problem"
_PREDICATES = {"on-state": "on", "closed": "shut", "ontop": "on", "inside": "in"}
#: Things that no suite has.
_INVENTED = ("telescope", "gramophone", "sundial", "anvil", "accordion")
#: The names of blocks, which have no categories.
_BLOCKS = ("cubeA", "cubeB", "cubeC")
#: The last word of a name with its number: "table 1", "Table (1)", "table1", "table-1".
_NAME = re.compile(r"\b([A-Za-z]+?)(?=[ _-]?\(?\d+\b)")
_DIGITS = re.compile(r"\d+")
#: The goal of the held thing in a thought on remaining work.
_CARRIED = re.compile(r" for (?P<place>[^;]+), now ")
#: The things to bring and their place in a thought on remaining work (`home.remaining_work`).
_LEFT = re.compile(r"(?!.*\bbe )([a-z][a-z -]*?\d*(?:, [a-z][a-z -]*?\d*)*) ((?:in|on|under) .*)")


def mistaken(
    choice: Choice, error: str, menu: Sequence[str] | None, table: Table, chance: random.Random
) -> Choice:
    """A choice with an error. menu: the actions on offer, None where they are unknown."""
    match error:
        case "illegal":
            return replace(choice, action=_misaligned(choice.action) or _ILLEGAL)
        case "invented":
            return replace(choice, action=_with_invented(choice.action, chance))
        case "wrong_subgoal":
            return replace(choice, action=_with_other(choice.action, menu, table, chance))
        case "wrong_place":
            return replace(choice, action=_elsewhere(choice.action, menu or (), chance))
        case "wrong_delivery":
            wrong = _delivered_elsewhere(choice, menu or (), table, chance)
            return replace(choice, action=wrong)
        case "wrong_thought":
            return replace(choice, thought=_misremembered(choice.thought, chance))
        case "early_stop":
            return Choice("I think that everything is done.", DONE)
    return choice


def _misaligned(text: str) -> str:
    """A problem file with an unknown predicate in its goal; other texts stay."""
    if not text.startswith(_PROBLEM):
        return ""
    file, _, goal = text.rpartition("(:goal")
    for word, said in _PREDICATES.items():
        if f"({word} " in goal:
            return f"{file}(:goal{goal.replace(f'({word} ', f'({said} ')}"
    return text.replace("(hand-empty)", "(empty-hand)")


def _with_invented(text: str, chance: random.Random) -> str:
    """A text in which one of its things or places has the name of a missing thing."""
    invented = chance.choice(_INVENTED)
    found = list(_NAME.finditer(text))
    if not found:
        return f"go to {invented} 1"
    name = chance.choice(found)
    word = invented.capitalize() if name[1][0].isupper() else invented
    return f"{text[: name.start()]}{word}{text[name.end() :]}"


def _with_other(text: str, menu: Sequence[str] | None, table: Table, chance: random.Random) -> str:
    """A text with another thing or place: if possible another action on offer of its verb."""
    verb = text.partition(" ")[0]
    alike = [each for each in menu or () if each.partition(" ")[0] == verb and each != text]
    if text in (DONE, GIVE_UP) or (menu is not None and not alike):
        return text
    if alike:
        return chance.choice(sorted(alike))
    for words in _categories(table):
        said = [word for word in words if _word(word).search(text)]
        others = [word for word in words if word not in said]
        if said and others:
            wrong = chance.choice(others)
            return _word(max(said, key=len)).sub(wrong, text)
    return text


def _elsewhere(text: str, menu: Sequence[str], chance: random.Random) -> str:
    """A walk to another place of the same kind, or putting down; other texts stay.

    The error of a model that knows the kind of place, but not which of several is meant.
    """
    if not text.startswith("go to "):
        return text
    kind = _unnumbered(text)
    alike = [action for action in menu if _unnumbered(action) == kind and action != text]
    others = alike or [action for action in menu if action.startswith("put down ")]
    return chance.choice(sorted(others)) if others else text


def _delivered_elsewhere(
    choice: Choice, menu: Sequence[str], table: Table, chance: random.Random
) -> str:
    """A walk with a held thing to the place of another instruction of the table; other texts stay.

    `wrong_place` mostly leads to other rooms, because the right walk to another room is a walk to
    that room.
    """
    text = choice.action
    carried = _CARRIED.search(choice.thought)
    if not text.startswith("go to ") or carried is None:
        return text
    kinds = {_last_word(category) for category in next(_categories(table))}
    right = (text, f"go to {carried['place']}")
    others = [
        action
        for action in menu
        if action.startswith("go to ") and action not in right and _last_word(action) in kinds
    ]
    return chance.choice(sorted(others)) if others else text


def _misremembered(thought: str, chance: random.Random) -> str:
    """A thought on remaining work with a wrong thing or place; other thoughts stay."""
    left, *rest = thought.split("; ")
    part = _LEFT.fullmatch(left)
    if part is None:
        return thought
    things, where = part[1].split(", "), part[2]
    number = chance.randrange(len(things))
    match chance.choice(("forgotten", "too many", "place")):
        case "forgotten" if len(things) > 1:
            del things[number]
        case "too many":
            things.insert(number, things[number])
        case _:
            where = _DIGITS.sub(lambda digits: str(int(digits[0]) % 2 + 1), where, count=1)
    return "; ".join([f"{', '.join(things)} {where}", *rest])


def _last_word(text: str) -> str:
    """The last word of a place's name or category, without its number."""
    return re.split(r"[ _]", _unnumbered(text).strip(" ()"))[-1].lower()


def _unnumbered(text: str) -> str:
    return _DIGITS.sub("", text)


def _word(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z]){re.escape(text)}", re.IGNORECASE)


def _categories(table: Table) -> Iterator[list[str]]:
    """The places, then the things, of the instructions, and blocks."""
    for part in ("place", "thing"):
        terms = [getattr(each, part) for entries in table.values() for each in entries]
        yield sorted({kind for term in terms if term is not None for kind in term.categories})
    yield list(_BLOCKS)


# --- which faults --------------------------------------------------------------------------------

#: Faults of an HTTP call: at most one.
HTTP = ("http429", "http500")
#: Faults of a reply: at most one.
REPLY = ("malformed", *MISTAKES, "empty", "truncated")
KINDS = (*REPLY, "slow", *HTTP)
#: The rate that is spread evenly over the errors of a model.
ALL_ERRORS = "errors"
_SPREAD = ("malformed", *ERRORS)


def parse_rates(text: str) -> dict[str, float]:
    """Read the rates of "malformed=0.1,slow=0.05". Raises BadInput.

    "errors=0.2" adds 0.04 to each error of a model.
    """
    rates = read_rates(text, (*KINDS, ALL_ERRORS), "The rate of the fault", "fault")
    if ALL_ERRORS in rates:
        each = rates.pop(ALL_ERRORS) / len(_SPREAD)
        rates = {**dict.fromkeys(_SPREAD, each), **rates}
    for group in (HTTP, REPLY):
        if sum(rates.get(name, 0.0) for name in group) > 1.0 + 1e-9:
            raise BadInput(
                f"The rates of {', '.join(group)} exclude each other and sum to more than 1; "
                f"lower them."
            )
    return rates


@dataclass(frozen=True)
class DrawnFault:
    """A fault: HTTP status (0: none), delay, fault of the reply, and the seed of its details."""

    status: int = 0
    slow: bool = False
    reply: str = ""
    seed: str = field(default="", compare=False)


@dataclass
class ReplyFaults:
    """The faults of one server. Threads may draw at the same time."""

    rates: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def draw(self, messages: Sequence[Mapping[str, Any]]) -> DrawnFault:
        """Draw the fault of a request."""
        text = json.dumps(list(messages), sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()
        with self._lock:
            attempt = self._asked[digest]
            self._asked[digest] += 1
        seed = f"{self.seed}:{digest}:{attempt}"
        chance = random.Random(seed)
        http = self._one(HTTP, chance)
        slow = chance.random() < self.rates.get("slow", 0.0)
        reply = self._one(REPLY, chance)
        return DrawnFault(int(http.removeprefix("http") or 0), slow, reply, f"{seed}:{reply}")

    def _one(self, kinds: Sequence[str], chance: random.Random) -> str:
        left = chance.random()
        for kind in kinds:
            left -= self.rates.get(kind, 0.0)
            if left < 0.0:
                return kind
        return ""
