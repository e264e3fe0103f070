"""The model `kitchen`, compiled.

A state is a row: where the robot stands, its goal, the held object plus 1, the number of objects
left to bring, the area of each object, and one bit per area that is open.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compiled.jit import inlined, inner, int64

_ROBOT, _GOAL, _HELD, _LEFT = 0, 1, 2, 3
#: The column where the areas of the objects begin.
PLACES = 4
_INFEASIBLE, _DONE, _RIGHT = np.uint64(0), np.uint64(1), np.uint64(2)


class KitchenArrays(NamedTuple):
    """A kitchen with its goals."""

    areas: int
    """The number of areas."""
    objects: int
    """The number of objects."""
    shift: int
    """Shifts an area's number to its word of bits."""
    relevant: bool
    """Whether only relevant actions are offered."""
    feedback: bool
    """Whether a right placement is observed."""
    standing: Any
    """The standing place of each area."""
    travel: Any
    """The cost of the walk between two standing places."""
    targets: Any
    """The destination by goal and object; -1 for any area."""
    things: Any
    """The objects of each goal; -1 after the last."""
    hashes: Any
    """Random numbers for hashing contents."""
    powers: Any
    """The powers of the discount."""
    manipulation: float
    """The cost of a manipulation."""
    infeasible: float
    """The cost of an infeasible action."""
    subgoal: float
    """The reward of an object at its destination."""
    task: float
    """The reward of the whole goal."""
    undo: float
    """The cost of removing an object from its destination."""


@inlined
def _is_open(data: Any, states: Any, row: int, area: int) -> bool:
    word = states[row, PLACES + data.objects + (area >> data.shift)]
    return word >> (area & ((1 << data.shift) - 1)) & 1 == 1


@inlined
def _way(data: Any, states: Any, row: int, area: int) -> float:
    """The cost of the way to an area."""
    return data.travel[states[row, _ROBOT], data.standing[area]]


@inlined
def step(data: Any, states: Any, row: int, action: int, key: Any) -> tuple[Any, float, bool]:
    """Simulate one action; an infeasible one changes nothing."""
    if states[row, _LEFT] == 0:
        return _DONE, 0.0, True
    areas = data.areas
    held = int64(states[row, _HELD]) - 1
    if action < areas:
        return _open(data, states, row, action)
    if action < 2 * areas:
        area = action - areas
        if held < 0 or not _is_open(data, states, row, area):
            return _INFEASIBLE, -data.infeasible, False
        reward = -data.manipulation - _way(data, states, row, area)
        states[row, _ROBOT] = data.standing[area]
        states[row, _HELD] = 0
        states[row, PLACES + held] = area
        if data.targets[states[row, _GOAL], held] != area:
            return _DONE, reward, False
        states[row, _LEFT] -= 1
        reward += data.subgoal
        finished = states[row, _LEFT] == 0
        if finished:
            reward += data.task
        return _RIGHT if data.feedback else _DONE, reward, finished
    thing = action - 2 * areas
    if thing >= data.objects:
        return _DONE, 0.0, False
    area = int64(states[row, PLACES + thing])
    if held >= 0 or area >= areas or not _is_open(data, states, row, area):
        return _INFEASIBLE, -data.infeasible, False
    reward = -data.manipulation - _way(data, states, row, area)
    states[row, _ROBOT] = data.standing[area]
    states[row, _HELD] = thing + 1
    states[row, PLACES + thing] = areas
    if data.targets[states[row, _GOAL], thing] == area:
        states[row, _LEFT] += 1
        reward -= data.undo
    return _DONE, reward, False


@inlined
def _open(data: Any, states: Any, row: int, area: int) -> tuple[Any, float, bool]:
    """Open an area; its contents are hashed as a set of objects."""
    if _is_open(data, states, row, area):
        return _INFEASIBLE, -data.infeasible, False
    reward = -data.manipulation - _way(data, states, row, area)
    states[row, _ROBOT] = data.standing[area]
    word = PLACES + data.objects + (area >> data.shift)
    states[row, word] |= 1 << (area & ((1 << data.shift) - 1))
    contents = np.uint64(3)
    for thing in range(data.objects):
        if states[row, PLACES + thing] == area:
            contents ^= data.hashes[thing]
    return contents, reward, False


@inner
def legal(data: Any, states: Any, rows: Any, start: int, count: int, actions: Any) -> int:
    """List the feasible actions, or of those only the ones that some state has a use for."""
    number = 2 * data.areas + data.objects + 1
    flags = actions[number:]
    for action in range(number):
        flags[action] = 0
    flags[number - 1] = 1
    if data.relevant:
        for i in range(start, start + count):
            _flag_relevant(data, states, rows[i], flags)
    else:
        _flag_feasible(data, states, rows[start], flags)
    offered = 0
    for action in range(number):
        if flags[action] != 0:
            actions[offered] = action
            offered += 1
    return offered


@inlined
def _flag_feasible(data: Any, states: Any, row: int, flags: Any) -> None:
    held = states[row, _HELD] > 0
    for area in range(data.areas):
        if not _is_open(data, states, row, area):
            flags[area] = 1
        elif held:
            flags[data.areas + area] = 1
    if not held:
        for thing in range(data.objects):
            if _is_open(data, states, row, int64(states[row, PLACES + thing])):
                flags[2 * data.areas + thing] = 1


@inlined
def _flag_relevant(data: Any, states: Any, row: int, flags: Any) -> None:
    goal = states[row, _GOAL]
    held = int64(states[row, _HELD]) - 1
    for k in range(data.things.shape[1]):
        thing = int64(data.things[goal, k])
        if thing < 0:
            break
        target = int64(data.targets[goal, thing])
        area = int64(states[row, PLACES + thing])
        if area == target:
            continue
        if not _is_open(data, states, row, target):
            flags[target] = 1
        elif thing == held:
            flags[data.areas + target] = 1
        if thing != held and not _is_open(data, states, row, area):
            flags[area] = 1
        elif held < 0:
            flags[2 * data.areas + thing] = 1
    if held >= 0 and data.targets[goal, held] < 0:
        nearest = _nearest_open(data, states, row)
        if nearest >= 0:
            flags[data.areas + nearest] = 1


@inlined
def _nearest_open(data: Any, states: Any, row: int) -> int:
    """The nearest open area, the first of several; -1 for none."""
    nearest, shortest = -1, np.inf
    for area in range(data.areas):
        if _is_open(data, states, row, area):
            way = _way(data, states, row, area)
            if way < shortest:
                nearest, shortest = area, way
    return nearest


@inlined
def rollout(data: Any, states: Any, rows: Any, start: int, count: int, key: Any) -> int:
    """Continue with the nearest object that the first state's goal wants elsewhere."""
    row = rows[start]
    nothing = 2 * data.areas + data.objects
    goal = states[row, _GOAL]
    held = int64(states[row, _HELD]) - 1
    if held >= 0:
        target = int64(data.targets[goal, held])
        if target < 0:
            target = _nearest_open(data, states, row)
        if target < 0:
            return nothing
        return target + data.areas if _is_open(data, states, row, target) else target
    nearest, shortest = -1, np.inf
    for k in range(data.things.shape[1]):
        thing = int64(data.things[goal, k])
        if thing < 0:
            break
        area = int64(states[row, PLACES + thing])
        if area != data.targets[goal, thing]:
            way = _way(data, states, row, area)
            if way < shortest:
                nearest, shortest = thing, way
    if nearest < 0:
        return nothing
    area = int64(states[row, PLACES + nearest])
    return 2 * data.areas + nearest if _is_open(data, states, row, area) else area


@inner
def upper(data: Any, states: Any, row: int) -> float:
    """The return if every needed action can be the next one."""
    goal = states[row, _GOAL]
    held = int64(states[row, _HELD]) - 1
    left = int64(states[row, _LEFT])
    closed = _closed(data, states, row)
    time = 1 if held < 0 else 2
    if held >= 0 and data.targets[goal, held] >= 0:
        time = 0
    total, last_way, last_index = 0.0, -1.0, -1
    for number in range(left):
        way, index = np.inf, -1
        for k in range(data.things.shape[1]):
            each = _own_way(data, states, row, goal, k)
            later = each > last_way or (each == last_way and k > last_index)
            if later and each < way:
                way, index = each, k
        last_way, last_index = way, index
        won = data.subgoal - data.manipulation - way
        if time > 0:
            won -= data.manipulation / data.powers[1]
        if number == left - 1:
            time += closed
            won += data.task - data.manipulation * closed
        total += max(0.0, data.powers[time] * won)
        time += 2
    return total


@inlined
def _own_way(data: Any, states: Any, row: int, goal: int, k: int) -> float:
    """The walk with an object of a goal in hand; infinite where it need not be moved."""
    thing = int64(data.things[goal, k])
    if thing < 0:
        return np.inf
    target = int64(data.targets[goal, thing])
    area = int64(states[row, PLACES + thing])
    if area == target:
        return np.inf
    if area == data.areas:
        return _way(data, states, row, target)
    return data.travel[data.standing[area], data.standing[target]]


@inlined
def _closed(data: Any, states: Any, row: int) -> int:
    """The number of different closed areas that objects have to come from or go to."""
    goal = states[row, _GOAL]
    closed = 0
    for k in range(2 * data.things.shape[1]):
        area = _end(data, states, row, goal, k)
        if area < 0 or _is_open(data, states, row, area):
            continue
        new = True
        for earlier in range(k):
            if _end(data, states, row, goal, earlier) == area:
                new = False
                break
        if new:
            closed += 1
    return closed


@inlined
def _end(data: Any, states: Any, row: int, goal: int, k: int) -> int:
    """Where object k // 2 of a goal is, or for odd k its destination; -1 where it need not move."""
    thing = int64(data.things[goal, k >> 1])
    if thing < 0:
        return -1
    target = int64(data.targets[goal, thing])
    area = int64(states[row, PLACES + thing])
    if area == target or (k & 1 == 0 and area == data.areas):
        return -1
    return target if k & 1 == 1 else area


@inlined
def lower(data: Any, states: Any, row: int) -> float:
    """The return of doing nothing."""
    return 0.0
