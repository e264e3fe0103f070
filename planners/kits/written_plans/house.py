"""The description of a house for whole plans: rooms, furniture and objects.

After Choi et al., ReAcTree (2025), appendix C. Nothing is observed while a plan is made. So the
prompt lists the furniture of all rooms and the names of all objects. It has the places of objects
only with a granted map.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from .... import plugins
from ....observation_text.dialect import Dialect
from ....observation_text.dialects.reactree.grammar import PREPOSITIONS
from ....observation_text.dialects.reactree.plain import Plain
from ....observation_text.names import Named
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import State
from ...contract import Brief, Percept, Thing
from ..prompting.templates import Templates

_PROMPTS = Templates(__file__)


def dialect_of(brief: Brief) -> Dialect:
    """The dialect of an episode."""
    dialect = plugins.load("dialect", brief.dialect)
    assert isinstance(dialect, Dialect), f"{brief.dialect} is no dialect"
    return dialect


def named(thing: Thing) -> Named:
    """The name of a thing in its parts."""
    return Named(thing.category, int(thing.name.rpartition(" ")[2]))


def described(brief: Brief, percept: Percept) -> str:
    """The house and the first observation; with a map also the places of everything.

    The brief must have furniture and inventory.
    """
    assert brief.fixtures is not None, "furniture is granted"
    assert brief.inventory is not None, "an inventory is granted"
    dialect = dialect_of(brief)
    rooms = [
        {
            "name": dialect.called(named(room)),
            "furniture": _listed(dialect, (f for f in brief.fixtures if f.room == room.id)),
        }
        for room in brief.rooms
    ]
    return _PROMPTS.render(
        "house",
        first=percept.text,
        rooms=rooms,
        objects=_listed(dialect, brief.inventory),
        places=[] if brief.map is None else _places(brief, brief.map, dialect),
        closed=[] if brief.map is None else _closed(brief, brief.map, dialect),
    )


def _listed(dialect: Dialect, things: Iterable[Thing]) -> str:
    """ "apple (1, 2), bench (1)"; in the plain dialects "apple 1, apple 2, bench 1"."""
    entries = sorted(
        (dialect.kind(name.category), name.number, name) for name in map(named, things)
    )
    if isinstance(dialect, Plain):
        return ", ".join(dialect.called(name) for _, _, name in entries) or "nothing"
    kinds = (
        f"{kind} ({', '.join(str(number) for _, number, _ in members)})"
        for kind, members in groupby(entries, key=lambda each: each[0])
    )
    return ", ".join(kinds) or "nothing"


def _places(brief: Brief, known: SceneGraph, dialect: Dialect) -> list[str]:
    """The placed objects of the map, "apple 1 on kitchen table 1"."""
    names = {thing.id: dialect.called(named(thing)) for thing in _all(brief)}
    return [
        f"{names[thing.id]} {PREPOSITIONS[relation]} {names[place]}"
        for thing in brief.inventory or ()
        if thing.id in known
        for relation, place in known.places(thing.id)
        if place in names and relation in PREPOSITIONS
    ]


def _closed(brief: Brief, known: SceneGraph, dialect: Dialect) -> list[str]:
    """The closed things of the map."""
    return [
        dialect.called(named(thing))
        for thing in _all(brief)
        if thing.id in known and State.CLOSED in known[thing.id].states
    ]


def _all(brief: Brief) -> tuple[Thing, ...]:
    return (*brief.rooms, *(brief.fixtures or ()), *(brief.inventory or ()))
