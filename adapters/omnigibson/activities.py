"""The activities of BEHAVIOR-1K, from the package bddl."""

from __future__ import annotations

from functools import lru_cache

from ...errors import unknown_name
from . import bddl_files, package
from .bddl_files import Activity

#: What our worlds have: init and goal of an activity that can be played say nothing else …
PLAYABLE = frozenset({"ontop", "inside", "open", "toggled_on"})
#: … and init, besides, where furniture stands, and what exists from the start.
_IN_INIT = PLAYABLE | {"inroom", "real"}


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """The names of all activities, sorted. Raises Missing."""
    found = (path.parent.name for path in package.activities_path().glob("*/problem0.bddl"))
    return tuple(sorted(found))


@lru_cache(maxsize=256)
def read(name: str) -> Activity:
    """An activity by its name. Raises Missing, and BadInput that offers the nearest names."""
    path = package.activities_path() / name / "problem0.bddl"
    if name not in names():
        raise unknown_name("activity", name, names())
    return bddl_files.parse(name, path.read_text(encoding="utf-8"), f"The activity {name} ({path})")


def playable(activity: Activity) -> bool:
    """Whether our worlds have all that an activity speaks of."""
    return {fact.predicate for fact in activity.init} <= _IN_INIT and {
        atom.predicate for atom in bddl_files.atoms(activity.goal)
    } <= PLAYABLE


@lru_cache(maxsize=1)
def playable_names() -> tuple[str, ...]:
    """The names of the activities that are playable. Reads all, which takes about a second."""
    return tuple(name for name in names() if playable(read.__wrapped__(name)))
