"""The format of the planner `tree_planner` on its way down a tree: one of the actions on offer.

Plans are asked for in the format `zsp`. The first message of the user has the task and the first
observation; the others begin with "Done: " or "Failed: " and the action, then the observation. The
newest ends with the actions on offer, which leave out the numbers of objects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..dialects import reactree_plain, reactree_thor
from ..dialects.reactree import category
from ..household import commonsense
from ..household.policy import choices, situation_of
from ..household.requirements import Requirement, Table, requirements_of
from ..household.situation import Situation
from ..transcript import Choice, Transcript, Turn

_SYSTEM = "You control a household robot. Several plans for its task"
_TASK, _MENU = "Task: ", "Choose one of these:"
_CAME = re.compile(r"^(?:Done|Failed): (.*)$")
_OF_PLACES = re.compile(r"^(?:go to|open) ")
_TYPE = re.compile(r"(?<= )[A-Z][A-Za-z0-9]*$")
_NUMBER = re.compile(r" (?:\d+|\(\d+\))$")
_PUT_PLACE = re.compile(r"^(put down .+?) (?:in|on|under) .+$")

_Messages = Sequence[Mapping[str, str]]


def recognises(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """Whether the system message is that of the way down a tree."""
    return messages[0]["role"] == "system" and messages[0]["content"].startswith(_SYSTEM)


def read(messages: _Messages, schema: Mapping[str, Any]) -> Callable[[Table], Choice]:
    """Who chooses on the messages."""
    task, _, first = _told(messages[1]["content"]).partition("\n")
    transcript = Transcript(
        instruction=task.removeprefix(_TASK).strip(),
        first=first.partition("\n")[0],
        turns=tuple(_turns(messages[2:])),
        options=None,
    )
    offered = messages[-1]["content"].partition(f"{_MENU}\n")[2].splitlines()
    known = reactree_thor.to_reactree(reactree_plain.to_reactree(transcript))
    return partial(_choose, known, offered or _of_schema(schema))


def write(choice: Choice) -> str:
    """The reply's text."""
    return json.dumps({"choice": choice.action}, ensure_ascii=False)


def _told(content: str) -> str:
    """A message without its menu."""
    return content.partition(f"\n{_MENU}")[0]


def _of_schema(schema: Mapping[str, Any]) -> list[str]:
    choice = schema.get("properties", {}).get("choice", {})
    return list(choice.get("enum", ()))


def _turns(messages: _Messages) -> Iterator[Turn]:
    for message in messages:
        came = _CAME.match(_told(message["content"]).partition("\n")[0])
        if message["role"] == "user" and came is not None:
            observation = _told(message["content"]).partition("\n")[2]
            yield Turn(came[1], observation.partition("\n")[0])


def _choose(transcript: Transcript, offered: Sequence[str], table: Table) -> Choice:
    """The action on offer that makes most sense; where none does, that of most plans."""
    requirements = requirements_of(table, transcript.instruction) or ()
    situation = situation_of(transcript)
    by_plain = {_plain(option): option for option in reversed(offered)}
    for choice in choices(situation, requirements):
        if situation.possible(choice.action):
            for said in _ways_to_say(choice.action):
                if said in by_plain:
                    return Choice(choice.thought, by_plain[said])
    likely = max(offered, key=lambda option: _value(option, situation, requirements))
    return Choice("None of them is what I would do; this may help.", likely)


def _plain(option: str) -> str:
    """ "go to soap bar 2" of "go to SoapBar (2)", "pick up soap bar" of "pick up SoapBar"."""
    return _TYPE.sub(
        lambda kind: reactree_thor.in_words(kind[0]), reactree_thor.in_reactree(option)
    )


def _ways_to_say(action: str) -> Iterator[str]:
    """An action with and without numbers."""
    action = _PUT_PLACE.sub(r"\1", action)
    yield action
    yield _NUMBER.sub("", action)


def _value(option: str, situation: Situation, requirements: Sequence[Requirement]) -> float:
    """How much an option may help to find what is asked for."""
    memory, name = situation.memory, _OF_PLACES.sub("", _plain(option))
    if name == _plain(option) or situation.memory.is_futile(_plain(option)):
        return 0.0
    if name in memory.seen_into or (name in memory.inspected and option.startswith("go to ")):
        return 0.0
    room = category(memory.room_of(name) or "")
    return sum(
        commonsense.search_value(required.thing.categories[0], category(name), room)
        for required in requirements
        if required.thing is not None
    )
