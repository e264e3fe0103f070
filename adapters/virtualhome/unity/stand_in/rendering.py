"""The stand-in's camera frames: a tile of its own colour for every thing in a room, as PNG."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

_TILE = 40
_WALL = b"\xe8\xe4\xd8"


def tiles(names: Sequence[str], width: int, height: int) -> bytes:
    """A PNG of a given size, with a tile for each name while there is room."""
    across = max(1, width // _TILE)
    colours = [_colour(name) for name in names]
    rows = []
    for top in range(0, height, _TILE):
        first = top // _TILE * across
        row = b"".join(
            (colours[i] if i < len(colours) else _WALL) * (_TILE - 2) + _WALL * 2
            for i in range(first, first + across)
        )
        line = b"\0" + row[: 3 * width].ljust(3 * width, _WALL[:1])
        rows += [line] * min(_TILE, height - top)
    return _png(width, height, b"".join(rows))


def _colour(name: str) -> bytes:
    return struct.pack(">I", zlib.crc32(name.encode()))[1:]


def _png(width: int, height: int, rows: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
