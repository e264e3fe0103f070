"""A kitchen to look at, and a model that says what a test lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from peephole.models.contract import NoAnswer
from peephole.observation_text.names import Names
from peephole.observation_text.view import Visibility, visible
from peephole.planners.contract import Percept
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State

from ....table_room import ROOM, TABLE, table_room

FRIDGE, BOX, BOWL, APPLE, PEAR, MILK, COIN = range(4, 11)
GRASP = frozenset({Affordance.GRASPABLE})


class ListedModel:
    """A model with listed replies, given in order: texts for `complete`, data for `answer`."""

    name = "listed"

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[Sequence[Mapping[str, Any]], str]] = []

    def complete(self, messages: Sequence[Mapping[str, Any]], **sampling: Any) -> str:
        return str(self._next(messages, sampling))

    def answer(
        self, messages: Sequence[Mapping[str, Any]], shape: Any, choices: Any = None, **more: Any
    ) -> Any:
        return shape.model_validate(self._next(messages, more))

    def _next(self, messages: Sequence[Mapping[str, Any]], sampling: Mapping[str, Any]) -> Any:
        self.asked.append((messages, sampling["purpose"]))
        reply = self.replies.pop(0)
        if isinstance(reply, NoAnswer):
            raise reply
        return reply


@pytest.fixture
def kitchen() -> SceneGraph:
    """The agent at a table with a bowl, two apples (one in the bowl), a closed box with a coin."""
    surface, container = frozenset({Affordance.SURFACE}), frozenset({Affordance.CONTAINER})
    return table_room(
        [
            Node(FRIDGE, "fridge", Kind.FIXTURE, FRIDGE, affordances=container),
            Node(BOX, "box", Kind.OBJECT, BOX, frozenset({State.CLOSED}), container | GRASP),
            Node(BOWL, "fruit bowl", Kind.OBJECT, BOWL, affordances=container | GRASP),
            Node(APPLE, "apple", Kind.OBJECT, APPLE, affordances=GRASP),
            Node(PEAR, "apple", Kind.OBJECT, PEAR, affordances=GRASP),
            Node(MILK, "milk", Kind.OBJECT, MILK, affordances=GRASP),
            Node(COIN, "coin", Kind.OBJECT, COIN, affordances=GRASP),
        ],
        [
            Edge(FRIDGE, Relation.INSIDE, ROOM),
            Edge(BOX, Relation.ON, TABLE),
            Edge(BOWL, Relation.ON, TABLE),
            Edge(APPLE, Relation.INSIDE, BOWL),
            Edge(PEAR, Relation.ON, TABLE),
            Edge(MILK, Relation.INSIDE, FRIDGE),
            Edge(COIN, Relation.INSIDE, BOX),
        ],
        surface,
    )


@pytest.fixture
def percept_of() -> Callable[..., Percept]:
    """The percept of a world; image: what the camera gives."""

    def make(truth: SceneGraph, image: Any = None) -> Percept:
        view = visible(truth, Visibility.NEAR)
        names = Names(view.graph.nodes())
        return Percept("", view, {i: names(i) for i in names.numbers}, 0, image=lambda: image)

    return make


@pytest.fixture
def picture() -> Any:
    return np.full((4, 6, 3), 200, np.uint8)
