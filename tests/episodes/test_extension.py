"""`--resume --tasks`, and what a run says that it was made with."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import peephole
from peephole.episodes.extension import extend, extended_config
from peephole.episodes.provenance import tasks_digest
from peephole.episodes.recording import episode_files, read_events, run_lock, without_times
from peephole.episodes.resolve import resolve
from peephole.episodes.run_file import read_run
from peephole.errors import BadInput
from peephole.planners.contract import Act, Brief, Decisions, Percept, Planner
from peephole.scene_graph.rules import Budgets
from peephole.scene_graph.task import Task
from peephole.suites.contract import Suite


def look(brief: Brief, percept: Percept) -> Decisions:
    yield Act("look around")


LOOK = Planner("look", "looks around", look)


@pytest.fixture
def suite(task: Task) -> Suite:
    tasks = tuple(replace(task, id=f"apple/{number}") for number in range(5))
    return Suite("apples", "one task, often", tasks, "symbolic", budgets=Budgets(steps=2))


def episodes(folder: Path) -> dict[str, list[dict[str, Any]]]:
    return {file.name: without_times(read_events(file)) for file in episode_files(folder)}


def test_an_extended_run_equals_one_that_was_so_long_from_the_start(tmp_path, suite):
    peephole.run(LOOK, suite, tasks=2, out=tmp_path / "grown")
    grown = peephole.resume(tmp_path / "grown", tasks=4, planner=LOOK, suite=suite)
    peephole.run(LOOK, suite, tasks=4, out=tmp_path / "whole")
    assert len(grown.results) == 4
    assert episodes(tmp_path / "grown") == episodes(tmp_path / "whole")
    contents = [read_run(tmp_path / name) for name in ("grown", "whole")]
    assert contents[0].provenance == contents[1].provenance
    assert contents[0].config == replace(contents[1].config, extended=(2,))


def test_episodes_keep_their_numbers_and_seeds(tmp_path, suite):
    peephole.run(LOOK, suite, tasks=["apple/3", "apple/1"], repeats=2, seed=7, out=tmp_path / "run")
    before = episodes(tmp_path / "run")
    wanted = ["apple/3", "apple/1", "apple/0"]
    peephole.resume(tmp_path / "run", tasks=wanted, planner=LOOK, suite=suite)
    after = episodes(tmp_path / "run")
    assert before.items() <= after.items()
    planned = read_run(tmp_path / "run").config.episodes
    assert [(e.number, e.task, e.seed) for e in planned[4:]] == [
        (5, "apple/0", 7),
        (6, "apple/0", 8),
    ]
    again = peephole.resume(tmp_path / "run", tasks=wanted, planner=LOOK, suite=suite)
    assert len(again.results) == 6
    frame = again.frame()
    assert list(frame.task[:4]) == ["apple/3", "apple/1", "apple/3", "apple/1"]


@pytest.mark.parametrize("tasks", [1, "apple/1,apple/0,apple/2", "2-4"])
def test_a_run_only_grows(tmp_path, suite, tasks):
    peephole.run(LOOK, suite, tasks=2, out=tmp_path / "run")
    with pytest.raises(BadInput, match=r"has 2 tasks, from apple/0 to apple/1, and a run only"):
        peephole.resume(tmp_path / "run", tasks=tasks, planner=LOOK, suite=suite)
    with pytest.warns(UserWarning, match="The number of tasks in apples is 5"):
        whole = peephole.resume(tmp_path / "run", tasks=9, planner=LOOK, suite=suite)
    assert len(whole.results) == 5


def test_a_branch_of_an_extended_run_has_one_task_and_gets_no_more(tmp_path, suite):
    peephole.run(LOOK, suite, tasks=2, out=tmp_path / "run")
    peephole.resume(tmp_path / "run", tasks=3, planner=LOOK, suite=suite)
    there = tmp_path / "branch"
    peephole.branch(
        tmp_path / "run", 3, at=1, action="look around", planner=LOOK, suite=suite, out=there
    )
    config = read_run(there).config
    assert (config.tasks, config.extended) == (("apple/2",), ())
    with pytest.raises(BadInput, match="is a branch of one episode; leave --tasks out"):
        peephole.resume(there, tasks=2, planner=LOOK, suite=suite)


def test_a_run_that_is_being_played_is_not_extended(tmp_path, suite, monkeypatch):
    monkeypatch.setattr("peephole.episodes.recording._LOCK_PATIENCE_S", 0.1)
    peephole.run(LOOK, suite, tasks=1, out=tmp_path / "run")
    run = resolve(extended_config(tmp_path / "run", suite, "2"), planner=LOOK, suite=suite)
    with run_lock(tmp_path / "run"), pytest.raises(BadInput, match="Another process"):
        extend(tmp_path / "run", run)
    assert len(read_run(tmp_path / "run").config.tasks) == 1


class Remembering(BaseModel):
    """Options of a planner with a memory."""

    memory: Path


def test_a_memory_was_compared_with_the_scenes_that_a_run_had(tmp_path, suite):
    (tmp_path / "memory.json").write_text("{}")
    planner = replace(LOOK, options=Remembering, prepare=lambda preparation: {})
    elsewhere = replace(suite.tasks[0], id="apple/9", labels={"scene": "another"})
    grown = replace(suite, tasks=(*suite.tasks[:2], elsewhere))
    options = {"memory": str(tmp_path / "memory.json")}
    peephole.run(planner, grown, tasks=1, options=options, out=tmp_path / "run")
    same = peephole.resume(tmp_path / "run", tasks=2, planner=planner, suite=grown)
    assert len(same.results) == 2
    with pytest.raises(BadInput, match="a file of --set memory, which was compared"):
        peephole.resume(tmp_path / "run", tasks=3, planner=planner, suite=grown)


def test_a_run_says_what_it_was_made_with(tmp_path, suite):
    peephole.run(LOOK, suite, tasks=2, out=tmp_path / "run")
    content = read_run(tmp_path / "run")
    assert content.provenance.packages["numpy"] == version("numpy")
    assert content.provenance.tasks == tasks_digest(suite, suite.tasks[:2])
    assert content.provenance.system
    assert content.provenance.plugins == {}


def test_tasks_with_another_content_have_another_digest(suite):
    digest = tasks_digest(suite, suite.tasks)
    first = suite.tasks[0]
    for other in (
        replace(first, instruction="Put it elsewhere."),
        replace(first, scene="json:other.json"),
        replace(first, budgets=Budgets(steps=9)),
    ):
        assert tasks_digest(suite, (other, *suite.tasks[1:])) != digest
    assert tasks_digest(replace(suite, budgets=Budgets(steps=3)), suite.tasks) != digest
    # What a setting of the run decides is no other task, and neither is another folder.
    assert tasks_digest(replace(suite, budgets=Budgets(2, planning_s=1.0)), suite.tasks) == digest
    scenes = [replace(first, scene=f"json:/{folder}/room.json") for folder in ("a", "b/c")]
    assert len({tasks_digest(suite, [task]) for task in scenes}) == 1


def test_a_run_goes_on_with_the_tasks_that_it_began_with(tmp_path, suite):
    peephole.run(LOOK, suite, tasks=2, out=tmp_path / "run")
    for file in episode_files(tmp_path / "run"):
        file.unlink()
    harder = replace(suite, budgets=Budgets(steps=1))
    with pytest.raises(BadInput, match="begun with other tasks of apples under the same ids"):
        peephole.resume(tmp_path / "run", planner=LOOK, suite=harder)
    with pytest.raises(BadInput, match="begun with other tasks"):
        peephole.resume(tmp_path / "run", tasks=3, planner=LOOK, suite=harder)
    assert len(peephole.resume(tmp_path / "run", planner=LOOK, suite=suite).results) == 2


def test_numbers_of_an_extension_have_to_grow(tmp_path, suite):
    peephole.run(LOOK, suite, tasks=2, out=tmp_path / "run")
    file = tmp_path / "run" / "run.json"
    file.write_text(file.read_text().replace('"extended": []', '"extended": [2]'))
    with pytest.raises(BadInput, match=r"'config\.extended' has numbers that do not grow"):
        read_run(tmp_path / "run")
