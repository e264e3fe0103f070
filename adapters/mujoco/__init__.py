"""Tasks in contact physics, on MuJoCo: blocks before a Franka Panda."""
