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

from ...errors import BadInput
from ..rates import read_rates
from .competence import ERRORS, MISTAKES

#: Of an HTTP call: one at most.
HTTP = ("http429", "http500")
#: Of a reply: one at most.
REPLY = ("malformed", *MISTAKES, "empty", "truncated")
KINDS = (*REPLY, "slow", *HTTP)
#: One rate spread evenly over what a less able model gets wrong.
ALL_ERRORS = "errors"
_SPREAD = ("malformed", *ERRORS)


def parse_rates(text: str) -> dict[str, float]:
    """The rates of "malformed=0.1,slow=0.05". Raises BadInput.

    "errors=0.2" stands for 0.04 of each error of a model, besides those that are given.
    """
    rates = read_rates(text, (*KINDS, ALL_ERRORS), "The rate of the fault", "fault")
    if ALL_ERRORS in rates:
        each = rates.pop(ALL_ERRORS) / len(_SPREAD)
        rates = {**dict.fromkeys(_SPREAD, each), **rates}
    for group in (HTTP, REPLY):
        if sum(rates.get(name, 0.0) for name in group) > 1.0 + 1e-9:
            raise BadInput(
                f"The rates of {', '.join(group)} exclude each other and sum to more than 1; "
                f"lower them."
            )
    return rates


@dataclass(frozen=True)
class DrawnFault:
    """What goes wrong with one request: an HTTP status (0: none), a delay, a fault of the reply.

    seed: of what the fault is in particular.
    """

    status: int = 0
    slow: bool = False
    reply: str = ""
    seed: str = field(default="", compare=False)


NO_FAULT = DrawnFault()


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
        seed = f"{self.seed}:{digest}:{attempt}"
        chance = random.Random(seed)
        http = self._one(HTTP, chance)
        slow = chance.random() < self.rates.get("slow", 0.0)
        reply = self._one(REPLY, chance)
        return DrawnFault(int(http.removeprefix("http") or 0), slow, reply, f"{seed}:{reply}")

    def _one(self, kinds: Sequence[str], chance: random.Random) -> str:
        """One of some faults, or none."""
        left = chance.random()
        for kind in kinds:
            left -= self.rates.get(kind, 0.0)
            if left < 0.0:
                return kind
        return ""
