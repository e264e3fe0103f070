"""Small POMDPs, and their exact solution."""

from __future__ import annotations

from itertools import count

import numpy as np

from .tabular import Tabular


def random_problem(
    seed: int,
    *,
    states: int = 3,
    actions: int = 2,
    observations: int = 2,
    discount: float = 0.6,
    terminal: bool = False,
    random_rollouts: bool = False,
) -> Tabular:
    """A POMDP of random tables; rewards are from 0 to 10."""
    rng = np.random.default_rng(seed)
    return Tabular(
        transitions=rng.dirichlet(np.full(states, 0.5), (actions, states)),
        observations=rng.dirichlet(np.full(observations, 0.5), (actions, states)),
        rewards=rng.uniform(0, 10, (actions, states)),
        discount=discount,
        terminal=[states - 1] if terminal else [],
        random_rollouts=random_rollouts,
    )


def exact_values(problem: Tabular, belief: np.ndarray, depth: int) -> np.ndarray:
    """The optimal value of each action at a belief, by all histories up to a depth.

    Beyond it the best single action counts.
    """
    levels = [belief[None, :]]
    for _ in range(depth):
        levels.append(_followers(problem, levels[-1]).reshape(-1, belief.size))
    values = levels.pop() @ problem.blind[1]
    for beliefs in reversed(levels):
        actions, observations = problem.rewards.shape[0], problem.observations.shape[2]
        future = values.reshape(len(beliefs), actions, observations).sum(axis=2)
        each = beliefs @ problem.rewards.T + problem.discount * future
        values = each.max(axis=1)
    return each[0]


def _followers(problem: Tabular, beliefs: np.ndarray) -> np.ndarray:
    """Unscaled beliefs after each action and observation."""
    predicted = np.einsum("bs,ast->bat", beliefs, problem.transitions)
    predicted[:, :, problem.ends] = 0
    return np.einsum("bat,ato->baot", predicted, problem.observations)


def tiger_optimum(discount: float, accuracy: float, tolerance: float = 1e-9) -> np.ndarray:
    """The optimal values of tiger by the lead of left over right readings, from -20 on.

    Only the lead matters, so this is a chain of 41 beliefs.
    """
    leads = np.arange(-20, 21)
    odds = (accuracy / (1 - accuracy)) ** leads
    left = odds / (1 + odds)
    values = np.zeros(41)
    for _ in count():
        heard_left = left * accuracy + (1 - left) * (1 - accuracy)
        more, less = np.append(values[1:], values[-1]), np.insert(values[:-1], 0, values[0])
        listen = -1 + discount * (heard_left * more + (1 - heard_left) * less)
        open_left = -100 * left + 10 * (1 - left) + discount * values[20]
        open_right = 10 * left - 100 * (1 - left) + discount * values[20]
        better = np.max([listen, open_left, open_right], axis=0)
        if np.abs(better - values).max() < tolerance:
            return better
        values = better
    raise AssertionError
