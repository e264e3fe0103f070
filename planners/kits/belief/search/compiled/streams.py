"""The numbers of `..streams`, compiled: equal for equal keys."""

from __future__ import annotations

import numpy as np

from .jit import inlined

_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
_27, _30, _31, _11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(11)
POLICY_BRANCH = np.uint64(1 << 32)


@inlined
def branch(key: np.uint64, number: int) -> np.uint64:
    """The child of a key, by its number."""
    mixed = key + (np.uint64(number) + _ONE) * _INCREMENT
    mixed = (mixed ^ (mixed >> _30)) * _FIRST
    mixed = (mixed ^ (mixed >> _27)) * _SECOND
    return mixed ^ (mixed >> _31)


@inlined
def uniform(key: np.uint64, number: int) -> float:
    """A number in [0, 1) for a key, by its index."""
    return float(branch(key, number) >> _11) * 2.0**-53
