"""What commands print: JSON documents, and tables that fold."""

from __future__ import annotations

import json
from typing import Any


def print_json(document: Any) -> None:
    """Print one JSON document on stdout."""
    print(json.dumps(document, indent=2, ensure_ascii=False))
