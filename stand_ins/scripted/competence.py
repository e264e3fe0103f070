"""What a less able model gets wrong in what it says: a choice replaced by a worse one.

Each kind of error keeps the form of the planner, whatever that is: only the text of what was chosen
is changed, be it an action, a plan, a subgoal or a program.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

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
    for field in ("place", "thing"):
        terms = [getattr(each, field) for entries in table.values() for each in entries]
        yield sorted({kind for term in terms if term is not None for kind in term.categories})
    yield list(_BLOCKS)
