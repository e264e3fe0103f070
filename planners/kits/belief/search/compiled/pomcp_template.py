"""The loops of POMCP over a flat pool of nodes: a template, instantiated once per model.

`plain_pomcp` of the tests is the readable form, with the same operations in the same order.
"""

from __future__ import annotations

import math
from typing import Any

from .jit import borrowed, compiled, inlined, int64
from .pomcp_pool import EDGES
from .streams import POLICY_BRANCH, branch, uniform
from .trees import NODES, SIMULATED, STEPS

#: The functions of the model, set when the template is instantiated.
kernels: Any = globals().get("kernels")


@inlined
def _any_of_legal(
    data: Any,
    states: Any,
    rows: Any,
    row: int,
    number: float,
    actions: Any,
) -> int:
    """A random action of a state. number: selects it, in [0, 1)."""
    rows[0] = row
    return actions[int(number * kernels.legal(data, states, rows, 0, 1, actions))]


#: The model's own way to draw an action, if it has a faster one.
random_action: Any = getattr(kernels, "random_action", _any_of_legal)


@compiled
def search(data: Any, pool: Any, settings: Any, simulations: int) -> bool:
    """Run simulations; False where the pool is full.

    If all counters are 0, the root is made first, from all particles.
    """
    data, pool, settings = borrowed(data), borrowed(pool), borrowed(settings)
    if pool.counters[NODES] == 0:
        for i in range(len(pool.rows)):
            pool.rows[i] = i
        _add_node(pool)
        _list_actions(data, pool, pool.particles, 0, len(pool.rows))
    for _ in range(simulations):
        full = pool.counters[EDGES] + len(pool.legal) > len(pool.edges)
        if full or pool.counters[NODES] + 1 >= len(pool.nodes):
            return False
        key = branch(settings.root_key, pool.counters[SIMULATED])
        row = _drawn(settings, uniform(key, settings.depth))
        for i in range(pool.particles.shape[1]):
            pool.state[0, i] = pool.particles[row, i]
        _simulate(data, pool, settings, key)
        pool.counters[SIMULATED] += 1
    return True


@inlined
def _simulate(data: Any, pool: Any, settings: Any, key: Any) -> None:
    """Play one state to the end and record the returns on the path."""
    node, depth, tail = 0, 0, 0.0
    while depth < settings.depth:
        if pool.nodes[node].edge_count == 0:
            pool.rows[0] = 0
            _list_actions(data, pool, pool.state, node, 1)
        chosen = _selected(pool, settings, node)
        action = int64(pool.edges[chosen].action)
        step_key = branch(key, depth)
        observation, reward, done = kernels.step(data, pool.state, 0, action, step_key)
        pool.counters[STEPS] += 1
        pool.path[depth, 0] = node
        pool.path[depth, 1] = chosen
        pool.rewards[depth] = reward
        depth += 1
        if done:
            break
        slot = _slot(pool, chosen, observation)
        following = pool.table[slot]
        if following == 0:
            if depth < settings.depth:
                pool.table[slot] = pool.counters[NODES]
                made = pool.nodes[pool.counters[NODES]]
                made.edge = chosen
                made.observation = observation
                made.slot = slot
                _add_node(pool)
                tail = _rolled_out(data, pool, settings, key, depth)
            break
        node = following
    while depth > 0:
        depth -= 1
        edge = pool.edges[pool.path[depth, 1]]
        tail = pool.rewards[depth] + settings.discount * tail
        pool.nodes[pool.path[depth, 0]].visits += 1
        edge.visits += 1
        edge.value += (tail - edge.value) / edge.visits


@inlined
def _selected(pool: Any, settings: Any, node: int) -> int:
    """The first untried action, else the best by UCB1."""
    at = pool.nodes[node]
    first = at.first_edge
    if at.tried < at.edge_count:
        at.tried += 1
        return first + at.tried - 1
    best, highest = first, -math.inf
    scale = settings.exploration * math.sqrt(math.log(at.visits))
    for number in range(first, first + at.edge_count):
        edge = pool.edges[number]
        score = edge.value + scale / math.sqrt(edge.visits)
        if score > highest:
            best, highest = number, score
    return best


@inlined
def _slot(pool: Any, edge: int, observation: Any) -> int:
    """The slot in the table for the node after an action and an observation."""
    mask = len(pool.table) - 1
    slot = int64(branch(observation, edge) & pool.mask[0])
    while pool.table[slot] != 0:
        node = pool.nodes[pool.table[slot]]
        if node.edge == edge and node.observation == observation:
            break
        slot = (slot + 1) & mask
    return int(slot)


@inlined
def _add_node(pool: Any) -> None:
    """Take a node from the pool; its actions are listed when one has to be chosen."""
    node = pool.nodes[pool.counters[NODES]]
    pool.counters[NODES] += 1
    node.visits = 0
    node.edge_count = 0
    node.tried = 0


@inlined
def _list_actions(data: Any, pool: Any, states: Any, number: int, count: int) -> None:
    """List the actions of a node, given some of its states."""
    node = pool.nodes[number]
    first = pool.counters[EDGES]
    node.first_edge = first
    node.edge_count = kernels.legal(data, states, pool.rows, 0, count, pool.legal)
    for i in range(node.edge_count):
        edge = pool.edges[first + i]
        edge.action = pool.legal[i]
        edge.visits = 0
        edge.value = 0.0
    pool.counters[EDGES] += node.edge_count


@inlined
def _drawn(settings: Any, number: float) -> int:
    """The particle of a number in [0, 1): the first whose running sum exceeds it, else the last.

    guide: for equal parts of [0, 1), as many as particles, the particle of the lowest number.
    """
    last = len(settings.cumulative) - 1
    row = settings.guide[int64(number * (last + 1))]
    while row < last and settings.cumulative[row] <= number:
        row += 1
    return int(row)


@inlined
def _rolled_out(data: Any, pool: Any, settings: Any, key: Any, depth: int) -> float:
    """The return of the rollout policy from a depth on."""
    total, weight = 0.0, 1.0
    pool.rows[0] = 0
    steps = min(settings.rollout, settings.depth - depth)
    for ahead in range(steps):
        step_key = branch(key, depth + ahead)
        if settings.random_rollouts:
            number = uniform(step_key, POLICY_BRANCH)
            action = random_action(data, pool.state, pool.rows, 0, number, pool.legal)
        else:
            policy = branch(step_key, POLICY_BRANCH)
            action = kernels.rollout(data, pool.state, pool.rows, 0, 1, policy)
        _, reward, done = kernels.step(data, pool.state, 0, action, step_key)
        total += weight * reward
        if done:
            steps = ahead + 1
            break
        weight *= settings.discount
    pool.counters[STEPS] += max(steps, 0)
    return total
