"""One thing that an engine does otherwise than assumed, planted in its stand-in."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A planted fault."""

    name: str
    """Unique among the faults of an engine."""
    sentence: str
    """What the engine then does otherwise."""
    named_by: tuple[str, ...]
    """The checks whose claim says that thing: the fault is named where one of them differs."""
    planted: Callable[[], AbstractContextManager[None]]
    """Within this context, engines that are started have the fault."""
