"""Tokens and calls of language models, summed from recordings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .contract import AUGMENTATION
from .events import ModelEmbedded, ModelEvent, ModelReplied
from .usage import Usage


@dataclass(frozen=True)
class Spent:
    """The number of replies, embeddings included, and their tokens."""

    calls: int = 0
    """The number of replies."""
    usage: Usage = field(default_factory=Usage)
    """The tokens of all replies."""
    peak_tokens_in: int = 0
    """The most input tokens of one reply."""
    paid: Usage = field(default_factory=Usage)
    """The tokens of all replies but those from the reply cache."""
    from_cache: int = 0
    """The number of replies from the reply cache."""

    def plus(self, event: ModelReplied | ModelEmbedded) -> Spent:
        usage = event.usage
        return Spent(
            self.calls + 1,
            self.usage + usage,
            max(self.peak_tokens_in, usage.tokens_in),
            self.paid if event.from_cache else self.paid + usage,
            self.from_cache + event.from_cache,
        )


@dataclass(frozen=True)
class Spending:
    """The calls of an episode: in total, by purpose ("" for none) and by role."""

    total: Spent
    by_purpose: Mapping[str, Spent]
    by_role: Mapping[str, Spent]


def spent(events: Iterable[ModelEvent]) -> Spending:
    """The calls of recorded events; embeddings have the purpose "embed"."""
    total = Spent()
    by_purpose: dict[str, Spent] = {}
    by_role: dict[str, Spent] = {}
    for event in events:
        if isinstance(event, ModelReplied | ModelEmbedded):
            purpose = event.purpose if isinstance(event, ModelReplied) else "embed"
            total = total.plus(event)
            by_purpose[purpose] = by_purpose.get(purpose, Spent()).plus(event)
            by_role[event.role] = by_role.get(event.role, Spent()).plus(event)
    return Spending(total, by_purpose, by_role)


def planning_tokens(events: Iterable[ModelEvent]) -> int:
    """Tokens of planning: of all questions but those that augment a graph."""
    by_purpose = spent(events).by_purpose
    return sum(part.usage.tokens for name, part in by_purpose.items() if name != AUGMENTATION)
