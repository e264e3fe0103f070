"""Codes on drawn pictures that a program can read from the pixels, as robots read AprilTags.

A code is a rectangle of black (1) and white cells. Each cell is CELL pixels wide and high, at
multiples of CELL. The first row is the same in all codes. Every further row is one byte, most
significant bit first. They are: number of rows, index, parent, relation, kind, states (2 rows),
UTF-8 text, check sum (2 rows).
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..scene_graph.node import PLACEMENTS, Kind, Relation, State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CELL, WIDTH = 4, 32
#: Bytes of a text; a longer one is cut.
LONGEST = 36
#: Rows of the longest code.
MOST_ROWS = 1 + -(-(9 + LONGEST) * 8 // WIDTH)
#: The parent index of a tile without a parent.
NO_PARENT = 255
#: The first row.
_SYNC = 0xF8A7_5C1B
_HEADER, _CHECK = 6, 2
#: The numbers of kinds and relations in codes, and the bits of states.
_KINDS = tuple(Kind)
_RELATIONS: tuple[Relation | None, ...] = (None, *PLACEMENTS)
_STATES = tuple(State)


@dataclass(frozen=True)
class TileCode:
    """The data of one tile."""

    index: int
    """Of the tile in the picture, below NO_PARENT."""
    parent: int
    """The index of the tile that it is drawn in, or NO_PARENT."""
    relation: Relation | None
    """How the parent keeps the thing; None without a parent."""
    kind: Kind
    """Of the thing."""
    states: frozenset[State]
    """Of the thing."""
    category: str
    """Of the thing; long text is cut."""


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


def located_codes(
    rgb: NDArray[np.uint8],
) -> list[tuple[TileCode, tuple[int, int, int, int]]]:
    """The codes in a picture, shape (height, width, 3), from top to bottom, without damaged ones.

    Each comes with its left, upper, right and lower edge in pixels.
    """
    import numpy as np

    middle = CELL // 2
    black = rgb[middle::CELL, middle::CELL].mean(axis=2) < 128
    if black.shape[1] < WIDTH:
        return []
    rows = np.lib.stride_tricks.sliding_window_view(black, WIDTH, axis=1)
    sync = np.unpackbits(np.frombuffer(_SYNC.to_bytes(4, "big"), np.uint8)).astype(np.bool_)
    codes = []
    for y, x in np.argwhere((rows == sync).all(axis=2)):
        code = _read(np.packbits(black[y + 1 : y + MOST_ROWS, x : x + WIDTH]).tobytes())
        if code is not None:
            bottom = int(y) + len(cells(code))
            edges = (int(x), int(y), int(x) + WIDTH, bottom)
            left, upper, right, lower = (CELL * edge for edge in edges)
            codes.append((code, (left, upper, right, lower)))
    return codes


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
