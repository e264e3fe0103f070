"""What planners are said to be able to play is what a run lets them play."""

from __future__ import annotations

import pytest

from peephole import plugins
from peephole.episodes.compatibility import playable
from peephole.episodes.resolve import resolve
from peephole.episodes.run_file import RunConfig
from peephole.errors import BadInput, Missing
from peephole.models.config import ModelConfig
from peephole.planners.registry import load_planner
from peephole.suites.registry import suite_names


def admitted(planner: str, suite: str, adapter: str = "") -> bool | None:
    """Whether a run of a planner gets as far as its first episode; None where things lack."""
    models = {"planner": ModelConfig(name="scripted")} if load_planner(planner).models else {}
    config = RunConfig(suite=suite, planner=planner, adapter=adapter, models=models)
    try:
        run = resolve(config, "1")
    except Missing:
        return None
    except BadInput:
        return False
    run.adapter.close()
    return True


@pytest.mark.parametrize("planner", plugins.names("planner"))
def test_just_those_runs_are_admitted_that_are_told_of(planner):
    plays = playable([planner])[planner]
    for suite in suite_names():
        assert admitted(planner, suite) in (suite in plays.suites, None), suite
    for adapter in plugins.names("adapter"):
        assert admitted(planner, "houses", adapter) in (adapter in plays.adapters, None), adapter
    assert admitted(planner, "blocks") is ("blocks" in plays.suites)
    assert admitted(planner, "houses") is ("houses" in plays.suites)
