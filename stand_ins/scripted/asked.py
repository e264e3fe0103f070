"""A question as the stand-in gets it, as data, and the answer to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .guesses import NO_GUESSES, Guesses
from .home.memory import Choice
from .table import Meaning, Table, meanings_of


@dataclass(frozen=True)
class Asked:
    """A question: its kind, what it is about, and what is known of the episode."""

    kind: str
    about: Mapping[str, Any]
    choices: Mapping[str, Sequence[str]]
    """What fields of the answer may say."""
    episode: Mapping[str, Any]
    """The account of the episode (`planners.account`)."""
    schema: Mapping[str, Any]
    table: Table
    guesses: Guesses = NO_GUESSES
    seed: int | None = None
    """Of a sample; None where chance has no part in it."""

    @property
    def meanings(self) -> list[Meaning]:
        """All that the instruction may ask for, the commonest first."""
        return meanings_of(self.table, self.episode["instruction"])


def _as_it_is(choice: Choice) -> str:
    return choice.action


@dataclass(frozen=True)
class Answer:
    """What is chosen, and how it is written.

    options: the actions on offer in the words of the planner, None where nothing says so.
    """

    choice: Choice
    write: Callable[[Choice], str] = field(default=_as_it_is)
    options: Sequence[str] | None = None


def as_json(data: Any) -> Answer:
    """An answer that is JSON data."""
    return Answer(Choice("", json.dumps(data, ensure_ascii=False)))


def as_text(text: str) -> Answer:
    """An answer that is free text."""
    return Answer(Choice("", text))
