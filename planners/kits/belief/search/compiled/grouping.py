"""Which of some observations are the same."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .jit import inlined

#: Up to so many observations are compared one by one.
_FEW = 16
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


class Groups(NamedTuple):
    """Room for grouping.

    group: of each observation. size, start: of each group, and where it begins when sorted.
    representative: its observation. table: a hash table, of groups and of when they were entered;
    the last entry of `start` counts how often it was used.
    """

    group: Any
    size: Any
    start: Any
    representative: Any
    table: Any


def room(count: int) -> Groups:
    """Room to group so many observations."""
    table = 1
    while table < 2 * count:
        table *= 2
    return Groups(
        group=np.empty(count, np.int64),
        size=np.empty(count, np.int64),
        start=np.zeros(count + 2, np.int64),
        representative=np.empty(count, np.uint64),
        table=np.zeros((table, 2), np.int64),
    )


@inlined
def group(observations: Any, count: int, room: Any) -> int:
    """Number the groups of equal observations in the order of their first; how many there are."""
    groups = 0
    room.start[-1] += 1
    stamp = room.start[-1]
    mask = np.uint64(len(room.table) - 1)
    for i in range(count):
        observation = observations[i]
        found = -1
        if count <= _FEW:
            for g in range(groups):
                if room.representative[g] == observation:
                    found = g
                    break
        else:
            slot = ((observation * _SPREAD) >> np.uint64(20)) & mask
            while room.table[slot, 1] == stamp:
                if room.representative[room.table[slot, 0]] == observation:
                    found = room.table[slot, 0]
                    break
                slot = (slot + np.uint64(1)) & mask
            if found < 0:
                room.table[slot, 1] = stamp
                room.table[slot, 0] = groups
        if found < 0:
            found = groups
            room.representative[groups] = observation
            room.size[groups] = 0
            groups += 1
        room.group[i] = found
        room.size[found] += 1
    start = 0
    for g in range(groups):
        room.start[g] = start
        start += room.size[g]
    room.start[groups] = start
    return groups
