"""The built-in world: any scene under the household dynamics of `skills.dynamics`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache
from typing import Any

from .. import plugins
from ..observation_text.incremental_view import IncrementalView
from ..observation_text.view import View, Visibility
from ..scene_graph.graph import SceneGraph
from ..scene_graph.task import Task
from ..skills.actions import HOUSEHOLD_VERBS, Action
from ..skills.dynamics import step
from ..skills.embodiment import Embodiment
from ..skills.outcomes import Failure, RawResult, Reason
from ..version import __version__
from .contract import AdapterSpec, Capability
from .drawn import DrawnAdapter
from .kitchens.furnished.body import EMBODIMENT, VERBS
from .scenes import load_scene


class SymbolicAdapter(DrawnAdapter):
    """A task in the built-in world. Deterministic: every seed gives the same."""

    spec = AdapterSpec(
        name="symbolic",
        summary="the built-in world: every scene and household action, no simulator",
        actions=HOUSEHOLD_VERBS,
        embodiment=Embodiment(hands=2),
        visibility=Visibility.NEAR,
        capabilities=frozenset(
            {
                Capability.GRAPH,
                Capability.IMAGES,
                Capability.SEED,
                Capability.SNAPSHOT,
                Capability.REPLAYABLE,
                Capability.THREADS,
            }
        ),
        loaders=tuple(plugins.names("scene")),
        tested_on="itself",
        bounded=True,
    )

    def __init__(self) -> None:
        self._graph: SceneGraph | None = None
        self._sight: IncrementalView | None = None

    def reset(self, task: Task, seed: int) -> None:
        self.restore(_scene(task.scene))
        self._turn_to(None)
        self._capture()

    def attempt(self, action: Action, variation: int) -> RawResult:
        if action.verb in self.spec.actions:
            failure = step(self._state(), action, self.spec.embodiment)
        else:
            failure = Failure(Reason.NOT_SUPPORTED, action.target)
        self._turn_to(action)
        self._capture()
        return RawResult(failure)

    def graph(self) -> SceneGraph:
        return self._state().copy()

    def live(self) -> SceneGraph:
        """The true state itself, which attempts change, for reading."""
        return self._state()

    def changed(self) -> Collection[int]:
        """The nodes that attempts have changed since the last view."""
        return self._seeing().changed

    def restore(self, snapshot: SceneGraph) -> None:
        """Restore a state from `graph`."""
        self._graph = snapshot.copy()
        self._sight = None  # computed on demand

    def view(self) -> View:
        return self._seeing().view()

    def _seeing(self) -> IncrementalView:
        if self._sight is None:
            self._sight = IncrementalView(self._state(), self.spec.visibility)
        return self._sight

    def close(self) -> None:
        self._graph = self._sight = None

    def facts(self) -> dict[str, Any]:
        return {"peephole": __version__}

    def _state(self) -> SceneGraph:
        assert self._graph is not None, "reset comes first"
        return self._graph


class OneHandAdapter(SymbolicAdapter):
    """The built-in world for a robot that holds one thing, as LookPlanGraph's (appendix A2)."""

    spec = replace(
        SymbolicAdapter.spec,
        name="symbolic_one_hand",
        summary="the built-in world, with one hand; opening and switching need none",
        embodiment=Embodiment(hands=1),
    )


class GripperAdapter(SymbolicAdapter):
    """The built-in world for the robot of `mujoco_kitchen`: the same tasks, by rules."""

    spec = replace(
        SymbolicAdapter.spec,
        name="symbolic_gripper",
        summary="the built-in world for one gripper that opens and drives: mujoco_kitchen by rules",
        actions=VERBS,
        embodiment=EMBODIMENT,
        visibility=Visibility.ROOM,
    )


@lru_cache(maxsize=16)
def _scene(scene: str) -> SceneGraph:
    """A loaded scene, cached for later episodes, which modify copies only.

    A file that changes while the process runs is therefore not read again.
    """
    return load_scene(scene)
