"""Tokens and money: the usage of replies and the budget of a run."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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


#: Characters of a token at least, about, in what is expected of a request.
_CHARACTERS_A_TOKEN = 3
#: Tokens that are expected of a reply before there was a longer one.
_SHORT_REPLY = 256
#: What is left of a sum of expected dollars when nothing is on its way.
_NOTHING = 1e-12
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
    """A counter of one process, which also counts what requests on their way may add."""

    def __init__(self, value: float) -> None:
        self.value = value
        self.expected = 0.0
        self.changed = threading.Condition()

    def get_lock(self) -> threading.Condition:
        return self.changed


class ModelBudget:
    """The budget of a run and what it has spent, over all its episodes and processes.

    tokens, usd: counters that the run's processes share, by default of this process alone.

    In one process a request waits while those on their way may use up what is left. So no more is
    spent beyond the budget than if one request were sent after the other. Other processes do not
    know what is on its way here.
    """

    def __init__(
        self, config: ModelConfig, tokens: Counter | None = None, usd: Counter | None = None
    ) -> None:
        self._config = config
        self._tokens = tokens if tokens is not None else LocalCounter(0)
        self._usd = usd if usd is not None else LocalCounter(0.0)
        self._longest_reply = _SHORT_REPLY

    def add(self, usage: Usage) -> None:
        self._longest_reply = max(self._longest_reply, usage.tokens_out)
        with self._tokens.get_lock():
            self._tokens.value += usage.tokens
        with self._usd.get_lock():
            self._usd.value += usage.usd(self._config)

    @contextmanager
    def request(self, characters: int) -> Iterator[None]:
        """Wait until a request may be sent; it is on its way while the context is open.

        characters: of its text. Raises BudgetUsed once the budget is spent.
        """
        expected = Usage(characters // _CHARACTERS_A_TOKEN, self._longest_reply)
        with (
            self._left(self._tokens, self._config.budget_tokens, expected.tokens),
            self._left(self._usd, self._config.budget_usd, expected.usd(self._config)),
        ):
            yield

    @contextmanager
    def _left(self, spent: Counter, budget: float | None, expected: float) -> Iterator[None]:
        """Wait until there is enough left for a request, or nothing else is on its way."""
        if budget is None or not isinstance(spent, LocalCounter):
            self._check()
            yield
            return
        with spent.changed:
            self._check()
            while spent.expected and spent.value + spent.expected + expected > budget:
                spent.changed.wait()
                self._check()
            spent.expected += expected
        try:
            yield
        finally:
            with spent.changed:
                spent.expected -= expected
                if spent.expected < _NOTHING:
                    spent.expected = 0.0
                spent.changed.notify_all()

    def _check(self) -> None:
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
