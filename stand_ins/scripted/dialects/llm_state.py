"""The lists of the dialect `llm_state`, parsed, with names in words: "coffee table 1"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ..household import commonsense
from ..household.requirements import Table
from .reactree import category

_LINE = re.compile(r"^([A-Z][A-Za-z ]+): (.*)$", re.MULTILINE)
_ITEM = re.compile(r"'([^']*)'")
_NAME = re.compile(r"(.+?)_?(\d+)")
_RELATIONS = {"IN": "inside", "ON": "on", "UNDER": "under"}


@dataclass(frozen=True)
class Placed:
    """Where a thing was seen last. listed: in which lists, by their titles."""

    relation: str
    place: str | None
    listed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ListedScene:
    """An observation. things: where each is."""

    things: dict[str, Placed] = field(default_factory=dict)
    rooms: tuple[str, ...] = ()
    room: str | None = None
    held: tuple[str, ...] = ()
    close: frozenset[str] = frozenset()
    worn: tuple[str, ...] = ()
    posture: str = ""

    def room_of(self, name: str) -> str | None:
        """The room of a thing, which its places stand in."""
        for place in self.places_of(name):
            if place in self.rooms:
                return place
        return None

    def furniture_of(self, name: str) -> str:
        """What stands in the room itself and keeps a thing; the thing where nothing does."""
        return [name, *(place for place in self.places_of(name) if place not in self.rooms)][-1]

    def places_of(self, name: str) -> list[str]:
        """What keeps a thing, the nearest first."""
        found: list[str] = []
        while (placed := self.things.get(name)) and placed.place and placed.place not in found:
            found.append(placed.place)
            name = placed.place
        return found

    def at(self, place: str) -> list[str]:
        """What is kept at a place, at any depth."""
        return [thing for thing in self.things if place in self.places_of(thing)]

    def listed(self, name: str) -> frozenset[str]:
        """The titles of the lists that a thing is in."""
        placed = self.things.get(name)
        return frozenset() if placed is None else placed.listed

    def without(self, name: str) -> ListedScene:
        """The scene without a thing."""
        things = {thing: placed for thing, placed in self.things.items() if thing != name}
        return replace(self, things=things)


class Words:
    """Names in words, and how the planner has them."""

    def __init__(self, table: Table) -> None:
        """table: its categories tell how names are split into words."""
        terms = [t for r in table.values() for each in r for t in (each.thing, each.place)]
        known = {kind for term in terms if term is not None for kind in term.categories}
        self._categories = {re.sub(r"\W", "", kind).lower(): kind for kind in known}
        self._original: dict[str, str] = {}
        self._words: dict[str, str] = {}

    def words(self, name: str) -> str:
        """ "coffee table 1" of "coffeetable1"."""
        if name not in self._words:
            found = _NAME.fullmatch(name)
            words = name if found is None else f"{self._category(found[1])} {found[2]}"
            self._words[name] = words
            self._original[words] = name
        return self._words[name]

    def original(self, words: str) -> str:
        """A name as the planner has it."""
        return self._original.get(words, re.sub(r"\W", "", words))

    def _category(self, joined: str) -> str:
        if joined in self._categories:
            return self._categories[joined]
        if joined in commonsense.KNOWN_WORDS or joined in ("bathroom", "bedroom"):
            return joined
        ends = [end for end in (*commonsense.KNOWN_WORDS, "room", "office") if joined.endswith(end)]
        end = max(ends, key=len, default="")
        return f"{joined.removesuffix(end)} {end}".strip()

    def scene(self, observation: str) -> ListedScene:
        """The newest observation in a text; the lists that it lacks are empty."""
        things: dict[str, Placed] = {}
        told: dict[str, list[str]] = {}
        for title, listed in _LINE.findall(observation):
            told[title] = _ITEM.findall(listed) if listed.startswith("[") else [listed]
            if title.endswith(" List") and title != "Room List":
                for item in told[title]:
                    self._place(things, title, item)
        rooms = self._all(told.get("Room List", ()))
        return ListedScene(
            things,
            rooms,
            next(iter(self._all(told.get("Current Room", ()))), None),
            self._all(told.get("Current Holding", ())),
            frozenset(self._all(told.get("You are close to", ()))),
            self._all(told.get("Current Wearing", ())),
            " ".join(told.get("Current Posture", ())),
        )

    def _place(self, things: dict[str, Placed], title: str, item: str) -> None:
        name, _, rest = item.partition(" ")
        relation, _, place = rest.partition(" ")
        thing = self.words(name)
        before = things[thing].listed if thing in things else frozenset()
        things[thing] = Placed(
            _RELATIONS.get(relation, "inside"),
            self.words(place) if place else None,
            before | {title},
        )

    def _all(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(map(self.words, names))


def is_furniture(scene: ListedScene, name: str) -> bool:
    """Whether something listed is furniture, as far as lists tell."""
    placed = scene.things.get(name)
    if placed is None:
        return False
    if placed.place in scene.rooms:
        return True
    places = placed.listed & {"Container List", "Surface List"}
    return bool(places) and commonsense.search_value("", category(name), "") >= 1.0
