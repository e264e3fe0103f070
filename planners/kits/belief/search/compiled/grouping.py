"""Grouping of equal observations."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .jit import inlined

#: Up to this number, observations are compared one by one.
_FEW = 16
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


class Groups(NamedTuple):
    """Working memory for grouping."""

    group: Any
    """The group of each observation."""
    size: Any
    """The number of observations of each group."""
    start: Any
    """The start of each group when sorted; the last entry counts the uses of `table`."""
    representative: Any
    """An observation of each group."""
    table: Any
    """A hash table of groups, and of the use that entered them."""


def room(count: int) -> Groups:
    """Working memory to group so many observations."""
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
    """Number groups of equal observations by first occurrence. Returns the number of groups."""
    groups = 0
    room.start[-1] += 1
    stamp = room.start[-1]
    mask = np.uint64(len(room.table) - 1)
    for i in range(count):
        observation = observations[i]
        number = -1
        if count <= _FEW:
            for g in range(groups):
                if room.representative[g] == observation:
                    number = g
                    break
        else:
            slot = ((observation * _SPREAD) >> np.uint64(20)) & mask
            while room.table[slot, 1] == stamp:
                if room.representative[room.table[slot, 0]] == observation:
                    number = room.table[slot, 0]
                    break
                slot = (slot + np.uint64(1)) & mask
            if number < 0:
                room.table[slot, 1] = stamp
                room.table[slot, 0] = groups
        if number < 0:
            number = groups
            room.representative[groups] = observation
            room.size[groups] = 0
            groups += 1
        room.group[i] = number
        room.size[number] += 1
    start = 0
    for g in range(groups):
        room.start[g] = start
        start += room.size[g]
    room.start[groups] = start
    return groups
