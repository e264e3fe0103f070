"""The flat pool that a compiled DESPOT grows its trees in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import grouping

#: A gap between bounds that counts as none, as in `plain_despot`.
CLOSED_GAP = 1e-6
#: Where each counter of a pool stands. PARTICLES: those in use. EXPANDED: particles in nodes that
#: were expanded. DEFAULT_ACTION: the rollout policy's action at the root.
NODES, ACTIONS, PARTICLES, EXPANDED, STEPS, SIMULATIONS, DEFAULT_ACTION = range(7)


class Settings(NamedTuple):
    """What stays the same in one search. keys: of the scenarios. powers: of the discount."""

    depth: int
    rollout: int
    regularisation: float
    target_gap: float
    powers: Any
    keys: Any


#: A node: its particles (from `begin` on, `count` of them), the action that leads to it (`parent`),
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
    """Nodes, actions tried, particles, and room to work in.

    Of a particle: its scenario and its state. legal: the actions to try. work, rolled: states that
    are stepped. rows: lists of rows, see `despot_template`.
    """

    nodes: Any
    tried: Any
    scenario: Any
    states: Any
    counters: Any
    legal: Any
    work: Any
    rolled: Any
    observations: Any
    rows: Any
    groups: Any


#: Which list of `Pool.rows` is which.
ALIVE, ORDER, ORDER_NEXT, STARTS, STARTS_NEXT = range(5)


def pool_of(
    *,
    scenarios: int,
    state_size: int,
    state_type: Any,
    max_actions: int,
    megabytes: float,
) -> Pool:
    """A pool of at most so many megabytes; memory is taken from the system when first used."""
    particle = 8 + np.dtype(state_type).itemsize * state_size
    # There are at most as many nodes as particles, and most have several.
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
