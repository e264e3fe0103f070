"""Images in messages, and as files with a hash of the content as name."""

from __future__ import annotations

import base64
import hashlib
import re
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy import uint8
    from numpy.typing import NDArray

#: Prefixes of data URLs of images, with the suffix of their files.
_DATA_URLS = {"data:image/png;base64,": "png", "data:image/jpeg;base64,": "jpg"}
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
#: The most bytes of an unpacked image.
_LARGEST = 2**28


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
    return _SIGNATURE + b"".join(
        _chunk(name, data)
        for name, data in ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    )


def rgb_of_png(content: bytes) -> NDArray[uint8]:
    """The image in a file of `png_bytes`. Raises ValueError for any other file."""
    import numpy as np

    header = struct.Struct(">8s4s4sII5s")
    if len(content) < header.size or not content.startswith(_SIGNATURE):
        raise ValueError("it is no PNG file")
    *_, width, height, kind = header.unpack_from(content)
    if kind != bytes((8, 2, 0, 0, 0)):
        raise ValueError("it is a PNG file of another kind")
    size = height * (1 + 3 * width)
    if size > _LARGEST:
        raise ValueError(f"it has {width} x {height} pixels, which are too many")
    at, packed = len(_SIGNATURE), b""
    while at + 8 <= len(content):
        length, name = struct.unpack_from(">I4s", content, at)
        if name == b"IDAT":
            packed += content[at + 8 : at + 8 + length]
        at += length + 12
    try:
        unpacked = zlib.decompressobj().decompress(packed, size + 1)
        rows = np.frombuffer(unpacked, np.uint8).reshape(height, 1 + 3 * width)
    except (zlib.error, ValueError):
        raise ValueError("it is damaged") from None
    if rows[:, 0].any():
        raise ValueError("its rows are filtered")
    return rows[:, 1:].reshape(height, width, 3)


def file_name(content: bytes, ending: str = "png") -> str:
    """The name of an image file: a hash of its content."""
    return f"{hashlib.blake2b(content, digest_size=16).hexdigest()}.{ending}"


def is_file_name(name: str) -> bool:
    """Whether a name is one of `file_name`."""
    return re.fullmatch(r"[0-9a-f]{32}\.(?:png|jpg)", name) is not None


def with_files(
    messages: Sequence[Mapping[str, Any]],
) -> tuple[list[dict[str, Any]], dict[str, bytes]]:
    """Messages with `images/NAME` in place of image data, and the files by name."""
    files: dict[str, bytes] = {}

    def named(part: Any) -> Any:
        url = part["image_url"]["url"] if _is_image(part) else ""
        for head, ending in _DATA_URLS.items():
            if url.startswith(head):
                content = base64.b64decode(url.removeprefix(head))
                name = file_name(content, ending)
                files[name] = content
                return {**part, "image_url": {**part["image_url"], "url": f"images/{name}"}}
        return part

    renamed = []
    for message in messages:
        content = message["content"]
        if not isinstance(content, str) and any(map(_is_image, content)):
            message = {**message, "content": [named(part) for part in content]}
        renamed.append(dict(message))
    return renamed, files


def _is_image(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "image_url"


def _chunk(name: bytes, data: bytes) -> bytes:
    """A chunk of a PNG file (https://www.w3.org/TR/png/#5Chunk-layout)."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
