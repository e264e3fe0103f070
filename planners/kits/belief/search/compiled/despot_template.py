"""The loops of DESPOT over a flat pool of nodes: a template, instantiated once per model.

`plain_despot` of the tests is the readable form, with the same operations in the same order.
`kernels` is the model's module of compiled functions, see `.model`.
"""

from __future__ import annotations

from typing import Any

from .despot_pool import (
    ACTIONS,
    ALIVE,
    CLOSED_GAP,
    DEFAULT_ACTION,
    EXPANDED,
    ORDER,
    ORDER_NEXT,
    PARTICLES,
    STARTS,
    STARTS_NEXT,
    group,
)
from .jit import borrowed, compiled, inlined
from .streams import POLICY_BRANCH, branch
from .trees import NODES, SIMULATED, STEPS

#: The functions of the model, set when the template is instantiated.
kernels: Any = globals().get("kernels")


@compiled
def search(data: Any, pool: Any, settings: Any, simulations: int) -> tuple[bool, bool]:
    """Grow the tree by simulations. Returns whether the root's bounds met, and the pool is full.

    If all counters are 0, the root is made first, from the scenarios in the first rows.
    """
    data, pool, settings = borrowed(data), borrowed(pool), borrowed(settings)
    if pool.counters[NODES] == 0:
        _plant(data, pool, settings)
    for _ in range(simulations):
        if pool.nodes[0].upper - pool.nodes[0].lower <= CLOSED_GAP:
            return True, False
        if not _simulate(data, pool, settings):
            return False, True
        pool.counters[SIMULATED] += 1
    return pool.nodes[0].upper - pool.nodes[0].lower <= CLOSED_GAP, False


@inlined
def _plant(data: Any, pool: Any, settings: Any) -> None:
    """Make the root, and store the rollout policy's action there."""
    count = len(settings.keys)
    pool.counters[PARTICLES] = count
    for i in range(count):
        pool.scenario[i] = i
        pool.rows[ORDER, i] = i
    key = branch(branch(settings.keys[0], 0), POLICY_BRANCH)
    pool.counters[DEFAULT_ACTION] = kernels.rollout(
        data, pool.states, pool.rows[ORDER], 0, count, key
    )
    _add_node(pool, 0, 0, count, -1)
    _set_bounds(data, pool, settings, 0)


@inlined
def _simulate(data: Any, pool: Any, settings: Any) -> bool:
    """Descend while the gap is in excess, and grow the tree; False where the pool is full."""
    node = 0
    while pool.nodes[node].depth < settings.depth and _excess(pool, settings, node) > 0:
        if _prune(pool, settings, node):
            return True
        if pool.nodes[node].action_count == 0 and not _expand(data, pool, settings, node):
            return False
        first = pool.nodes[node].first_action
        best = first
        for k in range(first, first + pool.nodes[node].action_count):
            if pool.tried[k].upper > pool.tried[best].upper:
                best = k
        children = pool.tried[best].child_count
        if children == 0:
            break
        following = pool.tried[best].first_child
        highest = _excess(pool, settings, following)
        for child in range(following + 1, pool.tried[best].first_child + children):
            excess = _excess(pool, settings, child)
            if excess > highest:
                following = child
                highest = excess
        node = following
    _back_up(pool, settings, node)
    return True


@inlined
def _excess(pool: Any, settings: Any, node: int) -> float:
    """The gap of a node beyond its share of the target gap."""
    share = pool.nodes[node].count / len(settings.keys)
    target = settings.target_gap * (pool.nodes[0].upper - pool.nodes[0].lower)
    return (pool.nodes[node].upper - pool.nodes[node].lower) - share * target


@inlined
def _above(pool: Any, node: int) -> int:
    """The parent of a node; -1 for the root."""
    action = pool.nodes[node].parent
    return -1 if action < 0 else pool.tried[action].owner


@inlined
def _prune(pool: Any, settings: Any, node: int) -> bool:
    """Whether a node is blocked; it and blocked ancestors take their default policy's value."""
    if settings.regularisation == 0:
        return False
    pruned = False
    while node >= 0 and _blocked(pool, settings, node):
        pool.nodes[node].lower = pool.nodes[node].default
        pool.nodes[node].upper = pool.nodes[node].default
        pool.nodes[node].utility_upper = pool.nodes[node].default
        _back_up(pool, settings, _above(pool, node))
        pruned = True
        node = _above(pool, node)
    return pruned


@inlined
def _blocked(pool: Any, settings: Any, node: int) -> bool:
    """Whether some node on the path can gain less than the cost of the path."""
    size = 1
    while node >= 0:
        if (
            pool.nodes[node].utility_upper - pool.nodes[node].default
            <= settings.regularisation * size
        ):
            return True
        size += 1
        node = _above(pool, node)
    return False


@inlined
def _expand(data: Any, pool: Any, settings: Any, node: int) -> bool:
    """Try every action of a node in all its scenarios; False where the pool has no room for it."""
    begin, count = pool.nodes[node].begin, pool.nodes[node].count
    for i in range(count):
        pool.rows[ORDER, i] = begin + i
    actions = kernels.legal(data, pool.states, pool.rows[ORDER], 0, count, pool.legal)
    if not _has_room(pool, actions, count * actions):
        return False
    pool.nodes[node].first_action = pool.counters[ACTIONS]
    pool.nodes[node].action_count = actions
    pool.counters[ACTIONS] += actions
    pool.counters[EXPANDED] += count
    # The actions are listed before any is tried: rollouts below use the same buffers.
    first = pool.nodes[node].first_action
    for k in range(actions):
        pool.tried[first + k].action = pool.legal[k]
        pool.tried[first + k].owner = node
    for k in range(first, first + actions):
        _try_action(data, pool, settings, node, k)
    _update(pool, settings, node)
    return True


@inlined
def _has_room(pool: Any, actions: int, particles: int) -> bool:
    """Whether more actions, and nodes with so many particles in all, fit in the pool."""
    return (
        pool.counters[ACTIONS] + actions <= len(pool.tried)
        and pool.counters[PARTICLES] + particles <= len(pool.scenario)
        and pool.counters[NODES] + particles <= len(pool.nodes)
    )


@inlined
def _try_action(data: Any, pool: Any, settings: Any, node: int, action_node: int) -> None:
    """Step all scenarios of a node and make a child for each observation."""
    begin, count, depth = pool.nodes[node].begin, pool.nodes[node].count, pool.nodes[node].depth
    action = pool.tried[action_node].action
    total = 0.0
    alive = 0
    for i in range(count):
        _copy(pool.states, begin + i, pool.work, alive)
        scenario = pool.scenario[begin + i]
        key = branch(settings.keys[scenario], depth)
        observation, reward, done = kernels.step(data, pool.work, alive, action, key)
        total += reward
        if not done:
            pool.rows[ALIVE, alive] = scenario
            pool.observations[alive] = observation
            alive += 1
    pool.counters[STEPS] += count
    power = settings.powers[depth]
    reward = total / len(settings.keys) * power - settings.regularisation
    pool.tried[action_node].reward = reward
    groups = group(pool.observations, alive, pool.groups)
    base = pool.counters[PARTICLES]
    pool.counters[PARTICLES] += alive
    first = pool.counters[NODES]
    pool.tried[action_node].first_child = first
    pool.tried[action_node].child_count = groups
    for g in range(groups):
        _add_node(pool, depth + 1, base + pool.groups.start[g], pool.groups.size[g], action_node)
    for i in range(alive):
        g = pool.groups.group[i]
        row = base + pool.groups.start[g]
        pool.groups.start[g] += 1
        _copy(pool.work, i, pool.states, row)
        pool.scenario[row] = pool.rows[ALIVE, i]
    for child in range(first, first + groups):
        _set_bounds(data, pool, settings, child)


@inlined
def _add_node(pool: Any, depth: int, begin: int, count: int, parent: int) -> None:
    """Take a node from the pool. parent: the action that leads to it; -1 for the root."""
    node = pool.counters[NODES]
    pool.counters[NODES] += 1
    pool.nodes[node].depth = depth
    pool.nodes[node].begin = begin
    pool.nodes[node].count = count
    pool.nodes[node].parent = parent
    pool.nodes[node].action_count = 0


@inlined
def _copy(source: Any, source_row: int, target: Any, target_row: int) -> None:
    """Copy a state."""
    for i in range(source.shape[1]):
        target[target_row, i] = source[source_row, i]


@inlined
def _set_bounds(data: Any, pool: Any, settings: Any, node: int) -> None:
    """Set the first bounds of a node."""
    depth, begin, count = pool.nodes[node].depth, pool.nodes[node].begin, pool.nodes[node].count
    scale = settings.powers[depth] / len(settings.keys)
    default = _rolled_out(data, pool, settings, node) * scale
    total = 0.0
    for i in range(begin, begin + count):
        total += kernels.upper(data, pool.states, i)
    pool.nodes[node].default = default
    pool.nodes[node].lower = default
    pool.nodes[node].utility_upper = max(total * scale, default)
    pool.nodes[node].upper = max(pool.nodes[node].utility_upper - settings.regularisation, default)
    if depth >= settings.depth:
        pool.nodes[node].upper = default


@inlined
def _rolled_out(data: Any, pool: Any, settings: Any, node: int) -> float:
    """The sum of the scenarios' returns under the rollout policy.

    The rows of group g begin at `starts[g]` in `order`. Those of the next step are collected in a
    second pair of lists; then the two pairs are swapped.
    """
    begin, count, depth = pool.nodes[node].begin, pool.nodes[node].count, pool.nodes[node].depth
    order, order_next = pool.rows[ORDER], pool.rows[ORDER_NEXT]
    starts, starts_next = pool.rows[STARTS], pool.rows[STARTS_NEXT]
    for i in range(count):
        _copy(pool.states, begin + i, pool.rolled, i)
        order[i] = i
    total = 0.0
    groups = 1
    starts[0], starts[1] = 0, count
    for ahead in range(settings.rollout):
        following, filled = 0, 0
        for g in range(groups):
            start, size = starts[g], starts[g + 1] - starts[g]
            leader = pool.scenario[begin + order[start]]
            policy = branch(branch(settings.keys[leader], depth + ahead), POLICY_BRANCH)
            action = kernels.rollout(data, pool.rolled, order, start, size, policy)
            alive = 0
            for i in range(start, start + size):
                row = order[i]
                key = branch(settings.keys[pool.scenario[begin + row]], depth + ahead)
                observation, reward, done = kernels.step(data, pool.rolled, row, action, key)
                total += settings.powers[ahead] * reward
                if not done:
                    pool.rows[ALIVE, alive] = row
                    pool.observations[alive] = observation
                    alive += 1
            pool.counters[STEPS] += size
            added = group(pool.observations, alive, pool.groups)
            for h in range(added):
                starts_next[following + h] = filled + pool.groups.start[h]
            for i in range(alive):
                h = pool.groups.group[i]
                order_next[filled + pool.groups.start[h]] = pool.rows[ALIVE, i]
                pool.groups.start[h] += 1
            following += added
            filled += alive
        starts_next[following] = filled
        order, order_next = order_next, order
        starts, starts_next = starts_next, starts
        groups = following
    for i in range(starts[groups]):
        total += settings.powers[settings.rollout] * kernels.lower(data, pool.rolled, order[i])
    return total


@inlined
def _back_up(pool: Any, settings: Any, node: int) -> None:
    """Propagate the bounds of a node to the root."""
    while node >= 0:
        _update(pool, settings, node)
        node = _above(pool, node)


@inlined
def _update(pool: Any, settings: Any, node: int) -> None:
    """Compute the bounds of a node from those of its children."""
    if pool.nodes[node].action_count == 0:
        return
    lower = upper = utility_upper = pool.nodes[node].default
    first = pool.nodes[node].first_action
    for k in range(first, first + pool.nodes[node].action_count):
        action_lower = action_upper = pool.tried[k].reward
        action_utility = pool.tried[k].reward + settings.regularisation
        child = pool.tried[k].first_child
        for c in range(child, child + pool.tried[k].child_count):
            action_lower += pool.nodes[c].lower
            action_upper += pool.nodes[c].upper
            action_utility += pool.nodes[c].utility_upper
        pool.tried[k].lower = action_lower
        pool.tried[k].upper = action_upper
        lower = max(lower, action_lower)
        upper = max(upper, action_upper)
        utility_upper = max(utility_upper, action_utility)
    pool.nodes[node].lower = lower
    pool.nodes[node].upper = min(pool.nodes[node].upper, upper)
    pool.nodes[node].utility_upper = min(pool.nodes[node].utility_upper, utility_upper)
