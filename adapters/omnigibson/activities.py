"""The activities of BEHAVIOR-1K, from the package bddl."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from ...errors import unknown_name
from . import bddl_files, package
from .bddl_files import PREDICATES, Activity

#: What our worlds have: init and goal of an activity that can be played say nothing else …
PLAYABLE = frozenset({"ontop", "inside", "open", "toggled_on"})
#: … and init, besides, where furniture stands, and what exists from the start.
_IN_INIT = PLAYABLE | {"inroom", "real"}
#: Every activity has one definition.
_FILE = "problem0.bddl"


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """The names of all activities, sorted. Raises Missing."""
    found = os.listdir(package.activities_path())  # a Path for each would take longer than all else
    return tuple(sorted(name for name in found if os.path.isfile(_path(name))))


@lru_cache(maxsize=256)
def read(name: str) -> Activity:
    """An activity by its name. Raises Missing, and BadInput that offers the nearest names."""
    if name not in names():
        raise unknown_name("activity", name, names())
    return bddl_files.parse(name, _text(name), f"The activity {name} ({_path(name)})")


def playable(activity: Activity) -> bool:
    """Whether our worlds have all that an activity speaks of."""
    return {fact.predicate for fact in activity.init} <= _IN_INIT and {
        atom.predicate for atom in bddl_files.atoms(activity.goal)
    } <= PLAYABLE


@lru_cache(maxsize=1)
def playable_names() -> tuple[str, ...]:
    """The names of the activities that are playable: 187 of bddl 3.6.0."""
    others = PREDICATES.keys() - _IN_INIT
    other = re.compile(rf"\(\s*(?:{'|'.join(sorted(others))})[\s)]", re.IGNORECASE)
    found = []
    for name in names():
        text = _text(name)
        # Most say at a glance that they are not; to parse them all takes a second.
        if not other.search(text) and playable(read(name)):
            found.append(name)
    return tuple(found)


def _text(name: str) -> str:
    with open(_path(name), encoding="utf-8") as file:
        return file.read()


def _path(name: str) -> str:
    return f"{package.activities_path()}/{name}/{_FILE}"
