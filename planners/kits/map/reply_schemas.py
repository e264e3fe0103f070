"""JSON schemas of replies in which the fields follow from what is called.

Models fill every field that a schema has. What is read is wider: servers may enforce no schema.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}


def one_of(texts: Iterable[object]) -> Schema:
    """A text that is one of these."""
    return {**TEXT, "enum": [str(text) for text in texts]}


def any_of(*kinds: dict[str, Schema]) -> Schema:
    """An object of one of these kinds, each with all of its fields."""
    return {"anyOf": [{"type": "object", "properties": fields} for fields in kinds]}
