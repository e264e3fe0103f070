"""Faults in the world under OmniGibson's own primitives: the stand-in of the tests.

The primitives and their errors are the source of omnigibson 1.1.1, which has to be installed
(environments/no-deps.txt), as bddl has. What they touch is tests/adapters/omnigibson/stand_in.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from peephole.adapters.omnigibson import settings, simulator
from peephole.adapters.scenes import load_scene, split_scene
from peephole.checks.omnigibson import CHECKS

from .fault import Fault

_TESTS = Path(__file__).parents[2] / "tests" / "adapters" / "omnigibson"


def _stand_in() -> ModuleType:
    """tests/adapters/omnigibson/stand_in."""
    with patch.object(sys, "path", [str(_TESTS), *sys.path]):
        return importlib.import_module("stand_in")


def _goal(world: Any) -> tuple[list[int], list[int]]:
    """Whether each can is in the bin, as BehaviorTask tells it."""
    scope = {instance: name for name, instance in _scope().items()}
    bins = {name for instance, name in scope.items() if instance.startswith("ashcan")}
    cans = sorted(name for instance, name in scope.items() if instance.startswith("can__of"))
    inside = [
        any(how.__name__ == "Inside" and at.name in bins for how, at in world.things[can].where)
        for can in cans
    ]
    numbers = range(len(cans))
    return [i for i in numbers if inside[i]], [i for i in numbers if not inside[i]]


@cache
def _scope() -> dict[str, str]:
    """The activity's names of things, by their names in the stand-in."""
    nodes = load_scene(CHECKS.scene).nodes()
    return {f"n{n.id}": str(n.native_id) for n in nodes if ".n." in str(n.native_id)}


@contextmanager
def _own_modules() -> Iterator[None]:
    """After this context, omnigibson and torch are what they were; other modules stay imported,
    because many cannot be imported twice.
    """

    def ours() -> dict[str, ModuleType]:
        names = {"omnigibson", "torch"}
        return {name: sys.modules[name] for name in sys.modules if name.split(".")[0] in names}

    before = ours()
    try:
        yield
    finally:
        for name in ours():
            del sys.modules[name]
        sys.modules.update(before)


@contextmanager
def sound(line: str = "1.1.1", goal: Callable[[Any], Any] = _goal) -> Iterator[None]:
    """Within this context, OmniGibson in this process is the stand-in, without a fault."""
    stand_in = _stand_in()
    world = stand_in.World(load_scene(CHECKS.scene))
    activity = split_scene(CHECKS.scene)[1]
    with tempfile.TemporaryDirectory() as folder:
        scenes = "scenes" if line == "1.1.1" else "any/scenes"
        data = Path(folder) / scenes / "Rs_int" / "json"
        data.mkdir(parents=True)
        (data / f"Rs_int_task_{activity}_0_0_template.json").touch()
        with _own_modules(), patch.dict(os.environ, {settings.VARIABLE: settings.HERE}):
            stand_in.install(world, sys.modules, Path(folder), _scope(), line, goal)
            yield


def _patched(of: Callable[[], Any], name: str, change: Callable[[Any], Any]) -> Any:
    """A fault that replaces an attribute of a class of the stand-in. of: the class. change: makes
    the new attribute of the old one.
    """

    @contextmanager
    def planted() -> Iterator[None]:
        with sound():
            owner = of()
            with patch.object(owner, name, change(getattr(owner, name))):
                yield

    return planted


def _class(name: str) -> Callable[[], Any]:
    return lambda: getattr(importlib.import_module("stand_in.objects"), name)


def _world() -> Any:
    return _stand_in().World


def _control() -> Any:
    return sys.modules[simulator.PRIMITIVES].SymbolicSemanticActionPrimitives


# --- what the faults do --------------------------------------------------------------------------


def _things_in(world: Any, thing: Any) -> list[Any]:
    return [other for other in world.things.values() if any(at is thing for _, at in other.where)]


def _spills(move: Any) -> Any:
    def set_position_orientation(self: Any, position: Any = None, orientation: Any = None) -> None:
        for other in _things_in(self.world, self):
            other.where.clear()
        move(self, position, orientation)

    return set_position_orientation


def _shuts_doors(go: Any) -> Any:
    def set_position_orientation(self: Any, position: Any = None, orientation: Any = None) -> None:
        go(self, position, orientation)
        for thing in self.world.things.values():
            thing.flags.discard("Open")

    return set_position_orientation


def _loses_the_held(go: Any) -> Any:
    def set_position_orientation(self: Any, position: Any = None, orientation: Any = None) -> None:
        self.release_grasp_immediately()
        go(self, position, orientation)

    return set_position_orientation


def _switches_all(switch: Any) -> Any:
    def set_value(self: Any, value: bool) -> bool:
        for thing in self.world.things.values():
            for state in thing.states.values():
                if type(state) is type(self):
                    switch(state, value)
        return True

    return set_value


def _overlooks_contents(see: Any) -> Any:
    def in_view(self: Any) -> list[Any]:
        return [
            thing
            for thing in see(self)
            if not any(how.__name__ == "Inside" for how, _ in thing.where)
        ]

    return in_view


def _turns_w_first(read: Any) -> Any:
    def get_position_orientation(self: Any) -> tuple[Any, Any]:
        place, (x, y, z, w) = read(self)
        return place, type(place)([w, x, y, z])

    return get_position_orientation


def _in_centimetres(box: Any) -> Any:
    def aabb(self: Any) -> tuple[Any, Any]:
        low, high = box.fget(self)
        return type(low)(100 * x for x in low), type(high)(100 * x for x in high)

    return property(aabb)


def _asks_for_nearness(grasp: Any) -> Any:
    def _grasp(self: Any, obj: Any) -> Any:
        if self.robot.at is None or self.robot.place[:2] != obj.place[:2]:
            raise _error("PLANNING_ERROR", "The object is out of reach.")
        yield from grasp(self, obj)

    return _grasp


def _asks_for_an_open_door(place: Any) -> Any:
    def _place_with_predicate(self: Any, obj: Any, predicate: Any, **options: Any) -> Any:
        is_open = [state for kind, state in obj.states.items() if kind.__name__ == "Open"]
        if is_open and not is_open[0].get_value():
            raise _error("PRE_CONDITION_ERROR", "The container is closed.")
        yield from place(self, obj, predicate, **options)

    return _place_with_predicate


def _lets_go_of_nothing(release: Any) -> Any:
    def _release(self: Any) -> Any:
        if self._get_obj_in_hand():
            yield from release(self)

    return _release


def _does_not_settle(settle: Any) -> Any:
    def _settle_robot(self: Any) -> Iterator[Any]:
        yield self._postprocess_action(self._empty_action())

    return _settle_robot


def _keeps_the_state(restore: Any) -> Any:
    return lambda self: None


def _with_other_rooms(see: Any) -> Any:
    return lambda self: list(self.things.values())


def _error(reason: str, words: str) -> Exception:
    kinds = vars(sys.modules[simulator.ERRORS])["ActionPrimitiveError"]
    error: Exception = kinds(kinds.Reason[reason], words)
    return error


@contextmanager
def _goal_turned_over() -> Iterator[None]:
    with sound(goal=lambda world: _goal(world)[::-1]):
        yield


FAULTS = (
    Fault(
        "contents_fall_out",
        "What is inside a thing falls out of it when the thing is grasped.",
        ("contents_go_along",),
        _patched(_class("Thing"), "set_position_orientation", _spills),
    ),
    Fault(
        "doors_spring_back",
        "Doors fall shut while the robot goes.",
        ("a_door_stays_open",),
        _patched(_class("Robot"), "set_position_orientation", _shuts_doors),
    ),
    Fault(
        "the_held_is_lost",
        "The robot loses what it holds when it goes.",
        ("the_held_goes_along",),
        _patched(_class("Robot"), "set_position_orientation", _loses_the_held),
    ),
    Fault(
        "one_switch_for_all",
        "A switch switches all devices at once.",
        ("switching_changes_nothing_else",),
        _patched(_class("ToggledOn"), "set_value", _switches_all),
    ),
    Fault(
        "contents_are_overlooked",
        "The cameras do not see what is in an open container.",
        ("open_contents_are_seen",),
        _patched(_world, "in_view", _overlooks_contents),
    ),
    Fault(
        "other_rooms_are_seen",
        "The cameras see through walls.",
        ("another_room_is_not_seen",),
        _patched(_world, "in_view", _with_other_rooms),
    ),
    Fault(
        "orientations_are_wxyz",
        "Orientations begin with w.",
        ("orientations_are_xyzw",),
        _patched(_class("Thing"), "get_position_orientation", _turns_w_first),
    ),
    Fault(
        "boxes_are_in_centimetres",
        "Boxes are in centimetres.",
        ("lengths_are_metres",),
        _patched(_class("Thing"), "aabb", _in_centimetres),
    ),
    Fault(
        "grasp_asks_for_nearness",
        "GRASP of a thing that is not at the robot is a PLANNING_ERROR.",
        ("grasp_asks_for_no_nearness",),
        _patched(_control, "_grasp", _asks_for_nearness),
    ),
    Fault(
        "place_asks_for_an_open_door",
        "PLACE_INSIDE of a shut container is a PRE_CONDITION_ERROR.",
        ("place_asks_for_no_open_door",),
        _patched(_control, "_place_with_predicate", _asks_for_an_open_door),
    ),
    Fault(
        "release_of_nothing_succeeds",
        "RELEASE with an empty hand succeeds.",
        ("release_refuses_an_empty_hand",),
        _patched(_control, "_release", _lets_go_of_nothing),
    ),
    Fault(
        "primitives_do_not_settle",
        "A primitive takes one step.",
        ("primitives_settle_for_a_second",),
        _patched(_control, "_settle_robot", _does_not_settle),
    ),
    Fault(
        "reset_keeps_the_state",
        "A reset leaves the world as it is.",
        ("a_reset_brings_back_the_start",),
        _patched(_world, "restore", _keeps_the_state),
    ),
    Fault(
        "the_goal_is_turned_over",
        "goal_status names the conditions that hold as unsatisfied.",
        ("goals_agree",),
        _goal_turned_over,
    ),
)
