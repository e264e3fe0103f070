"""OmniGibson's action primitives as an adapter: in OmniGibson, or on a scene graph.

`settings` decides which. The primitives teleport: they require neither nearness nor sight nor an
open door. So the adapter checks all three before it runs one, by our model of household actions and
by the view. A planner must find and approach a thing before it can use it.

A primitive runs once per try, since the executor owns the retries. A place always lets go of the
thing, so the next try grasps the thing first. docs/simulators/omnigibson.md lists the failures for
the primitives' errors.

Limits: it has never run against OmniGibson itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ... import plugins
from ...observation_text.view import View, Visibility
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Relation
from ...scene_graph.task import Task
from ...skills.actions import Action, Verb
from ...skills.dynamics import check
from ...skills.embodiment import Embodiment
from ...skills.outcomes import Failure, RawResult, Reason
from ..contract import AdapterSpec, Capability
from ..drawn import DrawnAdapter
from . import settings
from .primitives import Error, Primitive, Result
from .symbolic_backend import SymbolicBackend

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .omnigibson_backend import OmniGibsonBackend

    Backend = SymbolicBackend | OmniGibsonBackend

#: The loader of BEHAVIOR-1K's activities, the only scenes of OmniGibson itself.
ACTIVITIES = "behavior"

_PRIMITIVES = {
    Verb.GO_TO: Primitive.NAVIGATE_TO,
    Verb.PICK_UP: Primitive.GRASP,
    Verb.DROP: Primitive.RELEASE,
    Verb.OPEN: Primitive.OPEN,
    Verb.CLOSE: Primitive.CLOSE,
    Verb.TURN_ON: Primitive.TOGGLE_ON,
    Verb.TURN_OFF: Primitive.TOGGLE_OFF,
    Verb.SLICE: Primitive.CUT,
    Verb.WIPE: Primitive.WIPE,
}
_PUTS = {Relation.ON: Primitive.PLACE_ON_TOP, Relation.INSIDE: Primitive.PLACE_INSIDE}
#: Failures of our model of household actions that OmniGibson ignores.
_NOT_REFUSED = frozenset({Reason.STILL_ON, Reason.STILL_OPEN, Reason.UNPLUGGED})
#: The reason of a primitive's PRE_CONDITION_ERROR if our own model finds no failure.
_REFUSALS = {
    Primitive.GRASP: Reason.HANDS_FULL,
    Primitive.OPEN: Reason.NOT_OPENABLE,
    Primitive.CLOSE: Reason.NOT_OPENABLE,
    Primitive.TOGGLE_ON: Reason.NOT_SWITCHABLE,
    Primitive.TOGGLE_OFF: Reason.NOT_SWITCHABLE,
    Primitive.CUT: Reason.NOT_SLICEABLE,
    Primitive.RELEASE: Reason.NOT_HELD,
    Primitive.PLACE_ON_TOP: Reason.NOT_HELD,
    Primitive.PLACE_INSIDE: Reason.NOT_HELD,
}
_PLACES = frozenset(_PUTS.values())
#: A primitive takes about 60 steps; users report about one step per second in a full scene.
_SIMULATED_S = 600.0
#: OmniGibson takes at most 10 minutes to start and 30 to load a scene.
_SIMULATED_RESET_S = 2400.0


class OmniGibsonAdapter(DrawnAdapter):
    """A task played with OmniGibson's primitives.

    Images come from the robot's camera in OmniGibson, and are drawn for the symbolic backend.
    """

    spec = AdapterSpec(
        name="omnigibson",
        summary="OmniGibson's action primitives, on BEHAVIOR-1K's symbolic data or in OmniGibson",
        actions=frozenset({*_PRIMITIVES, Verb.PUT, Verb.LOOK, Verb.WAIT}),
        embodiment=Embodiment(
            hands=1, needs_free_hand=frozenset({Verb.OPEN, Verb.CLOSE, Verb.TURN_ON, Verb.TURN_OFF})
        ),
        visibility=Visibility.NEAR,
        capabilities=frozenset(
            {Capability.GRAPH, Capability.IMAGES, Capability.SEED, Capability.REPLAYABLE}
        ),
        loaders=tuple(plugins.names("scene")),
        tested_on="its symbolic backend; never OmniGibson itself",
        bounded=True,
    )

    def __init__(self, backend: Backend | None = None) -> None:
        """backend: instead of the one of the settings."""
        where = settings.chosen() if backend is None else ""
        if where:
            from .omnigibson_backend import OmniGibsonBackend  # only with a simulator

            self._backend: Backend = OmniGibsonBackend(where)
            self.spec = self.configured_spec()
        else:
            self._backend = SymbolicBackend() if backend is None else backend
        self._dropped: int | None = None  # what the last try released but did not place

    @classmethod
    def configured_spec(cls) -> AdapterSpec:
        """The class's spec for the symbolic backend, another one for OmniGibson itself."""
        if not settings.chosen():
            return cls.spec
        return replace(
            cls.spec,
            visibility=Visibility.CAMERA,
            dialects=("reactree_thor_plain", "reactree_thor", "alfworld"),
            capabilities=frozenset({Capability.GRAPH, Capability.IMAGES, Capability.REPLAYABLE}),
            loaders=(ACTIVITIES,),
            attempt_s=_SIMULATED_S,
            reset_s=_SIMULATED_RESET_S,
            bounded=settings.chosen() != settings.HERE,
        )

    @classmethod
    def missing(cls) -> str | None:
        return settings.missing()

    @classmethod
    def check_images(cls) -> None:
        if not settings.chosen():
            super().check_images()

    def reset(self, task: Task, seed: int) -> None:
        self.scene_of(task)
        self._dropped = None
        self._backend.reset(task, seed)
        self._turn_to(None)
        self._capture()

    @property
    def backend(self) -> Backend:
        """The primitives without what the adapter asks before them, for `peephole check`."""
        return self._backend

    # --- acting ------------------------------------------------------------------------------

    def attempt(self, action: Action, variation: int) -> RawResult:
        """One try. variation: from 1 on, a thing that the last try dropped is grasped first. Poses
        are sampled again in every try.
        """
        result = self._try(action, variation)
        self._capture()
        return result

    def _try(self, action: Action, variation: int) -> RawResult:
        primitive = self._primitive(action)
        without = action.verb in (Verb.LOOK, Verb.WAIT)  # these run nothing
        if action.verb not in self.spec.actions or (primitive is None and not without):
            return RawResult(Failure(Reason.NOT_SUPPORTED, action.target))
        before = Result()
        if variation > 0 and action.verb is Verb.PUT and action.target == self._dropped:
            before = self._backend.apply(Primitive.GRASP, action.target)
            if before.error is not None:
                why = self._failure(action, Primitive.GRASP, before.error)
                return RawResult(why, before.message, before.sim_time_s)
        self._dropped = None
        failure = self.refused(action)
        self._turn_to(action)
        if failure is not None or primitive is None:
            return RawResult(failure, before.message, before.sim_time_s)
        about = action.target if action.place is None else action.place
        result = self._backend.apply(primitive, None if action.verb is Verb.DROP else about)
        if result.error is not None:
            failure = self._failure(action, primitive, result.error)
        if primitive in _PLACES:
            self._note_dropped(action)
        words = " ".join(filter(None, (before.message, result.message)))
        return RawResult(failure, words, before.sim_time_s + result.sim_time_s)

    def refused(self, action: Action) -> Failure | None:
        """The failure of an action that is not tried: its thing is not near, unseen or enclosed."""
        graph = self._backend.graph()
        failure = check(graph, action, self.spec.embodiment)
        if failure is not None and failure.reason not in _NOT_REFUSED:
            return failure
        if action.verb in (Verb.GO_TO, Verb.WAIT):
            return None  # the agent may know the target from elsewhere
        view = self._backend.view()
        for thing in action.things:
            if view.get(thing) is None:
                return Failure(Reason.NOT_HERE, thing)
        return None

    def _primitive(self, action: Action) -> Primitive | None:
        if action.verb is Verb.PUT:
            return None if action.relation is None else _PUTS.get(action.relation)
        return _PRIMITIVES.get(action.verb)

    def _failure(self, action: Action, primitive: Primitive, error: Error) -> Failure:
        """The failure of an action that the adapter admitted, from the primitive's error."""
        about = action.place if primitive in _PLACES else action.target
        if error is Error.PRE_CONDITION:
            return Failure(_REFUSALS.get(primitive, Reason.UNSUITABLE), about)
        if error is Error.SAMPLING and primitive in _PLACES:
            return Failure(Reason.NO_FREE_SPOT, about)
        if error in (Error.SAMPLING, Error.PLANNING):
            return Failure(Reason.UNREACHABLE, about)
        if error is Error.EXECUTION:
            dropped = primitive in _PLACES
            return Failure(Reason.SLIPPED, action.target) if dropped else Failure(Reason.REFUSED)
        if error is Error.POST_CONDITION:
            return Failure(Reason.NOT_CONFIRMED, about)
        unsupported = error is Error.UNSUPPORTED
        return Failure(Reason.NOT_SUPPORTED if unsupported else Reason.REFUSED, about)

    def _note_dropped(self, action: Action) -> None:
        """Remember the released thing; a place that reports success may have dropped it too."""
        graph, thing = self._backend.graph(), action.target
        if thing is not None and thing in graph and graph.holder(thing) is None:
            self._dropped = thing

    # --- reading -----------------------------------------------------------------------------

    def graph(self) -> SceneGraph:
        return self._backend.graph().copy()

    def view(self) -> View:
        return self._backend.view()

    def image(self) -> NDArray[np.uint8] | None:
        if isinstance(self._backend, SymbolicBackend):
            return super().image()
        return self._backend.image()

    def close(self) -> None:
        self._backend.close()

    def facts(self) -> dict[str, Any]:
        return self._backend.facts()
