"""What a vision model's answer may be: rows of things, each with where it is and its states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ....observation_text.dialects.lookplangraph import node_names
from ....scene_graph.node import Relation, State
from .detection import RELATION_WORDS, ImageBox

#: Rows that are read of an answer; a picture with more is none.
MOST_ROWS = 200
_LONGEST = 100

STATE_WORDS = {
    "open": State.OPEN,
    "closed": State.CLOSED,
    "turned_on": State.ON,
    "turned_off": State.OFF,
}
_ALSO_STATES = {"on": State.ON, "off": State.OFF}
#: Other ways to say a relation that models have.
_ALSO_RELATIONS = {
    "on": Relation.ON,
    "on_top": Relation.ON,
    "ontop": Relation.ON,
    "on_top_of": Relation.ON,
    "in": Relation.INSIDE,
    "inside": Relation.INSIDE,
    "in_side_of": Relation.INSIDE,
    "attached": Relation.ATTACHED,
}
_RELATIONS = {word: relation for relation, word in RELATION_WORDS.items()} | _ALSO_RELATIONS
_NONE = ("", "none", "null", "unknown")


class Row(BaseModel):
    """One row as a model writes it; what it may say in its fields is checked row by row."""

    model_config = ConfigDict(extra="ignore")

    name: str = Field(max_length=_LONGEST)
    relation: str = Field("", max_length=_LONGEST)
    related_to: str = Field("", max_length=_LONGEST)
    states: str = Field("", max_length=_LONGEST)
    box: str = Field("", max_length=_LONGEST)

    @field_validator("relation", "related_to", "states", "box", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        if value is None:
            return ""
        if isinstance(value, list):
            return ", ".join(str(each) for each in value)
        return value


class Rows(BaseModel):
    """The answer of the second stage."""

    rows: list[Row] = Field(max_length=MOST_ROWS)


@dataclass(frozen=True)
class Said:
    """A row that was understood.

    category: with blanks, in lower case. number: None where the model gave none. related: what the
    thing is on or in, as (category, number), None where it does not say. box: as of `Found`.
    """

    category: str
    number: int | None
    relation: Relation | None = None
    related: tuple[str, int | None] | None = None
    states: frozenset[State] = frozenset()
    box: ImageBox | None = None


def understood(rows: Rows, dropped: Counter[str]) -> Iterator[Said]:
    """The rows that say something. dropped: what of them cannot be used is counted there."""
    for row in rows.rows:
        category, number = spoken(row.name)
        if not category:
            dropped["name"] += 1
            continue
        word = _word(row.relation)
        relation = _RELATIONS.get(word)
        if relation is None and word not in _NONE:
            dropped["relation"] += 1
        told = row.related_to.strip()
        related = None if told.lower() in _NONE else spoken(told)
        states = frozenset(_states(row.states, dropped))
        yield Said(category, number, relation, related, states, _box(row.box, dropped))


def spoken(name: str) -> tuple[str, int | None]:
    """Category and number of a name however it is written: "wicker_basket-1", "Apple (2)"."""
    read = node_names.read(name)
    if read is not None:
        return plain(read.stem), read.number
    return plain(name), None


def plain(category: str) -> str:
    """A category in lower case with blanks between its words and no other marks."""
    return node_names.stem(category).replace("_", " ")


def _box(text: str, dropped: Counter[str]) -> ImageBox | None:
    """The edges that a row gives in percent of the image."""
    if _word(text) in _NONE:
        return None
    try:
        left, upper, right, lower = (float(part) / 100 for part in text.strip("[] ").split(","))
    except ValueError:
        left = upper = right = lower = -1.0
    if not (0 <= left < right <= 1 and 0 <= upper < lower <= 1):
        dropped["box"] += 1
        return None
    return left, upper, right, lower


def _states(text: str, dropped: Counter[str]) -> Iterator[State]:
    for part in text.split(","):
        word = _word(part)
        state = STATE_WORDS.get(word) or _ALSO_STATES.get(word)
        if state is not None:
            yield state
        elif word not in _NONE:
            dropped["state"] += 1


def _word(text: str) -> str:
    return "_".join(text.lower().replace("-", " ").replace("_", " ").split())
