"""A stand-in for NVIDIA's isaacgym, on MuJoCo; see the package that it lies in."""
