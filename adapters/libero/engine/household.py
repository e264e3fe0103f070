"""Tasks of our own on LIBERO's models: what stands where, what is shut away, and what is asked.

Only the standard library is used here: Peephole reads the tasks, and the engine plays them. LIBERO
gets each as a BDDL text that is made when the task is begun. Its sampler, which cannot place two
things in one cabinet, places nothing but fixtures: things begin far away, and `starts` places them.

Positions are on the table in m from its middle: x away from the arm's base, y to the arm's left.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

TABLE = "kitchen_table"
#: The places of fixtures and of things that hold others, by category.
_REGIONS = {
    "wooden_cabinet": ("top_side", "top_region", "middle_region", "bottom_region"),
    "white_cabinet": ("top_side", "top_region", "middle_region", "bottom_region"),
    "flat_stove": ("cook_region",),
    "basket": ("contain_region",),
    "wooden_tray": ("contain_region",),
}
#: Where things are while LIBERO makes the scene: beside the table, each this far from the next.
_AWAY, _APART = 3.0, 0.5
#: The side of the spots; MuJoCo takes none of size zero.
_SPOT = 0.001
_NUMBER = re.compile(r"_\d+$")


@dataclass(frozen=True)
class Fixture:
    """A fixture and where it stands: x and y in m, its turn in rad."""

    name: str
    x: float
    y: float
    turn: float = 0.0


@dataclass(frozen=True)
class HouseholdTask:
    """A task of our own.

    standing: about where each thing on the table stands. hidden: the shut places of which a start
    has each hidden thing in one (`hidings`). running: stoves that are on at the start. goal:
    LIBERO's predicates, in lower case.
    """

    name: str
    instruction: str
    fixtures: tuple[Fixture, ...]
    goal: tuple[tuple[str, ...], ...]
    standing: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    hidden: Mapping[str, Sequence[str]] = field(default_factory=dict)
    running: tuple[str, ...] = ()

    @property
    def things(self) -> tuple[str, ...]:
        """The names of all movable things."""
        return (*self.standing, *self.hidden)

    def hidings(self) -> list[dict[str, str]]:
        """Every way to hide the hidden things, at most one in a cabinet."""
        ways = []
        for places in itertools.product(*self.hidden.values()):
            cabinets = {place.rsplit("_", 2)[0] for place in places}
            if len(cabinets) == len(places):
                ways.append(dict(zip(self.hidden, places, strict=True)))
        return ways


def category_of(name: str) -> str:
    """The engine's kind of a thing: "plate" of "plate_1"."""
    return _NUMBER.sub("", name)


def bddl(task: HouseholdTask) -> str:
    """The task as LIBERO reads it."""
    away = {name: (_AWAY, _APART * number) for number, name in enumerate(task.things)}
    spots = [
        *((each.name, each.x, each.y, each.turn) for each in task.fixtures),
        *((name, x, y, 0.0) for name, (x, y) in away.items()),
    ]
    regions = [
        f"({name}_spot (:target {TABLE}) (:ranges (({x} {y} {x + _SPOT} {y + _SPOT}))) "
        f"(:yaw_rotation (({turn} {turn}))))"
        for name, x, y, turn in spots
    ]
    fixed = [each.name for each in task.fixtures]
    for name in (*fixed, *task.things):
        for region in _REGIONS.get(category_of(name), ()):
            regions.append(f"({region} (:target {name}))")
    return "\n".join(
        [
            "(define (problem LIBERO_Kitchen_Tabletop_Manipulation)",
            "(:domain robosuite)",
            f"(:language {task.name})",
            f"(:regions {' '.join(regions)})",
            f"(:fixtures {TABLE} - {TABLE} {' '.join(_typed(fixed))})",
            f"(:objects {' '.join(_typed(task.things))})",
            f"(:obj_of_interest {' '.join(task.things)})",
            f"(:init {' '.join(f'(On {name} {TABLE}_{name}_spot)' for name, *_ in spots)})",
            f"(:goal (And {' '.join(_predicate(part) for part in task.goal)}))",
            ")",
        ]
    )


def _typed(names: Sequence[str]) -> Iterator[str]:
    kinds: dict[str, list[str]] = {}
    for name in names:
        kinds.setdefault(category_of(name), []).append(name)
    for kind, members in kinds.items():
        yield f"{' '.join(members)} - {kind}"


def _predicate(part: Sequence[str]) -> str:
    return f"({' '.join(part)})"
