"""How a training stands, and what held-out replies come to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class HeldOutResult(NamedTuple):
    """What held-out replies came to. exact: the share said exactly right, of all and each kind."""

    loss: float
    exact: float
    replies: int
    kinds: Mapping[str, float]


class TrainingProgress(NamedTuple):
    """How a training stands. evaluation: the newest, None where there was none yet."""

    step: int
    steps: int
    loss: float
    tokens_per_s: float
    seconds_left: float
    evaluation: HeldOutResult | None
