"""Comparison of two runs, or two folders of runs: a simulation and the real side, or two runs in
one simulator.
"""
