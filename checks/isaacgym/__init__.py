"""What the adapter `isaacgym` assumes of NVIDIA's IsaacGym.

Two scenes are measured through gymapi by `probe`, in processes of their own: boxes without an arm,
and the arm without an action. Then blocks are lifted and stacked by the adapter's skills.

Sources: "gymapi.pyi" is of the package isaacgym-stubs 1.1rc4; "IsaacGymEnvs" is its task
franka_cube_stack, version 1.5.1; other names are files of ours that rely on the claim.
"""

from __future__ import annotations

from ..assumption import Checks
from . import arm, bodies, skills

CHECKS = Checks(
    "isaacgym",
    skills.SCENE,
    [*bodies.CHECKS.assumptions, *arm.CHECKS.assumptions, *skills.CHECKS.assumptions],
)
