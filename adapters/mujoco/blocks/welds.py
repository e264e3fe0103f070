"""Blocks welded to the table, which are indistinguishable from free ones until they are touched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ....skills.arm.rotation import Array

#: Inertia added to a fastened block along and about each axis, in kg and kg m^2. In a command of
#: 20 ms the arm moves it by 1 to 2 micrometres, which `Welds.hold` undoes. With 1e2 it moves too
#: far; with 1e8 contacts are solved so badly that the fingers seem to hit it.
_ARMATURE = 1e4
#: Tolerance of MuJoCo's solver once a block is fastened. The default, 1e-8, is too coarse for such
#: different masses: a thing on a fastened block drifts (by 1.4 mm in 10 s with 1e5).
_TOLERANCE = 1e-12


class _Weld(NamedTuple):
    """The slices of a block in MuJoCo's qpos and qvel, and its inertia while free."""

    pose: slice
    dofs: slice
    inertia: Array


class Welds:
    """The welded blocks of a scene, each of which is fastened at the first touch.

    Until then a welded block lies on the table with the joint of a free one. A model without this
    joint would give other last bits, which grow with every contact of other blocks. Contact with
    anything but the table is a touch.
    """

    def __init__(self, model: Any, table: str, names: Iterable[str]) -> None:
        """model: MuJoCo's. table: the name of its geom. names: of the bodies of welded blocks."""
        self._model = model
        self._loose_tolerance = model.opt.tolerance
        self._table = int(model.geom(table).id)
        self._welds: dict[int, _Weld] = {}  # by the index of the block's geom
        for name in names:
            joint = model.joint(name)
            at, dof = int(joint.qposadr[0]), int(joint.dofadr[0])
            dofs = slice(dof, dof + 6)
            weld = _Weld(slice(at, at + 7), dofs, model.dof_M0[dofs].copy())
            self._welds[int(model.body(name).geomadr[0])] = weld
        self._fastened: dict[int, Array] = {}

    @property
    def any_loose(self) -> bool:
        """Whether a welded block is not fastened yet."""
        return len(self._fastened) < len(self._welds)

    @property
    def fastened(self) -> Mapping[int, Array]:
        """The pose in qpos, (7,), of every fastened block, by the number of its geom."""
        return dict(self._fastened)

    @fastened.setter
    def fastened(self, poses: Mapping[int, Array]) -> None:
        self._fastened = dict(poses)
        self._model.opt.tolerance = _TOLERANCE if poses else self._loose_tolerance
        for geom, (_pose, dofs, inertia) in self._welds.items():
            added = _ARMATURE if geom in poses else 0.0
            self._model.dof_armature[dofs] = added
            # For a body as simple as a block, MuJoCo reads the inertia from here at every step.
            self._model.dof_M0[dofs] = inertia + added

    def fasten_touched(self, data: Any) -> bool:
        """Fasten the loose blocks in contact with anything but the table; whether there were any.

        data: MuJoCo's, between `mj_step1` and `mj_step2`; after True, call `mj_step1` again.
        """
        pairs: Array = data.contact.geom
        beyond = pairs[(pairs != self._table).all(axis=1)]
        touched = (set(self._welds) - set(self._fastened)).intersection(beyond.ravel().tolist())
        if not touched:
            return False
        poses = {geom: data.qpos[self._welds[geom].pose].copy() for geom in touched}
        self.fastened = {**self._fastened, **poses}
        self.hold(data)
        return True

    def hold(self, data: Any) -> None:
        """Put the fastened blocks back, at rest; otherwise their small motions would add up."""
        for geom, pose in self._fastened.items():
            data.qpos[self._welds[geom].pose] = pose
            data.qvel[self._welds[geom].dofs] = 0.0
