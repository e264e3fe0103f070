"""The layout of a picture: places as boxes, with tiles of their contents inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...observation_text.tile_codes import CELL, MOST_ROWS, NO_PARENT, WIDTH
from ...observation_text.view import View, innermost_place
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Node, Relation
from ...skills.reach import bases

#: Pixels; multiples of CELL, so that codes are aligned.
PICTURE_WIDTH, PICTURE_HEIGHT = 1280, 720
PAD, GAP = 8, 8
CODE_WIDTH, CODE_HEIGHT = WIDTH * CELL, MOST_ROWS * CELL
TILE_WIDTH, TILE_HEIGHT = CODE_WIDTH + 2 * PAD, CODE_HEIGHT + 52
TITLE = 48
#: The most tiles of a picture; codes count them in a byte.
_MOST = NO_PARENT


@dataclass
class Tile:
    """A node as drawn, with the tiles of its contents."""

    node: Node
    """The node."""
    relation: Relation | None = None
    """To the node of the enclosing tile; None for one that stands in the room."""
    kept: list[Tile] = field(default_factory=list)
    """The tiles of its contents."""
    x: int = 0
    """Of the left edge, in pixels."""
    y: int = 0
    """Of the upper edge, in pixels."""
    width: int = 0
    """Including its contents, in pixels."""
    height: int = 0
    """Including its contents, in pixels."""


def tiles(view: View, looked_at: int | None) -> tuple[str, list[Tile]]:
    """The title of a view's picture and its outermost tiles, placed.

    looked_at: the last thing that the agent turned to. The picture shows the places where the agent
    stands, that one first; else the room as seen from afar.
    """
    graph = view.graph
    room = graph.room_of(view.agent().id)
    title = "" if room is None else graph[room].category
    places = _stood_at(view, looked_at)
    left = [_MOST]
    if places:
        outermost = [t for place in places for t in _tile(graph, place, None, left, looked_at)]
    else:
        outermost = [] if room is None else list(_room(view, room, left))
    _place(outermost, PAD, TITLE, PICTURE_WIDTH - 2 * PAD)
    return title, outermost


def all_tiles(outermost: Sequence[Tile]) -> Iterator[tuple[Tile, Tile | None]]:
    """Every tile with its parent, parents first."""
    waiting: list[tuple[Tile, Tile | None]] = [(tile, None) for tile in outermost]
    for tile, parent in waiting:  # the list grows
        yield tile, parent
        waiting += [(kept, tile) for kept in tile.kept]


def _stood_at(view: View, looked_at: int | None) -> list[int]:
    """The visible places where the agent stands, the last one it turned to first."""
    graph = view.graph
    places = [place for place in graph.targets(view.agent().id, Relation.CLOSE) if place in graph]
    first = set(bases(graph, looked_at)) if looked_at is not None and looked_at in graph else set()
    kept = {thing for place in places for thing in graph.below(place)}
    return sorted((p for p in places if p not in kept), key=lambda place: place not in first)


def _room(view: View, room: int, left: list[int]) -> Iterator[Tile]:
    """The room's furniture without contents, and free-standing things."""
    graph = view.graph
    left[0] -= 1
    tile = Tile(graph[room])
    seen = sorted(view.visible_from_afar(room), key=lambda thing: _order(graph, thing))
    for thing in seen:
        if left[0] > 0:
            left[0] -= 1
            tile.kept.append(Tile(graph[thing], Relation.INSIDE))
    yield tile


def _tile(
    graph: SceneGraph,
    thing: int,
    relation: Relation | None,
    left: list[int],
    looked_at: int | None,
) -> Iterator[Tile]:
    """A thing with all its contents in the view, the thing looked at first.

    left: the number of tiles that may still be added.
    """
    if left[0] <= 0 or graph[thing].kind in (Kind.AGENT, Kind.ROOM):
        return
    left[0] -= 1
    tile = Tile(graph[thing], relation)
    here = sorted(graph.contents(thing), key=lambda t: (t != looked_at, _order(graph, t)))
    for other in here:
        place = innermost_place(graph, other)
        if place is not None and place[1] == thing:
            tile.kept += _tile(graph, other, place[0], left, looked_at)
    yield tile


def _order(graph: SceneGraph, thing: int) -> tuple[str, int]:
    return graph[thing].category, thing


def _place(row_of: Sequence[Tile], x: int, y: int, width: int) -> tuple[int, int]:
    """Place tiles in rows from a corner; the width and height that they take."""
    across, down, row_height, widest = 0, 0, 0, 0
    for tile in row_of:
        _measure(tile, x, y, width)
        if across and across + tile.width > width:
            across, down, row_height = 0, down + row_height + GAP, 0
        _measure(tile, x + across, y + down, width)
        across += tile.width + GAP
        row_height = max(row_height, tile.height)
        widest = max(widest, across - GAP)
    return widest, down + row_height


def _measure(tile: Tile, x: int, y: int, width: int) -> None:
    """Place one tile with its contents."""
    tile.x, tile.y = x, y
    tile.width, tile.height = TILE_WIDTH, TILE_HEIGHT
    if tile.kept:
        inner = _place(tile.kept, x + PAD, y + TILE_HEIGHT, width - 2 * PAD)
        tile.width = max(TILE_WIDTH, inner[0] + 2 * PAD)
        tile.height = TILE_HEIGHT + inner[1] + PAD
