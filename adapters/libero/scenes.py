"""The scenes of LIBERO: `libero:SUITE/TASK/START`, such as "libero:libero_goal/3/0".

SUITE is the package's own name of a benchmark, or libero_household for tasks of ours. TASK is the
number of a task in it, START that of a stored start; both count from 0.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...errors import BadInput
from ...scene_graph.graph import SceneGraph
from .connection import LiberoConnection
from .world import LiberoWorld

LOADER = "libero"
_REFERENCE = re.compile(r"(?P<suite>[a-z0-9_.]+)/(?P<task>\d{1,4})/(?P<start>\d{1,6})")


class SceneOfTask(NamedTuple):
    """A task with one of its starts."""

    suite: str
    """The package's own name."""
    task: int
    """From 0."""
    start: int
    """From 0."""

    @property
    def reference(self) -> str:
        """What comes after the loader."""
        return f"{self.suite}/{self.task}/{self.start}"

    @property
    def salt(self) -> str:
        """That of the ids, the same in a suite and in its perturbations: they play as pairs."""
        return f"{self.task}/{self.start}"


def read(reference: str) -> SceneOfTask:
    """The task of a reference. Raises BadInput for a malformed one."""
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        raise BadInput(
            f"The scene '{LOADER}:{reference}' is malformed; give libero:SUITE/TASK/START, for "
            f"instance libero:libero_goal/3/0."
        )
    return SceneOfTask(found["suite"], int(found["task"]), int(found["start"]))


def load(reference: str) -> SceneGraph:
    """The loader "libero": the graph of a task at its start, with seed 0.

    Starts the engine. Raises BadInput, and Missing without LIBERO.
    """
    scene = read(reference)
    engine = LiberoConnection()
    try:
        begun = engine.begin(scene.suite, scene.task, scene.start, seed=0)
    finally:
        engine.close()
    return LiberoWorld(begun.goal, begun.state, scene.salt).graph(begun.state)
