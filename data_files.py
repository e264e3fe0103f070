"""Data files of the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def read_yaml(path: Path) -> Any:
    """The data of one of our YAML files, read by the C parser if PyYAML has it."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(path.read_text(encoding="utf-8"), loader)
