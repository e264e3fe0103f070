"""Answers to `reactree`: an agent node thinks, recalls, divides its goal, or acts for it.

The user's goal is divided by the things to bring, each with a number in its wording: "put the milk
in the fridge (part 2)". Finding a thing is divided by rooms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..asked import Asked, WrittenChoice
from ..home.commonsense import room_search_value
from ..home.handling import pick_up, search_for
from ..home.memory import DONE, GIVE_UP, Choice, Choices, HouseSituation
from ..home.placements import RequiredPlacements
from ..home.policy import first_possible, next_choice
from ..home.states import KNIFE
from ..table import Meaning, Requirement, Term, category
from .steps import situation_of

_SEQUENCE, _FALLBACK, _PARALLEL = "sequence", "fallback", "parallel"
_FAILURE = "failure"
_PART = re.compile(
    r"(?: in (?P<room>[^()]+))? \(part (?P<part>\d+|all)(?:, (?P<step>find|put))?\)$"
)
_HERE = 0.3
_BROUGHT = ("inside", "on", "under")


@dataclass(frozen=True)
class _Part:
    """A part of the user's goal. number: from 1; None for the whole. step: find or put."""

    requirements: Meaning
    number: int | None = None
    step: str = ""
    room: str = ""


def node(asked: Asked) -> WrittenChoice:
    """The next decision of an agent node.

    flows, recalls: the menu. earlier: the kinds of its decisions so far. most: limit of subgoals of
    an expansion.
    """
    menu = asked.episode["menu"]
    situation = situation_of(asked)
    meaning = next(iter(asked.meanings), ())
    parts = _parts(meaning)
    part = _part_of(asked.about["goal"], meaning, parts)
    decided = None if "expand" in asked.about["earlier"] else _divide(asked, situation, part, parts)
    if decided is not None:
        kind, content = decided
        choice = Choice("", content if isinstance(content, str) else json.dumps(content))
    else:
        kind, choice = "act", _act(situation, part, asked)
        action = _FAILURE if choice.action == GIVE_UP else menu.get(choice.action, choice.action)
        choice = replace(choice, action=action)

    def write(choice: Choice) -> str:
        illegal = kind == "expand" and not choice.action.startswith("{")
        said = "act" if illegal or choice.action == DONE else kind
        content = json.loads(choice.action) if said == "expand" else choice.action
        return json.dumps({"decision": {said: content}}, ensure_ascii=False)

    permitted = asked.choices.get("decision.act") if kind == "act" else None
    return WrittenChoice(choice, write, permitted)


# --- parts ---------------------------------------------------------------------------------------


def _parts(meaning: Meaning) -> list[_Part]:
    """The things to bring, one after the other, and then the rest; only one part for less."""
    brought = [r for r in meaning if _is_brought(r)]
    rest = tuple(r for r in meaning if not _is_brought(r))
    if any(r.relation in ("treated", "event") or r.state == "sliced" for r in rest):
        return []
    found = [
        _Part((replace(required, count=number),))
        for required in brought
        for number in range(1, (required.count or 1) + 1)
    ]
    found += [_Part(rest)] if rest and brought else []
    return [replace(part, number=number) for number, part in enumerate(found, start=1)]


def _is_brought(required: Requirement) -> bool:
    return (
        required.relation in _BROUGHT
        and not required.negated
        and required.count is not None
        and not required.origin
        and required.thing is not None
        and required.place is not None
        and "you" not in required.thing.categories
    )


def _part_of(goal: str, meaning: Meaning, parts: Sequence[_Part]) -> _Part:
    """The part of a goal, by the number in its wording."""
    found = _PART.search(goal)
    if found is None:
        return _Part(meaning)
    part = _Part(meaning) if found["part"] == "all" else parts[int(found["part"]) - 1]
    return replace(part, step=found["step"] or "all", room=found["room"] or "")


def _words(part: _Part) -> str:
    return "; ".join(
        f"put the {_kind(r.thing)} {'in' if r.relation == 'inside' else r.relation} the "
        f"{_kind(r.place)}"
        if r.place
        else f"see to it that the {_kind(r.thing)} is {r.state or r.relation}"
        for r in part.requirements
    )


def _kind(term: Term | None) -> str:
    return " or ".join(term.categories) if term is not None else "thing"


# --- decisions -----------------------------------------------------------------------------------


def _divide(
    asked: Asked, situation: HouseSituation, part: _Part, parts: Sequence[_Part]
) -> tuple[str, object] | None:
    """A thought and then an expansion, or a recall before it; None where the node acts."""
    flows = asked.about["flows"]
    earlier = [kind for kind in asked.about["earlier"] if kind]
    whole = part.number is None and not part.step
    if whole and len(parts) > 1 and len(parts) <= asked.about["most"]:
        independent = all(_is_brought(r) for p in parts for r in p.requirements)
        flow = _PARALLEL if independent and _PARALLEL in flows else _SEQUENCE
        goals = [f"{_words(each)} (part {each.number})" for each in parts]
        return _expansion(earlier, flow, goals)
    thing = _first(part.requirements)
    if thing is None:
        return None
    label = part.number or "all"
    name = f"find and pick up the {_kind(thing)}"
    if part.step in ("", "all") and not _has(situation, part, thing):
        goals = [f"{name} (part {label}, find)", f"{_words(part)} (part {label}, put)"]
        return _expansion(earlier, _SEQUENCE, goals)
    if part.step != "find" or part.room or _has(situation, part, thing):
        return None
    if asked.about["recalls"] and "recall" not in earlier:
        return "recall", thing.categories[0]
    rooms = situation.memory.rooms
    known = [n for n in situation.instances(thing) if situation.memory.room_of(n)]
    if known or len(rooms) < 2 or _FALLBACK not in flows:
        return None
    here, kinds = situation.memory.room, thing.categories
    likely = {r: sum(room_search_value(kind, category(r)) for kind in kinds) for r in rooms}
    rooms = sorted(rooms, key=lambda room: -likely[room] - _HERE * (room == here))
    goals = [f"{name} in {room} (part {label}, find)" for room in rooms[: asked.about["most"]]]
    return _expansion(earlier, _FALLBACK, goals)


def _expansion(earlier: Sequence[str], flow: str, goals: Sequence[str]) -> tuple[str, object]:
    if earlier[-1:] != ["think"]:
        return "think", f"I divide this into {len(goals)}: {'; '.join(goals)}."
    return "expand", {"control_flow": flow, "subgoals": list(goals)}


def _first(meaning: Meaning) -> Term | None:
    """The first thing to pick up; a knife if something has to be sliced."""
    if any(required.state == "sliced" for required in meaning):
        return KNIFE
    things = [r.thing for r in meaning if _is_brought(r) or r.relation == "treated"]
    return next(filter(None, things), None)


def _has(situation: HouseSituation, part: _Part, thing: Term) -> bool:
    """Whether the first thing is in hand, or enough things are at their places."""
    if any(situation.fits(thing, held) for held in situation.memory.held):
        return True
    brought = [r for r in part.requirements if _is_brought(r)]
    if len(brought) != len(part.requirements):
        return False
    placements = RequiredPlacements(situation, brought, lambda term, name: True)
    return not placements.lacking()


def _act(situation: HouseSituation, part: _Part, asked: Asked) -> Choice:
    thing = _first(part.requirements)
    if part.step == "find" and thing is not None:
        if _has(situation, part, thing):
            return Choice("I have it in hand.", DONE)
        return first_possible(_find(situation, part, thing), situation)
    meanings = [part.requirements] if part.number else asked.meanings
    return next_choice(situation, meanings)


def _find(situation: HouseSituation, part: _Part, thing: Term) -> Choices:
    memory = situation.memory
    if part.room and memory.room != part.room:
        yield Choice(f"I go to the {part.room}.", f"go to {part.room}")
    brought = [r for r in part.requirements if _is_brought(r)]
    placed = RequiredPlacements(situation, brought, lambda term, name: True).placed
    for name in situation.instances(thing):
        there = part.room in ("", memory.room_of(name))
        if name not in placed and there and memory.graspable(name):
            yield from pick_up(situation, name, "This is what I am to find.")
    yield from search_for(
        situation, thing.categories, lambda place: part.room in ("", place, memory.room_of(place))
    )
    yield Choice(f"I do not find the {_kind(thing)} {part.room or 'anywhere'}.", GIVE_UP)
