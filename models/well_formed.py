"""Text that can be written as UTF-8, whatever a model says.

JSON may spell half of a surrogate pair ("\\ud83d"), which Python reads as a character that no file
and no request can hold.
"""

from __future__ import annotations

from typing import Any


def well_formed(text: str) -> str:
    """The text with U+FFFD in place of every lone surrogate; a pair becomes its character.

    The same as `String.prototype.toWellFormed` of ECMAScript 2024.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def well_formed_data(data: Any) -> Any:
    """JSON data with all its texts, keys included, well formed."""
    if isinstance(data, str):
        return well_formed(data)
    if isinstance(data, dict):
        return {well_formed_data(key): well_formed_data(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [well_formed_data(part) for part in data]
    return data
