"""AI2-THOR's stand-in engine with one planted fault: what its Controller starts.

python benchmarks/faults/ai2thor_engine.py FAULT [options of the stand-in]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from peephole.adapters.ai2thor.object_types import allowed
from peephole.adapters.ai2thor.stand_in import (
    __main__,
    actions,
    effects,
    engine,
    manipulation,
    motion,
    scene_setup,
    states,
)
from peephole.adapters.ai2thor.stand_in import world as scenes
from peephole.adapters.ai2thor.stand_in.world import ActionRefused, ThorScene

Metadata = dict[str, Any]


def _report(change: Callable[[ThorScene, Metadata], None]) -> None:
    """Change what is reported, not what is there."""
    honest = engine.StandInEngine._metadata

    def reported(self: engine.StandInEngine) -> Metadata:
        metadata = honest(self)
        metadata["objects"] = [dict(thing) for thing in metadata["objects"]]
        change(self._world, metadata)
        return metadata

    engine.StandInEngine._metadata = reported  # type: ignore[method-assign]


def _after(wanted: str, change: Callable[[engine.StandInEngine], None]) -> None:
    """Change the world after an action; after every one for an empty name."""
    honest = engine.StandInEngine._do

    def done(self: engine.StandInEngine, name: str, action: dict[str, Any]) -> Any:
        returned = honest(self, name, action)
        if wanted in ("", name):
            change(self)
        return returned

    engine.StandInEngine._do = done  # type: ignore[method-assign]


def _reword(old: str, new: str) -> None:
    """Word a refusal otherwise."""
    honest = engine.StandInEngine._do

    def done(self: engine.StandInEngine, name: str, action: dict[str, Any]) -> Any:
        try:
            return honest(self, name, action)
        except ActionRefused as refused:
            refused.message = refused.message.replace(old, new)
            raise

    engine.StandInEngine._do = done  # type: ignore[method-assign]


# --- reports -------------------------------------------------------------------------------------


def only_visible_reported() -> None:
    def change(world: ThorScene, metadata: Metadata) -> None:
        metadata["objects"] = [thing for thing in metadata["objects"] if thing["visible"]]

    _report(change)


def contents_in_inventory() -> None:
    def change(world: ThorScene, metadata: Metadata) -> None:
        if world.held is not None:
            metadata["inventoryObjects"] += [
                {"objectId": inside, "objectType": world.things[inside]["objectType"]}
                for inside in world.contents(world.held)
            ]

    _report(change)


def closed_has_no_contents() -> None:
    def change(world: ThorScene, metadata: Metadata) -> None:
        for thing in metadata["objects"]:
            if world.closed_around(thing["objectId"]) is not None:
                thing["parentReceptacles"] = None

    _report(change)


def controlled_by_name() -> None:
    def change(world: ThorScene, metadata: Metadata) -> None:
        for thing in metadata["objects"]:
            if thing["controlledObjects"]:
                thing["controlledObjects"] = thing["controlledObjects"][0]

    _report(change)


def held_keeps_place() -> None:
    honest = ThorScene.leave

    def leave(self: ThorScene, object_id: str) -> None:
        if object_id != self.held:
            honest(self, object_id)

    ThorScene.leave = leave  # type: ignore[method-assign]


# --- sight ---------------------------------------------------------------------------------------


def closed_shows() -> None:
    ThorScene.closed_around = lambda self, object_id: None  # type: ignore[method-assign]


def far_sight() -> None:
    def change(self: engine.StandInEngine) -> None:
        self._world.settings.visibility_distance = 5.0
        self._world.changed += 1

    _after("Initialize", change)


def high_camera() -> None:
    scenes.CAMERA_ABOVE = 0.9


# --- walking -------------------------------------------------------------------------------------


def yaw_counter_clockwise() -> None:
    honest = motion.move

    def move(world: ThorScene, ahead: float, right: float) -> None:
        world.agent.yaw = -world.agent.yaw % 360
        try:
            honest(world, ahead, right)
        finally:
            world.agent.yaw = -world.agent.yaw % 360

    motion.move = move


def horizon_up() -> None:
    honest = motion.look
    motion.look = lambda world, degrees: honest(world, -degrees)


def quarter_yaws() -> None:
    honest = motion.teleport

    def teleport(
        world: ThorScene,
        x: float,
        y: float,
        z: float,
        yaw: float,
        horizon: float,
        standing: bool,
        force: bool,
    ) -> None:
        honest(world, x, y, z, round(yaw / 90) * 90.0, horizon, standing, force)

    motion.teleport = teleport


# --- hands and places ----------------------------------------------------------------------------


def two_hands() -> None:
    honest = manipulation.pick_up

    def pick_up(world: ThorScene, object_id: object, force: bool) -> None:
        if world.held is not None:
            world.things[world.held]["isPickedUp"] = False
            world.held = None
        honest(world, object_id, force)

    manipulation.pick_up = pick_up


def contents_left_behind() -> None:
    def shift(self: ThorScene, object_id: str, by: scenes.Array) -> None:
        self.corners[object_id] = self.corners[object_id] + by
        position = self.things[object_id]["position"]
        for axis, delta in zip("xyz", by, strict=True):
            position[axis] = float(position[axis] + delta)
        self.touched()

    ThorScene.shift = shift  # type: ignore[method-assign]


def ids_follow_places() -> None:
    _after("PutObject", lambda self: self._world.rename())


def closed_in_other_words() -> None:
    _reword("Target openable Receptacle is CLOSED", "The receptacle has to be opened")


def table_despite_force() -> None:
    honest = manipulation.put

    def put(world: ThorScene, receptacle_id: object, force: bool, seed: int) -> None:
        if world.held is not None:
            held, holder = world.things[world.held], world.thing(receptacle_id)
            if not allowed(held["objectType"], holder["objectType"]):
                raise ActionRefused(f"{held['name']} cannot be placed in {holder['name']}")
        honest(world, receptacle_id, force, seed)

    manipulation.put = put


# --- doors, switches, changes --------------------------------------------------------------------


def opens_late() -> None:
    """isOpen of the action before."""
    before: dict[str, bool] = {}

    def change(world: ThorScene, metadata: Metadata) -> None:
        for thing in metadata["objects"]:
            now = thing["isOpen"]
            thing["isOpen"] = before.get(thing["objectId"], now)
            before[thing["objectId"]] = now

    _report(change)


def knob_without_burner() -> None:
    def switch(world: ThorScene, thing: scenes.Thing, on: bool) -> None:
        thing["isToggled"] = on
        effects.settle(world)

    effects.switch = switch


def cools_down() -> None:
    """Within ten actions outside of what heats."""
    warm: dict[str, int] = {}

    def change(self: engine.StandInEngine) -> None:
        for name, thing in self._world.things.items():
            warm[name] = warm.get(name, 0) + 1 if thing["temperature"] == "Hot" else 0
            if warm[name] > 10:
                thing["temperature"] = "RoomTemp"

    _after("", change)


def tap_without_water() -> None:
    effects._WASHES = {}


def pieces_without_place() -> None:
    honest = states.slice_

    @wraps(honest)
    def slice_(world: ThorScene, object_id: str, force_action: bool = False) -> None:
        before = {*world.things}
        honest(world, object_id, force_action)
        for piece in world.things.keys() - before:
            world.enter(piece, [])

    actions.ACTIONS["SliceObject"] = slice_


def pieces_with_own_ids() -> None:
    honest = states._piece

    def piece(
        whole: scenes.Thing, name: str, kind: str, number: int, at: scenes.Array
    ) -> scenes.Thing:
        place = "|".join(f"{value:+06.2f}" for value in at)
        return honest(whole, f"{kind}|{place}", kind, number, at)

    states._piece = piece


# --- starts --------------------------------------------------------------------------------------


def unnamed_stay() -> None:
    honest = scene_setup.set_object_poses

    def set_object_poses(
        world: ThorScene, poses: list[dict[str, Any]], only_pickupable: bool
    ) -> None:
        named = {pose.get("objectName") for pose in poses}
        kept = [
            {key: thing[key] for key in ("position", "rotation")} | {"objectName": thing["name"]}
            for thing in world.things.values()
            if (thing["pickupable"] or thing["moveable"]) and thing["name"] not in named
        ]
        honest(world, [*poses, *kept], only_pickupable)

    scene_setup.set_object_poses = set_object_poses


def arguments_ignored() -> None:
    honest = actions._check

    def check(name: str, function: actions.ActionFunction, arguments: dict[str, Any]) -> None:
        for key in arguments.keys() - actions._parameters(function).keys():
            del arguments[key]
        honest(name, function, arguments)

    actions._check = check


def things_drift() -> None:
    def change(self: engine.StandInEngine) -> None:
        thing = next(self._world.pickupables())["objectId"]
        self._world.shift(thing, np.array([0.004, 0.0, 0.0]))

    _after("Pass", change)


def another_start() -> None:
    loads: list[str] = []

    def change(self: engine.StandInEngine) -> None:
        loads.append("")
        thing = next(self._world.pickupables())["objectId"]
        self._world.shift(thing, np.array([0.03 * len(loads), 0.0, 0.0]))

    _after("Reset", change)


def main() -> int:
    name = sys.argv.pop(1)
    globals()[name]()
    return __main__.main()


if __name__ == "__main__":
    sys.exit(main())
