"""A belief as weighted particles."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from itertools import accumulate
from typing import Generic, cast

from .....errors import BadInput, PeepholeError
from .protocol import StateT
from .streams import uniform


class EmptyBelief(PeepholeError):
    """No particle agrees with the observations."""


class ParticleBelief(Generic[StateT]):
    """A distribution over states: particles with positive weights that sum to 1.

    Beliefs are immutable: every operation gives a new one.
    """

    def __init__(self, states: Iterable[StateT], weights: Iterable[float] | None = None) -> None:
        """Normalise the weights; particles of weight 0 are left out.

        weights: equal where None. Raises BadInput, or EmptyBelief without any weight.
        """
        listed = list(states)
        raw = [1.0] * len(listed) if weights is None else [float(weight) for weight in weights]
        if len(raw) != len(listed):
            raise BadInput(
                f"A belief of {len(listed)} particles needs as many weights, not {len(raw)}."
            )
        for number, weight in enumerate(raw):
            if not (math.isfinite(weight) and weight >= 0):
                raise BadInput(
                    f"Weights of particles are finite and not negative; number {number} "
                    f"is {weight}."
                )
        largest = max(raw, default=0.0)
        if largest == 0:
            raise EmptyBelief("A belief needs at least one particle of a weight above 0.")
        # The largest becomes 1 first: sums of huge or tiny weights neither overflow nor vanish.
        scaled = [weight / largest for weight in raw]
        total = math.fsum(scaled)
        kept = [(s, w / total) for s, w in zip(listed, scaled, strict=True) if w / total > 0]
        self.states: tuple[StateT, ...] = tuple(state for state, _ in kept)
        self.weights: tuple[float, ...] = tuple(weight for _, weight in kept)

    def __len__(self) -> int:
        return len(self.states)

    def most_likely(self) -> StateT:
        """The state of the largest total weight; the first of several."""
        merged = self.merged()
        return merged.states[max(range(len(merged)), key=merged.weights.__getitem__)]

    def merged(self) -> ParticleBelief[StateT]:
        """The same distribution with equal states as one particle; states must be hashable."""
        sums: dict[Hashable, float] = {}
        for state, weight in zip(self.states, self.weights, strict=True):
            key = cast(Hashable, state)
            sums[key] = sums.get(key, 0.0) + weight
        return ParticleBelief([cast(StateT, state) for state in sums], sums.values())

    def mixed(self, other: ParticleBelief[StateT], share: float) -> ParticleBelief[StateT]:
        """A mixture with another belief. share: the other's part of the weight, in [0, 1]."""
        if not 0 <= share <= 1:
            raise BadInput(f"The share of a belief in a mixture is from 0 to 1, not {share}.")
        weights = [weight * (1 - share) for weight in self.weights]
        weights += [weight * share for weight in other.weights]
        return ParticleBelief([*self.states, *other.states], weights)

    def scenarios(self, count: int, key: int) -> list[StateT]:
        """States drawn by systematic resampling, likelier particles first.

        Each particle is drawn its expected number of times, rounded up or down.
        """
        order = sorted(range(len(self)), key=lambda number: -self.weights[number])
        offset = uniform(key, 0)
        drawn: list[StateT] = []
        reached, at = 0.0, -1
        for number in range(count):
            while at < len(order) - 1 and reached <= (number + offset) / count:
                at += 1
                reached += self.weights[order[at]]
            drawn.append(self.states[order[at]])
        return drawn

    def cumulative(self) -> Sequence[float]:
        """The running sums of the weights; the last is 1 within rounding."""
        return list(accumulate(self.weights))
