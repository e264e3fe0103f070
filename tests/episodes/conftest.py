"""A small house and the parts to play an episode in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from peephole.adapters.contract import Adapter
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.episode import EpisodeContext
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.planners.contract import Brief, Decisions, Grant, Percept, Planner
from peephole.planners.llm.connection import ModelConnection
from peephole.scene_graph.goals import And, HasState, Related
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.scene_graph.task import Task

MakeContext = Callable[..., EpisodeContext]


@pytest.fixture
def house() -> SceneGraph:
    """A kitchen with a closed fridge (5) that holds an apple (6), and a table (4) next door."""
    return SceneGraph(
        [
            Node(1, "kitchen", Kind.ROOM, 1),
            Node(2, "living room", Kind.ROOM, 2),
            Node(3, "character", Kind.AGENT, 3),
            Node(4, "table", Kind.FIXTURE, 4, affordances=frozenset({Affordance.SURFACE})),
            Node(
                5,
                "fridge",
                Kind.FIXTURE,
                5,
                frozenset({State.CLOSED}),
                frozenset({Affordance.OPENABLE, Affordance.CONTAINER}),
            ),
            Node(6, "apple", Kind.OBJECT, 6, affordances=frozenset({Affordance.GRASPABLE})),
        ],
        [
            Edge(3, Relation.INSIDE, 1),
            Edge(4, Relation.INSIDE, 2),
            Edge(5, Relation.INSIDE, 1),
            Edge(6, Relation.INSIDE, 5),
        ],
    )


@pytest.fixture
def task(house: SceneGraph, tmp_path: Path) -> Task:
    """The apple is to be on the table, the fridge closed again."""
    path = tmp_path / "house.json"
    write_graph(house, path)
    goal = And((Related(6, Relation.ON, 4), HasState(5, State.CLOSED)))
    return Task("apple", "Put {6} on {4} and leave {5} closed.", goal, f"json:{path}")


@pytest.fixture
def make_context() -> MakeContext:
    def make(
        plan: Callable[[Brief, Percept], Decisions],
        *,
        adapter: Adapter | None = None,
        grants: frozenset[Grant] = frozenset(),
        ends: Ends = Ends.GOAL_REACHED,
        budgets: Budgets | None = None,
        model: ModelConnection | None = None,
    ) -> EpisodeContext:
        return EpisodeContext(
            adapter=adapter or SymbolicAdapter(),
            planner=Planner(
                "scripted",
                "follows a script",
                plan,
                grants,
                models=("planner",) if model is not None else (),
            ),
            models={} if model is None else {"planner": model},
            dialect=DIALECT,
            rules=Rules(ends=ends),
            budgets=budgets or Budgets(),
        )

    return make
