"""Commands that list what there is: adapters, planners, suites, and the tasks of a suite."""

from __future__ import annotations

from typing import Any

from .. import plugins
from ..errors import PeepholeError
from .options import Data, Json
from .output import print_json


def adapters(as_json: Json = False) -> None:
    """What is ready, what is missing, and how to get it."""
    from ..adapters.registry import adapter_status

    statuses = adapter_status()
    if as_json:
        print_json([status.to_data() for status in statuses])
        return
    width = max(len(status.name) for status in statuses)
    indent = " " * (width + 12)
    for status in statuses:
        print(
            f"{status.name:{width}} {'ready' if status.ready else 'NOT READY':9}  {status.summary}"
        )
        if status.tested_on:
            print(f"{indent}run against: {status.tested_on}")
        if status.missing:
            print(f"{indent}{status.missing}")


def planners(as_json: Json = False) -> None:
    """The planners, and what each has to be granted."""
    rows = []
    for name in plugins.names("planner"):
        try:
            planner = plugins.load("planner", name)
            missing = planner.missing()
            rows.append((name, planner.summary, sorted(planner.grants), missing))
        except PeepholeError as error:
            rows.append((name, "", [], str(error)))
    if as_json:
        keys = ("name", "summary", "grants", "missing")
        print_json([dict(zip(keys, row, strict=True)) for row in rows])
        return
    width = max((len(name) for name, *_ in rows), default=0)
    for name, summary, grants, missing in rows:
        print(f"{name:{width}}  {summary}")
        print(f"{'':{width}}  granted: {', '.join(['view', *grants])}")
        if missing:
            print(f"{'':{width}}  {missing}")


def suites(as_json: Json = False) -> None:
    """The suites of tasks."""
    from ..episodes.runner import load_suite

    rows: list[dict[str, Any]] = []
    for name in plugins.names("suite"):
        try:
            suite = load_suite(name)
            rows.append(
                {
                    "name": name,
                    "summary": suite.summary,
                    "tasks": len(suite.tasks),
                    "adapter": suite.adapter,
                    "skipped": suite.skipped,
                }
            )
        except PeepholeError as error:
            rows.append({"name": name, "missing": str(error)})
    if as_json:
        print_json(rows)
        return
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        if "missing" in row:
            print(f"{row['name']:{width}}  NOT READY  {row['missing']}")
            continue
        print(f"{row['name']:{width}}  {row['tasks']} tasks in {row['adapter']}. {row['summary']}")
        for reason, count in row["skipped"].items():
            print(f"{'':{width}}  left out: {count} ({reason})")


def tasks(suite: str, data: Data = None, as_json: Json = False) -> None:
    """The tasks of a suite."""
    from ..episodes.runner import load_suite
    from ..scene_graph.goal_codec import goal_to_data
    from ..scene_graph.goal_text import describe

    loaded = load_suite(suite, data)
    if as_json:
        print_json(
            [
                {
                    "id": task.id,
                    "instruction": task.instruction,
                    "scene": task.scene,
                    "labels": task.labels,
                    "goal": goal_to_data(task.goal),
                }
                for task in loaded.tasks
            ]
        )
        return
    for task in loaded.tasks:
        print(f"{task.id:40} {describe(task.goal, lambda node: f'#{node}')}")
