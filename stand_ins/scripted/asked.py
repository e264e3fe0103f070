"""A question as the stand-in gets it, as data, the answer to it, and how good its guesses are.

`--model scripted:p=0.8,q=0.6`: with probability p the right combination is among those that it
proposes, with probability q the right area of an object. Without p it always is. Without q the
stand-in does not know where anything lies and guesses by the words of names; with q it is given a
table of that. Drawn from a seed and the question.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...observation_text.dialects.lookplangraph import node_names
from ..rates import read_rates
from .home.memory import Choice
from .table import Meaning, Table, meanings_of

#: The settings by their names.
GOAL, PLACE = "p", "q"


@dataclass(frozen=True)
class Chances:
    """How probable it is that a goal, and the place of an object, is among what is proposed."""

    goal: float = 1.0
    place: float | None = None


@dataclass(frozen=True)
class Guesses:
    """Chances, and what is guessed: places by instruction and category."""

    chances: Chances = Chances()
    places: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    seed: int = 0

    def draws(self, *what: object) -> random.Random:
        """Chance about something, always the same."""
        return random.Random(":".join(map(str, (self.seed, *what))))

    def places_in(self, instruction: str, category: str) -> Sequence[str]:
        """The categories of the places where things of a category lie."""
        return self.places.get(_plain(instruction), {}).get(category, ())


NO_GUESSES = Guesses()


def parse_chances(argument: str) -> tuple[Chances, str]:
    """The chances in an argument, and the rest of it. Raises BadInput."""
    parts = [part.strip() for part in argument.split(",") if part.strip()]
    own = [part for part in parts if part.partition("=")[0] in (GOAL, PLACE)]
    values = read_rates(",".join(own), (GOAL, PLACE), "The chance", "chance")
    rest = ",".join(part for part in parts if part not in own)
    return Chances(values.get(GOAL, 1.0), values.get(PLACE)), rest


def places_of(table: Mapping[str, Any]) -> dict[str, Mapping[str, Sequence[str]]]:
    """The places of a table by the instruction in plain words."""
    return {_plain(instruction): places for instruction, places in table.items()}


def _plain(instruction: str) -> str:
    return " ".join(instruction.split()).lower()


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


def node_name(name: str) -> str:
    """ "coffee_table-1" of "coffee table 1", as planners on graphs have it."""
    kind, _, number = name.rpartition(" ")
    return f"{node_names.stem(kind)}-{number}"


def as_json(data: Any) -> Answer:
    """An answer that is JSON data."""
    return Answer(Choice("", json.dumps(data, ensure_ascii=False)))


def as_text(text: str) -> Answer:
    """An answer that is free text."""
    return Answer(Choice("", text))
