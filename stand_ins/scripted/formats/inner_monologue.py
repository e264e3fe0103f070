"""The format of the planner `inner_monologue`: a thought and an action a turn, in two lines.

The message of the task has the first scene; then replies and what came of them take turns, the
earliest left out. So every thought ends with what has to be remembered: what was done to things,
what was looked into and what failed. In the dialect `llm_state` the newest scene has everything
else; in the others the observations are read as those of `react` are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..dialects import reactree_plain
from ..dialects.llm_state import Words
from ..household.requirements import Table, requirements_of
from ..lists.house import ListedHouse
from ..lists.log import SO_FAR, Logged, kept_in, phrase_of, remembered
from ..lists.planning import plan
from ..transcript import DONE, Choice, Transcript, Turn

_Messages = Sequence[Mapping[str, str]]
_FORM = "Robot thought: what you know"
_TASK, _SCENE = "Task: ", "Scene:\n"
_ACTION = re.compile(r"^Robot action: (.*)$", re.MULTILINE)
_LISTS = "Object List: "
_FUNCTIONS = re.compile(r"These are the actions: (.*)\. Say")
_ONE_HAND, _HAND_TO_OPEN = "You can hold one thing", "Opening takes an empty hand."


def recognises(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """Whether the system message asks for a thought and an action in two lines."""
    return messages[0]["role"] == "system" and _FORM in messages[0]["content"]


def read(messages: _Messages, schema: Mapping[str, Any]) -> Transcript | Callable[[Table], Choice]:
    """The transcript of the messages, or who chooses on lists."""
    system, start = messages[0]["content"], messages[1]["content"]
    task, _, first = start.partition("\n")
    if _LISTS in first:
        return partial(_choose_on_lists, messages)
    transcript = Transcript(
        instruction=task.removeprefix(_TASK).strip(),
        first=first.removeprefix(_SCENE),
        turns=tuple(Turn(said, told) for said, told in _turns(messages)),
        options=None,
        hands=1 if _ONE_HAND in system else 2,
        opening_needs_hand=_HAND_TO_OPEN in system,
    )
    return reactree_plain.to_reactree(transcript)


def write(choice: Choice) -> str:
    """The reply's text."""
    return f"Robot thought: {choice.thought}\nRobot action: {choice.action}"


def _turns(messages: _Messages) -> Iterator[tuple[str, str]]:
    """What was done and what was told then, without "Success" before a scene."""
    said: str | None = None
    for message in messages[2:]:
        if message["role"] == "assistant":
            action = _ACTION.search(message["content"])
            said = None if action is None else action[1]
        elif said is not None:
            yield said, message["content"].partition("\n")[2].removeprefix(_SCENE)
            said = None


# --- on lists ------------------------------------------------------------------------------------


def _choose_on_lists(messages: _Messages, table: Table) -> Choice:
    """The next action, by the newest scene and all that was done, as thoughts kept it."""
    system, start = messages[0]["content"], messages[1]["content"]
    instruction = start.partition("\n")[0].removeprefix(_TASK).strip()
    words = Words(table)
    scenes = [m["content"] for m in messages if m["role"] == "user" and _LISTS in m["content"]]
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
    scene = words.scene(scenes[-1])
    calls, thought = plan(house, scene, log, 1)
    action = calls[0] if calls else DONE
    return Choice(f"{thought}{SO_FAR}{remembered(log, words)}", action)


def _log(messages: _Messages, words: Words) -> Iterator[Logged]:
    """All actions: those that the oldest thought still there remembers, and those after it."""
    before: list[Logged] | None = None
    said: str | None = None
    for message in messages[2:]:
        if message["role"] == "assistant":
            content = message["content"]
            if before is None:
                before = list(kept_in(content, words))
                yield from before
            action = _ACTION.search(content)
            said = None if action is None else action[1]
        elif said is not None:
            succeeded = message["content"].startswith("Success: True")
            yield Logged(phrase_of(said, words), succeeded)
            said = None
