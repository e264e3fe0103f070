"""The flat memory pool of the tree of a compiled POMCP."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .trees import SIMULATED

#: The index of the further counter, of edges in use.
EDGES = SIMULATED + 1

#: A history. observation, edge: what led to it. slot: its place in the table. visits: simulations
#: through it. edge_count: 0 until its actions are listed. tried: the number of tried actions.
_NUMBERS = ("edge", "slot", "visits", "first_edge", "edge_count", "tried")
NODE = np.dtype([("observation", np.uint64), *((name, np.int32) for name in _NUMBERS)])
#: An action of a history, with the mean return.
EDGE = np.dtype([("action", np.int32), ("visits", np.int32), ("value", np.float64)])


class PomcpSettings(NamedTuple):
    """The constants of one search: of `PomcpOptions` and the model, and the particles.

    cumulative: running sums of the particles' weights. guide: for a number in [0, 1), where to
    start in them.
    """

    depth: int
    """Steps of a simulation."""
    rollout: int
    """The most steps by the rollout policy."""
    exploration: float
    """The constant of UCB1."""
    discount: float
    """The weight of a reward one step later."""
    random_rollouts: bool
    """Roll out with random actions."""
    root_key: Any
    """The key of the search."""
    cumulative: Any
    """Running sums of the particles' weights."""
    guide: Any
    """For a number in [0, 1), where to start in `cumulative`."""


class PomcpPool(NamedTuple):
    """Nodes, edges, a hash table from (edge, observation) to nodes, and working memory."""

    nodes: Any
    """The histories."""
    edges: Any
    """Their actions."""
    table: Any
    """The hash table."""
    mask: Any
    """The mask of the table's slots."""
    counters: Any
    """The numbers of entries in use, and further counts (see above)."""
    particles: Any
    """The states of the belief."""
    rows: Any
    """The row numbers of the particles."""
    state: Any
    """The state of the running simulation."""
    legal: Any
    """The actions of a node."""
    path: Any
    """The nodes and edges of a simulation."""
    rewards: Any
    """The reward of each step."""


def pomcp_pool_of(*, actions: int, depth: int, megabytes: float) -> PomcpPool:
    """A pool of at most `megabytes`, without a belief; the system provides memory on first use.

    actions: the largest number of actions of a node.
    """
    # Most nodes are visited once and never get edges.
    edges = max(2, actions // 2)
    node = NODE.itemsize + EDGE.itemsize * edges + 2 * 4
    nodes = min(max(1024, int(megabytes * 1e6 / node)), (2**31 - 1) // edges - actions)
    table = 1024
    while table < 1.5 * nodes:
        table *= 2
    return PomcpPool(
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
