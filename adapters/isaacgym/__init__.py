"""The block world in NVIDIA's IsaacGym, in a process of the user's Python 3.8."""
