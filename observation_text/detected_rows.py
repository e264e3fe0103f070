"""The answer of a vision model: rows of things, each with its place and its states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ..scene_graph.node import Relation, State
from .dialects.lookplangraph import node_names

#: The names of relations in LookPlanGraph's graphs.
RELATION_WORDS = {
    Relation.ON: "ontop_of",
    Relation.INSIDE: "inside_of",
    Relation.UNDER: "under",
    Relation.ATTACHED: "attached_to",
}

#: Left, upper, right and lower edge, as shares of the image's width and height.
ImageBox = tuple[float, float, float, float]

#: The most rows read from an answer.
MOST_ROWS = 200
_LONGEST = 100

STATE_WORDS = {
    "open": State.OPEN,
    "closed": State.CLOSED,
    "turned_on": State.ON,
    "turned_off": State.OFF,
}
_ALSO_STATES = {"on": State.ON, "off": State.OFF}
#: Other words of models for relations.
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
    """One row as a model writes it; its fields are checked row by row."""

    model_config = ConfigDict(extra="ignore")

    name: str = Field(max_length=_LONGEST)
    """The name of a thing."""
    relation: str = Field("", max_length=_LONGEST)
    """The relation to its keeper."""
    related_to: str = Field("", max_length=_LONGEST)
    """The name of the keeper."""
    states: str = Field("", max_length=_LONGEST)
    """Its states."""
    box: str = Field("", max_length=_LONGEST)
    """The edges in percent of the image."""

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
    """A row that was understood."""

    category: str
    """In lower case, words separated by blanks."""
    number: int | None
    """None where the model gave none."""
    relation: Relation | None = None
    """None where the model gave none, or an unknown one."""
    related: tuple[str, int | None] | None = None
    """The keeper, as (category, number); None where the model gave none."""
    states: frozenset[State] = frozenset()
    """The known states."""
    box: ImageBox | None = None
    """See `DetectedThing.box`."""


def understood(rows: Rows, dropped: Counter[str]) -> Iterator[Said]:
    """Yield the rows that can be used. dropped: counts the unusable parts."""
    for row in rows.rows:
        category, number = spoken(row.name)
        if not category:
            dropped["name"] += 1
            continue
        word = _word(row.relation)
        relation = _RELATIONS.get(word)
        if relation is None and word not in _NONE:
            dropped["relation"] += 1
        keeper = row.related_to.strip()
        related = None if keeper.lower() in _NONE else spoken(keeper)
        states = frozenset(_states(row.states, dropped))
        yield Said(category, number, relation, related, states, _box(row.box, dropped))


def spoken(name: str) -> tuple[str, int | None]:
    """Category and number of a name in any spelling: "wicker_basket-1", "Apple (2)"."""
    read = node_names.read(name)
    if read is not None:
        return plain(read.stem), read.number
    return plain(name), None


def plain(category: str) -> str:
    """A category in lower case, with single blanks between words and no other marks."""
    return node_names.stem(category).replace("_", " ")


def _box(text: str, dropped: Counter[str]) -> ImageBox | None:
    """The edges of a row, given in percent of the image."""
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
