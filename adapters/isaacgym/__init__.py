"""The block world in NVIDIA's IsaacGym, in a Python 3.8 process of the user's."""
