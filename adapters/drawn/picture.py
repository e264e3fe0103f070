"""Draws a view as a picture: one tile per thing, with its name, states and a readable code.

A picture shows only what the view has. The codes (`tile_codes`) give each tile's thing, parent
tile, relation and states, so that a program can read the picture without recognising letters.
"""

from __future__ import annotations

import zlib
from colorsys import hls_to_rgb
from functools import cache
from typing import TYPE_CHECKING, Any

from ...errors import Missing
from ...installed import Lack
from ...observation_text.tile_codes import CELL, NO_PARENT, TileCode, cells
from ...observation_text.view import View
from ...scene_graph.node import Kind, Relation
from .layout import CODE_WIDTH, PAD, PICTURE_HEIGHT, PICTURE_WIDTH, Tile, all_tiles, tiles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_PAPER, _INK, _SOFT = (247, 244, 238), (44, 46, 52), (112, 114, 120)
_CARD, _LINE, _INSET = (255, 255, 255), (206, 200, 190), (236, 231, 222)
_SIGNS = {Relation.ON: "on top", Relation.INSIDE: "inside", Relation.UNDER: "under"}


def check() -> None:
    """Raise Missing if nothing can be drawn."""
    try:
        import PIL  # noqa: F401
    except ImportError:
        raise Missing(Lack("Drawn pictures need pillow", "vision")) from None


def draw(view: View, looked_at: int | None = None) -> NDArray[np.uint8]:
    """The picture, shape (height, width, 3); higher than PICTURE_HEIGHT if there is much to see.

    looked_at: the last thing that the agent turned to. Raises Missing without pillow.
    """
    check()
    import numpy as np
    from PIL import Image, ImageDraw

    title, outermost = tiles(view, looked_at)
    bottom = max((tile.y + tile.height for tile in outermost), default=0) + PAD
    image = Image.new("RGB", (PICTURE_WIDTH, max(PICTURE_HEIGHT, bottom)), _PAPER)
    pen = ImageDraw.Draw(image)
    pen.text((PAD, 8), title, _SOFT, font=_font(26))
    drawn = list(all_tiles(outermost))
    index = {id(tile): number for number, (tile, _) in enumerate(drawn)}
    for tile, _ in drawn:
        _draw_tile(pen, tile)
    pixels = np.array(image)
    for tile, parent in drawn:
        _add_code(pixels, tile, index[id(tile)], NO_PARENT if parent is None else index[id(parent)])
    return pixels


def _draw_tile(pen: Any, tile: Tile) -> None:
    box = (tile.x, tile.y, tile.x + tile.width - 1, tile.y + tile.height - 1)
    fill = _CARD if tile.node.kind is Kind.OBJECT else _INSET
    pen.rounded_rectangle(box, 8, fill, _LINE, 2)
    colour = _colour(tile.node.category)
    pen.rounded_rectangle((tile.x + 6, tile.y + 6, tile.x + 34, tile.y + 34), 6, colour)
    initial = tile.node.category[:1].upper()
    pen.text((tile.x + 20, tile.y + 20), initial, (255, 255, 255), font=_font(20), anchor="mm")
    name, small = _fitted(tile.node.category, CODE_WIDTH - 32)
    pen.text((tile.x + 40, tile.y + 4), name, _INK, font=_font(small))
    words = [_SIGNS[tile.relation]] if tile.relation in _SIGNS else []
    words += sorted(str(state).replace("_", " ") for state in tile.node.states)
    pen.text((tile.x + 40, tile.y + 21), ", ".join(words), _SOFT, font=_font(12))


def _add_code(pixels: NDArray[np.uint8], tile: Tile, index: int, parent: int) -> None:
    import numpy as np

    node = tile.node
    code = TileCode(index, parent, tile.relation, node.kind, node.states, node.category)
    black = np.kron(cells(code), np.ones((CELL, CELL), np.bool_))
    x, y = tile.x + PAD, tile.y + 44
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
