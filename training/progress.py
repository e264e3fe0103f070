"""The progress of a training, and its result on held-out replies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class HeldOutResult(NamedTuple):
    """The result on held-out replies."""

    loss: float
    exact: float
    """The share of replies that the model says exactly."""
    replies: int
    kinds: Mapping[str, float]
    """The same share by kind of reply."""


class TrainingProgress(NamedTuple):
    """The progress of a training."""

    step: int
    """Steps done."""
    steps: int
    """Steps in all."""
    loss: float
    """Mean loss of the last step."""
    tokens_per_s: float
    """Tokens per second since the training began or continued."""
    seconds_left: float
    """Expected time to the end."""
    evaluation: HeldOutResult | None
    """The newest evaluation, or None."""
