"""Episodes of a model against itself, with the exact belief."""

from __future__ import annotations

import random
from typing import Any

from peephole.planners.kits.belief.search.particles import ParticleBelief
from peephole.planners.kits.belief.search.protocol import Limits


def updated(
    belief: Any, model: Any, action: int, observation: Any, rng: random.Random
) -> ParticleBelief[Any]:
    """The belief after an action and an observation, by Bayes' rule."""
    states = [model.step(state, action, rng).state for state in belief.states]
    pairs = zip(belief.weights, states, strict=True)
    weights = [w * model.likelihood(observation, state, action) for w, state in pairs]
    return ParticleBelief(states, weights)


def discounted_return(
    model: Any,
    belief: Any,
    solver: Any,
    seed: int,
    limits: Limits,
    *,
    steps: int = 90,
) -> float:
    """The return of one episode: a state is drawn, and the belief follows by Bayes' rule."""
    rng = random.Random(seed)
    state = rng.choices(belief.states, belief.weights)[0]
    total, weight = 0.0, 1.0
    for number in range(steps):
        action = solver.search(belief, 1000 * seed + number, limits).action
        step = model.step(state, action, rng)
        total += weight * step.reward
        weight *= model.discount
        if step.done:
            break
        state = step.state
        belief = updated(belief, model, action, step.observation, rng)
    return total
