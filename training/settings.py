"""What decides the result of a training besides its data and its base."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Precision(StrEnum):
    """The numbers that matrices are multiplied in; sums and all else have 32 bits."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of a training.

    rank: of the adapters. alpha: by which, over the rank, they count. batch: sequences a step.
    longest: sequences of more tokens are left out. commonplace: the share that is kept of those to
    train on in which neither the first reply, nor one of a rare kind, nor another thought than the
    one before is learnt. held_out: one source in so many is kept for trying the model. precision:
    of products.
    """

    rank: int = 16
    alpha: float = 32.0
    learning_rate: float = 1e-3
    epochs: int = 3
    batch: int = 1
    longest: int = 4096
    commonplace: float = 1.0
    held_out: int = 20
    seed: int = 0
    precision: Precision = Precision.FLOAT32
