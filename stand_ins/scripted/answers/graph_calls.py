"""Answers to `lookplangraph`: a reason and a function call on the known graph."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..asked import Asked, WrittenChoice, node_name
from ..home.handling import is_surface, search_for
from ..home.memory import DONE, GIVE_UP, Choice, Choices, HouseSituation, Memory, known, put_at
from ..home.policy import Policy, first_possible
from ..table import category

_RELATIONS = {" in ": "inside", " on ": "ontop", " under ": "under"}
_PHRASES = {
    "go to": "go_to",
    "pick up": "pick_up",
    "open": "open",
    "close": "close",
    "turn on": "turn_on",
    "turn off": "turn_off",
    "plug in": "turn_on",  # which needs it
}


def call(asked: Asked) -> WrittenChoice:
    """The next call.

    functions: the menu. nodes: known nodes by name, with room, in, how, states, can, fixed.
    remembered: objects of the map that were not seen yet. discovered: places looked at.
    missing: objects that were not at their place. failures: earlier calls that failed.
    """
    memory = _memory(asked)
    situation = HouseSituation(memory, None, asked.episode["instruction"])
    # The first choice that is possible and whose call was not refused before; else the last one.
    for wanted in _choices(asked, situation):
        choice = first_possible((wanted,), situation)
        function = _function(asked, memory, choice.action)
        possible = choice.action != GIVE_UP or wanted.action == GIVE_UP
        if possible and not memory.failures[function, "refused"]:
            break

    def write(choice: Choice) -> str:
        name, _, rest = choice.action.partition("(")
        first, *more = [part.strip() for part in rest.rstrip(")").split(",")]
        action = {"function_name": name, "node": first}
        if len(more) == 2:
            action |= {"relation": more[0], "destination": more[1]}
        return json.dumps({"reason": choice.thought, "action": action}, ensure_ascii=False)

    return WrittenChoice(replace(choice, action=function), write)


def _choices(asked: Asked, situation: HouseSituation) -> Choices:
    """The choices of the policy. At its end it searches for missing objects."""
    meaning = next(iter(asked.meanings), ())
    wanted = {k for r in meaning if r.thing and r.count is None for k in r.thing.categories}
    missing = sorted(wanted.intersection(map(category, asked.about["missing"])))
    for choice in Policy(situation, meaning).choices():
        if choice.action in (DONE, GIVE_UP) and missing:
            yield from search_for(situation, missing)
        if choice.action == GIVE_UP:
            memory = situation.memory
            for place in memory.furniture:
                if place not in memory.looked:
                    yield Choice("It may be there.", f"go to {place}")
            visits = {room: memory.succeeded.count(f"go to {room}") for room in memory.rooms}
            for room in sorted(visits, key=lambda room: visits[room]):
                if room != memory.room and visits[room] < 3:
                    yield Choice("I look there again.", f"go to {room}")
        yield choice


def _memory(asked: Asked) -> Memory:
    """The memory from the planner's graph and its actions."""
    episode, about = asked.episode, asked.about
    fixed = {name for name, data in about["nodes"].items() if data["fixed"]}
    nodes = {
        name: data | {"mine": episode["things"].get(name, {}).get("mine", False)}
        for name, data in about["nodes"].items()
        if name not in episode["held"]
    }
    things = {n: known(d, None if n in fixed else _root(nodes, n)) for n, d in nodes.items()}
    discovered = set(about["discovered"])
    # A correction adds the walk to other places.
    reach = {*episode["held"], *(set(things) - set(about["remembered"]) - (fixed - discovered))}
    if episode["here"] is not None:
        reach.add(episode["here"])
    wants_two = any(r.relation == "holds" for meaning in asked.meanings for r in meaning)
    memory = Memory(
        rooms=list(episode["rooms"]),
        room=episode["room"],
        here=episode["here"],
        things=things,
        reach=reach,
        held=list(episode["held"]),
        visited={*episode["visited"], *about["told_rooms"]},
        looked=discovered,
        seen_into=discovered,
        hands=episode["hands"] if wants_two else 1,
    )
    memory.take_in(episode["log"])
    for failed in about["failures"]:
        memory.failures[failed, "refused"] += 1
    memory.looked &= discovered
    return memory


def _root(nodes: Mapping[str, Mapping[str, Any]], name: str) -> str | None:
    """The furniture that directly stands in the room and holds a thing."""
    seen = [name]
    while (place := nodes.get(seen[-1], {}).get("in")) and place not in seen:
        seen.append(place)
    return seen[-1] if len(seen) > 1 else None


def _function(asked: Asked, memory: Memory, action: str) -> str:
    """The call of an action. Objects that are only remembered are looked at first."""
    if action in (DONE, GIVE_UP):
        return f"done({node_name(memory.room or 'scene 1')})"
    discovers = "discover_objects" in asked.about["functions"]
    remembered = set(asked.about["remembered"])
    thing, place = put_at(action)
    if action.startswith("drop "):
        thing, place = action.removeprefix("drop "), _surface(memory)
    if place is not None:
        how = next((r for word, r in _RELATIONS.items() if word in action), "ontop")
        return _confirmed(discovers, remembered, memory, place) or (
            f"rearrange({node_name(thing)}, {how}, {node_name(place)})"
        )
    for phrase, function in _PHRASES.items():
        name = action.removeprefix(f"{phrase} ")
        if name == action:
            continue
        if function != "go_to" or name in remembered:
            confirm = _confirmed(discovers, remembered, memory, name)
            return confirm or f"{function}({node_name(name)})"
        root = memory.things[name].at or name if name in memory.things else name
        if discovers and name not in memory.rooms:
            return f"discover_objects({node_name(root)})"
        return f"go_to({node_name(name)})"
    return f"done({node_name(memory.room or 'scene 1')})"


def _confirmed(discovers: bool, remembered: set[str], memory: Memory, name: str) -> str | None:
    """The call that confirms an object by a look at its place; None where it was seen."""
    if not discovers or name not in remembered:
        return None
    place: str | None = name
    while place in remembered:
        place = memory.things[place].place
    place = place or memory.things[name].room or name
    function = "go_to" if place in memory.rooms else "discover_objects"
    return f"{function}({node_name(place)})"


def _surface(memory: Memory) -> str | None:
    places = [name for name, thing in memory.things.items() if thing.at is None]
    places = [n for n in places if n not in memory.refusing and n not in memory.cleared]
    return min(
        places,
        key=lambda n: (memory.things[n].room != memory.room, not is_surface(n)),
        default=None,
    )
