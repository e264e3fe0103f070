"""The options and limits of searches, and their results."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from .....errors import BadInput

StateT = TypeVar("StateT")


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


@dataclass(frozen=True, slots=True)
class DespotOptions:
    """Options of DESPOT; the defaults are those of Tang et al., Tru-POMDP (2025)."""

    scenarios: int = 30
    """Futures that are followed."""
    depth: int = 20
    """Steps of the tree."""
    rollout: int = 10
    """Steps of the rollout policy from a new node."""
    regularisation: float = 0.01
    """The cost of every node of a policy."""
    target_gap: float = 0.95
    """The part of the root's gap that is aimed for (the paper's xi)."""

    def __post_init__(self) -> None:
        if self.scenarios < 1 or self.depth < 1 or self.rollout < 0:
            raise BadInput(
                "DESPOT needs at least 1 scenario, depth 1 and rollouts of 0 steps; "
                f"given are {self.scenarios}, {self.depth} and {self.rollout}."
            )
        if not (self.regularisation >= 0 and 0 < self.target_gap < 1):
            raise BadInput(
                "DESPOT needs a regularisation from 0 and a target gap between 0 and 1; "
                f"given are {self.regularisation} and {self.target_gap}."
            )


@dataclass(frozen=True, slots=True)
class PomcpOptions:
    """Options of POMCP."""

    depth: int = 20
    """Steps of a simulation, in the tree and after it."""
    rollout: int = 20
    """The most steps by the rollout policy."""
    exploration: float = 1.0
    """The constant of UCB1, on the scale of returns."""
    random_rollouts: bool = False
    """Roll out with random actions instead of the model's policy."""

    def __post_init__(self) -> None:
        if self.depth < 1 or self.rollout < 0 or not self.exploration >= 0:
            raise BadInput(
                "POMCP needs a depth of at least 1, rollouts of 0 steps and an exploration from 0; "
                f"given are {self.depth}, {self.rollout} and {self.exploration}."
            )


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
