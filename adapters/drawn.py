"""Adapters of worlds without a camera: their images are drawn, one tile per thing.

A picture shows only what the view has: places as boxes, with tiles of their contents inside. Each
tile has a name, states and a code (`tile_codes`) of its thing, parent tile, relation and states, so
that a program can read the picture without recognising letters.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from colorsys import hls_to_rgb
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from ..errors import Missing
from ..installed import Lack
from ..observation_text.tile_codes import CELL, MOST_ROWS, NO_PARENT, WIDTH, TileCode, cells
from ..observation_text.view import View, innermost_place
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Kind, Node, Relation
from ..skills.actions import Action, Verb
from ..skills.reach import bases
from .contract import Adapter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Pixels; multiples of CELL, so that codes are aligned.
PICTURE_WIDTH, PICTURE_HEIGHT = 1280, 720
_PAD, _GAP = 8, 8
_CODE_WIDTH, _CODE_HEIGHT = WIDTH * CELL, MOST_ROWS * CELL
_TILE_WIDTH, _TILE_HEIGHT = _CODE_WIDTH + 2 * _PAD, _CODE_HEIGHT + 52
_TITLE = 48
#: The most tiles of a picture; codes count them in a byte.
_MOST = NO_PARENT
_PAPER, _INK, _SOFT = (247, 244, 238), (44, 46, 52), (112, 114, 120)
_CARD, _LINE, _INSET = (255, 255, 255), (206, 200, 190), (236, 231, 222)
_SIGNS = {Relation.ON: "on top", Relation.INSIDE: "inside", Relation.UNDER: "under"}
#: Verbs after which an agent looks at its target.
_LOOKS = frozenset({Verb.GO_TO, Verb.OPEN, Verb.LOOK, Verb.TURN_TO})


class DrawnAdapter(Adapter):
    """An adapter whose image is a drawing of its view; see `draw`.

    It calls `_turn_to` at the start of `attempt`, and with None at the end of `reset`.
    """

    _looked_at: int | None = None

    @classmethod
    def check_images(cls) -> None:
        _check_pillow()

    def image(self) -> NDArray[np.uint8] | None:
        """The picture of the present view. Raises Missing without pillow."""
        return draw(self.view(), self._looked_at)

    def _turn_to(self, action: Action | None) -> None:
        """Note what the agent turns to."""
        if action is None:
            self._looked_at = None
        elif action.verb in _LOOKS:
            self._looked_at = action.target

    def _capture(self) -> None:
        """Add the picture to the film, if there is one; parts below its edge are cut off."""
        if self._film is not None and not self._film.closed:
            frame = self.image()
            if frame is not None:
                self._film.add(frame[:PICTURE_HEIGHT])


def _check_pillow() -> None:
    """Raise Missing if nothing can be drawn."""
    try:
        import PIL  # noqa: F401
    except ImportError:
        raise Missing(Lack("Drawn pictures need pillow", "vision")) from None


def draw(view: View, looked_at: int | None = None) -> NDArray[np.uint8]:
    """The picture, shape (height, width, 3); higher than PICTURE_HEIGHT if there is much to see.

    looked_at: the last thing that the agent turned to. Raises Missing without pillow.
    """
    _check_pillow()
    import numpy as np
    from PIL import Image, ImageDraw

    title, outermost = _tiles(view, looked_at)
    bottom = max((tile.y + tile.height for tile in outermost), default=0) + _PAD
    image = Image.new("RGB", (PICTURE_WIDTH, max(PICTURE_HEIGHT, bottom)), _PAPER)
    pen = ImageDraw.Draw(image)
    pen.text((_PAD, 8), title, _SOFT, font=_font(26))
    drawn = list(_all_tiles(outermost))
    index = {id(tile): number for number, (tile, _) in enumerate(drawn)}
    for tile, _ in drawn:
        _draw_tile(pen, tile)
    pixels = np.array(image)
    for tile, parent in drawn:
        _add_code(pixels, tile, index[id(tile)], NO_PARENT if parent is None else index[id(parent)])
    return pixels


def _draw_tile(pen: Any, tile: _Tile) -> None:
    box = (tile.x, tile.y, tile.x + tile.width - 1, tile.y + tile.height - 1)
    fill = _CARD if tile.node.kind is Kind.OBJECT else _INSET
    pen.rounded_rectangle(box, 8, fill, _LINE, 2)
    colour = _colour(tile.node.category)
    pen.rounded_rectangle((tile.x + 6, tile.y + 6, tile.x + 34, tile.y + 34), 6, colour)
    initial = tile.node.category[:1].upper()
    pen.text((tile.x + 20, tile.y + 20), initial, (255, 255, 255), font=_font(20), anchor="mm")
    name, small = _fitted(tile.node.category, _CODE_WIDTH - 32)
    pen.text((tile.x + 40, tile.y + 4), name, _INK, font=_font(small))
    words = [_SIGNS[tile.relation]] if tile.relation in _SIGNS else []
    words += sorted(str(state).replace("_", " ") for state in tile.node.states)
    pen.text((tile.x + 40, tile.y + 21), ", ".join(words), _SOFT, font=_font(12))


def _add_code(pixels: NDArray[np.uint8], tile: _Tile, index: int, parent: int) -> None:
    import numpy as np

    node = tile.node
    code = TileCode(index, parent, tile.relation, node.kind, node.states, node.category)
    black = np.kron(cells(code), np.ones((CELL, CELL), np.bool_))
    x, y = tile.x + _PAD, tile.y + 44
    height, width = black.shape
    pixels[y : y + height, x : x + width] = np.where(black, 30, 255).astype(np.uint8)[..., None]


def _colour(category: str) -> tuple[int, int, int]:
    """A colour per category, the same on every machine."""
    hue = zlib.crc32(category.encode()) % 360 / 360
    red, green, blue = hls_to_rgb(hue, 0.45, 0.5)
    return round(255 * red), round(255 * green), round(255 * blue)


def _fitted(name: str, width: int) -> tuple[str, int]:
    """A name and a font size that fits; a name too long for the smallest is cut."""
    for size in (15, 13, 11):
        if _font(size).getlength(name) <= width:
            return name, size
    while name and _font(11).getlength(f"{name}…") > width:
        name = name[:-1]
    return f"{name}…", 11


@cache
def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)


# --- the layout ----------------------------------------------------------------------------------


@dataclass
class _Tile:
    """A node as drawn, with the tiles of its contents."""

    node: Node
    """The node."""
    relation: Relation | None = None
    """To the node of the enclosing tile; None in the room itself."""
    kept: list[_Tile] = field(default_factory=list)
    """The tiles of its contents."""
    x: int = 0
    """Left edge of the box of all these tiles, in pixels."""
    y: int = 0
    """Its upper edge, in pixels."""
    width: int = 0
    """Its width, in pixels."""
    height: int = 0
    """Its height, in pixels."""


def _tiles(view: View, looked_at: int | None) -> tuple[str, list[_Tile]]:
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
    _place(outermost, _PAD, _TITLE, PICTURE_WIDTH - 2 * _PAD)
    return title, outermost


def _all_tiles(outermost: Sequence[_Tile]) -> Iterator[tuple[_Tile, _Tile | None]]:
    """Every tile with its parent, parents first."""
    waiting: list[tuple[_Tile, _Tile | None]] = [(tile, None) for tile in outermost]
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


def _room(view: View, room: int, left: list[int]) -> Iterator[_Tile]:
    """The room's furniture without contents, and free-standing things."""
    graph = view.graph
    left[0] -= 1
    tile = _Tile(graph[room])
    seen = sorted(view.visible_from_afar(room), key=lambda thing: _order(graph, thing))
    for thing in seen:
        if left[0] > 0:
            left[0] -= 1
            tile.kept.append(_Tile(graph[thing], Relation.INSIDE))
    yield tile


def _tile(
    graph: SceneGraph, thing: int, relation: Relation | None, left: list[int], looked_at: int | None
) -> Iterator[_Tile]:
    """A thing with all its contents in the view, the thing looked at first.

    left: the number of tiles that may still be added.
    """
    if left[0] <= 0 or graph[thing].kind in (Kind.AGENT, Kind.ROOM):
        return
    left[0] -= 1
    tile = _Tile(graph[thing], relation)
    here = sorted(graph.contents(thing), key=lambda t: (t != looked_at, _order(graph, t)))
    for other in here:
        place = innermost_place(graph, other)
        if place is not None and place[1] == thing:
            tile.kept += _tile(graph, other, place[0], left, looked_at)
    yield tile


def _order(graph: SceneGraph, thing: int) -> tuple[str, int]:
    return graph[thing].category, thing


def _place(row_of: Sequence[_Tile], x: int, y: int, width: int) -> tuple[int, int]:
    """Place tiles in rows from a corner; the width and height that they take."""
    across, down, row_height, widest = 0, 0, 0, 0
    for tile in row_of:
        _measure(tile, x, y, width)
        if across and across + tile.width > width:
            across, down, row_height = 0, down + row_height + _GAP, 0
        _measure(tile, x + across, y + down, width)
        across += tile.width + _GAP
        row_height = max(row_height, tile.height)
        widest = max(widest, across - _GAP)
    return widest, down + row_height


def _measure(tile: _Tile, x: int, y: int, width: int) -> None:
    """Place one tile with its contents."""
    tile.x, tile.y = x, y
    tile.width, tile.height = _TILE_WIDTH, _TILE_HEIGHT
    if tile.kept:
        inner = _place(tile.kept, x + _PAD, y + _TILE_HEIGHT, width - 2 * _PAD)
        tile.width = max(_TILE_WIDTH, inner[0] + 2 * _PAD)
        tile.height = _TILE_HEIGHT + inner[1] + _PAD
