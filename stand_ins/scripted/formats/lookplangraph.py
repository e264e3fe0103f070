"""The format of the planner `lookplangraph`: a reason and a function call, as JSON.

The system message has the functions; the message of the user has the instruction, the scene as far
as it is told, in words or JSON, and the previous actions with their reasons.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..dialects.lookplangraph import NodeWords
from ..household.requirements import Table, requirements_of
from ..told_graph.choosing import Told, next_call
from ..told_graph.history import calls_in, fading, noted_in
from ..told_graph.memory import memory_of_scene, with_noted
from ..transcript import DONE, Choice

_BEGINNING = "You are a robot that acts in a building, which you know as a graph of nodes"
_INSTRUCTION, _SCENE, _PREVIOUS = "Instruction: ", "\nScene:\n", "\nPrevious actions:"
_CALL = re.compile(r"(\w+)\(([^()]*)\)")
_ALL_PLACES = "You are told of all places"
_DISCOVERS = "- discover_objects(node)"

_Messages = Sequence[Mapping[str, str]]


def recognises(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """Whether the system message is this planner's."""
    return messages[0]["role"] == "system" and messages[0]["content"].startswith(_BEGINNING)


def read(messages: _Messages, schema: Mapping[str, Any]) -> Callable[[Table], Choice]:
    """Who chooses on the messages."""
    return partial(_choose, messages[0]["content"], messages[1]["content"])


def write(choice: Choice) -> str:
    """The reply's text."""
    found = _CALL.fullmatch(choice.action)
    name = choice.action if found is None else found[1]
    arguments = [part.strip() for part in found[2].split(",")] if found else [""]
    action = {"function_name": name, "node": arguments[0]}
    if len(arguments) == 3:
        action |= {"relation": arguments[1], "destination": arguments[2]}
    return json.dumps({"reason": choice.thought, "action": action}, ensure_ascii=False)


def _choose(system: str, asked: str, table: Table) -> Choice:
    words = NodeWords(table)
    instruction, _, rest = asked.removeprefix(_INSTRUCTION).partition(_SCENE)
    scene_text, _, previous = rest.partition(_PREVIOUS)
    requirements = requirements_of(table, instruction)
    if requirements is None:
        return Choice("I do not understand what I am asked to do.", DONE)
    calls = calls_in(previous, words)
    noted = [*noted_in(previous, words)]
    scene = with_noted(words.scene(scene_text), noted)
    hands = 2 if any(required.relation == "holds" for required in requirements) else 1
    memory = memory_of_scene(scene, calls, tells_all=_ALL_PLACES in system, hands=hands)
    told = Told(
        instruction,
        requirements,
        scene,
        calls,
        words,
        _DISCOVERS in system,
        {node.name: node for node in noted},
        fading(previous, words),
    )
    return next_call(told, memory)
