"""In which software, served models and tasks runs differ that are shown side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import peephole
from peephole.episodes.run_file import RunFile, read_run
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


def test_simulators_are_compared_where_the_adapter_is_the_same(run):
    folder, content = run
    unity = replace(content, adapter={"engine": "2.3"})
    newer = replace(content, adapter={"engine": "2.4"})
    assert lines((folder, unity), (folder, newer)) == [
        "These runs were made with different software: simulator engine 2.3 / 2.4."
    ]
    elsewhere = replace(newer, config=replace(newer.config, adapter="virtualhome"))
    assert lines((folder, unity), (folder, elsewhere)) == []
