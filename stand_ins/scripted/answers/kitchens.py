"""Answers to `tru_pomdp`, `llm_mcts` and the generator of kitchen tasks.

The table gives the right combination of objects and areas. It is among the proposals with a set
probability; the others have another object or another area. The same holds for the places of
objects. Confidences are calibrated: half of the possibilities with 0.5 are right.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ....data_files import read_yaml
from ..asked import Asked, WrittenChoice, as_json, as_text
from ..table import Term, requirements_of

_T = TypeVar("_T")
#: The confidences of possibilities.
_WEIGHTS = (0.5, 0.3, 0.2)
_DATA = read_yaml(Path(__file__).with_suffix(".yaml"))
#: The rollout policy of its answers.
POLICY: str = _DATA["policy"]
_NUMBER = re.compile(r"_\d+$")
_REASON = "By what the table says is asked for."


def policy(asked: Asked) -> WrittenChoice:
    """The program of a rollout policy."""
    return as_text(f"```python\n{POLICY}```")


def goals(asked: Asked) -> WrittenChoice:
    """Combinations of objects with their areas, and confidences."""
    found = _goals(asked, asked.about["count"], asked.about["most"])
    combinations = [
        {"objects": [{"object": o, "area": a} for o, a in goal.items()], "probability": weight}
        for goal, weight in found
    ]
    return as_json({"reasoning": _REASON, "combinations": combinations})


def places(asked: Asked) -> WrittenChoice:
    """Areas where an object may be, with confidences."""
    found = _places(asked, asked.about["sought"], asked.about["count"])
    areas = [{"area": area, "probability": weight} for area, weight in found]
    return as_json({"reasoning": "By what the names say.", "areas": areas})


def hypotheses(asked: Asked) -> WrittenChoice:
    """Goals with the first, second … place of every object in them."""
    about, count = asked.about, asked.about["count"]
    each = max(1, count // 3)
    found: list[dict[str, Any]] = []
    for goal, weight in _goals(asked, min(count, 3), asked.about["most"]):
        unseen = [t for t in goal if t not in about["objects"] and t != about["held"]]
        where = {thing: _places(asked, thing, each) for thing in unseen}
        for turn in range(each if where else 1):
            objects, share = [], weight
            for thing, target in goal.items():
                at = about["objects"].get(thing, target)
                if options := where.get(thing):
                    at, confidence = options[turn % len(options)]
                    share *= confidence
                objects.append({"object": thing, "target_area": target, "current_area": at})
            found.append({"objects": objects, "probability": share})
    total = sum(each["probability"] for each in found) or 1.0
    for hypothesis in found:
        hypothesis["probability"] /= total
    return as_json({"reasoning": _REASON, "hypotheses": found[:count]})


def action(asked: Asked) -> WrittenChoice:
    """The next action for the likeliest hypothesis. belief: weight, targets and places of each."""
    said = _next_action(asked.about)
    return as_json({"reasoning": "As the likeliest hypothesis has it.", "action": said})


def _next_action(about: Mapping[str, Any]) -> str:
    belief, opened = about["belief"], about["opened"]
    if not belief:
        return "wait"
    best = max(belief, key=lambda each: float(each["weight"]))
    if about["held"]:
        target = best["targets"].get(about["held"], opened[0] if opened else "")
        return f"{'place' if target in opened else 'open'} {target}"
    for thing, target in best["targets"].items():
        at = about["objects"].get(thing)
        if at == target:
            continue
        if at is not None:
            return f"pick {thing}"
        if best["places"].get(thing) in about["closed"]:
            return f"open {best['places'][thing]}"
    return "wait"


# --- guesses -------------------------------------------------------------------------------------


def _goals(asked: Asked, count: int, most: int) -> list[tuple[dict[str, str], float]]:
    """Combinations of objects with confidences, within the given numbers."""
    about, guesses = asked.about, asked.guesses
    wanted = dict(list(_wanted(asked).items())[:most])
    chance = guesses.draws("goal", json.dumps(about, sort_keys=True))
    right = chance.random() < guesses.chances.goal
    mistaken = chance.choice(sorted(wanted)) if wanted else None
    found = [wanted] if wanted and right else []
    if mistaken is not None and not right:
        right_areas = (wanted[mistaken], about["objects"].get(mistaken))
        areas = [a for a in (*about["opened"], *about["closed"]) if a not in right_areas]
        found.append({**wanted, mistaken: chance.choice(areas)})
    seen = [t for t in about["objects"] if t not in wanted and t not in about["placed"]]
    chance.shuffle(seen)
    others = [*_DATA["invented"], *seen]
    while len(found) < count and others:
        if wanted and right:
            mistaken = chance.choice(sorted(wanted))
        found.append(_with_other(about, wanted, mistaken, others.pop()))
    return _weighed(found, chance)


def _places(asked: Asked, thing: str, count: int) -> list[tuple[str, float]]:
    """Closed areas where an object may be, with confidences."""
    about, guesses = asked.about, asked.guesses
    chance = guesses.draws("place", thing, json.dumps(about, sort_keys=True))
    kind = _NUMBER.sub("", thing).replace("_", " ")
    known = [_joined(each) for each in guesses.places_in(about["instruction"], kind)]
    true = [area for area in about["closed"] if area in known]
    others = [area for area in about["closed"] if area not in true]
    chance.shuffle(others)
    if guesses.chances.place is None:
        others = [*true, *others]
        chance.shuffle(others)
        others.sort(key=lambda area: -len(set(kind.split()).intersection(area.split("_"))))
        found = others[:count]
    elif true and chance.random() < guesses.chances.place:
        found = [true[0], *others[: count - 1]]
    else:
        found = (others or true)[:count]
    return _weighed(found, chance)


def _wanted(asked: Asked) -> dict[str, str]:
    """The goals that are left: the area of each object, by the names of the kitchen."""
    about, found = asked.about, {}
    for required in requirements_of(asked.table, about["instruction"]):
        things, areas = _names(required.thing), _names(required.place)
        if not things or not areas:
            continue
        if any(_NUMBER.sub("", name) in things for name in about["placed"]):
            continue
        seen = [*about["objects"], *([about["held"]] if about["held"] else [])]
        thing = next((name for name in seen if _NUMBER.sub("", name) in things), things[0])
        there = (*about["opened"], *about["closed"])
        area = next((name for name in there if name in areas), areas[0])
        if about["objects"].get(thing) != area:
            found[thing] = area
    return found


def _with_other(
    about: Mapping[str, Any], wanted: Mapping[str, str], thing: str | None, other: str
) -> dict[str, str]:
    areas = [*([wanted[thing]] if thing else []), *about["opened"], *about["closed"]]
    free = [area for area in areas if area != about["objects"].get(other)]
    return {**{t: a for t, a in wanted.items() if t != thing}, other: free[0]}


def _weighed(found: Sequence[_T], chance: random.Random) -> list[tuple[_T, float]]:
    """Possibilities with confidences, in the order of these.

    The first one has each confidence as often as the confidence says.
    """
    if not found:
        return []
    weights = [_WEIGHTS[i % len(_WEIGHTS)] for i in range(len(found))]
    shares = [weight / sum(weights) for weight in weights]
    (at,) = chance.choices(range(len(found)), shares)
    rest = list(found[1:])
    chance.shuffle(rest)
    return list(zip([*rest[:at], found[0], *rest[at:]], shares, strict=True))


def _names(term: Term | None) -> list[str]:
    return [] if term is None else [_joined(kind) for kind in term.categories]


def _joined(kind: str) -> str:
    return "_".join(kind.split())


# --- tasks ---------------------------------------------------------------------------------------

_HAND = "Human_Hand"


def task_objects(asked: Asked) -> WrittenChoice:
    """An instruction with objects. areas: of the kitchen."""
    areas = _areas(asked)
    objects = [
        {"name": name, "area": areas[i % len(areas)]} for i, name in enumerate(_DATA["targets"])
    ]
    return as_json({"instruction": _DATA["instruction"], "objects": objects})


def task_others(asked: Asked) -> WrittenChoice:
    """Other objects, each with areas. others, count: their numbers."""
    areas = _areas(asked)
    names = [f"{stuff}_{tool}" for stuff in _DATA["stuffs"] for tool in _DATA["tools"]]
    objects = [
        {"name": name, "areas": [areas[(i + j) % len(areas)] for j in range(asked.about["count"])]}
        for i, name in enumerate(names[: asked.about["others"]])
    ]
    return as_json({"objects": objects})


def task_goals(asked: Asked) -> WrittenChoice:
    """Goals for every object in the hand or on one surface, and the first combination.

    placed: objects with their present areas. size: of a combination.
    """
    areas = _areas(asked)
    surface = next((area for area in areas if "Surface" in area), areas[-1])
    right = {
        name: [area for area in (_HAND, surface) if area != now]
        for name, now in asked.about["placed"].items()
    }
    return as_json({"areas": right, "combinations": [list(right)[: asked.about["size"]]]})


def _areas(asked: Asked) -> list[str]:
    return [area for area in asked.about["areas"] if area != _HAND]
