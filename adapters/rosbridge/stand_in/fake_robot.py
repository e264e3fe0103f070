"""The fake robot: a scene in which orders are done by the household rules."""

from __future__ import annotations

from typing import Any

from ....errors import PeepholeError
from ....observation_text.view import Visibility, visible
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Kind, Relation
from ....skills.actions import Action, Verb
from ....skills.dynamics import step
from ....skills.embodiment import Embodiment
from ...scenes import load_scene


class FakeRobot:
    """One robot in one scene, which knows things by the scene's native ids."""

    def __init__(self, scene: SceneGraph, hands: int = 1) -> None:
        self._scene = scene
        self._body = Embodiment(hands=hands)
        self.world = scene.copy()
        self.done: list[tuple[str, str]] = []
        """The id and the verb of every order that changed the world, in order."""

    @classmethod
    def without_scene(cls) -> FakeRobot:
        """A robot that is nowhere until an order brings it into a scene."""
        return cls(SceneGraph())

    def reset(self, scene: str = "") -> None:
        """Bring the scene, or another one, to its start. Raises BadInput for one that is none."""
        if scene:
            self._scene = load_scene(scene)
        self.world = self._scene.copy()

    def do(self, order: str, verb: str, args: dict[str, Any]) -> str:
        """Do an order. Returns why it failed; empty if it worked."""
        try:
            if verb == "reset":
                self.reset(str(args.get("scene", "")))
                return ""
            action = self._action(verb, args)
        except PeepholeError as error:
            return str(error)
        except (LookupError, ValueError):
            return f"cannot understand {verb} {args}"
        failure = step(self.world, action, self._body)
        if failure is not None:
            return f"{verb} failed: {failure.reason}"
        self.done.append((order, verb))
        return ""

    def seen(self) -> dict[str, Any]:
        """The message of what is seen from where the robot stands."""
        view = visible(self.world, Visibility.NEAR)
        graph, me = view.graph, view.agent().id
        things = []
        for node in graph.nodes():
            places = graph.places(node.id)
            if not places or node.kind not in (Kind.FIXTURE, Kind.OBJECT):
                continue
            if me in graph.above(node.id):
                continue
            relation, place = places[-1]
            things.append(
                {
                    "name": str(node.native_id),
                    "category": node.category,
                    "relation": str(relation),
                    "place": str(graph[place].native_id),
                    "states": sorted(map(str, node.states)),
                }
            )
        covered = [str(graph[place].native_id) for place in view.covered if place != me]
        return {"things": things, "looked_at": covered}

    def where(self) -> dict[str, Any]:
        """The message of where the robot is."""
        graph, me = self.world, self.world.agent().id
        close = graph.targets(me, Relation.CLOSE)
        at = close[0] if close else graph.room_of(me)
        return {"data": "" if at is None else str(graph[at].native_id)}

    def gripper(self) -> dict[str, Any]:
        """The message of what the robot holds."""
        held = self.world.held(self.world.agent().id)
        return {"holding": [str(self.world[thing].native_id) for thing in held]}

    def _action(self, verb: str, args: dict[str, Any]) -> Action:
        ids = {str(node.native_id): node.id for node in self.world.nodes()}
        thing = ids[args["thing"]] if "thing" in args else ids[args["place"]]
        if verb == "put":
            return Action(Verb.PUT, thing, Relation(args["relation"]), ids[args["place"]])
        return Action(Verb(verb), thing)
