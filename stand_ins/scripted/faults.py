"""Faults on purpose: what real endpoints and models do wrong, at rates one can set.

Drawn from a seed, the messages and how often these were asked before, so that a run comes out the
same again, while asking once more may succeed.
"""

from __future__ import annotations

import hashlib
import json
import random
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import BadInput, unknown_name

#: Of an HTTP call: one at most.
HTTP = ("http429", "http500")
#: Of a reply's text: one at most.
REPLY = ("malformed", "illegal", "empty", "truncated")
KINDS = (*REPLY, "slow", *HTTP)


def parse_rates(text: str) -> dict[str, float]:
    """The rates of "malformed=0.1,slow=0.05". Raises BadInput."""
    rates: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        if name not in KINDS:
            raise unknown_name("fault", name, KINDS)
        try:
            rate = float(value)
        except ValueError:
            rate = -1.0
        if not 0.0 <= rate <= 1.0:
            raise BadInput(f"The rate of the fault {name} is '{value}'; give a number from 0 to 1.")
        rates[name] = rate
    for group in (HTTP, REPLY):
        if sum(rates.get(name, 0.0) for name in group) > 1.0 + 1e-9:
            raise BadInput(
                f"The rates of {', '.join(group)} exclude each other and sum to more than 1; "
                f"lower them."
            )
    return rates


@dataclass(frozen=True)
class DrawnFault:
    """What goes wrong with one request: an HTTP status (0: none), a delay, a fault of the reply."""

    status: int = 0
    slow: bool = False
    reply: str = ""


@dataclass
class ReplyFaults:
    """The faults of one server. Threads may draw at once."""

    rates: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def draw(self, messages: Sequence[Mapping[str, Any]]) -> DrawnFault:
        """What goes wrong this time."""
        text = json.dumps(list(messages), sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()
        with self._lock:
            attempt = self._asked[digest]
            self._asked[digest] += 1
        chance = random.Random(f"{self.seed}:{digest}:{attempt}")
        http = self._one(HTTP, chance)
        slow = chance.random() < self.rates.get("slow", 0.0)
        return DrawnFault(int(http.removeprefix("http") or 0), slow, self._one(REPLY, chance))

    def _one(self, kinds: Sequence[str], chance: random.Random) -> str:
        """One of some faults, or none."""
        left = chance.random()
        for kind in kinds:
            left -= self.rates.get(kind, 0.0)
            if left < 0.0:
                return kind
        return ""
