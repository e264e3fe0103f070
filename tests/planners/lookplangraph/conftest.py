"""Episodes of `lookplangraph` in a small house."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import Environment
from peephole.models.config import ModelConfig, ModelEndpoint
from peephole.models.connection import ModelConnection
from peephole.observation_text.dialects.lookplangraph.dialect import DIALECT
from peephole.observation_text.view import Visibility
from peephole.planners.contract import Act, Done, GiveUp
from peephole.planners.lookplangraph.planner import PLANNER, Options
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.rules import Ends, Rules
from peephole.scene_graph.task import Task

from .episodes import ONE_HAND, Eyes, Play, Played, call, house


@pytest.fixture
def play(endpoint: Any, tmp_path: Any) -> Iterator[Play]:
    """Plays with these replies in a world whose map may be stale."""
    where, numbers = ModelEndpoint(endpoint.url, "stand-in"), count()
    with ModelConnection(ModelConfig("stand-in"), where) as connection:

        def played(
            *replies: str,
            moved: Callable[[SceneGraph], None] = lambda graph: None,
            visibility: Visibility = Visibility.NEAR,
            eyes: Eyes | None = None,
            **options: Any,
        ) -> Played:
            left = list(replies)
            endpoint.text = lambda body: left.pop(0) if left else call("done")
            mapped, true = house(), house()
            moved(true)
            number = next(numbers)  # scenes are read once a file
            files = [tmp_path / f"{name}_{number}.json" for name in ("world", "map")]
            write_graph(true, files[0])
            write_graph(mapped, files[1])
            adapter = SymbolicAdapter()
            adapter.spec = replace(adapter.spec, embodiment=ONE_HAND, visibility=visibility)
            task = Task(
                "task",
                "Bring the apple.",
                And(()),
                f"json:{files[0]}",
                map=f"json:{files[1]}",
            )
            rules = Rules(ends=Ends.PLANNER_DONE)
            grants = PLANNER.granted_by(Options(**options)).grants
            environment = Environment(adapter, task, DIALECT, rules=rules, grants=grants)
            percept = environment.reset()
            brief = replace(
                environment.brief(),
                models={
                    "planner": connection.for_episode("planner", lambda event: None),
                    "vision": eyes,  # type: ignore[dict-item]
                },
                options=Options(**options),
            )
            plan = PLANNER.plan(brief, percept)
            found = [next(plan)]
            while not isinstance(found[-1], Done | GiveUp):
                if isinstance(found[-1], Act):
                    percept = environment.step(found[-1].action)
                found.append(plan.send(percept))
            return Played(found, endpoint.requests, adapter.graph())

        yield played
