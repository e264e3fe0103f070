"""The activities of BEHAVIOR-1K, from the package bddl."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from ...errors import unknown_name
from . import bddl_files, package
from .bddl_files import PREDICATES, Activity

#: The predicates of our worlds; init and goal of a playable activity use no others.
PLAYABLE = frozenset({"ontop", "inside", "open", "toggled_on"})
#: In init, also the rooms of furniture and what exists from the start.
_IN_INIT = PLAYABLE | {"inroom", "real"}
#: The file of an activity's only definition.
_FILE = "problem0.bddl"


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """The names of all activities, sorted. Raises Missing."""
    listed = os.listdir(package.activities_path())  # Path objects would be slower
    return tuple(sorted(name for name in listed if os.path.isfile(_path(name))))


@lru_cache(maxsize=256)
def read(name: str) -> Activity:
    """An activity by name. Raises Missing, and BadInput that offers the nearest names."""
    if name not in names():
        raise unknown_name("activity", name, names())
    return bddl_files.parse(name, _text(name), f"The activity {name} ({_path(name)})")


def playable(activity: Activity) -> bool:
    """Whether our worlds have everything that an activity mentions."""
    return {fact.predicate for fact in activity.init} <= _IN_INIT and {
        atom.predicate for atom in bddl_files.atoms(activity.goal)
    } <= PLAYABLE


@lru_cache(maxsize=1)
def playable_names() -> tuple[str, ...]:
    """The names of the playable activities: 187 of bddl 3.6.0."""
    others = PREDICATES.keys() - _IN_INIT
    other = re.compile(rf"\(\s*(?:{'|'.join(sorted(others))})[\s)]", re.IGNORECASE)
    playables = []
    for name in names():
        text = _text(name)
        # Most are excluded by a text search; parsing them all takes a second.
        if not other.search(text) and playable(read(name)):
            playables.append(name)
    return tuple(playables)


def _text(name: str) -> str:
    with open(_path(name), encoding="utf-8") as file:
        return file.read()


def _path(name: str) -> str:
    return f"{package.activities_path()}/{name}/{_FILE}"
