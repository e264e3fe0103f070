"""The model `tabular`, compiled. A state is one number."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from peephole.planners.kits.belief.search.compiled.jit import inlined
from peephole.planners.kits.belief.search.compiled.streams import uniform


class TableArrays(NamedTuple):
    """A problem as arrays."""

    next_sums: Any
    """Running sums of the transitions."""
    observation_sums: Any
    """Running sums of the observations."""
    rewards: Any
    """By action and state."""
    ends: Any
    """Whether a state is terminal."""
    upper: Any
    """The upper bounds."""
    lower: Any
    """The lower bounds."""
    blind: int
    """The action of rollouts; -1 for any."""


@inlined
def drawn_index(cumulative: Any, number: float) -> int:
    """The first index whose running sum exceeds a number in [0, 1); else the last."""
    low, high = 0, len(cumulative) - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > number:
            high = middle
        else:
            low = middle + 1
    return low


@inlined
def step(data: Any, states: Any, row: int, action: int, key: Any) -> tuple[Any, float, bool]:
    """Play one action."""
    state = states[row, 0]
    following = drawn_index(data.next_sums[action, state], uniform(key, 0))
    observation = drawn_index(data.observation_sums[action, following], uniform(key, 1))
    states[row, 0] = following
    return np.uint64(observation), data.rewards[action, state], data.ends[following]


@inlined
def legal(data: Any, states: Any, rows: Any, start: int, count: int, actions: Any) -> int:
    """All actions."""
    for action in range(len(data.rewards)):
        actions[action] = action
    return len(data.rewards)


@inlined
def rollout(data: Any, states: Any, rows: Any, start: int, count: int, key: Any) -> int:
    """The best single action, or any where rollouts are random."""
    if data.blind < 0:
        return int(uniform(key, 0) * len(data.rewards))
    return data.blind


@inlined
def upper(data: Any, states: Any, row: int) -> float:
    """The value with the state in sight."""
    return data.upper[states[row, 0]]


@inlined
def lower(data: Any, states: Any, row: int) -> float:
    """The value of the best single action for ever."""
    return data.lower[states[row, 0]]
