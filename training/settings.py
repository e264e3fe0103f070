"""The settings that decide the result of a training, besides its data and its base model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Precision(StrEnum):
    """The number format of matrix products; sums and everything else have 32 bits."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of a training."""

    rank: int = 16
    """Rank of the adapters."""
    alpha: float = 32.0
    """Scale of the adapters, divided by the rank."""
    learning_rate: float = 1e-3
    """Highest learning rate of the schedule."""
    epochs: int = 3
    """Number of passes over the data."""
    batch: int = 1
    """Sequences per step."""
    longest: int = 4096
    """Sequences of more tokens are left out."""
    commonplace: float = 1.0
    """Share to keep of routine sequences, which teach nothing rare; see `training.train`."""
    held_out: int = 20
    """One source in N is held out for evaluation."""
    seed: int = 0
    """Seed of the order and of the first weights."""
    precision: Precision = Precision.FLOAT32
    """Number format of matrix products."""
