"""Where each tile of a picture stands: places as boxes, and in them what they show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...observation_text.tile_codes import CELL, MOST_ROWS, NO_PARENT, WIDTH
from ...observation_text.view import View, innermost_place
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Node, Relation
from ...skills.reach import bases

#: Pixels; all are multiples of CELL, so that codes are, too.
PICTURE_WIDTH, PICTURE_HEIGHT = 1280, 720
PAD, GAP = 8, 8
CODE_WIDTH, CODE_HEIGHT = WIDTH * CELL, MOST_ROWS * CELL
TILE_WIDTH, TILE_HEIGHT = CODE_WIDTH + 2 * PAD, CODE_HEIGHT + 52
TITLE = 48
#: What can be on a picture; codes count tiles in a byte.
_MOST = NO_PARENT


@dataclass
class Tile:
    """A node as it is drawn, with the tiles of what it keeps.

    relation: how it is kept by what it is drawn in; None for what stands in the room.
    x, y, width, height: of the tile with all that is drawn in it, in pixels.
    """

    node: Node
    relation: Relation | None = None
    kept: list[Tile] = field(default_factory=list)
    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0


def tiles(view: View, looked_at: int | None) -> tuple[str, list[Tile]]:
    """The title of the picture of a view and its outermost tiles, placed.

    looked_at: what the agent turned to last. The picture shows the places that the agent stands at,
    that one first, or else the room as it is seen from afar.
    """
    graph = view.graph
    room = graph.room_of(view.agent().id)
    title = "" if room is None else graph[room].category
    places = _stood_at(view, looked_at)
    left = [_MOST]
    if places:
        found = [t for place in places for t in _tile(graph, place, None, left, looked_at)]
    else:
        found = [] if room is None else list(_room(view, room, left))
    _place(found, PAD, TITLE, PICTURE_WIDTH - 2 * PAD)
    return title, found


def all_tiles(outermost: Sequence[Tile]) -> Iterator[tuple[Tile, Tile | None]]:
    """Every tile after the one that it is drawn in, and that one."""
    waiting: list[tuple[Tile, Tile | None]] = [(tile, None) for tile in outermost]
    for tile, parent in waiting:  # which grows meanwhile
        yield tile, parent
        waiting += [(kept, tile) for kept in tile.kept]


def _stood_at(view: View, looked_at: int | None) -> list[int]:
    """The places that the agent stands at and sees, the one that it turned to first."""
    graph = view.graph
    places = [place for place in graph.targets(view.agent().id, Relation.CLOSE) if place in graph]
    first = set(bases(graph, looked_at)) if looked_at is not None and looked_at in graph else set()
    kept = {thing for place in places for thing in graph.below(place)}
    return sorted((p for p in places if p not in kept), key=lambda place: place not in first)


def _room(view: View, room: int, left: list[int]) -> Iterator[Tile]:
    """The room with its furniture, what that keeps left out, and what stands free in it."""
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
    """A thing with all that it keeps in the view, first what is looked at.

    left: how many tiles there may be more.
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
    """Place tiles in rows from a corner on; the width and height that they take."""
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
    """Place one tile with what it keeps."""
    tile.x, tile.y = x, y
    tile.width, tile.height = TILE_WIDTH, TILE_HEIGHT
    if tile.kept:
        inner = _place(tile.kept, x + PAD, y + TILE_HEIGHT, width - 2 * PAD)
        tile.width = max(TILE_WIDTH, inner[0] + 2 * PAD)
        tile.height = TILE_HEIGHT + inner[1] + PAD
