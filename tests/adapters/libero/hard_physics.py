"""Tries of the engine where the physics was made hard. Run by LIBERO's interpreter.

    python hard_physics.py ENGINE_FOLDER

Prints a line of JSON for each: the failure, and what the state says afterwards.
"""

import importlib
import json
import os
import sys

import against_libero

BOWL, PLATE, DRAWER = "akita_black_bowl_1", "plate_1", "wooden_cabinet_1_top_region"


def begun(engine):
    engine.begin("libero_goal", 8, 0, 0)
    return engine._scene.model, engine._scene


def smooth(model, scene, names, friction=(1e-5, 0.0, 0.0)):
    for name in names:
        for geom in scene.geoms_of(scene.things[name]):
            model.geom_friction[geom] = friction


def slippery(engine):
    """A bowl that slips out of fingers without friction."""
    model, _ = begun(engine)
    model.geom_friction[:] = 1e-5
    return engine.attempt("pick_up", BOWL)


def stiff(engine):
    """A drawer that nobody can pull."""
    model, scene = begun(engine)
    joint = scene.things[DRAWER].joint
    model.dof_damping[model.jnt_dofadr[joint]] = 1e7
    return engine.attempt("open", DRAWER)


def sliding(engine):
    """A bowl that is put well, and slides away on a plate without friction."""
    model, scene = begun(engine)
    assert engine.attempt("pick_up", BOWL)["failure"] is None
    smooth(model, scene, [BOWL, PLATE])
    model.opt.gravity[:] = (5.0, 0.0, -9.0)
    engine._skills.rehearsed = lambda *_, **__: True
    return engine.attempt("put", BOWL, PLATE, "on")


def main():
    against_libero.package(sys.argv[1])
    engine = importlib.import_module("engine.calls").Engine()
    for case in (slippery, stiff, sliding):
        answer = case(engine)
        state = answer["state"]
        (drawer,) = (thing for thing in state["things"] if thing["name"] == DRAWER)
        row = {
            "case": case.__name__,
            "failure": answer["failure"],
            "held": state["held"],
            "drawer": drawer["joint"]["value"],
            "goal": state["goal"],
        }
        print(json.dumps(row), flush=True)
    os._exit(0)


main()
