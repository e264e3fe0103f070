"""The engine side of LIBERO, run by the interpreter that has it.

Its modules import numpy, mujoco, libero and each other, nothing else of Peephole. `server` is the
file that is started.
"""
