"""RockSample: a rover searches for good rocks, with a sensor that is worse at a distance.

After Smith and Simmons, Heuristic Search Value Iteration for POMDPs (2004). Leaving the map to the
east ends the episode and is worth 10. Sampling a good rock is worth 10 and a bad one -10; a sampled
rock is bad from then on. The sensor is right with probability (1 + 2^(-d / 20)) / 2 at distance d.
Moves off the map and sampling without a rock are not offered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peephole.planners.kits.belief.search.particles import ParticleBelief
from peephole.planners.kits.belief.search.protocol import Random, Transition

if TYPE_CHECKING:
    from peephole.planners.kits.belief.search.compiled.model import CompiledModel

EAST, NORTH, WEST, SOUTH, SAMPLE, SENSE = range(6)
MOVES = {EAST: (1, 0), NORTH: (0, 1), WEST: (-1, 0), SOUTH: (0, -1)}
#: The readings of the sensor; other actions give no observation.
NOTHING, BAD, GOOD = 0, 1, 2

#: The problem RockSample(7, 8) as Silver and Veness (2010) and Ye et al. (2017) play it.
SIZE_7 = 7
ROCKS_7_8 = ((2, 0), (0, 1), (3, 1), (6, 3), (2, 4), (3, 4), (5, 5), (1, 6))
START_7_8 = (0, 3)


class Rover(NamedTuple):
    """A state."""

    x: int
    """Column."""
    y: int
    """Row."""
    good: int
    """One bit per rock: whether it is good."""
    sampled: int
    """One bit per rock: whether it was sampled."""
    tally: tuple[int, ...]
    """Good minus bad readings of each rock; a part of the history, for the rollout policy."""


class RockSample:
    """A map with rocks. Action 5 + i senses rock i.

    The rollout policy samples the nearest rock with more good than bad readings, and leaves when
    there is none. The lower bound is leaving at once. The upper bound is the value if all rocks
    were known.
    """

    def __init__(
        self,
        size: int = SIZE_7,
        rocks: Sequence[tuple[int, int]] = ROCKS_7_8,
        start: tuple[int, int] = START_7_8,
        *,
        discount: float = 0.95,
        half_efficiency_distance: float = 20,
    ) -> None:
        self.size = size
        self.rocks = tuple(rocks)
        self.start = start
        self.discount = discount
        self._rock_at = {place: number for number, place in enumerate(self.rocks)}
        places = [(x, y) for y in range(size) for x in range(size)]
        self.efficiency = np.array(
            [
                [(1 + 2 ** (-math.dist(place, rock) / half_efficiency_distance)) / 2]
                for place in places
                for rock in self.rocks
            ]
        ).reshape(len(places), len(self.rocks))

    def step(self, state: Rover, action: int, rng: Random) -> Transition:
        """Simulate one action on offer."""
        if action < SAMPLE:
            east, north = MOVES[action]
            x, y = state.x + east, state.y + north
            if x >= self.size:
                return Transition(state, NOTHING, 10.0, True)
            return Transition(state._replace(x=x, y=y), NOTHING, 0.0, False)
        if action == SAMPLE:
            rock = 1 << self._rock_at[state.x, state.y]
            reward = 10.0 if state.good & rock else -10.0
            after = state._replace(good=state.good & ~rock, sampled=state.sampled | rock)
            return Transition(after, NOTHING, reward, False)
        rock = action - SENSE
        right = rng.random() < self.efficiency[state.y * self.size + state.x, rock]
        heard_good = bool(state.good >> rock & 1) == right
        tally = list(state.tally)
        tally[rock] += 1 if heard_good else -1
        heard = GOOD if heard_good else BAD
        return Transition(state._replace(tally=tuple(tally)), heard, 0.0, False)

    def actions(self, states: Sequence[Rover]) -> Sequence[int]:
        """Moves on the map or out to the east; sampling and sensing of rocks not yet sampled."""
        state = states[0]
        offered = self._moves(state.x, state.y)
        here = self._rock_at.get((state.x, state.y), -1)
        if here >= 0 and not state.sampled >> here & 1:
            offered.append(SAMPLE)
        left = [rock for rock in range(len(self.rocks)) if not state.sampled >> rock & 1]
        return [*offered, *(SENSE + rock for rock in left)]

    def _moves(self, x: int, y: int) -> list[int]:
        """The moves that are offered at a place."""
        around = {NORTH: y + 1 < self.size, WEST: x > 0, SOUTH: y > 0}
        return [EAST, *(action for action, offered in around.items() if offered)]

    def rollout(self, states: Sequence[Rover], rng: Random) -> int:
        """Move towards the nearest promising rock."""
        state = states[0]
        nearest, target = math.inf, None
        for number, (x, y) in enumerate(self.rocks):
            if state.tally[number] > 0 and not state.sampled >> number & 1:
                distance = abs(x - state.x) + abs(y - state.y)
                if distance < nearest:
                    nearest, target = distance, (x, y)
        if target is None:
            return EAST
        if target == (state.x, state.y):
            return SAMPLE
        if target[0] != state.x:
            return EAST if target[0] > state.x else WEST
        return NORTH if target[1] > state.y else SOUTH

    def lower_bound(self, state: Rover) -> float:
        """Leaving at once."""
        return float(10 * self.discount ** (self.size - 1 - state.x))

    def upper_bound(self, state: Rover) -> float:
        """The value with all rocks known."""
        return float(self.known_values[state.y * self.size + state.x, state.good])

    @cached_property
    def known_values(self) -> Any:
        """The optimal values by place and by the good rocks left, if these were known."""
        masks = np.arange(1 << len(self.rocks))
        grid = np.zeros((self.size, self.size, len(masks)))  # y, x, good
        while True:
            following = np.full((self.size + 2, self.size + 2, len(masks)), -np.inf)
            following[1:-1, 1:-1] = grid * self.discount
            following[:, -1] = 10.0
            around = (
                following[1:-1, 2:],
                following[1:-1, :-2],
                following[2:, 1:-1],
                following[:-2, 1:-1],
            )
            better = np.maximum.reduce(around)
            for number, (x, y) in enumerate(self.rocks):
                good = (masks >> number & 1).astype(bool)
                sampled = 10.0 + self.discount * grid[y, x, masks[good] & ~(1 << number)]
                better[y, x, good] = np.maximum(better[y, x, good], sampled)
            if np.array_equal(better, grid):
                return better.reshape(-1, len(masks))
            grid = better

    def likelihood(self, observation: Any, state: Rover, action: int) -> float:
        """The probability of an observation, given the resulting state and the action."""
        if action < SENSE:
            return float(observation == NOTHING)
        right = float(self.efficiency[state.y * self.size + state.x, action - SENSE])
        good = bool(state.good >> (action - SENSE) & 1)
        return right if good == (observation == GOOD) else 1 - right

    def first_belief(self) -> ParticleBelief[Rover]:
        """Every rock is good or bad with the same probability."""
        nothing_heard = (0,) * len(self.rocks)
        masks = range(1 << len(self.rocks))
        return ParticleBelief([Rover(*self.start, good, 0, nothing_heard) for good in masks])

    def compiled(self) -> CompiledModel[Rover]:
        """The same model for the compiled searches."""
        from peephole.planners.kits.belief.search.compiled.model import CompiledModel

        kernels = import_module(f"{__package__}.rocksample_kernels".lstrip("."))

        rock_at = np.full(self.size * self.size, -1)
        for number, (x, y) in enumerate(self.rocks):
            rock_at[y * self.size + x] = number
        places = [(x, y) for y in range(self.size) for x in range(self.size)]
        offered = [self._moves(x, y) + [SAMPLE] * ((x, y) in self._rock_at) for x, y in places]
        rocks = range(len(self.rocks))
        unsampled = [
            [rock for rock in rocks if not mask >> rock & 1] for mask in range(1 << len(self.rocks))
        ]
        data = kernels.MapArrays(
            size=self.size,
            ways=np.array([MOVES[action] for action in sorted(MOVES)]),
            rock_at=rock_at,
            offered=_table(offered, 5),
            offered_count=np.array([len(each) for each in offered]),
            unsampled=_table(unsampled, len(self.rocks)),
            unsampled_count=np.array([len(each) for each in unsampled]),
            rocks=np.array(self.rocks),
            efficiency=self.efficiency,
            upper=self.known_values,
            lower=np.array([10 * self.discount ** (self.size - 1 - x) for x in range(self.size)]),
        )
        return CompiledModel(
            kernels=kernels,
            data=data,
            encode=lambda states: np.array([[*state[:4], *state.tally] for state in states]),
            state_size=4 + len(self.rocks),
            state_type=np.int16,
            max_actions=SENSE + len(self.rocks),
            discount=self.discount,
        )


def _table(rows: list[list[int]], width: int) -> Any:
    """Rows of different lengths as an array."""
    return np.array([[*each, *[0] * (width - len(each))] for each in rows])
