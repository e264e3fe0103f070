"""Blocks welded to the table, which nothing tells from free ones until something touches them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ...skills.arm.rotation import Array

#: What is added to the inertia of a fastened block along and about each axis, in kg and kg m^2. In
#: a command of 20 ms the arm moves it by a micrometre or two, which `Welds.hold` takes back. With
#: 1e2 it gives way; with 1e8 contacts are solved so badly that the fingers seem to have hit it.
_ARMATURE = 1e4
#: Of MuJoCo's solver, once a block is fastened: its own, 1e-8, is too coarse for masses so far
#: apart, and what lies on a fastened block wanders (by 1.4 mm in 10 s with 1e5).
_TOLERANCE = 1e-12


class _Weld(NamedTuple):
    """Where a block is in MuJoCo's qpos and qvel, and its inertia along its axes while free."""

    pose: slice
    dofs: slice
    inertia: Array


class Welds:
    """The welded blocks of a scene, each of which is fastened at the first touch.

    Until then a welded block lies on the table as a free one does, with the joint of a free one. A
    model that lacked this joint would be solved with other last bits, which grow with every
    contact of other blocks. What touches it is anything but the table.
    """

    def __init__(self, model: Any, table: str, names: Iterable[str]) -> None:
        """model: MuJoCo's. table: the name of its geom. names: of welded blocks, as bodies."""
        self._model = model
        self._loose_tolerance = model.opt.tolerance
        self._table = int(model.geom(table).id)
        self._welds: dict[int, _Weld] = {}  # by the number of the block's geom
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
            # Of a body as simple as a block, MuJoCo takes the inertia from here at every step.
            self._model.dof_M0[dofs] = inertia + added

    def fasten_touched(self, data: Any) -> bool:
        """Fasten the loose blocks that are in contact with anything but the table; whether any is.

        data: MuJoCo's, between `mj_step1` and `mj_step2`; after True, `mj_step1` is due again.
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
        """Put the fastened blocks back, at rest: what they give way would add up."""
        for geom, pose in self._fastened.items():
            data.qpos[self._welds[geom].pose] = pose
            data.qvel[self._welds[geom].dofs] = 0.0
