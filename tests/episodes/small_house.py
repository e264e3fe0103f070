"""How the task of the small house is done, and what a view of it tells."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import Environment
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.view import View
from peephole.scene_graph.node import Relation
from peephole.scene_graph.task import Task
from peephole.skills import actions

#: How the task of the small house is done: the apple from the fridge (2) to the table (3).
SOLUTION = (
    actions.go_to(2),
    actions.open_(2),
    actions.pick_up(1),
    actions.close(2),
    actions.go_to(5),
    actions.go_to(3),
    actions.put(1, Relation.ON, 3),
)
#: The same in the dialect's words.
WORDS = (
    "go to fridge 1",
    "open fridge 1",
    "pick up apple 1",
    "close fridge 1",
    "go to living room 1",
    "go to table 1",
    "put down apple 1 on table 1",
)


def begun(task: Task, **options: Any) -> Environment:
    """An environment of the built-in world that was reset."""
    options = {"dialect": DIALECT, "adapter": SymbolicAdapter(), **options}
    environment = Environment(options.pop("adapter"), task, options.pop("dialect"), **options)
    environment.reset()
    return environment


def told_by(view: View) -> Any:
    """What a view tells, whatever the ids."""
    return (
        Counter(replace(node, id=0, native_id=0) for node in view.graph.nodes()),
        Counter(
            (view.graph[e.source].category, e.relation, view.graph[e.target].category)
            for e in view.graph.edges()
        ),
        Counter((view.graph[place].category, whole) for place, whole in view.covered.items()),
        view.arm,
    )
