"""The parts to play an episode."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from peephole.adapters.contract import Adapter
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.episode import EpisodeContext
from peephole.models.connection import ModelConnection
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.planners.contract import Brief, Decisions, Grant, Percept, Planner
from peephole.scene_graph.rules import Budgets, Ends, Rules

MakeContext = Callable[..., EpisodeContext]


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
