"""The format of the planner `llm_state`: attention, state estimation and plans, in calls.

The system message says which of them is asked for. The message of the user has, as far as they are
told, the task, the history of actions with their results, the observation in lists and the state.
What is known of things beyond the lists, the estimator puts into its attributes, and the policy
takes from there; where there is no state, from the history.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..dialects.llm_state import ListedScene, Words
from ..dialects.reactree import category
from ..household.memory import Memory
from ..household.requirements import Table, requirements_of
from ..lists.house import ListedHouse
from ..lists.knowledge import memory_of_lists
from ..lists.log import Logged, read_log
from ..lists.planning import plan, remedial_plan
from ..transcript import Choice

_Messages = Sequence[Mapping[str, str]]
_ROLES = ("attention", "state estimator", "planner")
_ROLE = re.compile(rf"You are the ({'|'.join(_ROLES)}) of a household robot\.")
_TASK = "Task goal: "
_FUNCTIONS = re.compile(r"You have only these functions:\n(.*)")
_LENGTH = re.compile(r"(\d+) actions at most")
_ONE_HAND, _HAND_TO_OPEN = "It can hold one thing", "open or switch nothing"
#: The words of attributes for what is known, in the order in which they are told.
_STATES = ("open", "closed", "on", "off", "plugged_in", "plugged_out", "sliced", "clean")
_DONE = "done"


def recognises(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """Whether the system message gives one of the three roles."""
    return messages[0]["role"] == "system" and _ROLE.match(messages[0]["content"]) is not None


def read(messages: _Messages, schema: Mapping[str, Any]) -> Callable[[Table], Choice]:
    """Who chooses on the messages."""
    system, asked = messages[0]["content"], messages[1]["content"]
    role = _ROLE.match(system)
    assert role is not None
    decide = {"attention": _attend, "state estimator": _estimate, "planner": _plan}[role[1]]
    return partial(decide, system, asked)


def write(choice: Choice) -> str:
    """The reply's text."""
    return choice.action


def _section(asked: str, title: str) -> str:
    start = f"******** {title} start ********\n"
    return asked.partition(start)[2].partition(f"******** {title} end ********")[0]


def _task(asked: str) -> str:
    return asked.partition(_TASK)[2].partition("\n")[0].strip()


# --- attention -----------------------------------------------------------------------------------


def _attend(system: str, asked: str, table: Table) -> Choice:
    """Add what the task speaks of."""
    words = Words(table)
    scene = words.scene(_section(asked, "current observation"))
    tracked = {line.partition(":")[0] for line in _section(asked, "current state").splitlines()}
    requirements = requirements_of(table, _task(asked)) or ()
    wanted = {
        kind
        for required in requirements
        for term in (required.thing, required.place)
        if term is not None
        for kind in term.categories
    }
    related = [name for name in (*scene.things, *scene.held) if category(name) in wanted]
    new = [name for name in map(words.original, related) if name not in tracked]
    calls = [f'add_related_objects("{name}")' for name in dict.fromkeys(new)]
    return Choice("These are what the task speaks of.", "\n".join(calls) or "nothing")


# --- state estimation ----------------------------------------------------------------------------


def _estimate(system: str, asked: str, table: Table) -> Choice:
    """Tell what the history made of things."""
    words = Words(table)
    log = read_log(_section(asked, "robot actions"), words)
    memory = _memory(system, words.scene(asked), log)
    calls = []
    if "update_reasoning(" in system:
        calls.append(f'update_reasoning("{_reasoning(log)}")')
    if "update_state(" in system:
        for line in _section(asked, "current state").splitlines():
            name = line.partition(":")[0]
            attributes = _attributes(memory, words.words(name))
            if name and attributes:
                calls.append(f'update_state("{name}", "{" | ".join(attributes)}")')
    return Choice("This is what I know.", "\n".join(calls) or "nothing")


def _memory(system: str, scene: ListedScene, log: Sequence[Logged]) -> Memory:
    return memory_of_lists(
        scene,
        log,
        hands=1 if _ONE_HAND in system else 2,
        opening_needs_hand=_HAND_TO_OPEN in system,
    )


def _attributes(memory: Memory, name: str) -> list[str]:
    found = ["in_hand"] if name in memory.held else []
    found += [state for state in _STATES if state in memory.states.get(name, ())]
    found += [treated for thing, treated in sorted(memory.treated) if thing == name]
    if name in memory.not_graspable:
        found.append("not_graspable")
    if name in memory.inspected:
        found.append("searched")
    return found


def _reasoning(log: Sequence[Logged]) -> str:
    if not log:
        return "Nothing was done yet."
    failed = [each.action for each in log if not each.succeeded]
    if not failed:
        return f"All {len(log)} actions succeeded; the last was to {log[-1].action}."
    return f"{len(failed)} of {len(log)} actions failed, the last of them to {failed[-1]}."


# --- plans ---------------------------------------------------------------------------------------


def _plan(system: str, asked: str, table: Table) -> Choice:
    words = Words(table)
    log = read_log(_section(asked, "robot actions"), words)
    scene = words.scene(_section(asked, "current observation"))
    instruction = _task(asked)
    functions = _FUNCTIONS.search(system)
    offered = re.findall(r"(\w+)\(", "" if functions is None else functions[1])
    house = ListedHouse(
        instruction,
        requirements_of(table, instruction) or (),
        words,
        frozenset(offered),
        hands=1 if _ONE_HAND in system else 2,
        opening_needs_hand=_HAND_TO_OPEN in system,
    )
    length = _LENGTH.search(system)
    calls, thought = plan(house, scene, log, 20 if length is None else int(length[1]))
    if not calls:
        calls = [f"{_DONE}()"] if _DONE in offered else remedial_plan(house, scene, log)
    lines = [f"{number}. {call}" for number, call in enumerate(calls, start=1)]
    return Choice(thought, "\n".join(["Low-level Action Plan:", *lines]))
