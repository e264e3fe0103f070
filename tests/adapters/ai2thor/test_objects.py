"""The objects of the iTHOR scenes and where the agent can stand."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from peephole.adapters.ai2thor import objects
from peephole.errors import BadInput, Missing

pytestmark = pytest.mark.skipif(objects.missing() is not None, reason=str(objects.missing()))


def test_there_are_thirty_scenes_of_each_kind():
    assert len(objects.SCENES) == 120
    assert {"FloorPlan1", "FloorPlan230", "FloorPlan301", "FloorPlan430"} <= set(objects.SCENES)


def test_objects_are_in_the_simulators_own_form():
    fridges = [o for o in objects.objects("FloorPlan10") if o["objectType"] == "Fridge"]
    assert len(fridges) == 1
    assert fridges[0]["objectId"].startswith("Fridge|+00.97|")
    assert fridges[0]["openable"]
    assert fridges[0]["receptacleObjectIds"]
    assert fridges[0]["axisAlignedBoundingBox"]["size"]["y"] > 1.5


def test_a_changed_list_changes_nobody_elses():
    mine = objects.objects("FloorPlan1")
    mine[0]["position"]["x"] = 99.0
    mine.clear()
    assert objects.objects("FloorPlan1")[0]["position"]["x"] != 99.0


@pytest.mark.parametrize("scene", objects.SCENES[::17])
def test_the_start_explains_every_distance_that_the_objects_tell(scene):
    x, y, z = objects.start(scene)
    for thing in objects.objects(scene):
        at = thing["position"]
        away = ((at["x"] - x) ** 2 + (at["y"] - y) ** 2 + (at["z"] - z) ** 2) ** 0.5
        assert away == pytest.approx(thing["distance"], abs=2e-3)


@pytest.mark.parametrize("published", [True, False])
def test_every_scene_has_a_grid_with_its_start(published, monkeypatch):
    if not published:
        monkeypatch.setitem(sys.modules, "alfworld", None)  # as if it were not installed
    for scene in objects.SCENES[:: 1 if published else 10]:
        points = objects.grid(scene)
        x, _, z = objects.start(scene)
        assert (x, z) in points
        assert len(points) == len(set(points)) >= 10
        assert all(value % objects.GRID == 0 for point in points for value in point)


def test_an_unknown_scene_is_named_with_those_that_are_near():
    for read in (objects.objects, objects.grid):
        with pytest.raises(BadInput, match=r"no iTHOR scene 'FloorPlan31'.*FloorPlan3"):
            read("FloorPlan31")


def test_without_the_package_one_sentence_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "procthor", None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(Missing, match="pip install --no-deps procthor"):
        objects.objects("FloorPlan27")


def test_a_cache_folder_that_cannot_be_written_is_no_harm(monkeypatch, tmp_path):
    (tmp_path / "peephole").write_text("a file where the folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert objects.objects("FloorPlan26")
    assert os.listdir(tmp_path) == ["peephole"]


def test_a_scene_read_from_the_cache_is_the_same(tmp_path):
    code = (
        "import json; from peephole.adapters.ai2thor import objects\n"
        "print(json.dumps(objects.objects('FloorPlan25')))"
    )

    def told() -> bytes:
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
        command = [sys.executable, "-c", code]
        return subprocess.run(command, env=environment, check=True, capture_output=True).stdout

    fresh = told()
    (kept,) = tmp_path.glob("peephole/*")
    assert len(list(kept.iterdir())) == 120
    assert told() == fresh
    assert json.loads(fresh) == objects.objects("FloorPlan25")
