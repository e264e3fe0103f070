"""Episodes of a model against itself, with the exact belief."""

from __future__ import annotations

import random
from typing import Any

from peephole.planners.kits.belief.search.protocol import Limits


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
        belief = belief.updated(model, action, step.observation, rng, model.likelihood).belief
    return total
