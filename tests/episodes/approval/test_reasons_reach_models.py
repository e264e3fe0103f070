"""A language model reads why its action was denied, whatever the planner and its dialect."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import peephole
from peephole.episodes.recording import episode_files, read_episode
from peephole.models.events import ModelReplied
from peephole.scene_graph.rules import Budgets
from peephole.scene_graph.task import Task
from peephole.suites.contract import Suite

RULES = "version: 1\nrules:\n- {verbs: [open, pick_up, turn_on], reason: The paint is wet}\n"
#: Planners that ask again after an action failed, of each way to give feedback.
PLANNERS = ("inner_monologue", "llm_state", "progprompt", "react")


@pytest.mark.parametrize("planner", PLANNERS)
def test_a_model_reads_the_reason(task: Task, planner: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(RULES)
    short = replace(task, budgets=Budgets(steps=4))
    suite = Suite("one", "one task", (short,), "symbolic")
    peephole.run(planner, suite, model="scripted", approve=rules, out=tmp_path / "run")
    (path,) = episode_files(tmp_path / "run")
    asked = [e.request for e in read_episode(path) if isinstance(e, ModelReplied) and e.request]
    texts = [str(message) for request in asked for message in request.messages]
    assert any("The paint is wet" in text for text in texts)
