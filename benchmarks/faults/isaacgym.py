"""Faults of gymapi, planted in its stand-in on MuJoCo.

A fault is a piece of source that changes the stand-in's module `gymapi` after it was read; the
process of the adapter and that of the probe import both.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from textwrap import dedent
from unittest.mock import patch

from peephole.adapters.isaacgym import stand_in
from peephole.adapters.isaacgym.blocks import ASSETS_VARIABLE, PYTHON_VARIABLE
from peephole.adapters.isaacgym.stand_in.panda_urdf import write_assets
from peephole.checks.isaacgym import CHECKS

from .fault import Fault

__all__ = ["CHECKS", "FAULTS"]

_STAND_IN = Path(stand_in.__file__).parent / "isaacgym"

#: The package that is imported instead: the stand-in's files, and `gymapi` with a fault.
_PACKAGE = """
STAND_IN = "a stand-in of IsaacGym on MuJoCo"
__path__.append({folder!r})
"""
_GYMAPI = """
from pathlib import Path

exec(compile(Path({path!r}).read_text(), {path!r}, "exec"))
{fault}
"""


@contextmanager
def sound(fault: str = "") -> Iterator[None]:
    """Within this context, the settings name the stand-in. fault: changes its gymapi."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "path" / "isaacgym"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(_PACKAGE.format(folder=str(_STAND_IN)))
        path = str(_STAND_IN / "gymapi.py")
        (package / "gymapi.py").write_text(_GYMAPI.format(path=path, fault=dedent(fault)))
        variables = {
            "PYTHONPATH": str(package.parent),
            PYTHON_VARIABLE: sys.executable,
            ASSETS_VARIABLE: str(write_assets(Path(folder) / "assets")),
        }
        with patch.dict(os.environ, variables):
            yield


def _fault(name: str, sentence: str, named_by: str | tuple[str, ...], source: str) -> Fault:
    named = (named_by,) if isinstance(named_by, str) else named_by
    return Fault(name, sentence, named, partial(sound, source))


FAULTS = (
    _fault(
        "quaternions_are_wxyz",
        "Arrays of quaternions have w first.",
        "quaternions_are_xyzw",
        """
        _states = Gym.get_actor_rigid_body_states

        def _w_first(self, arg0, arg1, arg2):
            states = _states(self, arg0, arg1, arg2)
            turns = states["pose"]["r"].copy()
            for to, axis in zip("xyzw", "wxyz"):
                states["pose"]["r"][to] = turns[axis]
            return states

        Gym.get_actor_rigid_body_states = _w_first
        """,
    ),
    _fault(
        "gravity_is_along_y",
        "Gravity pulls along -y, whatever up_axis says.",
        "falls_down",
        """
        _create = Gym.create_sim

        def _sideways(self, compute_device=0, graphics_device=0, type=SIM_PHYSX, params=None):
            params.gravity = Vec3(0.0, -9.81, 0.0)
            return _create(self, compute_device, graphics_device, type, params)

        Gym.create_sim = _sideways
        """,
    ),
    _fault(
        "steps_are_of_a_sixtieth",
        "A step lasts 1/60 s, whatever dt says.",
        "falls_as_far_as_in_metres",
        """
        _create = Gym.create_sim

        def _slow(self, compute_device=0, graphics_device=0, type=SIM_PHYSX, params=None):
            params.dt = 1 / 60
            return _create(self, compute_device, graphics_device, type, params)

        Gym.create_sim = _slow
        """,
    ),
    _fault(
        "no_poses_before_the_first_step",
        "Poses are zero until the first step.",
        "poses_before_the_first_step",
        """
        _states = Gym.get_actor_rigid_body_states

        def _late(self, arg0, arg1, arg2):
            states = _states(self, arg0, arg1, arg2)
            return states if arg0.steps else np.zeros_like(states)

        Gym.get_actor_rigid_body_states = _late
        """,
    ),
    _fault(
        "boxes_are_halved",
        "create_box takes halves of edges.",
        "box_edges_are_x_y_z",
        """
        _box = Gym.create_box

        def _twice(self, sim, width, height, depth, options=None):
            return _box(self, sim, 2 * width, 2 * height, 2 * depth, options)

        Gym.create_box = _twice
        """,
    ),
    _fault(
        "density_is_ignored",
        "Boxes have the density of water.",
        "density_gives_the_mass",
        """
        _box = Gym.create_box

        def _water(self, sim, width, height, depth, options=None):
            options.density = 1000.0
            return _box(self, sim, width, height, depth, options)

        Gym.create_box = _water
        """,
    ),
    _fault(
        "friction_is_ignored",
        "The friction that is set has no effect.",
        "friction_lets_go",
        """
        Gym.set_actor_rigid_shape_properties = lambda self, arg0, arg1, arg2: True
        """,
    ),
    _fault(
        "fixed_bodies_fall",
        "fix_base_link is ignored for boxes.",
        "fixed_bodies_stay",
        """
        _box = Gym.create_box

        def _loose(self, sim, width, height, depth, options=None):
            options.fix_base_link = False
            return _box(self, sim, width, height, depth, options)

        Gym.create_box = _loose
        """,
    ),
    _fault(
        "the_hand_is_merged",
        "Bodies behind fixed joints are merged, whatever collapse_fixed_joints says.",
        "the_hand_is_a_body",
        """
        _bodies = Gym.get_actor_rigid_body_dict

        def _merged(self, arg0, arg1):
            bodies = _bodies(self, arg0, arg1)
            return {name: at for name, at in bodies.items() if name != "panda_hand"}

        Gym.get_actor_rigid_body_dict = _merged
        """,
    ),
    _fault(
        "the_arm_sags",
        "disable_gravity is ignored.",
        "the_arm_has_no_weight",
        """
        _load = Gym.load_asset

        def _heavy(self, sim, rootpath, filename, options=None):
            options.disable_gravity = False
            return _load(self, sim, rootpath, filename, options)

        Gym.load_asset = _heavy
        """,
    ),
    _fault(
        "targets_have_another_order",
        "Targets are for the joints in another order than that of their names.",
        "targets_move_their_joint_alone",
        """
        _target = Gym.set_actor_dof_position_targets

        def _mixed(self, arg0, arg1, arg2):
            turned = arg2.copy()
            turned[[0, 2]] = arg2[[2, 0]]
            return _target(self, arg0, arg1, turned)

        Gym.set_actor_dof_position_targets = _mixed
        """,
    ),
    _fault(
        "speeds_are_in_degrees",
        "Speeds of joints are in degrees per second.",
        "speeds_are_those_of_positions",
        """
        _states = Gym.get_actor_dof_states

        def _degrees(self, arg0, arg1, arg2):
            states = _states(self, arg0, arg1, arg2)
            states["vel"] *= 57.29578
            return states

        Gym.get_actor_dof_states = _degrees
        """,
    ),
    _fault(
        "joints_start_at_zero",
        "Joint positions that are set before prepare_sim are forgotten.",
        "starts_where_it_was_set",
        """
        Gym.set_actor_dof_states = lambda self, arg0, arg1, arg2, arg3: True
        """,
    ),
    _fault(
        "fingers_slip",
        "The drives of the fingers pull with a hundredth of their stiffness.",
        ("drives_are_kept", "a_block_is_lifted"),
        """
        _set = Gym.set_actor_dof_properties

        def _weak(self, arg0, arg1, arg2):
            weak = arg2.copy()
            weak["stiffness"][7:] /= 100
            return _set(self, arg0, arg1, weak)

        Gym.set_actor_dof_properties = _weak
        """,
    ),
)
