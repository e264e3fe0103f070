"""Layouts of kitchens: areas, the places to reach them from, and the distances between places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...data_files import read_yaml
from ...errors import BadInput, unknown_name
from ...scene_graph.fields import Field
from ...scene_graph.json_codec import read_json

_DATA = Path(__file__).with_name("kitchens.yaml")
#: The area that is a person's hand: always open; things are handed over there.
HUMAN_HAND = "Human_Hand"


@dataclass(frozen=True)
class Area:
    """A surface, shelf, cabinet, drawer or inner space that keeps things.

    place: where one stands to reach it.
    """

    name: str
    place: str
    closed: bool


@dataclass(frozen=True)
class Layout:
    """A kitchen without its objects.

    name: one of ours, or the path of a file. areas: by name. distances: of the shortest way between
    two places.
    """

    name: str
    title: str
    areas: Mapping[str, Area]
    distances: Mapping[str, Mapping[str, int]]

    @property
    def closed(self) -> tuple[str, ...]:
        """The areas that are closed at first."""
        return tuple(area.name for area in self.areas.values() if area.closed)

    @property
    def open(self) -> tuple[str, ...]:
        """The areas that are open, the human hand among them."""
        return tuple(area.name for area in self.areas.values() if not area.closed)

    def distance(self, start: str, end: str) -> int:
        """The length of the way from one area to another."""
        return self.distances[self.areas[start].place][self.areas[end].place]


def english(name: str) -> str:
    """The category of an area, place or object in words: "fridge cooler layer"."""
    return name.replace("_", " ").strip().lower()


def layouts() -> tuple[Layout, ...]:
    """The five kitchens."""
    return tuple(_all().values())


def layout_of(name: str) -> Layout:
    """The kitchen of a name, or of a published file by path. Raises BadInput."""
    if name.endswith(".json"):
        return read_layout(Path(name))
    layout = _all().get(name)
    if layout is None:
        raise unknown_name("kitchen", name, _all())
    return layout


@cache
def _all() -> dict[str, Layout]:
    data = read_yaml(_DATA)
    return {name: _ours(name, Field(_DATA.name, name, fields)) for name, fields in data.items()}


def _ours(name: str, field: Field) -> Layout:
    fields = field.entries(("title", "places", "ways"))
    areas = []
    for place, kept in fields["places"].entries((), None).items():
        for state, names in kept.entries((), ("closed", "open")).items():
            areas += [Area(item.text(), place, state == "closed") for item in names.items()]
    ways = [way.items(3) for way in fields["ways"].items()]
    edges = [(start.text(), end.text(), cost.integer(0)) for start, end, cost in ways]
    return _layout(name, fields["title"].text(), areas, edges, field)


# --- the published form --------------------------------------------------------------------------


def is_layout(data: Any) -> bool:
    """Whether a document is a kitchen in the published form, not a task."""
    return isinstance(data, dict) and "room" in data and "edges" in data


@cache
def read_layout(path: Path) -> Layout:
    """A kitchen from a file in the published form. Raises BadInput."""
    field = Field(str(path), "", read_json(path))
    fields = field.entries(("room", "edges"))
    areas = list(_published_areas(fields["room"]))
    edges = []
    for edge in fields["edges"].items():
        parts = edge.entries(("link", "cost"))
        start, end = parts["link"].items(2)
        edges.append((start.text(), end.text(), parts["cost"].integer(0)))
    return _layout(str(path), path.stem, areas, edges, field)


def _published_areas(room: Field) -> Iterator[Area]:
    for place, furniture in room.entries((), None).items():
        for kept in furniture.entries((), None).values():
            for name, area in kept.entries((), None).items():
                is_open = area.entries(("is_open",), ("objects",))["is_open"]
                if not isinstance(is_open.value, bool):
                    raise is_open.wrong("expected true or false")
                yield Area(name, place, not is_open.value)


def _layout(
    name: str, title: str, areas: list[Area], edges: list[tuple[str, str, int]], field: Field
) -> Layout:
    by_name = {area.name: area for area in areas}
    if len({english(area.name) for area in areas}) < len(areas):
        raise BadInput(f"In {field.where}, two areas have the same name; rename one of them.")
    if not any(area.closed for area in areas):
        raise BadInput(
            f"In {field.where}, no area is closed, so nothing could be hidden; close some area."
        )
    places = list(dict.fromkeys(area.place for area in areas))
    for start, end, _ in edges:
        for place in (start, end):
            if place not in places:
                raise unknown_name(f"place in {field.where} that has an area", place, places)
    return Layout(name, title, by_name, _shortest(places, edges, field))


def _shortest(
    places: list[str], edges: list[tuple[str, str, int]], field: Field
) -> dict[str, dict[str, int]]:
    """The lengths of the shortest ways between all places. Raises BadInput if there is none."""
    far = 1 + sum(cost for *_, cost in edges)
    lengths = {a: {b: 0 if a == b else far for b in places} for a in places}
    for start, end, cost in edges:
        for a, b in ((start, end), (end, start)):
            lengths[a][b] = min(lengths[a][b], cost)
    for via in places:
        for a in places:
            for b in places:
                lengths[a][b] = min(lengths[a][b], lengths[a][via] + lengths[via][b])
    for a in places:
        for b in places:
            if lengths[a][b] >= far:
                raise BadInput(f"In {field.where}, no way leads from {a} to {b}; add an edge.")
    return lengths
