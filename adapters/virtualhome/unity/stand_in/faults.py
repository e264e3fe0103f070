"""Faults of the stand-in: which calls fail, and how."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from threading import Lock

from .....errors import BadInput, unknown_name


class UnityFault(StrEnum):
    """A fault; it comes before or after the call is done, unless noted."""

    TIMEOUT = "timeout"  # no answer
    HTTP500 = "http500"
    UNCHANGED = "unchanged"  # a script is reported as done, but is not
    STALE = "stale"  # the graph before the last change
    REFUSE = "refuse"  # the connection is closed, and new ones are refused for a moment
    DIE = "die"  # the process ends


_ONLY = {UnityFault.UNCHANGED: "render_script", UnityFault.STALE: "environment_graph"}


@dataclass
class UnityFaults:
    """Random faults of one stand-in.

    rates: the probability of each, among the calls that it applies to. log: a file of all calls
    with their faults. A restarted stand-in continues from it instead of dying at the same call
    forever.
    """

    rates: dict[UnityFault, float] = field(default_factory=dict)
    seed: int = 0
    log: Path | None = None

    def __post_init__(self) -> None:
        self._calls = 0
        self._lock = Lock()

    def draw(self, action: str) -> tuple[UnityFault | None, bool]:
        """The fault of the next call, and whether it comes before the call is done."""
        with self._lock:
            return self._draw(action)

    def _draw(self, action: str) -> tuple[UnityFault | None, bool]:
        if self.log is not None and self.log.exists():
            self._calls = self.log.stat().st_size
        chance = random.Random(f"{self.seed} {self._calls}")
        self._calls += 1
        fault = None
        for kind, rate in self.rates.items():
            if chance.random() < rate and _ONLY.get(kind, action) == action:
                fault = kind
                break
        if self.log is not None:
            with self.log.open("a") as log:
                log.write(f"{action}\t{fault or '-'}\n")
        return fault, chance.random() < 0.5


def parse(text: str) -> dict[UnityFault, float]:
    """The rates in "timeout=0.05,http500=0.1". Raises BadInput."""
    rates = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, rate = part.partition("=")
        if name not in [str(kind) for kind in UnityFault]:
            raise unknown_name("fault", name, map(str, UnityFault))
        try:
            share = float(rate)
        except ValueError:
            share = -1.0
        if not 0.0 <= share <= 1.0:
            raise BadInput(f"The fault '{part}' has no rate; give one from 0 to 1: {name}=0.05.")
        rates[UnityFault(name)] = share
    return rates
