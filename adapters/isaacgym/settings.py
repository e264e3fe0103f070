"""The user's IsaacGym: two environment variables.

PEEPHOLE_ISAACGYM_PYTHON is an interpreter with isaacgym. PEEPHOLE_ISAACGYM_ASSETS is the assets
folder of IsaacGymEnvs or of IsaacGym, with the Franka.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ...errors import Missing

PYTHON_VARIABLE = "PEEPHOLE_ISAACGYM_PYTHON"
ASSETS_VARIABLE = "PEEPHOLE_ISAACGYM_ASSETS"
#: A file that the assets folder must have; the same as `server.FRANKA`.
FRANKA = "urdf/franka_description/robots/franka_panda_gripper.urdf"


def missing() -> str | None:
    """One sentence on what is not set or not there, or None."""
    python, assets = os.environ.get(PYTHON_VARIABLE), os.environ.get(ASSETS_VARIABLE)
    if not python:
        return (
            f"{PYTHON_VARIABLE} is not set; set it to a Python 3.8 that has NVIDIA's "
            f"isaacgym (see environments/isaacgym.yml)."
        )
    if shutil.which(python) is None:
        return (
            f"{PYTHON_VARIABLE} is {python}, which is no program; "
            f"set it to a Python 3.8 that has NVIDIA's isaacgym."
        )
    if not assets:
        return (
            f"{ASSETS_VARIABLE} is not set; "
            f"set it to the assets folder of IsaacGymEnvs or of IsaacGym."
        )
    if not (Path(assets) / FRANKA).is_file():
        return (
            f"{ASSETS_VARIABLE} is {assets}, where there is no {FRANKA}; "
            f"set it to the assets folder of IsaacGymEnvs or of IsaacGym."
        )
    return None


def place() -> tuple[str, str]:
    """The interpreter and the assets folder. Raises Missing."""
    problem = missing()
    if problem is not None:
        raise Missing(problem)
    return os.environ[PYTHON_VARIABLE], str(Path(os.environ[ASSETS_VARIABLE]).resolve())
