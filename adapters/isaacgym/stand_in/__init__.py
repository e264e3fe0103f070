"""A stand-in for NVIDIA's IsaacGym: the part of gymapi that the server calls, on MuJoCo.

    python -m peephole.adapters.isaacgym.stand_in FOLDER

writes an assets folder with an arm and tells the settings with which the adapter runs on it. It is
no part of the adapter, and neither the adapter nor its server knows of it. The interpreter needs
numpy and mujoco; Python 3.8 is enough, with mujoco 3.2.

- `isaacgym` is the package that the server imports, once this folder is on its path. Names and
  arguments are those of isaacgym-stubs 1.1rc4, which a test compares.
- `panda_urdf` writes our own Panda as a URDF, under the names that NVIDIA's asset uses.

What it has not: PhysX. Contacts, friction and drives are MuJoCo's, and so is the speed. Drives act
implicitly, as PhysX has them, but without limits of effort. There are no meshes, tensors, cameras,
force sensors and no GPU.

PEEPHOLE_ISAACGYM_STAND_IN_FAULT makes it fail as simulators do: "dies:N" ends the process at the
N-th step of the physics, "hangs:N" never returns from it.
"""
