"""The flat memory pool of the trees of a compiled DESPOT, and grouping of equal observations."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .jit import inlined
from .trees import SIMULATED

#: Gaps between bounds below this count as closed, as in `plain_despot`.
CLOSED_GAP = 1e-6
#: Up to this number, observations are compared one by one.
_FEW = 16
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
#: The index of each further counter. PARTICLES: those in use. EXPANDED: particles in nodes that
#: were expanded. DEFAULT_ACTION: the rollout policy's action at the root.
ACTIONS, PARTICLES, EXPANDED, DEFAULT_ACTION = range(SIMULATED + 1, SIMULATED + 5)


class DespotSettings(NamedTuple):
    """The constants of one search. powers: of the discount. keys: of the scenarios."""

    depth: int
    """Steps of the tree."""
    rollout: int
    """Steps of the rollout policy from a new node."""
    regularisation: float
    """The cost of every node of a policy."""
    target_gap: float
    """The part of the root's gap that is aimed for."""
    powers: Any
    """The powers of the discount."""
    keys: Any
    """The keys of the scenarios."""


#: A node: its particles (`count` of them from `begin`), the action that leads to it (`parent`),
#: its actions and bounds.
NODE = np.dtype(
    [
        *((name, np.int64) for name in ("depth", "begin", "count", "parent")),
        *((name, np.int64) for name in ("first_action", "action_count")),
        *((name, np.float64) for name in ("lower", "upper", "utility_upper", "default")),
    ]
)
#: An action tried at a node, its owner.
TRIED = np.dtype(
    [
        *((name, np.int64) for name in ("action", "owner", "first_child", "child_count")),
        *((name, np.float64) for name in ("reward", "lower", "upper")),
    ]
)


class DespotPool(NamedTuple):
    """Nodes, tried actions, particles, and working memory."""

    nodes: Any
    """The nodes of the tree."""
    tried: Any
    """The actions tried at nodes."""
    scenario: Any
    """The scenario of each particle."""
    states: Any
    """The state of each particle."""
    counters: Any
    """The numbers of entries in use, and further counts (see above)."""
    legal: Any
    """The actions to try."""
    work: Any
    """States to be stepped."""
    rolled: Any
    """States of rollouts."""
    observations: Any
    """The observations of a step."""
    rows: Any
    """Lists of rows, see `despot_template`."""
    groups: Any
    """Working memory of `group`."""


#: The index of each list in `DespotPool.rows`.
ALIVE, ORDER, ORDER_NEXT, STARTS, STARTS_NEXT = range(5)


def despot_pool_of(
    *, scenarios: int, state_size: int, state_type: Any, max_actions: int, megabytes: float
) -> DespotPool:
    """A pool of at most `megabytes`; the system provides memory on first use."""
    particle = 8 + np.dtype(state_type).itemsize * state_size
    # There are at most as many nodes as particles, and most nodes have several.
    particles = int(megabytes * 1e6 / (particle + (NODE.itemsize + TRIED.itemsize) / 2))
    particles = max(particles, scenarios * (max_actions + 1))
    nodes = max(particles // 2, scenarios * max_actions + 1)
    return DespotPool(
        nodes=np.empty(nodes, NODE),
        tried=np.empty(nodes, TRIED),
        scenario=np.empty(particles, np.int64),
        states=np.empty((particles, state_size), state_type),
        counters=np.zeros(7, np.int64),
        legal=np.zeros(2 * max_actions, np.int64),
        work=np.empty((scenarios + 1, state_size), state_type),
        rolled=np.empty((scenarios, state_size), state_type),
        observations=np.empty(scenarios, np.uint64),
        rows=np.empty((5, scenarios + 2), np.int64),
        groups=_room(scenarios),
    )


class _Groups(NamedTuple):
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


def _room(count: int) -> _Groups:
    """Working memory to group so many observations."""
    table = 1
    while table < 2 * count:
        table *= 2
    return _Groups(
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
