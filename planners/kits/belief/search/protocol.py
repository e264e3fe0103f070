"""The input of a search, a generative model, and its result."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from .....errors import BadInput

StateT = TypeVar("StateT")
_PlayedT = TypeVar("_PlayedT", contravariant=True)


class Random(Protocol):
    """A source of random numbers, such as `random.Random` or a `Stream`."""

    def random(self) -> float:
        """The next number, in [0, 1)."""


class Transition(NamedTuple):
    """The result of one action. done: no further reward is possible."""

    state: object
    observation: Hashable
    reward: float
    done: bool


class GenerativeModel(Protocol[_PlayedT]):
    """A world that can be simulated without explicit probabilities.

    Actions are numbers from 0. States are immutable: a step gives a new one. States that are given
    together share their history, so the agent cannot tell them apart.
    """

    @property
    def discount(self) -> float:
        """The weight of a reward one step later, in (0, 1]."""

    def step(self, state: _PlayedT, action: int, rng: Random) -> Transition:
        """Simulate one action; all randomness comes from `rng`."""

    def actions(self, states: Sequence[_PlayedT]) -> Sequence[int]:
        """The actions to consider, at least one; the same for every order of the states."""

    def rollout(self, states: Sequence[_PlayedT], rng: Random) -> int:
        """The rollout policy's action: one for all these states, the likelier hypothesis first."""

    def lower_bound(self, state: _PlayedT) -> float:
        """A return that some policy guarantees from here; used where a rollout is cut off."""

    def upper_bound(self, state: _PlayedT) -> float:
        """A return that no policy exceeds from here on."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search ends, whichever comes first.

    With simulations alone a search can be repeated. simulations: descents through the tree.
    seconds: wall time; one simulation is made in any case. by_tree: the simulations of each of
    several trees, to repeat a search with unequal shares.
    """

    simulations: int | None = None
    seconds: float | None = None
    by_tree: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.simulations is None and self.seconds is None:
            raise BadInput("A search needs a limit: give simulations, seconds or both.")
        if self.simulations is not None and self.simulations < 1:
            raise BadInput(f"A search needs at least 1 simulation, not {self.simulations}.")
        if self.seconds is not None and not self.seconds > 0:
            raise BadInput(f"A search needs more than 0 seconds, not {self.seconds}.")

    def out_of_time(self, spent: float) -> bool:
        """Whether the time is used up after so many seconds."""
        return self.seconds is not None and spent >= self.seconds


@dataclass(frozen=True, slots=True)
class BranchStep:
    """A step of the best branch of a tree.

    probability: of reaching this step, by the scenarios. value: the return from here, as the search
    knows it, discounted to here.
    """

    action: int
    probability: float
    value: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A decision and how it was made."""

    action: int
    """The action to take."""
    value: float
    """The return of the best policy (DESPOT: with the cost of its size; POMCP: the mean)."""
    upper_bound: float | None
    """No policy exceeds it in these scenarios; None from POMCP."""
    values: Mapping[int, float]
    """The return of each action at the root."""
    simulations: int
    """Descents through the tree."""
    nodes: int
    """Nodes of the tree."""
    particles: int
    """States in expanded nodes (the tree particles of the C++ DESPOT); 0 from POMCP."""
    steps: int
    """Simulated steps of the world."""
    seconds: float
    """Wall time."""
    ended: str
    """Why the search ended."""
    branch: tuple[BranchStep, ...] = ()
    """The best branch of the tree."""
    by_tree: tuple[int, ...] = ()
    """The simulations of each of several trees."""

    def limits(self) -> Limits:
        """The limits that repeat the decision with the same seed."""
        return Limits(simulations=max(1, self.simulations), by_tree=self.by_tree)


#: Why a search ended.
CLOSED, SIMULATIONS, SECONDS, MEMORY = "bounds met", "simulations", "seconds", "memory"
