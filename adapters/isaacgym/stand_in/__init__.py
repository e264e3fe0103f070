"""A stand-in for NVIDIA's IsaacGym: the part of gymapi that the server calls, on MuJoCo.

    python -m peephole.adapters.isaacgym.stand_in FOLDER

writes an assets folder with an arm and prints the settings for the adapter. The adapter and its
server do not know the stand-in. The interpreter needs numpy and mujoco; Python 3.8 with mujoco 3.2
is enough.

- `isaacgym` is the package that the server imports when this folder is on its path. Names and
  arguments are those of isaacgym-stubs 1.1rc4, as a test checks.
- `panda_urdf` writes our own Panda as a URDF, with the names of NVIDIA's asset.

It is not PhysX: contacts, friction, drives and speed are MuJoCo's. Drives act implicitly, as in
PhysX, but without effort limits. There are no meshes, tensors, cameras, force sensors and no GPU.

PEEPHOLE_ISAACGYM_STAND_IN_FAULT injects failures: "dies:N" ends the process at physics step N,
"hangs:N" never returns from it.
"""
