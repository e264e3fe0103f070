"""POMDPs given as tables, such as tiger."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from peephole.errors import BadInput
from peephole.planners.kits.belief.search.particles import ParticleBelief
from peephole.planners.kits.belief.search.protocol import Random, Transition

if TYPE_CHECKING:
    from peephole.planners.kits.belief.search.compiled.model import CompiledModel

#: The tolerance of the sum of a row, which is 1.
_ROUNDING = 1e-9
#: Value iteration ends when no value changes by more.
_PRECISION = 1e-10


def _drawn(sums: Sequence[float], number: float) -> int:
    """The first index whose running sum exceeds a number in [0, 1); else the last."""
    return min(bisect_right(sums, number), len(sums) - 1)


class Tabular:
    """A POMDP of numbered states, actions and observations.

    The upper bound is the value of the same problem with visible states. The lower bound is that of
    the best single action repeated forever, which is also the rollout policy.
    """

    def __init__(
        self,
        transitions: Any,
        observations: Any,
        rewards: Any,
        *,
        discount: float,
        terminal: Sequence[int] = (),
        random_rollouts: bool = False,
    ) -> None:
        """transitions: by action, state and next state.

        observations: by action, next state and observation. rewards: by action and state. terminal:
        states without further rewards.
        """
        self.transitions = _distributions("transitions", transitions)
        self.observations = _distributions("observations", observations)
        self.rewards = np.asarray(rewards, float)
        actions, states = self.rewards.shape
        if self.transitions.shape != (actions, states, states) or self.observations.shape[:2] != (
            actions,
            states,
        ):
            raise BadInput(
                "The tables of a POMDP do not have the same numbers of states and actions."
            )
        if not 0 < discount < 1:
            raise BadInput(f"The discount of a POMDP is between 0 and 1, not {discount}.")
        self.discount = discount
        self.ends = np.zeros(states, bool)
        self.ends[list(terminal)] = True
        self.random_rollouts = random_rollouts
        self.next_sums = np.cumsum(self.transitions, axis=2)
        self.observation_sums = np.cumsum(self.observations, axis=2)
        self._next_rows = self.next_sums.tolist()
        self._observation_rows = self.observation_sums.tolist()

    def step(self, state: int, action: int, rng: Random) -> Transition:
        """Simulate one action: first the next state is drawn, then the observation."""
        following = _drawn(self._next_rows[action][state], rng.random())
        observation = _drawn(self._observation_rows[action][following], rng.random())
        reward = float(self.rewards[action, state])
        return Transition(following, observation, reward, bool(self.ends[following]))

    def actions(self, states: Sequence[int]) -> Sequence[int]:
        """All actions."""
        return range(len(self.rewards))

    def rollout(self, states: Sequence[int], rng: Random) -> int:
        """The best single action, or any where rollouts are random."""
        if self.random_rollouts:
            return int(rng.random() * len(self.rewards))
        return self.blind[0]

    def lower_bound(self, state: int) -> float:
        """The value of the best single action repeated forever."""
        return float(self.blind[1][state])

    def upper_bound(self, state: int) -> float:
        """The value with visible states."""
        return float(self.visible_values[state])

    def likelihood(self, observation: Any, state: int, action: int) -> float:
        """The probability of an observation, given the resulting state and the action."""
        return float(self.observations[action, state, observation])

    @cached_property
    def visible_values(self) -> Any:
        """The optimal values of visible states."""
        values = np.zeros(len(self.ends))
        while True:
            following = np.where(self.ends, 0.0, values)
            better = (self.rewards + self.discount * self.transitions @ following).max(axis=0)
            if np.abs(better - values).max() < _PRECISION:
                # What value iteration has left out is added, so that this is a bound.
                return better + _PRECISION * self.discount / (1 - self.discount)
            values = better

    @cached_property
    def blind(self) -> tuple[int, Any]:
        """The action with the highest worst value when it is repeated forever, and its values."""
        identity = np.eye(len(self.ends))
        values = []
        for action, table in enumerate(self.transitions):
            going_on = np.where(self.ends, 0.0, table)
            values.append(
                np.linalg.solve(identity - self.discount * going_on, self.rewards[action])
            )
        best = max(range(len(values)), key=lambda action: float(values[action].min()))
        return best, values[best]

    def compiled(self) -> CompiledModel[int]:
        """The same model for the compiled searches."""
        from peephole.planners.kits.belief.search.compiled.model import CompiledModel

        kernels = import_module(f"{__package__}.tabular_kernels".lstrip("."))

        data = kernels.TableArrays(
            next_sums=self.next_sums,
            observation_sums=self.observation_sums,
            rewards=self.rewards,
            ends=self.ends,
            upper=self.visible_values,
            lower=self.blind[1],
            blind=-1 if self.random_rollouts else self.blind[0],
        )
        return CompiledModel(
            kernels=kernels,
            data=data,
            encode=lambda states: np.array(states, np.int16).reshape(-1, 1),
            state_size=1,
            state_type=np.int16,
            max_actions=len(self.rewards),
            discount=self.discount,
        )


def _distributions(name: str, table: Any) -> Any:
    """A table as an array. Raises BadInput where a row is no distribution."""
    array = np.asarray(table, float)
    sums = array.sum(axis=-1)
    if array.ndim != 3 or (array < 0).any() or not np.allclose(sums, 1, rtol=0, atol=_ROUNDING):
        raise BadInput(f"Every row of the table of {name} has to be a distribution that sums to 1.")
    return array


#: Tiger's states and actions.
TIGER_LEFT, TIGER_RIGHT = 0, 1
OPEN_LEFT, OPEN_RIGHT, LISTEN = 0, 1, 2


def tiger(discount: float = 0.95, accuracy: float = 0.85) -> Tabular:
    """A tiger is behind one of two doors; listening is right with some probability.

    After Kaelbling, Littman and Cassandra, Planning and acting in partially observable stochastic
    domains (1998). After a door is opened, the tiger's place is drawn again.
    """
    reset, same = np.full((2, 2), 0.5), np.eye(2)
    heard = np.array([[accuracy, 1 - accuracy], [1 - accuracy, accuracy]])
    return Tabular(
        transitions=[reset, reset, same],
        observations=[reset, reset, heard],
        rewards=[[-100, 10], [10, -100], [-1, -1]],
        discount=discount,
    )


def tiger_belief() -> ParticleBelief[int]:
    """The initial belief about the tiger."""
    return ParticleBelief([TIGER_LEFT, TIGER_RIGHT])
