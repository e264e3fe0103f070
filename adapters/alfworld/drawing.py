"""Games drawn by number: rooms of our own in the form of ALFWorld's game files.

A game's number decides everything. The six kinds of tasks take turns. No goal holds at the start,
and each game can be won: `walkthrough` says how.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from ...data_files import json_text, read_text, read_yaml
from ..random_draws import RandomDraws
from .drawn_words import PUTS, grammar
from .game_file import GameFile
from .names import names_of

_HERE = Path(__file__).parent
_TYPES = read_yaml(_HERE / "household.yaml")
#: The kinds of tasks, in the order of their turns.
KINDS: tuple[str, ...] = tuple(_TYPES["tasks"])
_GOALS = {"cleanable": "isClean", "heatable": "isHot", "coolable": "isCool"}
_DOING = {"cleanable": "clean", "heatable": "heat", "coolable": "cool"}


@dataclass(frozen=True)
class _Receptacle:
    id: str
    kind: str
    location: str
    opens: bool
    opened: bool


@dataclass(frozen=True)
class _Thing:
    id: str
    kind: str
    inside: _Receptacle
    lamp: bool
    holds: bool


@dataclass
class _Room:
    """A drawn room and its task."""

    receptacles: list[_Receptacle] = field(default_factory=list)
    things: list[_Thing] = field(default_factory=list)
    locations: list[str] = field(default_factory=list)

    def of_kind(self, kind: str) -> list[_Thing]:
        return [thing for thing in self.things if thing.kind == kind]


@dataclass(frozen=True)
class _Asked:
    """A task: its kind and the types that it is about."""

    kind: str
    thing: str
    place: str
    lamp: str

    @property
    def can(self) -> str:
        return str(_TYPES["tasks"][self.kind].get("can", ""))


def kind_of(number: int) -> str:
    """The kind of task of a drawn game."""
    return KINDS[number % len(KINDS)]


def drawn(number: int, put: str = "move") -> GameFile:
    """A game by its number. put: "move" for the words of ALFWorld 0.4, "put" for older ones."""
    draws = RandomDraws(number)
    kind = kind_of(number)
    rooms = _TYPES["tasks"][kind]["rooms"]
    turn = number // len(KINDS) % len(rooms)
    for _ in count():  # a few rooms have nothing for a task
        room = _room(rooms[turn], draws)
        asked = list(_possible(kind, rooms[turn], room))
        if asked:
            return _game(number, room, draws.pick(asked), draws, put)
    raise AssertionError("the loop has no end")


# --- a room --------------------------------------------------------------------------------------


def _room(sort: str, draws: RandomDraws) -> _Room:
    room = _Room()
    for kind, about in _TYPES[sort]["receptacles"].items():
        shared = ""
        for _ in range(draws.between(*about["count"])):
            beside = [each for each in room.receptacles if each.kind == about.get("with")]
            if beside and draws.one_in(2):
                shared = draws.pick(beside).location
            location = shared or _location(room, draws)
            shared = ""
            opens = bool(about.get("opens"))
            opened = opens and draws.one_in(5)
            outer = about.get("with", "")
            inner = kind if kind.endswith("Basin") and outer == kind[:-5] else ""
            name = _id(outer if inner else kind, draws) + (f"_bar_{inner}" if inner else "")
            room.receptacles.append(_Receptacle(name, kind, location, opens, opened))
    for kind, about in _TYPES[sort]["things"].items():
        places = [each for each in room.receptacles if each.kind in about["in"]]
        for _ in range(draws.between(*about["count"]) if places else 0):
            lamp, holds = bool(about.get("lamp")), bool(about.get("holds"))
            inside = draws.pick(places)
            room.things.append(_Thing(_id(kind, draws), kind, inside, lamp, holds))
    return room


def _location(room: _Room, draws: RandomDraws) -> str:
    numbers = [draws.between(-12, 12), draws.between(-12, 12), draws.below(4), 30 * draws.below(3)]
    name = "loc" + "".join(f"_bar_{_signed(number)}" for number in numbers)
    if name not in room.locations:
        room.locations.append(name)
        return name
    return _location(room, draws)


def _signed(number: int) -> str:
    return f"_minus_{-number}" if number < 0 else str(number)


def _id(kind: str, draws: RandomDraws) -> str:
    """An id in the form of AI2-THOR's, which tells a place in the room: here, any."""
    parts = []
    for _ in range(3):
        sign = "_minus_" if draws.one_in(2) else "_plus_"
        parts.append(f"_bar_{sign}{draws.below(4):02d}_dot_{draws.below(100):02d}")
    return kind + "".join(parts)


# --- its task ------------------------------------------------------------------------------------


def _possible(kind: str, sort: str, room: _Room) -> Iterator[_Asked]:
    """The tasks of a kind that can be done in a room and are not done at the start."""
    about = _TYPES["tasks"][kind]
    places = {each.kind for each in room.receptacles}
    lamps = sorted({thing.kind for thing in room.things if thing.lamp})
    for thing, where in _TYPES[sort]["things"].items():
        there = room.of_kind(thing)
        if len(there) < (2 if kind == "pick_two_obj_and_place" else 1) or there[0].lamp:
            continue
        if kind == "look_at_obj_in_light":
            yield from (_Asked(kind, thing, "", lamp) for lamp in lamps)
            continue
        if "can" in about and thing not in _TYPES[about["can"]]:
            continue
        if about.get("device", next(iter(places))) not in places:
            continue
        for place in where["in"]:
            if place in places and not any(each.inside.kind == place for each in there):
                yield _Asked(kind, thing, place, "")


def _goal(asked: _Asked) -> str:
    kind = f"(objectType ?o {asked.thing}Type)"
    if asked.lamp:
        return (
            f"(and (exists (?ot - object ?r - receptacle ?a - agent ?l - location) (and "
            f"(objectType ?ot {asked.lamp}Type) (toggleable ?ot) (isToggled ?ot) "
            f"(receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?ot ?r))) "
            f"(exists (?o - object ?a - agent) (and {kind} (holds ?a ?o))))"
        )
    there = f"(receptacleType ?r {asked.place}Type) (inReceptacle ?o ?r)"
    if asked.can:
        there = f"({asked.can} ?o) ({_GOALS[asked.can]} ?o) {there}"
    if asked.kind == "pick_two_obj_and_place":
        other = f"{kind} {there}".replace("?o", "?o2")
        there += f" (exists (?o2 - object) (and (not (= ?o ?o2)) {other}))"
    return f"(and (exists (?r - receptacle) (exists (?o - object) (and {kind} {there}))))"


# --- its file ------------------------------------------------------------------------------------


def _game(number: int, room: _Room, asked: _Asked, draws: RandomDraws, put: str) -> GameFile:
    said = draws.pick(_TYPES["tasks"][asked.kind]["said"]).format(
        thing=asked.thing.lower(), place=asked.place.lower(), lamp=asked.lamp.lower()
    )
    start = _location(room, draws)
    return GameFile(
        where=f"The drawn game {number}",
        domain=_domain(),
        grammar=grammar(said, put),
        problem=_problem(number, room, asked, start),
        walkthrough=tuple(_walkthrough(room, asked, put)),
        solvable=True,
    )


@cache
def _domain() -> str:
    return read_text(_HERE / "household.pddl")


def _problem(number: int, room: _Room, asked: _Asked, start: str) -> str:
    otypes = sorted({thing.kind for thing in room.things} | {"Knife", "ButterKnife"})
    rtypes = sorted({each.kind for each in room.receptacles} | {"Fridge", "Microwave", "SinkBasin"})
    objects = ["agent1 - agent"]
    objects += [f"{kind}Type - otype" for kind in otypes]
    objects += [f"{kind}Type - rtype" for kind in rtypes]
    objects += [f"{thing.id} - object" for thing in room.things]
    objects += [f"{each.id} - receptacle" for each in room.receptacles]
    objects += [f"{location} - location" for location in room.locations]
    facts = [f"(atLocation agent1 {start})", "(= (total-cost) 0)", *_facts(room)]
    return "\n".join(
        [
            f"(define (problem drawn_{number})",
            " (:domain alfred)",
            " (:objects",
            *(f"    {each}" for each in objects),
            " )",
            " (:init",
            *(f"    {each}" for each in facts),
            " )",
            f" (:goal {_goal(asked)})",
            " (:metric minimize (total-cost)))",
        ]
    )


def _facts(room: _Room) -> Iterator[str]:
    for each in room.receptacles:
        yield f"(receptacleType {each.id} {each.kind}Type)"
        yield f"(receptacleAtLocation {each.id} {each.location})"
        if each.opens:
            yield f"(openable {each.id})"
        if each.opened:
            yield f"(opened {each.id})"
    places = {each.kind for each in room.receptacles}
    kinds = {thing.kind for thing in room.things}
    for sort in ("kitchen", "bedroom", "livingroom", "bathroom"):
        for kind, about in _TYPES[sort]["things"].items():
            if kind in kinds and not about.get("lamp"):
                for place in about["in"]:
                    if place in places:
                        yield f"(canContain {place}Type {kind}Type)"
    for thing in room.things:
        yield f"(objectType {thing.id} {thing.kind}Type)"
        yield f"(inReceptacle {thing.id} {thing.inside.id})"
        yield f"(objectAtLocation {thing.id} {thing.inside.location})"
        yield f"(toggleable {thing.id})" if thing.lamp else f"(pickupable {thing.id})"
        if thing.holds:
            yield f"(isReceptacleObject {thing.id})"
        for can in ("cleanable", "heatable", "coolable", "sliceable"):
            if thing.kind in _TYPES[can]:
                yield f"({can} {thing.id})"


def _walkthrough(room: _Room, asked: _Asked, put: str) -> Iterator[str]:
    """Commands that win a game."""
    ids = [each.id.lower() for each in room.receptacles]
    ids += [each.id.lower() for each in room.things]
    ids += [location.lower() for location in room.locations]
    names = {name: str(said) for name, said in names_of(ids).items()}

    def said(each: _Receptacle | _Thing) -> str:
        return names[each.id.lower()]

    opened = {each.id for each in room.receptacles if each.opened}
    at = ""

    def to(place: _Receptacle, *, open_it: bool = True) -> Iterator[str]:
        nonlocal at
        if at != place.location:
            yield f"go to {said(place)}"
            at = place.location
        if open_it and place.opens and place.id not in opened:
            opened.add(place.id)
            yield f"open {said(place)}"

    wanted = room.of_kind(asked.thing)
    two = asked.kind == "pick_two_obj_and_place"
    for thing in wanted[: 2 if two else 1]:
        yield from to(thing.inside)
        yield f"take {said(thing)} from {said(thing.inside)}"
        if asked.lamp:
            lamp = room.of_kind(asked.lamp)[0]
            yield from to(lamp.inside, open_it=False)
            yield f"use {said(lamp)}"
            return
        if asked.can:
            kind = _TYPES["tasks"][asked.kind]["device"]
            device = next(each for each in room.receptacles if each.kind == kind)
            yield from to(device, open_it=False)
            yield f"{_DOING[asked.can]} {said(thing)} with {said(device)}"
        place = next(each for each in room.receptacles if each.kind == asked.place)
        yield from to(place)
        yield PUTS[put][0].format(o=said(thing), r=said(place))


def write(folder: Path, numbers: Sequence[int], put: str = "move") -> list[Path]:
    """Write drawn games as ALFWorld's own folders have them; returns the files."""
    found = []
    for number in numbers:
        home = folder / f"{kind_of(number)}-drawn" / f"trial_{number:05d}"
        home.mkdir(parents=True, exist_ok=True)
        game: dict[str, Any] = drawn(number, put).to_data()
        path = home / "game.tw-pddl"
        path.write_text(json_text(game), encoding="utf-8")
        trial = {"task_type": kind_of(number), "task_id": home.name}
        (home / "traj_data.json").write_text(json_text(trial), encoding="utf-8")
        found.append(path)
    return found
