"""The format of what makes kitchen tasks: one JSON object for each of three questions.

The first asks for an instruction with objects, the second for other objects, the third for goals.
All list the areas; the second and the third tell what was answered before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..transcript import Choice

_RULES = "You invent tasks for a robot that tidies and sets up kitchens."
_AREAS = re.compile(r"The kitchen has these areas: ([^.]*)\.")
_HAND = "Human_Hand"
_OTHERS = re.compile(r"Name (\d+) other objects.* For each give (\d+) different areas", re.DOTALL)
_COMBINATIONS = re.compile(r"every combination of (\d+) of them")
_PLACED = re.compile(r"(\w+), now in (\w+)")
_INSTRUCTION = "Something hot to drink would be lovely, and something to go with it."
_TARGETS = ("tea_box", "tea_cup", "honey_jar", "biscuit_tin", "cocoa_tin", "coffee_mug")
_OTHER = ("iron", "plastic", "wooden", "glass"), ("ladle", "funnel", "grater", "sieve", "scoop")

_Messages = Sequence[Mapping[str, str]]


def recognises(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """Whether the system message asks for tasks."""
    return messages[0]["role"] == "system" and messages[0]["content"].startswith(_RULES)


def read(messages: _Messages, schema: Mapping[str, Any]) -> Choice:
    """The answer to the question."""
    asked = messages[1]["content"]
    listed = _AREAS.search(asked)
    areas = [area for area in (listed[1] if listed else "").split(", ") if area != _HAND]
    if combinations := _COMBINATIONS.search(asked):
        return Choice("", json.dumps(_goals(asked, areas, int(combinations[1]))))
    if others := _OTHERS.search(asked):
        return Choice("", json.dumps(_others(areas, int(others[1]), int(others[2]))))
    objects = [{"name": name, "area": areas[i % len(areas)]} for i, name in enumerate(_TARGETS)]
    return Choice("", json.dumps({"instruction": _INSTRUCTION, "objects": objects}))


def write(choice: Choice) -> str:
    """The reply's text."""
    return choice.action


def _others(areas: Sequence[str], count: int, each: int) -> dict[str, Any]:
    names = [f"{stuff}_{tool}" for stuff in _OTHER[0] for tool in _OTHER[1]][:count]
    return {
        "objects": [
            {"name": name, "areas": [areas[(i + j) % len(areas)] for j in range(each)]}
            for i, name in enumerate(names)
        ]
    }


def _goals(asked: str, areas: Sequence[str], count: int) -> dict[str, Any]:
    """Every object in the hand or on one surface, and the objects that come first."""
    placed = dict(_PLACED.findall(asked))
    surface = next((area for area in areas if "Surface" in area), areas[-1])
    right = {
        name: [area for area in (_HAND, surface) if area != now] for name, now in placed.items()
    }
    names = list(right)
    return {"areas": right, "combinations": [names[:count]]}
