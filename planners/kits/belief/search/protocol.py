"""What a search is given, a generative model, and what it gives back."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from .....errors import BadInput

StateT = TypeVar("StateT")
_PlayedT = TypeVar("_PlayedT", contravariant=True)


class Random(Protocol):
    """A source of numbers, such as `random.Random` or a `Stream`."""

    def random(self) -> float:
        """The next number, in [0, 1)."""


class Transition(NamedTuple):
    """What one action came to. done: nothing can be won or lost any more."""

    state: object
    observation: Hashable
    reward: float
    done: bool


class GenerativeModel(Protocol[_PlayedT]):
    """A world that can be played but need not be written out as probabilities.

    Actions are numbers from 0. States are never changed: a step gives a new one. Where several
    states are given together, they share their history, so the agent cannot tell them apart.
    """

    @property
    def discount(self) -> float:
        """The weight of a reward one step later, in (0, 1]."""

    def step(self, state: _PlayedT, action: int, rng: Random) -> Transition:
        """Play one action; all chance comes from `rng`."""

    def actions(self, states: Sequence[_PlayedT]) -> Sequence[int]:
        """The actions to consider, at least one; the same for every order of the states."""

    def rollout(self, states: Sequence[_PlayedT], rng: Random) -> int:
        """The rollout policy's action: one for all these states, the likelier hypothesis first."""

    def lower_bound(self, state: _PlayedT) -> float:
        """A return that any policy can be sure of from here on; where a rollout is cut off."""

    def upper_bound(self, state: _PlayedT) -> float:
        """A return that no policy exceeds from here on."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search ends, whichever comes first; a search that is given one by simulations alone
    can be repeated.

    simulations: descents through the tree. seconds: wall time; one simulation is made however late
    it is, as there is no decision without any. by_tree: the simulations of each of several trees
    that grow side by side, where they are to be unequal as in an earlier search.
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
        """Whether no time is left after so many seconds."""
        return self.seconds is not None and spent >= self.seconds


@dataclass(frozen=True, slots=True)
class BranchStep:
    """A step of the best branch of a tree.

    probability: that the branch comes so far, by the scenarios. value: the return from here on, as
    the search knows it, discounted to here.
    """

    action: int
    probability: float
    value: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A decision and how it came about.

    value: the return of the best policy found (DESPOT: with the cost of its size; POMCP: the mean).
    upper_bound: what no policy exceeds in these scenarios; None from POMCP. values: of each action
    at the root. simulations: how many there were. steps: simulated steps of the world. particles:
    states in the nodes that were expanded (the tree particles of the C++ DESPOT); 0 from POMCP.
    ended: why the search ended. by_tree: the simulations of each tree where several grew side by
    side.
    """

    action: int
    value: float
    upper_bound: float | None
    values: Mapping[int, float]
    simulations: int
    nodes: int
    particles: int
    steps: int
    seconds: float
    ended: str
    branch: tuple[BranchStep, ...] = ()
    by_tree: tuple[int, ...] = ()

    def limits(self) -> Limits:
        """The limits that, with the same seed, give the same decision again."""
        return Limits(simulations=max(1, self.simulations), by_tree=self.by_tree)


#: Why a search ended.
CLOSED, SIMULATIONS, SECONDS, MEMORY = "bounds met", "simulations", "seconds", "memory"
