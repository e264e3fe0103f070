"""The formats of the planners `tru_pomdp` and `llm_mcts`: goals, places, actions, rollout policies.

What is asked stands in the system message, the kitchen in the user's. `kitchen_guesses` decides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..guesses import Guessed, Guesses
from ..household.requirements import Table
from ..kitchen_guesses import (
    POLICY,
    KitchenQuestion,
    ToldHypothesis,
    guessed_goals,
    guessed_places,
    next_action,
)
from ..transcript import Choice

_Messages = Sequence[Mapping[str, str]]
_Answer = Callable[[KitchenQuestion, Table, Guesses], Mapping[str, Any]]
_GOALS = re.compile(r"Propose up to (\d+) goals")
_COMBINATION = re.compile(r"at most (\d+)(?: objects each|, to which)")
_PLACES = re.compile(r"Say at which up to (\d+) areas")
_HYPOTHESES = re.compile(r"Propose up to (\d+) hypothes[ei]s")
_ACTION = "choose the one best next action"
_PROGRAM = "You write small programs that a robot's planner runs"
_PARTICLE = re.compile(r"^\d+\. With probability ([\d.]+): (.*)\.$", re.MULTILINE)
_WANTED = re.compile(r"(\S+) to (\S+?)(?: \(now at (\S+?)\))?(?:, |$)")


def recognises(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """Whether the system message asks for something of the kind."""
    told = messages[0]["content"]
    if messages[0]["role"] != "system":
        return False
    return told.startswith(_PROGRAM) or _answer_for(told) is not None


def read(messages: _Messages, schema: Mapping[str, Any]) -> Choice | Guessed:
    """What is chosen, or what chooses by guesses."""
    told = messages[0]["content"]
    if told.startswith(_PROGRAM):
        return Choice("", f"```python\n{POLICY}```")
    answer = _answer_for(told)
    assert answer is not None
    kitchen = _kitchen(messages[1]["content"])

    def choose(table: Table, guesses: Guesses) -> Choice:
        return Choice("", json.dumps(answer(kitchen, table, guesses), ensure_ascii=False))

    return Guessed(choose)


def write(choice: Choice) -> str:
    """The reply's text."""
    return choice.action


def _answer_for(told: str) -> _Answer | None:
    """What answers the question of a system message; None where it is another planner's."""
    most = _COMBINATION.search(told)
    if (found := _GOALS.search(told)) and most:
        return partial(_goals, count=int(found[1]), most=int(most[1]))
    if (found := _HYPOTHESES.search(told)) and most:
        return partial(_flat, count=int(found[1]), most=int(most[1]))
    if found := _PLACES.search(told):
        return partial(_places, count=int(found[1]))
    return _action if _ACTION in told else None


def _goals(
    kitchen: KitchenQuestion, table: Table, guesses: Guesses, *, count: int, most: int
) -> Mapping[str, Any]:
    found = guessed_goals(kitchen, table, guesses, count, most)
    combinations = [
        {"objects": [{"object": o, "area": a} for o, a in goal.items()], "probability": weight}
        for goal, weight in found
    ]
    return {"reasoning": "By what the table says is asked for.", "combinations": combinations}


def _places(
    kitchen: KitchenQuestion, table: Table, guesses: Guesses, *, count: int
) -> Mapping[str, Any]:
    found = guessed_places(kitchen, kitchen.sought, guesses, count)
    areas = [{"area": area, "probability": weight} for area, weight in found]
    return {"reasoning": "By what the names say.", "areas": areas}


def _flat(
    kitchen: KitchenQuestion, table: Table, guesses: Guesses, *, count: int, most: int
) -> Mapping[str, Any]:
    """Goals with the first, second … place of every object in them."""
    each = max(1, count // 3)
    hypotheses: list[dict[str, Any]] = []
    for goal, weight in guessed_goals(kitchen, table, guesses, min(count, 3), most):
        places = {
            thing: guessed_places(kitchen, thing, guesses, each)
            for thing in goal
            if thing not in kitchen.objects and thing != kitchen.held
        }
        for turn in range(each if places else 1):
            objects, share = [], weight
            for thing, target in goal.items():
                at = kitchen.objects.get(thing, target)
                if options := places.get(thing):
                    at, confidence = options[turn % len(options)]
                    share *= confidence
                objects.append({"object": thing, "target_area": target, "current_area": at})
            hypotheses.append({"objects": objects, "probability": share})
    total = sum(each["probability"] for each in hypotheses) or 1.0
    for hypothesis in hypotheses:
        hypothesis["probability"] /= total
    return {"reasoning": "By what the table says is asked for.", "hypotheses": hypotheses[:count]}


def _action(kitchen: KitchenQuestion, table: Table, guesses: Guesses) -> Mapping[str, Any]:
    return {"reasoning": "As the likeliest hypothesis has it.", "action": next_action(kitchen)}


def _kitchen(told: str) -> KitchenQuestion:
    """The kitchen that a question tells."""
    fields = dict(re.findall(r"^([A-Z][^:\n]*): (.*?)\.?$", told, re.MULTILINE))
    instruction = re.search(r"^Instruction: (.*)$", told, re.MULTILINE)
    held = re.search(r"^The robot holds (\S+)\.$", told, re.MULTILINE)
    return KitchenQuestion(
        told=told,
        instruction=instruction[1] if instruction else "",
        closed=_listed(fields.get("Closed areas", "")),
        opened=_listed(fields.get("Open areas", "")),
        objects=dict(re.findall(r"(\S+) at (\S+?)(?:, |$)", fields.get("Objects in view", ""))),
        held="" if held is None or held[1] == "nothing" else held[1],
        placed=frozenset(_listed(fields.get("Objects already placed right", ""))),
        sought=fields.get("The object to be found", ""),
        particles=tuple(_particles(told)),
    )


def _particles(told: str) -> list[ToldHypothesis]:
    found = []
    for weight, wanted in _PARTICLE.findall(told):
        parts = _WANTED.findall(wanted)
        targets = {thing: target for thing, target, _ in parts}
        places = {thing: place for thing, _, place in parts if place}
        found.append(ToldHypothesis(float(weight), targets, places))
    return found


def _listed(text: str) -> tuple[str, ...]:
    return () if text in ("none", "nothing", "") else tuple(text.split(", "))
