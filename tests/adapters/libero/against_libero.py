"""Compares our way to load and to look with LIBERO's own. Run by LIBERO's interpreter.

    python against_libero.py ENGINE_FOLDER SUITE/TASK/START/SEED ...

Prints a line of JSON for each task: which arrays of the model and of the state differ from those
after LIBERO's own order (seed, reset, set_init_state), and which pixels of a view.
"""

import importlib.util
import json
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MUJOCO_GL", "egl")
import mujoco
import numpy as np

#: What the textures are in a model, and memory that a step writes before it reads.
_TEXTURES = ("tex_", "mat_texid", "name_", "names_map")
_SCRATCH = ("efc_", "solver_")


def package(folder):
    spec = importlib.util.spec_from_file_location(
        "engine", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    sys.modules["engine"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["engine"])


def official(task, row, seed):
    from engine.scene import bddl_path
    from libero.libero.envs.env_wrapper import ControlEnv

    control = ControlEnv(
        bddl_file_name=bddl_path(task),
        has_offscreen_renderer=False,
        has_renderer=False,
        use_camera_obs=False,
    )
    control.seed(seed)
    control.env.reset()
    control.set_init_state(row)
    return control.env


def arrays(env):
    found = {}
    for name, owner in (("model", env.sim.model._model), ("data", env.sim.data._data)):
        for field in dir(owner):
            value = None if field.startswith("_") else getattr(owner, field, None)
            if isinstance(value, np.ndarray) and not field.startswith(_TEXTURES + _SCRATCH):
                found[f"{name}.{field}"] = value
    return found


def whole_view(model, data, cameras):
    """Pixels by geom, of all geoms but those that only collide, with all of MuJoCo's defaults."""
    option = mujoco.MjvOption()
    option.geomgroup[0] = 0
    option.sitegroup[:] = 0
    counts = np.zeros(model.ngeom, dtype=int)
    with mujoco.Renderer(model, 256, 256) as renderer:
        renderer.enable_segmentation_rendering()
        for camera in cameras:
            renderer.update_scene(data, camera, option)
            picture = renderer.render()
            geoms = picture[:, :, 0][picture[:, :, 1] == int(mujoco.mjtObj.mjOBJ_GEOM)]
            counts += np.bincount(geoms, minlength=model.ngeom)
    return counts


def compare(suite, index, start, seed):
    from engine import scene, sight

    task, row = scene.find_start(suite, index, start)
    theirs = official(task, row, seed)
    ours = scene.Scene(suite, index, start, seed)
    expected, found = arrays(theirs), arrays(ours.env)
    different = [
        name
        for name, value in expected.items()
        if name not in found or not np.array_equal(value, found[name])
    ]
    model, data = theirs.sim.model._model, theirs.sim.data._data
    counts = whole_view(model, data, sight.CAMERAS)
    eyes = sight.Eyes(ours)
    pixels = {}
    for thing in ours.things.values():
        if thing.kind in ("object", "fixture", "part"):
            count = int(counts[ours.under(thing.body)[model.geom_bodyid]].sum())
            pixels.update({thing.name: count} if count else {})
    return {
        "arrays": len(expected),
        "different": different,
        "pixels": pixels,
        "seen": eyes.seen(10**9),
        "idle": int(eyes._idle(sight.CAMERAS[0]).sum()),
    }


def main():
    package(sys.argv[1])
    for each in sys.argv[2:]:
        suite, *numbers = each.split("/")
        print(json.dumps({"task": each, **compare(suite, *map(int, numbers))}), flush=True)
    os._exit(0)  # some drivers crash when they are unloaded


if __name__ == "__main__":
    main()
