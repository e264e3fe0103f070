"""A room file as text, as a person would write it: one thing a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...data_files import draft_of
from ...errors import BadInput
from .room_file import RoomFile

_HEAD = """\
# A room file: docs/howto/real_room.md describes it. `peephole operator check FILE` reads it.
"""
#: Fields of a file that are written one entry a line, in this order after the others.
_LISTS = ("furniture", "things", "tasks")
#: Fields of furniture and things that come first.
_FIRST = ("name", "room", "at", "mapped")


def text_of(room: RoomFile) -> str:
    """The text of a room file. Fields with their default values are left out."""
    data = room.model_dump(mode="json", exclude_defaults=True)
    lines = [_HEAD, "version: 1\n"]
    for name, value in data.items():
        if name in ("version", "kinds", *_LISTS):
            continue
        lines.append(f"{name}: {_flow(value)}\n")
    if data.get("kinds"):
        lines.append("kinds:\n")
        lines += (f"  {_flow(name)}: {_flow(words)}\n" for name, words in data["kinds"].items())
    for name in _LISTS:
        lines += _entries(name, data.get(name, ()))
    return "".join(lines)


def write_room(path: Path, text: str) -> None:
    """Write the text of a room file, whole or not at all. Raises BadInput."""
    try:
        with draft_of(path) as draft:
            draft.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written ({error.strerror}); correct that, or choose another path."
        ) from None


def _entries(name: str, entries: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    entries = list(entries)
    if not entries:
        return
    yield f"{name}:\n"
    for entry in entries:
        if name != "tasks":
            first = {key: entry[key] for key in _FIRST if key in entry}
            yield f"- {_flow({**first, **entry})}\n"
            continue
        sign = "- "
        for field, value in entry.items():
            yield f"{sign}{field}: {_flow(value)}\n"
            sign = "  "


def _flow(value: Any) -> str:
    """A value in one line of YAML."""
    import yaml

    text = yaml.safe_dump(
        value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**6
    )
    return text.strip().removesuffix("...").strip()
