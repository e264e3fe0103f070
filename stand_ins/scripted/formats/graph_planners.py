"""The format of the planners on a granted map: `llm_as_planner`, `sayplan` and `sayplan_lite`.

The system message has the rules of plans, or the commands of the search, or both. The message of
the user has the instruction, the scene graph as JSON, and in the search which rooms are expanded
and what was commanded before, all of it or the last.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ....skills.actions import Verb
from ....skills.embodiment import Embodiment
from ..graph_plans.calls import calls_of
from ..graph_plans.imagination import plan_on
from ..graph_plans.search import CONTRACT, END, EXPAND, Searched, next_command
from ..graph_plans.told_graph import ToldGraph, read_graph
from ..household.requirements import YOU, Table, requirements_of
from ..transcript import Choice

_Messages = Sequence[Mapping[str, str]]
_WRITES = "You write plans for a household robot from "
_SEARCHES = "You search the scene graph of a building"
_DOES_BOTH = "You plan for a household robot on the scene graph of a building"
_INSTRUCTION, _EXPANDED = "Instruction: ", "Expanded rooms: "
_RELEASES = "- release(<object>)"
_NEEDS_HAND = re.compile(r"An empty hand is needed to ([\w, ]+):")
_FUNCTION = re.compile(r"^- (\w+)\(", re.MULTILINE)
_ONE_HAND = "You can hold one thing"
_COMMANDED = re.compile(rf"(?:^\d+\. |command: )({EXPAND}|{CONTRACT}|{END})\((.*?)\)", re.MULTILINE)
_VERBS = {"put_on": Verb.PUT, "put_inside": Verb.PUT, "release": Verb.PUT, "access": Verb.GO_TO}


def recognises(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """Whether the system message is that of one of the three."""
    system = messages[0]
    return system["role"] == "system" and system["content"].startswith(
        (_WRITES, _SEARCHES, _DOES_BOTH)
    )


def read(messages: _Messages, schema: Mapping[str, Any]) -> Callable[[Table], Choice]:
    """Who answers the messages."""
    rules, asked = messages[0]["content"], messages[1]["content"]
    decide = _write if rules.startswith(_WRITES) else _search
    return partial(decide, rules, asked)


def write(choice: Choice) -> str:
    """The reply's text."""
    return choice.action


def _instruction(asked: str) -> str:
    return asked.partition(_INSTRUCTION)[2].partition("\n")[0].strip()


def _write(rules: str, asked: str, table: Table) -> Choice:
    """The plan."""
    told = read_graph(asked, table)
    plan = _plan(rules, asked, told, table)
    answer: dict[str, Any] = {"plan": plan}
    if "chain_of_thought" in rules:
        answer = {"chain_of_thought": ["I do one thing after the other."], **answer}
    return Choice("", json.dumps(answer, ensure_ascii=False))


def _plan(rules: str, asked: str, told: ToldGraph, table: Table) -> list[str]:
    needs_hand = _NEEDS_HAND.search(rules)
    offered = _FUNCTION.findall(rules)
    verbs = {_VERBS.get(name) or Verb(name) for name in offered if name in {*_VERBS, *Verb}}
    body = Embodiment(
        hands=1 if _ONE_HAND in rules else 2,
        needs_free_hand=frozenset(
            Verb(word)
            for word in re.findall(r"\w+", needs_hand[1] if needs_hand else "")
            if word in set(Verb)
        ),
    )
    instruction = _instruction(asked)
    verbs |= {Verb.LOOK, Verb.DROP}
    actions, _ = plan_on(told, instruction, table, body, frozenset(verbs))
    asks_for_me = any(
        term is not None and YOU in term.categories
        for required in requirements_of(table, instruction) or ()
        for term in (required.thing, required.place)
    )
    releases = _RELEASES in rules
    return calls_of(actions, told, body, releases=releases, to_the_end=asks_for_me)


def _search(rules: str, asked: str, table: Table) -> Choice:
    """The next command; in `sayplan` with the plan, once all is found."""
    told = read_graph(asked, table)
    instruction = _instruction(asked)
    remembers = rules.startswith(_DOES_BOTH)
    choice = next_command(
        told,
        requirements_of(table, instruction) or (),
        instruction,
        _searched(asked, remembers=remembers),
    )
    command, _, room = choice.action.partition(" ")
    ends = command == END
    said: dict[str, Any] = {"command_name": command} | ({} if ends else {"node_name": room})
    answer = {"chain_of_thought": [choice.thought], "reasoning": choice.thought, "command": said}
    if remembers:
        if ends:
            said["plan"] = _plan(rules, asked, told, table)
        answer = {"mode": "planning" if ends else "exploring", **answer}
    return Choice(choice.thought, json.dumps(answer, ensure_ascii=False))


def _searched(asked: str, *, remembers: bool) -> Searched:
    """How the search stands. remembers: all commands are told, not only the last."""
    listed = asked.partition(_EXPANDED)[2].partition("\n")[0].strip()
    expanded = [] if listed == "none" else listed.split(", ")
    commanded = _COMMANDED.findall(asked.partition(_EXPANDED)[2])
    tried = {room for command, room in commanded if command == EXPAND}
    return Searched(
        expanded,
        {*expanded, *tried},
        contracts_early=remembers,
        ending=not remembers and bool(commanded) and commanded[-1][0] == CONTRACT,
    )
