"""In which software, served models and tasks runs differ that are shown side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import peephole
from peephole.episodes.events import to_line
from peephole.episodes.recording import episode_path
from peephole.episodes.run_file import RunFile, read_run
from peephole.models.config import ModelConfig
from peephole.models.events import ModelReplied
from peephole.models.usage import Usage
from peephole.planners.contract import Brief, Decisions, Done, Percept, Planner
from peephole.results.provenance import difference_lines, provenance_differences
from peephole.scene_graph.task import Task
from peephole.suites.contract import Suite


def ask(brief: Brief, percept: Percept) -> Decisions:
    yield Done("said")


DONE = Planner("done", "is done", ask)


@pytest.fixture
def run(tmp_path: Path, task: Task) -> tuple[Path, RunFile]:
    suite = Suite("apples", "one task", (task,), "symbolic")
    peephole.run(DONE, suite, out=tmp_path / "run")
    return tmp_path / "run", read_run(tmp_path / "run")


def lines(*runs: tuple[Path, RunFile]) -> list[str]:
    return difference_lines(provenance_differences([[each] for each in runs]))


def changed(run: tuple[Path, RunFile], **provenance: object) -> tuple[Path, RunFile]:
    folder, content = run
    return folder, replace(content, provenance=replace(content.provenance, **provenance))


def test_the_same_software_needs_no_word(run):
    assert lines(run, run) == []


def test_versions_that_differ_are_named(run):
    folder, content = run
    packages = {**content.provenance.packages, "numpy": "1.0"}
    other = changed((folder, replace(content, python="3.99")), packages=packages)
    (line,) = lines(run, other)
    assert line.startswith("These runs were made with different software: Python ")
    assert " / 3.99; " in line
    assert f"numpy {content.provenance.packages['numpy']} / 1.0" in line


def test_a_run_that_says_nothing_differs_from_nothing(run):
    old = changed(run, packages={}, commit="", system="", tasks="")
    assert lines(run, old) == []


def test_tasks_are_compared_where_the_ids_are_the_same(run):
    (line,) = lines(run, changed(run, tasks="0123"))
    assert line.startswith("These runs have tasks of the same ids that differ")
    folder, content = changed(run, tasks="0123")
    longer = replace(content, config=replace(content.config, tasks=(*content.config.tasks, "b")))
    assert lines(run, (folder, longer)) == []


def test_endpoints_and_served_names_are_compared_for_the_same_model(run):
    folder, content = run
    sides = [
        replace(content, config=replace(content.config, models={"planner": ModelConfig("m", host)}))
        for host in ("here:80", "there:80")
    ]
    assert lines(*((folder, side) for side in sides)) == [
        "These runs were made with different software: endpoint of m here:80 / there:80."
    ]
    another = replace(content.config, models={"planner": ModelConfig("other", "there:80")})
    assert lines((folder, sides[0]), (folder, replace(content, config=another))) == []


def test_the_names_are_compared_under_which_one_model_was_served(run, tmp_path):
    config = replace(run[1].config, models={"planner": ModelConfig("m", "here:80")})
    sides = []
    for day in ("may", "june"):
        file = episode_path(tmp_path / day, 1, config.tasks[0])
        file.parent.mkdir(parents=True)
        reply = ModelReplied(
            role="planner",
            call=1,
            attempt=1,
            digest="",
            reply="yes",
            usage=Usage(),
            latency_s=0.1,
            served_model=f"m-{day}",
            fingerprint="fp",
        )
        file.write_bytes(to_line(reply))
        sides.append((tmp_path / day, replace(run[1], config=config)))
    assert lines(*sides) == [
        "These runs were made with different software: m as served m-may (fp) / m-june (fp)."
    ]


def test_simulators_are_compared_where_the_adapter_is_the_same(run):
    folder, content = run
    unity = replace(content, adapter={"engine": "2.3"})
    newer = replace(content, adapter={"engine": "2.4"})
    assert lines((folder, unity), (folder, newer)) == [
        "These runs were made with different software: simulator engine 2.3 / 2.4."
    ]
    elsewhere = replace(newer, config=replace(newer.config, adapter="virtualhome"))
    assert lines((folder, unity), (folder, elsewhere)) == []
