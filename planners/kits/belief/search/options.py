"""Options of the two searches."""

from __future__ import annotations

from dataclasses import dataclass

from .....errors import BadInput


@dataclass(frozen=True, slots=True)
class DespotOptions:
    """Options of DESPOT; the defaults are those of Tang et al., Tru-POMDP (2025).

    scenarios: futures that are followed. depth: of the tree. rollout: steps of the rollout policy
    from a new node. regularisation: what every node of a policy costs. target_gap: the part of the
    root's gap that is aimed for (the paper's xi).
    """

    scenarios: int = 30
    depth: int = 20
    rollout: int = 10
    regularisation: float = 0.01
    target_gap: float = 0.95

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
    """Options of POMCP.

    depth: steps of a simulation, in the tree and after it. rollout: at most so many of them by the
    rollout policy. exploration: the constant of UCB1, on the scale of returns. random_rollouts:
    roll out with random actions instead of the model's policy.
    """

    depth: int = 20
    rollout: int = 20
    exploration: float = 1.0
    random_rollouts: bool = False

    def __post_init__(self) -> None:
        if self.depth < 1 or self.rollout < 0 or not self.exploration >= 0:
            raise BadInput(
                "POMCP needs a depth of at least 1, rollouts of 0 steps and an exploration from 0; "
                f"given are {self.depth}, {self.rollout} and {self.exploration}."
            )
