"""The unmodified Controller starts, drives and stops the stand-in, over both transports."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from peephole.adapters.ai2thor import objects


def test_a_controller_starts_moves_and_stops(start_thor):
    thor = start_thor()
    process = thor.controller.server.unity_proc
    before = thor.metadata["agent"]["position"]
    assert thor("MoveAhead") == ""
    after = thor.metadata["agent"]["position"]
    assert abs(after["x"] - before["x"]) + abs(after["z"] - before["z"]) == pytest.approx(0.25)
    thor.controller.stop()
    assert process.wait(5) is not None


def test_the_older_transport_gives_the_same(start_thor, kitchen):
    wsgi = pytest.importorskip("ai2thor.wsgi_server")
    thor = start_thor(server_class=wsgi.WsgiServer)
    assert thor.metadata["objects"] == kitchen.metadata["objects"]
    for one in (thor, kitchen):
        assert one("RotateRight") == ""
        assert one.step("GetReachablePositions").metadata["actionReturn"]
    assert thor.metadata["agent"] == kitchen.metadata["agent"]
    frame = thor.step("Pass", renderImage=True).frame
    assert (frame == kitchen.step("Pass", renderImage=True).frame).all()


def test_queries_are_answered_without_sending_the_objects_again(kitchen):
    before = kitchen.step("Pass").metadata["objects"]
    event = kitchen.step("GetReachablePositions")
    assert event.metadata["objects"] is before
    assert len(event.metadata["actionReturn"]) > 100


@pytest.fixture(scope="module")
def starts(shared):
    """By scene: the metadata right after the reset, and the points that can be reached."""
    return {
        scene: (
            shared.controller.reset(scene).metadata,
            shared.step("GetReachablePositions").metadata["actionReturn"],
        )
        for scene in objects.SCENES
    }


def test_every_scene_starts_and_tells_where_the_agent_can_stand(starts):
    for scene, (metadata, points) in starts.items():
        assert metadata["sceneName"] == f"{scene}_physics"
        assert metadata["agent"]["position"] in points


def test_what_is_visible_at_the_start_is_mostly_what_unity_saw(starts):
    """Unity's own account of the first moment is in the data; walls and the like are not."""
    both = ours = unitys = 0
    for scene, (metadata, _) in starts.items():
        seen = {o["objectId"] for o in metadata["objects"] if o["visible"]}
        told = {o["objectId"] for o in objects.objects(scene) if o["visible"]}
        both += len(seen & told)
        ours += len(seen)
        unitys += len(told)
    assert both / unitys > 0.9
    assert both / ours > 0.8


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"action": "Fly"}, "Fly"),
        ({"action": "OpenObject"}, "missing the following arguments: objectId"),
        ({"action": "TeleportFull", "rotation": 0}, "missing the following arguments"),
        ({"action": "PutObject", "receptacleObjectId": "Bowl|1"}, "receptacleObjectId"),
        ({"action": "LookUp", "degrees": "much"}, "degrees (==much)"),
        ({"action": "PickupObject", "objectId": 7}, "objectId (==7)"),
        ({"action": "MoveAhead", "forceAction": "yes"}, "forceAction"),
        ({"action": "Teleport", "position": {"x": "here"}}, "position"),
        ({"action": "Teleport", "rotation": "north"}, "rotation"),
        ({"action": "SetObjectPoses", "objectPoses": [{"objectName": "Egg_1"}]}, "objectPoses"),
        ({"action": "SetObjectToggles", "objectToggles": [{"on": True}]}, "objectToggles"),
        ({"action": "GetInteractablePoses", "objectId": "X", "rotations": ["up"]}, "rotations"),
    ],
)
def test_a_wrong_call_is_a_value_error_and_the_engine_goes_on(kitchen, call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        kitchen.step(**call)
    assert kitchen("Pass") == ""


def test_a_scene_that_is_not_there_is_refused_by_the_controller(kitchen):
    with pytest.raises(ValueError, match="not contained in build"):
        kitchen.controller.reset("FloorPlan31")


@pytest.mark.parametrize(
    "wrong", [{"gridSize": 0}, {"visibilityDistance": "far"}, {"fieldOfView": True}]
)
def test_settings_that_make_no_sense_are_refused_at_once(kitchen, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        kitchen("Initialize", **wrong)
    assert kitchen("Pass") == ""


def test_the_distance_of_sight_is_what_initialize_says(shared):
    def seen(**settings):
        shared.controller.reset("FloorPlan10", **settings)
        return {o["objectId"] for o in shared.metadata["objects"] if o["visible"]}

    near, far = seen(visibilityDistance=1.0), seen(visibilityDistance=3.0)
    usual = seen(visibilityDistance=1.5)  # the Controller keeps it for the scenes to come
    assert near < usual < far


def test_pictures_come_where_they_are_asked_for(start_thor):
    thor = start_thor(width=320, height=400)
    assert thor.controller.last_event.frame is None
    frame = thor.step("Pass", renderImage=True).frame
    assert frame.shape == (400, 320, 3)
    assert (frame != thor.step("RotateRight", renderImage=True).frame).any()


def test_boxes_come_where_they_are_asked_for(start_thor, kitchen):
    assert all(o["axisAlignedBoundingBox"] is None for o in kitchen.of_type("Fridge", "Apple"))
    thor = start_thor("--boxes")
    (apple,) = thor.of_type("Apple")
    told = next(o for o in objects.objects("FloorPlan10") if o["objectType"] == "Apple")
    ours, unitys = (o["axisAlignedBoundingBox"]["center"] for o in (apple, told))
    assert ours == pytest.approx(unitys, abs=0.02)
    assert len(apple["objectOrientedBoundingBox"]["cornerPoints"]) == 8


def test_the_arguments_of_alfreds_version_are_taken_where_asked_for(start_thor):
    thor = start_thor("--convention 2.1")
    apple, plate = thor.first("Apple"), thor.first("Plate")
    thor.approach(apple)
    assert thor("PickupObject", apple) == ""
    thor.approach(plate)
    assert thor("PutObject", apple, receptacleObjectId=plate, placeStationary=True) == ""
    assert thor.thing(apple)["parentReceptacles"] == [plate]
    at = thor.metadata["agent"]["position"]
    assert thor("TeleportFull", **at, rotation=0, horizon=30, rotateOnTeleport=True) == ""
    assert thor("SetStateOfAllObjects", StateChange="CanBeDirty", forceAction=True) == ""
    assert all(o["isDirty"] for o in thor.of_type("Plate", "Mug", "Bowl", "Cup"))


def test_the_engine_ends_when_its_controller_is_killed(start_thor, stand_in_path):
    code = (
        "import os, signal; from ai2thor.controller import Controller\n"
        f"c = Controller(local_executable_path={stand_in_path!r}, x_display=':0')\n"
        "print(c.unity_pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL
    for _ in range(200):
        if not Path(f"/proc/{int(done.stdout)}/cmdline").is_file():
            return
        time.sleep(0.1)
    pytest.fail("the engine is still there")
