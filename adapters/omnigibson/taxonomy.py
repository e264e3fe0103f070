"""BEHAVIOR-1K's taxonomy of 3,481 synsets: sorts of things, their sorts, and abilities."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from . import package


@dataclass(frozen=True, slots=True)
class Synset:
    """A sort of things. above: its sorts, the widest first. abilities: with bddl's names."""

    name: str
    above: tuple[str, ...]
    abilities: frozenset[str]

    def is_a(self, sort: str) -> bool:
        return sort == self.name or sort in self.above


def synset(name: str) -> Synset | None:
    """A synset by name, or None. Raises Missing."""
    return _synsets().get(name)


def synset_of(category: str) -> Synset | None:
    """The synset of one of OmniGibson's object categories, or None."""
    name = _by_category().get(category)
    return None if name is None else _synsets()[name]


def english(name: str) -> str:
    """A synset in words: "can__of__soda.n.01" is a can of soda."""
    return name.partition(".")[0].replace("__", "_").replace("_", " ").replace("-", " ")


@cache
def _tree() -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(package.data_path("output_hierarchy.json").read_bytes())
    return tree


@cache
def _synsets() -> dict[str, Synset]:
    able: dict[str, set[str]] = {}
    listed = json.loads(package.data_path("properties_to_synsets.json").read_bytes())
    for ability, synsets in listed.items():
        for name in synsets:
            able.setdefault(name, set()).add(ability)
    by_name: dict[str, Synset] = {}
    waiting: list[tuple[dict[str, Any], tuple[str, ...]]] = [(_tree(), ())]
    while waiting:
        node, above = waiting.pop()
        name = node["name"]
        by_name[name] = Synset(name, above, frozenset(able.get(name, ())))
        waiting += ((child, (*above, name)) for child in node.get("children", ()))
    return by_name


@cache
def _by_category() -> dict[str, str]:
    names: dict[str, str] = {}
    waiting = [_tree()]
    while waiting:
        node = waiting.pop()
        for category in node.get("categories", ()):
            names[category] = node["name"]
        waiting += node.get("children", ())
    return names
