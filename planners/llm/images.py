"""Images in messages."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy import uint8
    from numpy.typing import NDArray


def image_part(rgb: NDArray[uint8]) -> dict[str, Any]:
    """A part of a message's content that shows an image.

    rgb: height x width x 3, uint8. Raises ValueError for any other array.
    """
    return {"type": "image_url", "image_url": {"url": data_url(rgb)}}


def data_url(rgb: NDArray[uint8]) -> str:
    """The image as a PNG in a data URL (RFC 2397)."""
    return "data:image/png;base64," + base64.b64encode(png_bytes(rgb)).decode()


def png_bytes(rgb: NDArray[uint8]) -> bytes:
    """The image as a PNG file. Raises ValueError for any other array."""
    if rgb.ndim != 3 or rgb.shape[2] != 3 or rgb.dtype.name != "uint8":
        raise ValueError(f"an image is height x width x 3 of uint8, not {rgb.shape} {rgb.dtype}")
    height, width, _ = rgb.shape
    rows = b"".join(b"\0" + row.tobytes() for row in rgb)  # every row unfiltered
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, RGB
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(name, data)
        for name, data in ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    )


def _chunk(name: bytes, data: bytes) -> bytes:
    """A chunk of a PNG file (https://www.w3.org/TR/png/#5Chunk-layout)."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
