"""Where a person puts a thing down: places in a scene by the thing's sort."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Relation
from ...skills.dynamics import PUTS_BY_AFFORDANCE
from .taxonomy import english, synset

_RELATIONS = {"on": Relation.ON, "in": Relation.INSIDE}


class _Group(NamedTuple):
    """Sorts of things, and their places by room: a relation and a category of furniture."""

    sorts: frozenset[str]
    places: dict[str, tuple[tuple[Relation, str], ...]]


def everyday_places(graph: SceneGraph, sort: str) -> list[tuple[Relation, int]]:
    """The furniture of a scene on or in which a person may have put a thing of a synset."""
    known = synset(sort)
    above = () if known is None else known.above
    names = {sort, english(sort), *above}
    places = next((g.places for g in _groups() if not g.sorts.isdisjoint(names)), {})
    return [
        (relation, node.id)
        for node in graph.nodes(Kind.FIXTURE)
        for affordance, relation in PUTS_BY_AFFORDANCE
        if affordance in node.affordances
        and (relation, node.category) in places.get(_room(graph, node.id), ())
    ]


def _room(graph: SceneGraph, node_id: int) -> str:
    room = graph.room_of(node_id)
    return "" if room is None else graph[room].category


@cache
def _groups() -> tuple[_Group, ...]:
    path = Path(__file__).with_suffix(".yaml")
    read = yaml.safe_load(path.read_text(encoding="utf-8"))
    return tuple(
        _Group(
            frozenset(sort.strip() for sort in group["things"].split(",")),
            {room: tuple(_read(text)) for room, text in group["places"].items()},
        )
        for group in read
    )


def _read(text: str) -> Iterator[tuple[Relation, str]]:
    """The places of a room: "on countertop, in cabinet"."""
    for place in text.split(","):
        how, _, category = place.strip().partition(" ")
        yield _RELATIONS[how], category
