"""Errors of perception: missed, merged and wrongly named things, and positions that are off.

They are drawn once an action, for every thing, seen or not: neither the number of looks nor hidden
things change later errors.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ....skills.arm.rotation import Array
from .settings import Settings

#: Things whose middles are nearer than this, in m, may be merged.
_SIDE_BY_SIDE = 0.18


class Errors(NamedTuple):
    """The errors of one action, by the name of the thing."""

    missed: frozenset[str] = frozenset()
    merging: frozenset[str] = frozenset()
    """Things not told apart from a seen neighbour."""
    named: Mapping[str, str] = {}
    """The wrong categories."""
    offsets: Mapping[str, Array] = {}
    """Of positions, in m, shape (3,)."""


def draw(
    settings: Settings, seed: int, action: int, things: Iterable[str], categories: Sequence[str]
) -> Errors:
    """The errors after an action, by the seed of the episode and the number of the action.

    categories: those that a thing may be taken for.
    """
    if not settings.noisy:
        return Errors()
    missed, merging = set(), set()
    named, offsets = {}, {}
    for name in sorted(things):
        # Each thing has its own draws: another one, perhaps hidden, does not change them.
        own = [seed & 0xFFFFFFFF, action, zlib.crc32(name.encode())]
        random = np.random.default_rng(own)
        chances = random.random(4).tolist()
        if chances[0] < settings.missed:
            missed.add(name)
        if chances[1] < settings.merged:
            merging.add(name)
        if chances[2] < settings.misnamed:
            named[name] = categories[int(chances[3] * len(categories))]
        if settings.pose:
            offsets[name] = random.normal(0.0, settings.pose, 3)
    return Errors(frozenset(missed), frozenset(merging), named, offsets)


def unnoticed(errors: Errors, seen: Mapping[str, float], places: Mapping[str, Array]) -> set[str]:
    """The things in view that are not noticed.

    seen: things with the share that is seen. places: the position of each thing. Of two things side
    by side the one that is seen less is merged into the other.
    """
    lost = set(errors.missed & seen.keys())
    for name in sorted(errors.merging & seen.keys()):
        for other, share in seen.items():
            near = other != name and share >= seen[name] and other not in lost
            if near and float(np.linalg.norm(places[name] - places[other])) < _SIDE_BY_SIDE:
                lost.add(name)
                break
    return lost
