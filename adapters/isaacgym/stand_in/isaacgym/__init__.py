"""A stand-in for NVIDIA's isaacgym, on MuJoCo; see the package that it lies in."""

#: What results are marked with.
STAND_IN = "a stand-in of IsaacGym on MuJoCo"
