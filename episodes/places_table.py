"""Where things lie when tasks begin, in categories, as JSON data.

For a served model that wants it (see `served_model`): it stands for how good a language model's
guesses of places are, where that is to be set. Each key is an instruction as the planner is told
it, each value gives for the category of a thing the categories of the places that such things lie
in or on: {"tea box": ["fridge cooler layer"]}. Nothing in it names a thing or its number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..observation_text.names import Names
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Kind
from ..scene_graph.task import Task
from .briefing import instruction_of, named_in_instruction


def places_table(
    tasks: Sequence[Task], truth_of: Callable[[Task], SceneGraph]
) -> dict[str, dict[str, list[str]]]:
    """The table for some tasks. truth_of: the true state that a task begins in."""
    table: dict[str, dict[str, list[str]]] = {}
    for task in tasks:
        truth = truth_of(task)
        names = Names(truth[node] for node in named_in_instruction(task) if node in truth)
        instruction = instruction_of(task, names)
        places = table.setdefault(instruction, {})
        for thing in truth.nodes(Kind.OBJECT):
            for _, place in truth.places(thing.id):
                category = truth[place].category
                known = places.setdefault(thing.category, [])
                if category not in known:
                    known.append(category)
    return table
