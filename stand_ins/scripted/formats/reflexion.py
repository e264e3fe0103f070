"""The format of the planner `reflexion`: turns as of `react`, the latest alone, and reflections.

Where observations are lists, every thought ends with all that was done, since earlier turns are
not shown; else what is no longer shown is forgotten.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..dialects.llm_state import Words
from ..household.requirements import Table, requirements_of
from ..lists.house import ListedHouse
from ..lists.log import SO_FAR, Logged, kept_in, phrase_of, remembered
from ..lists.planning import plan, remedial_plan
from ..transcript import DONE, Choice, Transcript
from . import react

_Messages = Sequence[Mapping[str, str]]
_REFLECTS, _TRIALS = "You reflect on the steps of a household robot", "\nTrials:\n"
_TASK, _LISTS = "Task: ", "Object List: "
_FUNCTIONS = re.compile(r"The actions are: (.*)\. The letters")
_ONE_HAND, _HAND_TO_OPEN = "You can hold one thing", "Opening takes an empty hand."
_LAST = re.compile(r"^> (\{.*\})$", re.MULTILINE)
#: How a reflection is written: as it is.
_REFLECTION = "reflection"


def recognises(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """Whether the system message tells of trials, or asks for a reflection."""
    first = messages[0]
    told = first["content"]
    return first["role"] == "system" and (told.startswith(_REFLECTS) or _TRIALS in told)


def read(
    messages: _Messages, schema: Mapping[str, Any]
) -> Transcript | Choice | Callable[[Table], Choice]:
    """The transcript of the messages, a reflection, or who chooses on lists."""
    if messages[0]["content"].startswith(_REFLECTS):
        return _reflect(messages[1]["content"])
    if f"\n{_LISTS}" in messages[1]["content"]:
        return partial(_choose_on_lists, messages)
    return react.read(messages, schema)


def write(choice: Choice) -> str:
    """The reply's text."""
    return choice.thought if choice.action == _REFLECTION else react.write(choice)


def _reflect(asked: str) -> Choice:
    """What was tried in vain."""
    tried = [_said(reply)[1] for reply in _LAST.findall(asked)[-3:]]
    in_vain = "; ".join(dict.fromkeys(action for action in tried if action)) or "nothing"
    thought = f"I tried in vain: {in_vain}. I look elsewhere and do the rest of the task first."
    return Choice(thought, _REFLECTION)


def _choose_on_lists(messages: _Messages, table: Table) -> Choice:
    """The next action, by the newest lists and all that was done, as thoughts kept it."""
    system, start = messages[0]["content"], messages[1]["content"]
    instruction = start.partition("\n")[0].removeprefix(_TASK).strip()
    words = Words(table)
    lists = [m["content"] for m in messages if m["role"] == "user" and _LISTS in m["content"]]
    log = list(_log(messages, words))
    functions = _FUNCTIONS.search(system)
    house = ListedHouse(
        instruction,
        requirements_of(table, instruction) or (),
        words,
        frozenset(re.findall(r"(\w+)\(", "" if functions is None else functions[1])),
        hands=1 if _ONE_HAND in system else 2,
        opening_needs_hand=_HAND_TO_OPEN in system,
    )
    scene = words.scene(lists[-1])
    calls, thought = plan(house, scene, log, 1)
    action = next(iter(calls or remedial_plan(house, scene, log)), DONE)
    return Choice(f"{thought}{SO_FAR}{remembered(log, words)}", action)


def _log(messages: _Messages, words: Words) -> Iterator[Logged]:
    """All actions: those that the oldest thought still there remembers, and those after it."""
    said: str | None = None
    begun = False
    for message in messages[2:]:
        if message["role"] == "assistant":
            thought, said = _said(message["content"])
            if not begun:
                yield from kept_in(thought, words)
            begun = True
        elif said is not None:
            yield Logged(phrase_of(said, words), message["content"].startswith("(Success"))
            said = None


def _said(reply: str) -> tuple[str, str | None]:
    """The thought and the action of a reply."""
    try:
        data = json.loads(reply)
        return str(data["thought"]), str(data["action"])
    except (ValueError, KeyError, TypeError):
        return "", None
