"""The key of an endpoint, taken out of the texts that the endpoint sends.

Endpoints and proxies repeat a key in their errors: as it is, in the escapes of URLs, JSON and HTML,
in base64 and in hexadecimal digits.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from functools import cache

#: What stands in the place of the key.
REDACTED = "[key]"
#: A shorter key may be a part of other words, or a word. It counts as the key behind one of the
#: words for it, between quotation marks and, if it is no word, where nothing adjoins it.
_LONG, _NO_LETTER = 8, 4
_SAID = (
    r"(?<![a-z0-9])(?:bearer|basic|key|token|secret|password|authorization)"
    r"(?:[\"'`]?\s?[:=]|\s(?:is|was|provided:|of))?[\s\"'`(<\[]{0,3}"
)


def redactor(*keys: str | None) -> Callable[[str], str]:
    """A function that puts REDACTED in the place of each key in a text."""
    parts = [_redactor(key) for key in keys if key]

    def without_keys(text: str) -> str:
        for without in parts:
            text = without(text)
        return text

    return without_keys


@cache
def _redactor(key: str) -> Callable[[str], str]:
    spelled = "".join(map(_spelled, key))
    if len(key) < _LONG:
        alone = rf"(?P<said>{_SAID}){spelled}(?![a-z0-9])|(?P<mark>[\"'`]){spelled}(?=[\"'`])"
        if len(key) >= _NO_LETTER and not key.isalpha():
            alone += rf"|(?<![a-z0-9]){spelled}(?![a-z0-9])"
        short = re.compile(alone, re.IGNORECASE)
        return lambda text: short.sub(_after_the_word, text)
    everywhere = re.compile("|".join([spelled, *_encoded(key)]), re.IGNORECASE)
    return lambda text: everywhere.sub(REDACTED, text)


def _after_the_word(found: re.Match[str]) -> str:
    return (found["said"] or found["mark"] or "") + REDACTED


def _spelled(character: str) -> str:
    """A pattern of a character: as it is, or escaped for a URL, JSON or HTML."""
    code = ord(character)
    percent = "".join(f"%(?:25){{0,4}}{byte:02x}" for byte in character.encode("utf-8", "replace"))
    escapes = [rf"\\{{1,4}}u{code:04x}", f"&#0{{0,4}}{code};", f"&#x0{{0,4}}{code:x};"]
    named = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", " ": r"\+"}
    if character in named:
        escapes.append(named[character])
    return f"(?:{'|'.join([re.escape(character), percent, *escapes])})"


def _encoded(key: str) -> Iterator[str]:
    """Patterns of a key in base64, wherever in the encoded text it begins, and in hexadecimal."""
    data = key.encode("utf-8", "replace")
    yield data.hex()
    for before in range(3):
        # Three bytes make four characters. Those at the ends depend on the neighbours of the key.
        encoded = base64.b64encode(bytes(before) + data).decode()
        first = -(-before * 4 // 3) if before else 0
        last = len(encoded) if not (before + len(data)) % 3 else -4 + (before + len(data)) % 3
        inner = encoded[first:last]
        yield re.escape(inner).replace(r"\+", "[+-]").replace("/", "[/_]")
