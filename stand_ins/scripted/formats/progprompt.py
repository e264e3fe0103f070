"""The format of the planner `progprompt`: programs, and judgements of their assertions.

The system message says which is asked for, and has the functions. The message of the user has the
objects, what was done with what came of it, and what is observed now, as comments. With calls such
as `placein(a, b)` the observation is lists of names; with functions such as `put_down_in(a, b)`
the actions are those of `reactree`, and what was done has its observations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..dialects import reactree_plain, reactree_thor
from ..dialects.llm_state import Words
from ..dialects.reactree import category, parse_put
from ..household.memory_updates import memory_of
from ..household.policy import next_action
from ..household.requirements import Table, requirements_of
from ..lists.house import ListedHouse
from ..lists.log import read_log
from ..lists.planning import plan, remedial_plan
from ..transcript import DONE, GIVE_UP, Choice, Transcript, Turn

_Messages = Sequence[Mapping[str, str]]
_WRITES, _JUDGES = "You write programs for a household robot.", "You judge the assertions"
_FUNCTION = re.compile(r"(\w+)\(((?:[a-c](?:, [a-c])*)?)\)")
_SECTION = re.compile(r"^# (At first|Done so far|Observed now):\n((?:# .*\n?)*)", re.MULTILINE)
_DONE_CALL = re.compile(r"^(\w+)\((.*?)\)  (?:ok|FAILED): (.*)$")
_TEXT = re.compile(r"'((?:[^'\\]|\\.)*)'")
_TASK = re.compile(r'^    """(.*)"""$', re.MULTILINE)
_ASSERTION = re.compile(r"^assert\('(.*)' is 'opened'\)$", re.MULTILINE)
_ONE_HAND = "You can hold one thing at a time."
_HAND_TO_OPEN = "Opening takes an empty hand."
#: Actions of a program in lists.
_LENGTH = 20
#: Actions, besides putting down, whose observation is known before.
_FORESEEN = re.compile(r"(pick up|close|turn on|turn off) (.+ \d+)")


def recognises(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """Whether the system message asks for a program, or for a judgement."""
    return messages[0]["role"] == "system" and messages[0]["content"].startswith((_WRITES, _JUDGES))


def read(messages: _Messages, schema: Mapping[str, Any]) -> Callable[[Table], Choice]:
    """Who chooses on the messages."""
    system, asked = messages[0]["content"], messages[1]["content"]
    if system.startswith(_JUDGES):
        return partial(_judge, asked)
    return partial(_write_in_lists if "pickup(a)" in system else _write_in_turns, system, asked)


def write(choice: Choice) -> str:
    """The reply's text."""
    return choice.action


def _sections(asked: str) -> dict[str, list[str]]:
    """The comments, by the titles above them."""
    return {
        title: [line.removeprefix("# ") for line in lines.splitlines()]
        for title, lines in _SECTION.findall(asked)
    }


def _task(asked: str) -> str:
    found = _TASK.search(asked)
    return found[1] if found else ""


def _functions(system: str) -> dict[str, int]:
    """The functions on offer, with how many names they take."""
    line = system.partition("from actions import ")[2].partition("\n")[0]
    return {
        name: len(letters.split(", ")) if letters else 0
        for name, letters in _FUNCTION.findall(line)
    }


# --- lists ---------------------------------------------------------------------------------------


def _log(told: Mapping[str, Sequence[str]]) -> str:
    """What was done, as the dialect words it."""
    lines = (line.replace("'", "").replace(")  (", ") (") for line in told.get("Done so far", ()))
    return "\n".join(lines)


def _judge(asked: str, table: Table) -> Choice:
    """Whether something is open, as far as one knows."""
    words = Words(table)
    told = _sections(asked)
    condition = _ASSERTION.search(asked)
    if condition is None:
        return Choice("I do not know.", '{"choice": "True"}')
    scene = words.scene("\n".join(told.get("Observed now", ())))
    house = ListedHouse("", (), words, frozenset())
    memory = house.memory(scene, read_log(_log(told), words))
    holds = memory.state(words.words(condition[1]), "open") is True
    return Choice("This is what I know.", f'{{"choice": "{holds}"}}')


def _write_in_lists(system: str, asked: str, table: Table) -> Choice:
    words = Words(table)
    told = _sections(asked)
    log = read_log(_log(told), words)
    scene = words.scene("\n".join(told.get("Observed now", ())))
    functions = _functions(system)
    house = ListedHouse(
        _task(asked),
        requirements_of(table, _task(asked)) or (),
        words,
        frozenset(functions),
        hands=1 if _ONE_HAND in system else 2,
        opening_needs_hand=_HAND_TO_OPEN in system,
    )
    calls, thought = plan(house, scene, log, _LENGTH)
    if not calls:
        calls = [f"{DONE}()"] if DONE in functions else remedial_plan(house, scene, log)
    return Choice(thought, "\n".join([f"# {thought}", *map(_statement, calls)]))


def _statement(call: str) -> str:
    """A call with its names as texts; opening is asserted."""
    name, _, rest = call.rstrip(")").partition("(")
    names = ", ".join(f"'{each.strip()}'" for each in rest.split(",") if each.strip())
    if name == "open":
        return f"assert({names} is 'opened')\n    else: open({names})"
    return f"{name}({names})"


# --- turns ---------------------------------------------------------------------------------------


def _write_in_turns(system: str, asked: str, table: Table) -> Choice:
    told = _sections(asked)
    functions = _functions(system)
    transcript = Transcript(
        instruction=_task(asked),
        first=" ".join(told.get("At first", ())),
        turns=tuple(_turns(told.get("Done so far", ()), functions)),
        options=None,
        hands=1 if _ONE_HAND in system else 2,
        opening_needs_hand=_HAND_TO_OPEN in system,
    )
    known = reactree_thor.to_reactree(reactree_plain.to_reactree(transcript))
    lines: list[str] = []
    thought = ""
    while len(lines) < _LENGTH:
        choice = next_action(known, table)
        thought = thought or choice.thought
        call = _call(choice.action, functions)
        if call is None:
            break
        lines.append(call)
        foreseen = _foreseen(choice.action, known)
        if foreseen is None:
            break
        known = replace(known, turns=(*known.turns, foreseen))
    if not lines:
        lines = [f"{DONE}()" if DONE in functions else next(_idle(functions))]
    return Choice(thought, "\n".join([f"# {thought}", *lines]))


def _idle(functions: Mapping[str, int]) -> Iterator[str]:
    """What to do where one sees nothing to be done."""
    yield from (f"{name}()" for name in ("look_around", "wait") if functions.get(name) == 0)
    yield "pass"


def _turns(lines: Sequence[str], functions: Mapping[str, int]) -> Iterator[Turn]:
    for line in lines:
        found = _DONE_CALL.match(line)
        if found is not None:
            yield Turn(_phrase(found[1], _TEXT.findall(found[2])), found[3])


def _phrase(function: str, names: Sequence[str]) -> str:
    """A call in the words of the dialect: the second name stands after the last word."""
    words = function.split("_")
    if len(names) == 2:
        return " ".join([*words[:-1], names[0], words[-1], names[1]])
    return " ".join([*words, *names])


def _call(action: str, functions: Mapping[str, int]) -> str | None:
    """The call of an action; None where no function is it."""
    if action in (DONE, GIVE_UP):
        return None
    for function in sorted(functions, key=len, reverse=True):
        said = re.escape(_phrase(function, ["\0"] * functions[function]))
        found = re.fullmatch(said.replace("\0", "(.+)"), action)
        if found is not None:
            return f"{function}({', '.join(map(repr, found.groups()))})"
    return None


def _foreseen(action: str, transcript: Transcript) -> Turn | None:
    """What an action of `reactree` will come to; None for one that may show something new."""
    held = memory_of(transcript).held
    simple = _FORESEEN.fullmatch(action)
    thing, how, place = parse_put(action) or ("", None, None)
    if transcript.wording:
        return None
    if how is not None and place is not None:
        told = f"You put down {category(thing)} {how} {category(place)}"
        held = [name for name in held if name != thing]
    elif simple is not None:
        told = f"You {simple[1]} {category(simple[2])}."
        held = [*held, simple[2]] if simple[1] == "pick up" else held
    else:
        return None
    numbered = ", ".join(re.sub(r" (\d+)$", r" (\1)", name) for name in held)
    return Turn(action, f"{told} You hold {numbered}." if held else told)
