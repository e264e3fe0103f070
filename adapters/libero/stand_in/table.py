"""The table of the stand-in: boxes, two drawers, a knob, and plain rules of what is where."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, field
from typing import Any

from .tasks import (
    BOTTOM,
    BOWL,
    BURNER,
    CABINET,
    CHEESE,
    PLATE,
    ROOF,
    STOVE,
    TABLE,
    TOP,
    ZONE,
    StandInTask,
)

_Point = tuple[float, float, float]
#: Half sizes of boxes, in m.
_HALF = {
    TABLE: (0.5, 0.6, 0.02),
    CABINET: (0.12, 0.15, 0.11),
    STOVE: (0.1, 0.12, 0.02),
    BOWL: (0.06, 0.06, 0.03),
    PLATE: (0.08, 0.08, 0.01),
    CHEESE: (0.03, 0.05, 0.015),
    TOP: (0.1, 0.12, 0.04),
    BOTTOM: (0.1, 0.12, 0.04),
    ROOF: (0.12, 0.15, 0.005),
    BURNER: (0.08, 0.08, 0.005),
    ZONE: (0.06, 0.06, 0.001),
}
#: Middles of what does not move, in m.
_FIXED = {
    TABLE: (0.0, 0.0, -0.02),
    CABINET: (0.0, -0.3, 0.11),
    STOVE: (-0.2, 0.3, 0.02),
    ROOF: (0.0, -0.3, 0.22),
    BURNER: (-0.2, 0.3, 0.04),
    ZONE: (0.0, 0.3, 0.0),
}
_HEIGHTS = {TOP: 0.16, BOTTOM: 0.06}
_SPOTS = {BOWL: (-0.1, 0.0), PLATE: (0.05, 0.1), CHEESE: (0.05, -0.02)}
_CATEGORIES = {
    CABINET: "wooden_cabinet",
    STOVE: "flat_stove",
    TABLE: "table",
    BOWL: "akita_black_bowl",
    PLATE: "plate",
    CHEESE: "cream_cheese",
}
_PARENTS = {TOP: CABINET, BOTTOM: CABINET, ROOF: CABINET, BURNER: STOVE, ZONE: TABLE}
OBJECTS = (BOWL, PLATE, CHEESE)
#: How far from the table's middle the camera shows things, in m.
_SEEN = 1.0
#: How far a drawer comes out, in m, and a knob turns, in rad.
_WAY, _TURN = -0.16, 1.0
#: From where on LIBERO's predicates hold.
_OPEN, _ON = -0.14, 0.5


class StandInFailure(Exception):
    """A try that failed: reason, the name of what it is about, and the cause in words."""

    def __init__(self, reason: str, thing: str | None, told: str) -> None:
        super().__init__(told)
        self.data = {"reason": reason, "thing": thing, "told": told}


@dataclass
class Table:
    """A task at one moment."""

    task: StandInTask
    """The task."""
    at: dict[str, _Point]
    """The middle of each movable thing, in m."""
    slid: dict[str, float]
    """How far each drawer is out, in m; negative is out, as in LIBERO."""
    knob: float = 0.0
    """How far the stove's knob is turned, in rad."""
    held: str | None = None
    """What the gripper holds."""
    slipped: set[str] = field(default_factory=set)
    """Things whose first grasp has slipped."""

    @classmethod
    def begun(cls, task: StandInTask, start: int) -> Table:
        """The table at a start: each start shifts the things by a centimetre."""
        shift = 0.01 * start
        at = {name: (x + shift, y, _HALF[name][2]) for name, (x, y) in _SPOTS.items()}
        slid = {each: (_WAY if each in task.opened else 0.0) for each in (TOP, BOTTOM)}
        table = cls(task, at, slid)
        for thing, drawer in task.inside:
            table.at[thing] = table._in_drawer(thing, drawer)
        return table

    def kept(self) -> dict[str, Any]:
        """All that changes, as JSON data."""
        return {
            "at": self.at,
            "slid": self.slid,
            "knob": self.knob,
            "held": self.held,
            "slipped": sorted(self.slipped),
        }

    def recall(self, kept: dict[str, Any]) -> None:
        """Go back to what was kept."""
        self.at = {name: (x, y, z) for name, (x, y, z) in kept["at"].items()}
        self.slid, self.knob, self.held = dict(kept["slid"]), kept["knob"], kept["held"]
        self.slipped = set(kept["slipped"])

    # --- trying ------------------------------------------------------------------------------

    def attempt(self, verb: str, target: str, place: str | None, variation: int) -> dict[str, Any]:
        """One try. Returns what was measured. Raises StandInFailure."""
        if verb == "pick_up":
            return self._pick_up(target, variation)
        if verb == "put":
            return self._put(target, str(place))
        if verb in ("open", "close"):
            return self._slide(target, _WAY if verb == "open" else 0.0)
        if verb in ("turn_on", "turn_off"):
            self.knob = _TURN if verb == "turn_on" else 0.0
            return {"knob": self.knob}
        raise StandInFailure("not_supported", target, f"there is no skill {verb}")

    def _pick_up(self, target: str, variation: int) -> dict[str, Any]:
        drawer = self._drawer_of(target)
        if drawer is not None and self.slid[drawer] > _WAY / 2:
            raise StandInFailure("unreachable", drawer, "the drawer is shut")
        if target == PLATE and variation == 0 and target not in self.slipped:
            self.slipped.add(target)
            raise StandInFailure("slipped", target, "the fingers closed on nothing")
        self.held = target
        return {"width": 0.004, "grasps": 3 + variation}

    def _put(self, target: str, place: str) -> dict[str, Any]:
        if place in self.slid:
            self.at[target] = self._in_drawer(target, place)
        else:
            x, y, z = self._middle(place)
            if place == TABLE:
                x, y = self._free_spot(target)
            top = z + _HALF[place][2]
            self.at[target] = (x, y, top + _HALF[target][2])
        self.held = None
        return {"drop": 0.0}

    def _slide(self, drawer: str, to: float) -> dict[str, Any]:
        if drawer == BOTTOM and to < 0 and self.slid[TOP] <= _WAY / 2:
            raise StandInFailure("blocked", TOP, "the hand touched the top drawer")
        before, self.slid[drawer] = self.slid[drawer], to
        for thing in OBJECTS:
            if thing != self.held and self._drawer_of(thing, before) == drawer:
                x, y, z = self.at[thing]
                self.at[thing] = (x - (to - before), y, z)
        return {"before": before, "after": to}

    def _free_spot(self, target: str) -> tuple[float, float]:
        """A spot before the things that are on the table."""
        others = [p for name, p in self.at.items() if name != target]
        for step in range(40):
            x, y = 0.2 + 0.02 * (step // 8), -0.1 + 0.05 * (step % 8)
            if all(math.dist((x, y), other[:2]) > 0.16 for other in others):
                return x, y
        raise StandInFailure("no_free_spot", TABLE, "every spot of the table is taken")

    def _in_drawer(self, thing: str, drawer: str) -> _Point:
        """The middle of a thing in a drawer; the second one lies beside the first."""
        there = [o for o in OBJECTS if o != thing and self._drawer_of(o) == drawer]
        x, y, z = self._middle(drawer)
        return x, y + 0.1 * len(there), z - _HALF[drawer][2] + _HALF[thing][2]

    # --- where things are --------------------------------------------------------------------

    def _middle(self, name: str) -> _Point:
        if name in self.slid:
            return -self.slid[name], -0.3, _HEIGHTS[name]
        return _FIXED[name] if name in _FIXED else self.at[name]

    def _drawer_of(self, thing: str, slid: float | None = None) -> str | None:
        """The drawer that a thing is in. slid: where its drawer was, if it has moved since."""
        x, y, z = self.at[thing]
        for drawer in (TOP, BOTTOM):
            dx, dy, dz = _HALF[drawer]
            out = self.slid[drawer] if slid is None else slid
            if abs(x + out) <= dx and abs(y + 0.3) <= dy + 0.02 and abs(z - _HEIGHTS[drawer]) <= dz:
                return drawer
        return None

    def _stands_on(self, thing: str, place: str) -> bool:
        x, y, z = self._middle(place)
        a, b, c = self.at[thing]
        dx, dy, dz = _HALF[place]
        gap = c - _HALF[thing][2] - (z + dz)
        return abs(a - x) <= dx and abs(b - y) <= dy and abs(gap) < 0.005

    def _relations(self) -> list[list[str]]:
        found = [[name, "attached", parent] for name, parent in _PARENTS.items()]
        for thing in OBJECTS:
            if thing == self.held:
                continue
            drawer = self._drawer_of(thing)
            if drawer is not None:  # it touches the cabinet, too
                found += [[thing, "inside", drawer], [thing, "on", CABINET]]
                continue
            places = [*_FIXED, *(other for other in OBJECTS if other not in (thing, self.held))]
            found += [[thing, "on", place] for place in places if self._stands_on(thing, place)]
        return sorted(found)

    def seen(self) -> dict[str, int]:
        """What the camera shows: all that is over the table and in no drawer that is not out."""
        shown = dict.fromkeys((CABINET, STOVE, TABLE), 2000)
        for thing in OBJECTS:
            drawer = None if thing == self.held else self._drawer_of(thing)
            beside = max(map(abs, self.at[thing][:2])) > _SEEN
            if not beside and (drawer is None or self.slid[drawer] <= _WAY / 2):
                shown[thing] = 400
        return shown

    # --- telling -----------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """The state in the form of the protocol."""
        names = [*OBJECTS, CABINET, TOP, BOTTOM, ROOF, STOVE, BURNER, TABLE]
        if any(ZONE in part for part in self.task.goal):
            names.append(ZONE)
        goal = [self._holds(part) for part in self.task.goal]
        told = {
            "things": [self._thing(name) for name in names],
            "relations": [each for each in self._relations() if {each[0], each[2]} <= {*names}],
            "held": self.held,
            "goal": goal,
            "success": all(goal),
        }
        return {**told, "digest": hashlib.sha256(json.dumps(told).encode()).hexdigest()}

    def _holds(self, part: tuple[str, ...]) -> bool:
        predicate, *things = part
        if predicate in ("open", "close"):
            slid = self.slid[things[0]]
            return slid < _OPEN if predicate == "open" else slid > -0.005
        if predicate in ("turnon", "turnoff"):
            return (self.knob >= _ON) == (predicate == "turnon")
        word = "inside" if predicate == "in" else "on"
        return [things[0], word, things[1]] in self._relations()

    def _thing(self, name: str) -> dict[str, Any]:
        parent = _PARENTS.get(name)
        middle = self._middle(name)
        low = [m - h for m, h in zip(middle, _HALF[name], strict=True)]
        high = [m + h for m, h in zip(middle, _HALF[name], strict=True)]
        joint = None
        if name in self.slid:
            joint = {"value": self.slid[name], "shut": 0.0, "open": _WAY, "kind": "slide"}
        elif name == STOVE:
            joint = {"value": self.knob, "shut": 0.0, "open": _TURN, "kind": "knob"}
        kind = "part" if name in self.slid else "region"
        if parent is None:
            kind = "object" if name in OBJECTS else "table" if name == TABLE else "fixture"
        return {
            "name": name,
            "category": _CATEGORIES.get(name) or name.removeprefix(f"{parent}_"),
            "kind": kind,
            "parent": parent,
            "position": list(middle),
            "quaternion": [0.0, 0.0, 0.0, 1.0],
            "box": [low, high],
            "joint": joint,
            "surface": name in (TABLE, BOWL, PLATE, ROOF, BURNER, ZONE),
            "container": name in self.slid,
        }
