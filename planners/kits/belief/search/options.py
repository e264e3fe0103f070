"""Options of the two searches."""

from __future__ import annotations

from dataclasses import dataclass

from .....errors import BadInput


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
