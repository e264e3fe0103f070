"""Loggers: results of runs for experiment trackers. `peephole run --log NAME`."""
