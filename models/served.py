"""What endpoints turned out to serve, and how requests to them had to be changed."""

from __future__ import annotations

from collections.abc import Iterable

from .events import ModelEvent, ModelReplied


def served(events: Iterable[ModelEvent]) -> list[str]:
    """A sentence for every role and model that answered in it."""
    found: dict[tuple[str, str], list[ModelReplied]] = {}
    for event in events:
        if isinstance(event, ModelReplied) and not event.withheld:
            found.setdefault((event.role, event.served_model), []).append(event)
    return [_sentence(role, model, replies) for (role, model), replies in found.items()]


def _sentence(role: str, model: str, replies: list[ModelReplied]) -> str:
    fingerprints = sorted({reply.fingerprint for reply in replies} - {""})
    changes = list(dict.fromkeys(change for reply in replies for change in reply.adapted))
    told = f"The model of the role {role} was served as {model or 'a model without a name'}"
    if fingerprints:
        told += f" ({', '.join(fingerprints)})"
    if changes:
        told += f"; what it refused was changed: {', '.join(changes)}"
    if not any(reply.usage.tokens for reply in replies):
        told += "; it told no tokens, so these and their price are unknown"
    return told + "."
