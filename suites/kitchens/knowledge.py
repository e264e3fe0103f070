"""The knowledge behind the tasks: families of intents, kinds of objects, uses of areas."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...adapters.kitchens.layouts import Layout
from ...data_files import read_yaml

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Need:
    """One need of a task. hint: its wording in the instruction. to: uses of its goal areas."""

    hint: str
    kinds: tuple[str, ...]
    to: tuple[str, ...]


@dataclass(frozen=True)
class IntentFamily:
    """Instructions with one intent. times: times of day. asks: with "{needs}" or "{Needs}"."""

    name: str
    times: tuple[str, ...]
    asks: tuple[str, ...]
    needs: tuple[Need, ...]

    @property
    def kinds(self) -> frozenset[str]:
        """All kinds that meet one of its needs."""
        return frozenset(kind for need in self.needs for kind in need.kinds)


@cache
def families() -> tuple[IntentFamily, ...]:
    """The families, in the order of their file."""
    return tuple(
        IntentFamily(
            name,
            tuple(data["times"]),
            tuple(data["asks"]),
            tuple(
                Need(need["hint"], tuple(need["kinds"]), tuple(need.get("to", data["to"])))
                for need in data["needs"]
            ),
        )
        for name, data in _read("families")["families"].items()
    )


def persons() -> tuple[str, ...]:
    """Other persons, as the beginning of an instruction names them."""
    return tuple(_read("families")["persons"])


def phrases_of(time: str) -> tuple[str, ...]:
    """Beginnings of instructions at a time of day."""
    return tuple(_read("families")["times"][time])


@cache
def homes() -> dict[str, tuple[str, ...]]:
    """By kind of object, the uses of the areas where it belongs."""
    classes = _read("objects").values()
    return {kind: tuple(each["home"]) for each in classes for kind in each["kinds"]}


@cache
def _areas_by_use(name: str, areas: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {
        use: tuple(area for area in areas if re.search(pattern, area, re.IGNORECASE))
        for use, pattern in _read("uses").items()
    }


def areas_for(layout: Layout, uses: tuple[str, ...]) -> tuple[str, ...]:
    """The areas of a kitchen with one of some uses, in the order of the uses."""
    by_use = _areas_by_use(layout.name, tuple(layout.areas))
    return tuple(dict.fromkeys(area for use in uses for area in by_use[use]))


@cache
def _read(name: str) -> dict[str, Any]:
    data: dict[str, Any] = read_yaml(_FOLDER / f"{name}.yaml")
    return data
