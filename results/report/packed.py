"""Data in a page: JSON for scripts, and compressed JSON that is unpacked when needed."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any


def script_json(data: Any) -> str:
    """JSON for an element `script`: no text in it can end the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    escaped = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return escaped.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def packed(data: Any) -> str:
    """JSON, deflated (zlib) and in base64; `unpacked` in pack.js reads it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # A lone surrogate, which a recording may contain, is no UTF-8.
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode("ascii")


def unpacked(text: str) -> Any:
    """The data of `packed`."""
    return json.loads(zlib.decompress(base64.b64decode(text)))
