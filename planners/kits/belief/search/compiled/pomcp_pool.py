"""The flat pool that a compiled POMCP grows its tree in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

#: Where each counter of a pool stands.
NODES, EDGES, STEPS, SIMULATIONS = range(4)

#: A history. observation, edge: what led to it. slot: where the table has it. visits: simulations
#: that came through. edge_count: 0 until its actions are listed. tried: how many of them were.
NODE = np.dtype(
    [
        ("observation", np.uint64),
        ("edge", np.int32),
        ("slot", np.int32),
        ("visits", np.int32),
        ("first_edge", np.int32),
        ("edge_count", np.int32),
        ("tried", np.int32),
    ]
)
#: An action of a history, with the mean return.
EDGE = np.dtype([("action", np.int32), ("visits", np.int32), ("value", np.float64)])


class Settings(NamedTuple):
    """What stays the same in one search. cumulative: running sums of the particles' weights, and
    guide: where in them to begin to look for a number.
    """

    depth: int
    rollout: int
    exploration: float
    discount: float
    random_rollouts: bool
    root_key: Any
    cumulative: Any
    guide: Any


class Pool(NamedTuple):
    """Nodes, their edges, a hash table from an edge and an observation to a node, and room to work.

    particles: the states of the belief. state: the one that is played. mask: of the table's slots.
    path, rewards: the nodes and edges of a simulation, and what each step gave.
    """

    nodes: Any
    edges: Any
    table: Any
    mask: Any
    counters: Any
    particles: Any
    rows: Any
    state: Any
    legal: Any
    path: Any
    rewards: Any


def pool_of(*, actions: int, depth: int, megabytes: float) -> Pool:
    """A pool of at most so many megabytes, without a belief; memory is taken when first used.

    actions: the most that a node has.
    """
    # Most nodes are visited once, and never get edges.
    edges = max(2, actions // 2)
    node = NODE.itemsize + EDGE.itemsize * edges + 2 * 4
    nodes = min(max(1024, int(megabytes * 1e6 / node)), (2**31 - 1) // edges - actions)
    table = 1024
    while table < 1.5 * nodes:
        table *= 2
    return Pool(
        nodes=np.empty(nodes, NODE),
        edges=np.empty(nodes * edges + 2 * actions, EDGE),
        table=np.zeros(table, np.int32),
        mask=np.array([table - 1], np.uint64),
        counters=np.zeros(4, np.int64),
        particles=np.empty((0, 0), np.int8),
        rows=np.empty(0, np.int64),
        state=np.empty((0, 0), np.int8),
        legal=np.zeros(2 * actions, np.int64),
        path=np.empty((depth, 2), np.int64),
        rewards=np.empty(depth, np.float64),
    )
