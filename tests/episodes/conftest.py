"""A small house and the parts to play an episode in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from peephole.adapters.contract import Adapter
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.episode import EpisodeContext
from peephole.models.connection import ModelConnection
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.planners.contract import Brief, Decisions, Grant, Percept, Planner
from peephole.scene_graph.goals import And, HasState, Related
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.scene_graph.task import Task

MakeContext = Callable[..., EpisodeContext]


@pytest.fixture
def house() -> SceneGraph:
    """A kitchen with a closed fridge (2) that holds an apple (1), and a table (3) next door.

    The ids are those that whoever does the task below knows the things by: what the instruction
    names comes first, then rooms, then what is seen.
    """
    return SceneGraph(
        [
            Node(4, "kitchen", Kind.ROOM, 4),
            Node(5, "living room", Kind.ROOM, 5),
            Node(6, "character", Kind.AGENT, 6),
            Node(3, "table", Kind.FIXTURE, 3, affordances=frozenset({Affordance.SURFACE})),
            Node(
                2,
                "fridge",
                Kind.FIXTURE,
                2,
                frozenset({State.CLOSED}),
                frozenset({Affordance.OPENABLE, Affordance.CONTAINER}),
            ),
            Node(1, "apple", Kind.OBJECT, 1, affordances=frozenset({Affordance.GRASPABLE})),
        ],
        [
            Edge(6, Relation.INSIDE, 4),
            Edge(3, Relation.INSIDE, 5),
            Edge(2, Relation.INSIDE, 4),
            Edge(1, Relation.INSIDE, 2),
        ],
    )


@pytest.fixture
def task(house: SceneGraph, tmp_path: Path) -> Task:
    """The apple is to be on the table, the fridge closed again."""
    path = tmp_path / "house.json"
    write_graph(house, path)
    goal = And((Related(1, Relation.ON, 3), HasState(2, State.CLOSED)))
    return Task("apple", "Put {1} on {3} and leave {2} closed.", goal, f"json:{path}")


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
            prepared={"menu": "full"},  # as `react` would have settled once for the run
            dialect=DIALECT,
            rules=Rules(ends=ends),
            budgets=budgets or Budgets(),
        )

    return make
