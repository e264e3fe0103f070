"""The fields at the beginning of a GGUF file, read without a library.

https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from ..errors import BadInput

#: The forms of numbers by their type; 8 is a text, 9 a list.
_NUMBERS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_TEXT, _LIST = 8, 9
_VERSIONS = (2, 3)


def read(path: Path) -> dict[str, object]:
    """The fields of a file. Raises BadInput for one that is no GGUF file, or damaged."""
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise BadInput(f"{path} is no GGUF file; llama.cpp reads models in that format only.")
        try:
            version, _, count = _unpacked(file, "IQQ")
            if version not in _VERSIONS:
                raise ValueError(f"version {version}")
            return {_text(file): _value(file, *_unpacked(file, "I")) for _ in range(count)}
        except (ValueError, KeyError, struct.error, MemoryError, OverflowError) as error:
            raise BadInput(f"{path} is damaged ({error}); make or fetch it again.") from None


def _value(file: BinaryIO, kind: int) -> object:
    if kind == _TEXT:
        return _text(file)
    if kind == _LIST:
        inner, count = _unpacked(file, "IQ")
        return [_value(file, inner) for _ in range(count)]
    return _unpacked(file, _NUMBERS[kind])[0]


def _text(file: BinaryIO) -> str:
    (length,) = _unpacked(file, "Q")
    return _taken(file, length).decode("utf-8", errors="replace")


def _unpacked(file: BinaryIO, form: str) -> tuple[int, ...]:
    return struct.unpack(f"<{form}", _taken(file, struct.calcsize(f"<{form}")))


def _taken(file: BinaryIO, length: int) -> bytes:
    found = file.read(length)
    if len(found) < length:
        raise ValueError("it is cut off")
    return found
