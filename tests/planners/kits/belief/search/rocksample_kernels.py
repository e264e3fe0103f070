"""The model `rocksample`, compiled. A state is x, y, good, sampled and one tally per rock."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from peephole.planners.kits.belief.search.compiled.jit import inlined, int64
from peephole.planners.kits.belief.search.compiled.streams import uniform

_X, _Y, _GOOD, _SAMPLED, _TALLY = 0, 1, 2, 3, 4
_EAST, _NORTH, _WEST, _SOUTH, _SAMPLE, _SENSE = 0, 1, 2, 3, 4, 5
_NOTHING, _HEARD_BAD, _HEARD_GOOD = np.uint64(0), np.uint64(1), np.uint64(2)


class MapArrays(NamedTuple):
    """The map."""

    size: int
    """Its width and height."""
    ways: Any
    """The change of x and y by each move."""
    rock_at: Any
    """The rock at each place."""
    offered: Any
    """The moves at each place, and last sampling where a rock is."""
    offered_count: Any
    """Their number."""
    unsampled: Any
    """The rocks outside each set of sampled ones."""
    unsampled_count: Any
    """Their number."""
    rocks: Any
    """The place of each rock."""
    efficiency: Any
    """The sensor's probability of being right, by place and rock."""
    upper: Any
    """The upper bounds."""
    lower: Any
    """The lower bounds."""


@inlined
def step(data: Any, states: Any, row: int, action: int, key: Any) -> tuple[Any, float, bool]:
    """Simulate one action on offer."""
    if action < _SAMPLE:
        x = states[row, _X] + data.ways[action, 0]
        if x >= data.size:
            return _NOTHING, 10.0, True
        states[row, _X] = x
        states[row, _Y] += data.ways[action, 1]
        return _NOTHING, 0.0, False
    place = states[row, _Y] * data.size + states[row, _X]
    if action == _SAMPLE:
        rock = 1 << data.rock_at[place]
        good = states[row, _GOOD] & rock != 0
        states[row, _GOOD] &= ~rock
        states[row, _SAMPLED] |= rock
        return _NOTHING, 10.0 if good else -10.0, False
    number = action - _SENSE
    right = uniform(key, 0) < data.efficiency[place, number]
    if (states[row, _GOOD] >> number & 1 == 1) == right:
        states[row, _TALLY + number] += 1
        return _HEARD_GOOD, 0.0, False
    states[row, _TALLY + number] -= 1
    return _HEARD_BAD, 0.0, False


@inlined
def legal(data: Any, states: Any, rows: Any, start: int, count: int, actions: Any) -> int:
    """List moves on the map or out to the east; sampling and sensing of rocks not yet sampled."""
    row = rows[start]
    actions[0] = _EAST
    offered = 1
    if states[row, _Y] + 1 < data.size:
        actions[offered] = _NORTH
        offered += 1
    if states[row, _X] > 0:
        actions[offered] = _WEST
        offered += 1
    if states[row, _Y] > 0:
        actions[offered] = _SOUTH
        offered += 1
    here = data.rock_at[states[row, _Y] * data.size + states[row, _X]]
    if here >= 0 and states[row, _SAMPLED] >> here & 1 == 0:
        actions[offered] = _SAMPLE
        offered += 1
    for rock in range(len(data.rocks)):
        if states[row, _SAMPLED] >> rock & 1 == 0:
            actions[offered] = _SENSE + rock
            offered += 1
    return offered


@inlined
def rollout(data: Any, states: Any, rows: Any, start: int, count: int, key: Any) -> int:
    """Move towards the nearest promising rock."""
    row = rows[start]
    nearest, target = 1 << 30, -1
    for number in range(len(data.rocks)):
        if states[row, _TALLY + number] > 0 and states[row, _SAMPLED] >> number & 1 == 0:
            east = abs(data.rocks[number, 0] - states[row, _X])
            north = abs(data.rocks[number, 1] - states[row, _Y])
            if east + north < nearest:
                nearest, target = east + north, number
    if target < 0:
        return _EAST
    x, y = data.rocks[target, 0], data.rocks[target, 1]
    if x != states[row, _X]:
        return _EAST if x > states[row, _X] else _WEST
    if y != states[row, _Y]:
        return _NORTH if y > states[row, _Y] else _SOUTH
    return _SAMPLE


@inlined
def upper(data: Any, states: Any, row: int) -> float:
    """The value with all rocks known."""
    return data.upper[states[row, _Y] * data.size + states[row, _X], states[row, _GOOD]]


@inlined
def lower(data: Any, states: Any, row: int) -> float:
    """Leaving at once."""
    return data.lower[states[row, _X]]


@inlined
def random_action(data: Any, states: Any, rows: Any, row: int, number: float, actions: Any) -> int:
    """One of the actions of `legal`, without listing them."""
    sampled = states[row, _SAMPLED]
    place = states[row, _Y] * data.size + states[row, _X]
    here = data.rock_at[place]
    offered = data.offered_count[place]
    if here >= 0 and sampled >> here & 1 == 1:
        offered -= 1
    chosen = int64(number * (offered + data.unsampled_count[sampled]))
    if chosen < offered:
        return data.offered[place, chosen]
    return _SENSE + data.unsampled[sampled, chosen - offered]
