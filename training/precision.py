"""The speed of matrix products on this machine in each precision."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import jax
import jax.numpy as jnp

from .settings import Precision

#: A typical product of SmolLM2-135M: tokens, width, and width of the feed-forward part.
_TOKENS, _WIDTH, _HIDDEN = 512, 576, 1536


def share_of_time() -> float:
    """The time of a product in bfloat16 divided by that in float32. Measuring takes about 0.1 s."""
    return _seconds(Precision.BFLOAT16) / _seconds(Precision.FLOAT32)


def _seconds(precision: Precision) -> float:
    """The median time of a product in seconds."""
    left = jnp.ones((_TOKENS, _WIDTH), precision.value)
    right = jnp.ones((_WIDTH, _HIDDEN), precision.value)

    def product() -> None:
        found = jax.lax.dot(left, right, preferred_element_type=jnp.float32)
        found.block_until_ready()

    product()
    return median(_duration(product) for _ in range(9))


def _duration(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
