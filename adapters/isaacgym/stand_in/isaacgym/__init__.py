"""A stand-in for NVIDIA's isaacgym, on MuJoCo; see the package around it."""

#: The mark in results.
STAND_IN = "a stand-in of IsaacGym on MuJoCo"
