"""Codes on drawn pictures that a program can read from the pixels, as robots read AprilTags.

A code is a rectangle of black and white cells, each CELL pixels wide and high, in the picture at
multiples of CELL. Its first row is the same in all codes; the rows below are bytes, eight cells
each, most significant bit first: how many follow, index, parent, relation, kind, two of states,
text in UTF-8, two of check sum. Black is 1.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .node import PLACEMENTS, Kind, Relation, State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CELL, WIDTH = 4, 32
#: Bytes of a text; a longer one is cut.
LONGEST = 36
#: Rows of the longest code.
MOST_ROWS = 1 + -(-(9 + LONGEST) * 8 // WIDTH)
#: The parent of what has none.
NO_PARENT = 255
#: The first row.
_SYNC = 0xF8A7_5C1B
_HEADER, _CHECK = 6, 2
#: The numbers that codes have for kinds and relations, and the bits for states.
_KINDS = tuple(Kind)
_RELATIONS: tuple[Relation | None, ...] = (None, *PLACEMENTS)
_STATES = tuple(State)


@dataclass(frozen=True)
class TileCode:
    """What a code says of the thing on its tile.

    index: of the tile in the picture, below NO_PARENT. parent: the index of the tile that it is
    drawn in, or NO_PARENT. relation: how that keeps it, None where nothing does.
    """

    index: int
    parent: int
    relation: Relation | None
    kind: Kind
    states: frozenset[State]
    category: str


def cells(code: TileCode) -> NDArray[np.bool_]:
    """The cells of a code, shape (rows, WIDTH); True is black."""
    import numpy as np

    text = code.category.encode()[:LONGEST].decode(errors="ignore").encode()
    relation, kind = _RELATIONS.index(code.relation), _KINDS.index(code.kind)
    states = sum(1 << _STATES.index(state) for state in code.states)
    body = bytes([code.index, code.parent, relation, kind, states >> 8, states & 255]) + text
    body = bytes([len(body)]) + body
    body += (zlib.crc32(body) & 0xFFFF).to_bytes(2, "big")
    body += bytes(-len(body) % (WIDTH // 8))
    bits = np.unpackbits(np.frombuffer(_SYNC.to_bytes(4, "big") + body, np.uint8))
    return bits.reshape(-1, WIDTH).astype(np.bool_)


def read_codes(rgb: NDArray[np.uint8]) -> list[TileCode]:
    """The codes in a picture, shape (height, width, 3), from top to bottom; damaged ones not."""
    return [code for code, _ in located_codes(rgb)]


def located_codes(
    rgb: NDArray[np.uint8],
) -> list[tuple[TileCode, tuple[int, int, int, int]]]:
    """The same, each with its left, upper, right and lower edge in pixels."""
    import numpy as np

    middle = CELL // 2
    black = rgb[middle::CELL, middle::CELL].mean(axis=2) < 128
    if black.shape[1] < WIDTH:
        return []
    rows = np.lib.stride_tricks.sliding_window_view(black, WIDTH, axis=1)
    sync = np.unpackbits(np.frombuffer(_SYNC.to_bytes(4, "big"), np.uint8)).astype(np.bool_)
    found = []
    for y, x in np.argwhere((rows == sync).all(axis=2)):
        code = _read(np.packbits(black[y + 1 : y + MOST_ROWS, x : x + WIDTH]).tobytes())
        if code is not None:
            bottom = int(y) + len(cells(code))
            edges = (int(x), int(y), int(x) + WIDTH, bottom)
            left, upper, right, lower = (CELL * edge for edge in edges)
            found.append((code, (left, upper, right, lower)))
    return found


def _read(data: bytes) -> TileCode | None:
    if not data or len(data) < 1 + data[0] + _CHECK or data[0] < _HEADER:
        return None
    body, check = data[: 1 + data[0]], data[1 + data[0] : 1 + data[0] + _CHECK]
    if (zlib.crc32(body) & 0xFFFF).to_bytes(2, "big") != check:
        return None
    _, index, parent, relation, kind, high, low = body[: 1 + _HEADER]
    bits = (high << 8) + low
    try:
        category = body[1 + _HEADER :].decode()
        states = frozenset(state for at, state in enumerate(_STATES) if bits >> at & 1)
        return TileCode(index, parent, _RELATIONS[relation], _KINDS[kind], states, category)
    except (UnicodeDecodeError, IndexError):
        return None
