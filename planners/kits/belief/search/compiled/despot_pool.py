"""The flat memory pool of the trees of a compiled DESPOT."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import grouping

#: Gaps between bounds below this count as closed, as in `plain_despot`.
CLOSED_GAP = 1e-6
#: The index of each counter of a pool. PARTICLES: those in use. EXPANDED: particles in nodes that
#: were expanded. DEFAULT_ACTION: the rollout policy's action at the root.
NODES, ACTIONS, PARTICLES, EXPANDED, STEPS, SIMULATIONS, DEFAULT_ACTION = range(7)


class Settings(NamedTuple):
    """The constants of one search."""

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
        ("depth", np.int64),
        ("begin", np.int64),
        ("count", np.int64),
        ("parent", np.int64),
        ("first_action", np.int64),
        ("action_count", np.int64),
        ("lower", np.float64),
        ("upper", np.float64),
        ("utility_upper", np.float64),
        ("default", np.float64),
    ]
)
#: An action tried at a node, its owner.
TRIED = np.dtype(
    [
        ("action", np.int64),
        ("owner", np.int64),
        ("first_child", np.int64),
        ("child_count", np.int64),
        ("reward", np.float64),
        ("lower", np.float64),
        ("upper", np.float64),
    ]
)


class Pool(NamedTuple):
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
    """Working memory of `grouping`."""


#: The index of each list in `Pool.rows`.
ALIVE, ORDER, ORDER_NEXT, STARTS, STARTS_NEXT = range(5)


def pool_of(
    *,
    scenarios: int,
    state_size: int,
    state_type: Any,
    max_actions: int,
    megabytes: float,
) -> Pool:
    """A pool of at most `megabytes`; the system provides memory on first use."""
    particle = 8 + np.dtype(state_type).itemsize * state_size
    # There are at most as many nodes as particles, and most nodes have several.
    particles = int(megabytes * 1e6 / (particle + (NODE.itemsize + TRIED.itemsize) / 2))
    particles = max(particles, scenarios * (max_actions + 1))
    nodes = max(particles // 2, scenarios * max_actions + 1)
    return Pool(
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
        groups=grouping.room(scenarios),
    )
