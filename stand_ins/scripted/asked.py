"""A question to the stand-in as data, the answer to it, and the quality of its guesses.

`--model scripted:p=0.8,q=0.6`: with probability p the proposals have the right combination, with
probability q the right area of an object. Without p they always have. Without q the stand-in does
not know where things lie and guesses by names. With q it gets a table of places. Guesses are drawn
from a seed and the question.
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
from .table import Meaning, Table, meanings_of, plain

#: The settings by their names.
GOAL, PLACE = "p", "q"


@dataclass(frozen=True)
class Chances:
    """The probabilities that the proposals have the right goal, and the right place."""

    goal: float = 1.0
    place: float | None = None


@dataclass(frozen=True)
class Guesses:
    """Chances, and the table of places by instruction and category."""

    chances: Chances = Chances()
    places: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    seed: int = 0

    def draws(self, *what: object) -> random.Random:
        """A random generator for a subject, always the same."""
        return random.Random(":".join(map(str, (self.seed, *what))))

    def places_in(self, instruction: str, category: str) -> Sequence[str]:
        """The categories of the places of things of a category."""
        return self.places.get(plain(instruction), {}).get(category, ())


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
    return {plain(instruction): places for instruction, places in table.items()}


@dataclass(frozen=True)
class Asked:
    """A question: its content, and the knowledge of the episode."""

    about: Mapping[str, Any]
    """Its content (`models.contract.About`)."""
    choices: Mapping[str, Sequence[str]]
    """The permitted values of the answer's fields."""
    episode: Mapping[str, Any]
    """The account of the episode (`planners.kits.account`)."""
    schema: Mapping[str, Any]
    """The JSON schema of the answer."""
    table: Table
    """The goals of instructions."""
    guesses: Guesses = NO_GUESSES
    """The quality of guesses."""
    seed: int | None = None
    """The seed of a sample; None without sampling."""

    @property
    def meanings(self) -> list[Meaning]:
        """All meanings of the instruction, the commonest first."""
        return meanings_of(self.table, self.episode["instruction"])


@dataclass(frozen=True)
class WrittenChoice:
    """A choice, and how it is written.

    menu: the actions on offer in the planner's words; None where they are unknown.
    """

    choice: Choice
    write: Callable[[Choice], str] = lambda choice: choice.action
    menu: Sequence[str] | None = None


def node_name(name: str) -> str:
    """ "coffee_table-1" for "coffee table 1", the name of planners on graphs."""
    kind, _, number = name.rpartition(" ")
    return f"{node_names.stem(kind)}-{number}"


def as_json(data: Any) -> WrittenChoice:
    """An answer in JSON."""
    return WrittenChoice(Choice("", json.dumps(data, ensure_ascii=False)))


def as_text(text: str) -> WrittenChoice:
    """An answer in free text."""
    return WrittenChoice(Choice("", text))
