"""Faults on purpose: what real endpoints and models do wrong, at rates one can set.

Drawn from a seed, the messages and how often these were asked before, so that a run comes out the
same again, while asking once more may succeed. What a less able model gets wrong keeps the form of
the planner, whatever that is: only the text of what was chosen is changed, be it an action, a plan,
a subgoal or a program.
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

#: Errors of a model, by name: an action that no planner offers, a thing that is not there, another
#: thing or place than the right one, and an end before the task is done.
ERRORS = ("illegal", "invented", "wrong_subgoal", "early_stop")
#: All that `mistaken` makes; one rate may be spread over the first, the others are made by name
#: only.
MISTAKES = (*ERRORS, "wrong_place", "wrong_delivery", "wrong_thought")

_ILLEGAL = "fly to the moon 1"
#: Of a file in PDDL: predicates that it has, and what is said instead.
_PROBLEM = "(define (problem"
_PREDICATES = {"on-state": "on", "closed": "shut", "ontop": "on", "inside": "in"}
#: What no suite has.
_INVENTED = ("telescope", "gramophone", "sundial", "anvil", "accordion")
#: Blocks before an arm, which have no categories.
_BLOCKS = ("cubeA", "cubeB", "cubeC")
#: The last word of a name, its number behind it: "table 1", "Table (1)", "table1", "table-1".
_NAME = re.compile(r"\b([A-Za-z]+?)(?=[ _-]?\(?\d+\b)")
_DIGITS = re.compile(r"\d+")
#: Where what is held is to go, in a thought of what is left to be brought.
_CARRIED = re.compile(r" for (?P<place>[^;]+), now ")
#: What is left to be brought in a thought of that (`household.remaining_work`), and where.
_LEFT = re.compile(r"(?!.*\bbe )([a-z][a-z -]*?\d*(?:, [a-z][a-z -]*?\d*)*) ((?:in|on|under) .*)")


def mistaken(
    choice: Choice, error: str, options: Sequence[str] | None, table: Table, chance: random.Random
) -> Choice:
    """A choice with an error. options: the actions on offer, None where nothing says so."""
    match error:
        case "illegal":
            return replace(choice, action=_misaligned(choice.action) or _ILLEGAL)
        case "invented":
            return replace(choice, action=_with_invented(choice.action, chance))
        case "wrong_subgoal":
            return replace(choice, action=_with_other(choice.action, options, table, chance))
        case "wrong_place":
            return replace(choice, action=_elsewhere(choice.action, options or (), chance))
        case "wrong_delivery":
            wrong = _delivered_elsewhere(choice, options or (), table, chance)
            return replace(choice, action=wrong)
        case "wrong_thought":
            return replace(choice, thought=_misremembered(choice.thought, chance))
        case "early_stop":
            return Choice("I think that everything is done.", DONE)
    return choice


def _misaligned(text: str) -> str:
    """A problem file with a predicate in its goal that the domain does not have, if it is one."""
    if not text.startswith(_PROBLEM):
        return ""
    file, _, goal = text.rpartition("(:goal")
    for word, said in _PREDICATES.items():
        if f"({word} " in goal:
            return f"{file}(:goal{goal.replace(f'({word} ', f'({said} ')}"
    return text.replace("(hand-empty)", "(empty-hand)")


def _with_invented(text: str, chance: random.Random) -> str:
    """A text with one of its things, or places, called something that is not there."""
    invented = chance.choice(_INVENTED)
    found = list(_NAME.finditer(text))
    if not found:
        return f"go to {invented} 1"
    name = chance.choice(found)
    word = invented.capitalize() if name[1][0].isupper() else invented
    return f"{text[: name.start()]}{word}{text[name.end() :]}"


def _with_other(
    text: str, options: Sequence[str] | None, table: Table, chance: random.Random
) -> str:
    """A text with another thing or place: another action of the verb that is on offer, if any is.

    As it is, where it speaks of nothing that could be mistaken for another.
    """
    verb = text.partition(" ")[0]
    alike = [each for each in options or () if each.partition(" ")[0] == verb and each != text]
    if text in (DONE, GIVE_UP) or (options is not None and not alike):
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


def _elsewhere(text: str, options: Sequence[str], chance: random.Random) -> str:
    """A walk to another place of the kind, or else putting down; any other text as it is.

    What a model does that knows what belongs where but not which of several places is meant.
    """
    if not text.startswith("go to "):
        return text
    kind = _unnumbered(text)
    alike = [option for option in options if _unnumbered(option) == kind and option != text]
    others = alike or [option for option in options if option.startswith("put down ")]
    return chance.choice(sorted(others)) if others else text


def _delivered_elsewhere(
    choice: Choice, options: Sequence[str], table: Table, chance: random.Random
) -> str:
    """A walk with a thing in hand to a place where other instructions of the table want things.

    Any other text as it is. `wrong_place` leads to other rooms mostly, for where a thing is brought
    to another room, the walk is to that room.
    """
    text = choice.action
    carried = _CARRIED.search(choice.thought)
    if not text.startswith("go to ") or carried is None:
        return text
    kinds = {_last_word(category) for category in next(_categories(table))}
    right = (text, f"go to {carried['place']}")
    others = [
        option
        for option in options
        if option.startswith("go to ") and option not in right and _last_word(option) in kinds
    ]
    return chance.choice(sorted(others)) if others else text


def _misremembered(thought: str, chance: random.Random) -> str:
    """A thought of what is left with a thing forgotten, one too many, or another place.

    Any other thought as it is.
    """
    left, *rest = thought.split("; ")
    told = _LEFT.fullmatch(left)
    if told is None:
        return thought
    things, where = told[1].split(", "), told[2]
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
    """The places, then the things, that instructions speak of, and blocks."""
    for part in ("place", "thing"):
        terms = [getattr(each, part) for entries in table.values() for each in entries]
        yield sorted({kind for term in terms if term is not None for kind in term.categories})
    yield list(_BLOCKS)


# --- which faults --------------------------------------------------------------------------------

#: Of an HTTP call: one at most.
HTTP = ("http429", "http500")
#: Of a reply: one at most.
REPLY = ("malformed", *MISTAKES, "empty", "truncated")
KINDS = (*REPLY, "slow", *HTTP)
#: One rate spread evenly over what a less able model gets wrong.
ALL_ERRORS = "errors"
_SPREAD = ("malformed", *ERRORS)


def parse_rates(text: str) -> dict[str, float]:
    """The rates of "malformed=0.1,slow=0.05". Raises BadInput.

    "errors=0.2" stands for 0.04 of each error of a model, besides those that are given.
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
    """What goes wrong with one request: an HTTP status (0: none), a delay, a fault of the reply.

    seed: of what the fault is in particular.
    """

    status: int = 0
    slow: bool = False
    reply: str = ""
    seed: str = field(default="", compare=False)


@dataclass
class ReplyFaults:
    """The faults of one server. Threads may draw at once."""

    rates: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def draw(self, messages: Sequence[Mapping[str, Any]]) -> DrawnFault:
        """What goes wrong this time."""
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
