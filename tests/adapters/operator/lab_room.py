"""The tasks of the lab's room, and what is in view there."""

from __future__ import annotations

from pathlib import Path

from peephole.adapters.operator.adapter import OperatorAdapter
from peephole.scene_graph.task import Task
from peephole.suites.registry import load_suite

LAB = Path(__file__).parents[2] / "lab.yaml"


def task(name: str) -> Task:
    return next(task for task in load_suite("room", LAB).tasks if task.id == name)


def ids(adapter: OperatorAdapter) -> dict[str, int]:
    """What is in view now, by label."""
    return {str(node.native_id): node.id for node in adapter.view().graph.nodes()}
