"""Kitchens in contact physics with a mobile arm, as an adapter: `mujoco_kitchen`.

The robot drives, opens, takes, puts, closes and switches by contact alone. It is sent to a place
first, and takes a stand of its own there for each action. Its head camera sees what is in front of
it; what is inside of furniture shows only from stands of their own, which it takes after opening,
unless the settings forbid it.
Deterministic to the bit, given scene, seed and actions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....installed import Lack
from ....observation_text.view import View, Visibility
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Kind, Relation, State
from ....scene_graph.task import Task
from ....skills.actions import Action, Verb
from ....skills.dynamics import check
from ....skills.outcomes import Failure, RawResult, Reason
from ...contract import Adapter, AdapterSpec, Capability
from ...kitchens.furnished.body import EMBODIMENT, VERBS
from . import settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ....skills.arm.mobile.robot import Attempted
    from ....skills.arm.rotation import Array
    from ...film import Film
    from .camera import Camera
    from .episode import EpisodeSnapshot, KitchenEpisode
    from .filming import FollowingCamera

#: Simulated seconds of `wait`.
_WAIT_S = 1.0
#: Simulated seconds in a second of a film.
_FILM_SPEED = 4.0


class KitchenPhysicsAdapter(Adapter):
    """A task in a furnished kitchen."""

    spec = AdapterSpec(
        name="mujoco_kitchen",
        summary="kitchens with doors, drawers and a mobile arm, in contact physics",
        actions=VERBS,
        embodiment=EMBODIMENT,
        visibility=Visibility.CAMERA,
        capabilities=frozenset(
            {
                Capability.GRAPH,
                Capability.IMAGES,
                Capability.FILM,
                Capability.SEED,
                Capability.SNAPSHOT,
                Capability.REPLAYABLE,
            }
        ),
        loaders=("furnished_kitchen", "kitchen"),
        dialects=("reactree_plain", "reactree", "tru_pomdp", "llm_state", "lookplangraph"),
        tested_on="MuJoCo itself",
        attempt_s=300.0,
        bounded=True,
    )

    frame_rate = 12.0

    def __init__(self) -> None:
        self._episode: KitchenEpisode | None = None
        self._camera: Camera | None = None
        self._following: FollowingCamera | None = None

    @classmethod
    def missing(cls) -> str | None:
        if find_spec("mujoco") is None:
            return Lack("The package mujoco is not installed", "mujoco")
        return None

    def reset(self, task: Task, seed: int) -> None:
        """Load a scene. Raises BadInput for one that cannot be furnished or played."""
        from .episode import KitchenEpisode, require_empty_hand
        from .scene import read, require_openable

        chosen = settings.chosen()
        scene, graph = read(*self.scene_of(task))
        require_empty_hand(graph)
        if chosen.certify:
            require_openable(scene.kitchen)
        self.close()
        self._episode = KitchenEpisode(scene, graph, seed, chosen)
        if self._film is not None and not self._film.closed:
            self._follow(self._film)

    def attempt(self, action: Action, variation: int) -> RawResult:
        """One try. variation: from 1 on by other stands and grasps."""
        if action.verb not in self.spec.actions or action.relation is Relation.UNDER:
            return RawResult(Failure(Reason.NOT_SUPPORTED, action.target))
        failure = self._refused(action)
        if failure is not None:
            return RawResult(failure)
        return _Try(self.episode, action, variation).result()

    def _refused(self, action: Action) -> Failure | None:
        """The failure of an action that is not tried: a precondition does not hold."""
        graph = self.episode.graph()
        failure = check(graph, action, self.spec.embodiment)
        if failure is not None and failure.reason is Reason.ALREADY_OPEN:
            name = str(graph[action.target or 0].native_id)
            front = self.episode.kitchen.fronts[self.episode.front_of[name]]
            if self.episode.world.front_value(front.name) < front.opened_at:
                return None  # it stands ajar
        return failure

    def graph(self) -> SceneGraph:
        return self.episode.graph()

    def view(self) -> View:
        return self.episode.view

    def image(self) -> NDArray[np.uint8]:
        """The head camera, with shadows, shape (480, 480, 3). Raises Missing without a renderer."""
        from .camera import Camera
        from .sight import FIELD

        if self._camera is None:
            self._camera = Camera(self.episode.world.model, 480, 480, FIELD, shadows=1024)
        return self._camera.frame(self.episode.world.data, self.episode.eye, self.episode.aim)

    def film(self, path: Path) -> Film:
        """Start an MP4 that follows the robot, 960x540, as a time-lapse; see `Adapter.film`."""
        with ExitStack() as on_error:
            film = on_error.enter_context(super().film(path))
            film.speed = _FILM_SPEED
            if self._episode is not None:
                self._follow(film)
            on_error.pop_all()
        return film

    def _follow(self, film: Film) -> None:
        from .filming import FollowingCamera

        self._leave_film()
        self._following = FollowingCamera(self.episode, film, self.frame_rate)

    def _leave_film(self) -> None:
        if self._following is not None:
            self._following.close()
        self._following = None

    def snapshot(self) -> EpisodeSnapshot:
        """The present state with what sleeps, what the robot knows, and the errors to come."""
        return self.episode.snapshot()

    def restore(self, snapshot: EpisodeSnapshot) -> None:
        """Restore a snapshot of this episode, to the last bit."""
        self.episode.restore(snapshot)

    def close(self) -> None:
        self._leave_film()
        if self._camera is not None:
            self._camera.close()
        self._camera = self._episode = None

    def facts(self) -> dict[str, Any]:
        return {"mujoco": version("mujoco"), "settings": settings.chosen().to_data()}

    @property
    def episode(self) -> KitchenEpisode:
        """The physics and the robot, for measurements. Call `reset` first."""
        assert self._episode is not None, "reset comes first"
        return self._episode


class _Try:
    """One try of an action whose preconditions hold."""

    def __init__(self, episode: KitchenEpisode, action: Action, variation: int) -> None:
        self._episode, self._action, self._variation = episode, action, variation
        self._graph = episode.graph()
        self._target = "" if action.target is None else self._name(action.target)

    def result(self) -> RawResult:
        """Do it, and look at where it was."""
        episode = self._episode
        aim = self._aim()
        episode.begin_try(aim)
        done = _SKILLS[self._action.verb](self)
        result = done.raw(self._node)
        if result.success and self._action.verb in (Verb.GO_TO, Verb.LOOK) and self._drives():
            episode.at = self._stood_at()
        if self._action.verb is Verb.LOOK and self._action.target is None:
            episode.end_try(None)
            episode.look_around()
            return result
        area = self._target if self._target in episode.front_of else ""
        handled = self._target if self._action.verb in (Verb.PICK_UP, Verb.PUT) else None
        episode.end_try(episode.middle(area) if area else aim, handled)
        if self._should_look(result):
            looked = episode.look_into(self._target)
            episode.check()
            return RawResult(None, result.message, result.sim_time_s + looked.time_s)
        return result

    def _should_look(self, result: RawResult) -> bool:
        """Whether the robot looks into its target by itself, after opening it or going there."""
        episode = self._episode
        if not result.success or not episode.looks_by_itself:
            return False
        area = episode.kitchen.areas.get(self._target)
        if area is None or not area.spaces or self._action.verb not in (Verb.OPEN, Verb.GO_TO):
            return False
        front = episode.front_of.get(self._target)
        is_open = front is None or State.OPEN in episode.graph()[self._action.target or 0].states
        return is_open and not episode.perception.sees_all(self._target)

    def _name(self, node: int) -> str:
        """The name of an area or thing; of a published kitchen's place, that of its first area."""
        name, episode = str(self._graph[node].native_id), self._episode
        if name in episode.kitchen.areas or name in episode.world.shapes:
            return name
        parts = self._graph.sources(node, Relation.ATTACHED)
        return str(self._graph[parts[0]].native_id) if parts else name

    def _stood_at(self) -> str:
        """The area that the action is about or whose thing it is about; a thing on the floor."""
        areas = self._episode.kitchen.areas
        places = [self._name(place) for _, place in self._graph.places(self._action.target or 0)]
        return next((place for place in places if place in areas), self._target)

    def _drives(self) -> bool:
        """Whether the action takes the robot to an area or thing."""
        target = self._action.target
        return target is not None and self._graph[target].kind not in (Kind.ROOM, Kind.SCENE)

    def _node(self, name: str) -> int | None:
        """The node of what a failure is about: a thing, an area, or the area of a front.

        None for a thing that the robot does not know: the planner reads failures.
        """
        episode = self._episode
        for area, front in episode.front_of.items():
            if front == name:
                return episode.ids[area]
        button = episode.kitchen.buttons.get(name)
        node = episode.ids.get(name if button is None else button.area)
        is_hidden = name in episode.world.shapes and episode.view.get(node or 0) is None
        return None if is_hidden else node

    def _aim(self) -> Array | None:
        """The middle of what the action is about, before it; None for a room or nothing."""
        about = self._action.target if self._action.place is None else self._action.place
        if about is None or self._graph[about].kind in (Kind.ROOM, Kind.SCENE):
            return None
        return self._episode.middle(self._name(about))

    # --- the skills --------------------------------------------------------------------------

    def _go_to(self) -> Attempted:
        if self._action.target == self._graph.room_of(self._graph.agent().id):
            return self._episode.arm.look_around()
        return self._episode.arm.go_to(self._target, self._variation)

    def _look(self) -> Attempted:
        episode = self._episode
        if self._action.target is None:
            return episode.arm.look_around()
        area = self._target
        if self._target in episode.world.shapes:
            places = self._graph.places(self._action.target)
            area = self._name(places[0][1]) if places else ""
        if area not in episode.kitchen.areas or not episode.kitchen.areas[area].spaces:
            return episode.arm.go_to(self._target, self._variation)
        return episode.look_into(area, self._variation)

    def _open(self) -> Attempted:
        front = self._episode.front_of[self._target]
        return self._episode.arm.open(front, self._variation)

    def _close(self) -> Attempted:
        front = self._episode.front_of[self._target]
        return self._episode.arm.close(front, self._variation)

    def _pick_up(self) -> Attempted:
        return self._episode.arm.pick(self._target, self._variation)

    def _put(self) -> Attempted:
        assert self._action.place is not None
        return self._episode.arm.put(self._name(self._action.place), self._variation)

    def _switch(self) -> Attempted:
        buttons = self._episode.kitchen.buttons.values()
        button = next(each.name for each in buttons if each.area == self._target)
        return self._episode.arm.press(button, self._variation)

    def _wait(self) -> Attempted:
        return self._episode.arm.wait(_WAIT_S)


_SKILLS: Mapping[Verb, Callable[[_Try], Attempted]] = {
    Verb.GO_TO: _Try._go_to,
    Verb.LOOK: _Try._look,
    Verb.OPEN: _Try._open,
    Verb.CLOSE: _Try._close,
    Verb.PICK_UP: _Try._pick_up,
    Verb.PUT: _Try._put,
    Verb.TURN_ON: _Try._switch,
    Verb.TURN_OFF: _Try._switch,
    Verb.WAIT: _Try._wait,
}
assert frozenset(_SKILLS) == VERBS
