"""Tokens and money: the usage of replies and the budget of a run."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .config import ModelConfig
from .failures import BudgetUsed


@dataclass(frozen=True)
class Usage:
    """Tokens of replies, as the server counts them. cached: input tokens from its prompt cache."""

    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0

    @classmethod
    def counted(cls, tokens_in: Any, tokens_out: Any, cached: Any) -> Usage:
        """The usage in a reply, which may be anything; what is no number of tokens is 0."""
        return cls(_tokens(tokens_in), _tokens(tokens_out), _tokens(cached))

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.cached + other.cached,
        )

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    def usd(self, config: ModelConfig) -> float:
        """The price in US dollars, by the user's prices."""
        cached = min(self.cached, self.tokens_in)  # some servers do not count these among the input
        price_cached = config.price_in if config.price_cached is None else config.price_cached
        fresh = (self.tokens_in - cached) * config.price_in
        return (fresh + cached * price_cached + self.tokens_out * config.price_out) / 1e6


#: The most tokens of one reply.
_MOST_TOKENS = 10**9


def _tokens(value: Any) -> int:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0
    return int(number) if 0 <= number <= _MOST_TOKENS else 0


def usage_to_data(usage: Usage) -> dict[str, int]:
    return {"in": usage.tokens_in, "out": usage.tokens_out, "cached": usage.cached}


def usage_from_data(data: Mapping[str, Any] | None) -> Usage:
    if data is None:
        return Usage()
    return Usage(int(data["in"]), int(data["out"]), int(data.get("cached", 0)))


class Counter(Protocol):
    """A number that may be shared between processes."""

    value: Any

    def get_lock(self) -> Any: ...


class LocalCounter:
    """A counter of one process."""

    def __init__(self, value: float) -> None:
        self.value = value
        self._lock = threading.Lock()

    def get_lock(self) -> threading.Lock:
        return self._lock


class ModelBudget:
    """The budget of a run and what it has spent, over all its episodes and processes.

    tokens, usd: counters that the run's processes share, by default of this process alone.
    """

    def __init__(
        self, config: ModelConfig, tokens: Counter | None = None, usd: Counter | None = None
    ) -> None:
        self._config = config
        self._tokens = tokens if tokens is not None else LocalCounter(0)
        self._usd = usd if usd is not None else LocalCounter(0.0)

    def add(self, usage: Usage) -> None:
        with self._tokens.get_lock():
            self._tokens.value += usage.tokens
        with self._usd.get_lock():
            self._usd.value += usage.usd(self._config)

    def check(self) -> None:
        """Raise BudgetUsed once the budget is spent."""
        tokens, usd = self._config.budget_tokens, self._config.budget_usd
        if tokens is not None and self._tokens.value >= tokens:
            raise BudgetUsed(
                f"The budget of {tokens} tokens is used up "
                f"({self._tokens.value:.0f} taken); give it more with --model-tokens."
            )
        if usd is not None and self._usd.value >= usd:
            raise BudgetUsed(
                f"The budget of ${usd:g} is used up (${self._usd.value:.4f} taken); "
                f"give it more with --model-money."
            )
