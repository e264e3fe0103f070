"""A room in an engine of AI2-THOR, in the words of the checks.

The checks act through `ThorWorld`, so an engine answers the very calls that the adapter makes.
What a check only needs beforehand is done with force; where even that fails, it cannot tell.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any

from ...adapters.ai2thor.adapter import ThorAdapter
from ...adapters.ai2thor.approach import VARIATIONS, stand_at
from ...adapters.ai2thor.connection import EngineAnswer
from ...adapters.ai2thor.execution import failure_of
from ...adapters.ai2thor.navigation import AgentPose
from ...adapters.ai2thor.world import ThorWorld
from ...skills.actions import Action, look
from ...skills.outcomes import FailureClass, RawResult, Reason
from ..assumption import CannotTell, Checks, Topic, expect
from ..bench import Bench

Thing = Mapping[str, Any]

#: All checks of this folder begin in a kitchen with all appliances.
CHECKS = Checks("ai2thor", scene="ithor:FloorPlan10#1")

#: Pages of AI2-THOR.
_DOCS = "https://ai2thor.allenai.org/ithor/documentation"
CONCEPTS, METADATA = f"{_DOCS}/concepts", f"{_DOCS}/environment-state"
TYPES = f"{_DOCS}/objects/object-types"
INTERACTION = "https://allenai.github.io/ai2thor-v2.1.0-documentation/actions/interaction"
MATERIALS = (
    "https://allenai.github.io/ai2thor-v2.1.0-documentation/object-types/material-properties"
)
#: What most checks of messages have in common.
MESSAGES = "adapters/ai2thor/failures.yaml, after the C# sources"

#: How far a thing may be off and still be where it was, in m.
STILL_M = 0.01


def assume(
    topic: Topic, claim: str, *, source: str, scene: str = ""
) -> Callable[[Callable[[Room], str]], Callable[[Room], str]]:
    """Add the assumption about a room that the decorated function checks."""

    def add(check: Callable[[Room], str]) -> Callable[[Room], str]:
        @wraps(check)
        def of_bench(bench: Bench) -> str:
            return check(Room(bench))

        CHECKS.assume(topic, claim, source=source, scene=scene)(of_bench)
        return check

    return add


class Room:
    """The loaded room."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    # --- reading ---------------------------------------------------------------------------------

    @property
    def adapter(self) -> ThorAdapter:
        """Raises CannotTell for another adapter."""
        adapter = self.bench.adapter
        if not isinstance(adapter, ThorAdapter):
            raise CannotTell("the engine runs in a process of its own; leave --isolate out")
        return adapter

    @property
    def world(self) -> ThorWorld:
        """The engine's room."""
        return self.adapter.world

    @property
    def things(self) -> list[dict[str, Any]]:
        """All objects as reported last."""
        found: list[dict[str, Any]] = self.world.metadata["objects"]
        return found

    @property
    def held(self) -> list[str]:
        """The ids that are reported as held."""
        return [raw["objectId"] for raw in self.world.metadata["inventoryObjects"]]

    def one(self, *types: str, where: Callable[[Thing], bool] = lambda raw: True) -> str:
        """The id of the first object of the types, in their order."""
        for kind in types:
            for raw in self.things:
                if raw["objectType"] == kind and where(raw):
                    return str(raw["objectId"])
        raise CannotTell(f"the room has no such {' or '.join(types)}")

    def thing(self, object_id: str) -> Thing:
        for raw in self.things:
            if raw["objectId"] == object_id:
                return raw
        raise CannotTell(f"{object_id} is not reported any more")

    def reported(self, object_id: str) -> bool:
        return any(raw["objectId"] == object_id for raw in self.things)

    def parents(self, object_id: str) -> list[str]:
        return list(self.thing(object_id).get("parentReceptacles") or ())

    def node(self, object_id: str) -> int:
        """The id in the scene graph."""
        for node in self.world.graph().nodes():
            if node.native_id == object_id:
                return node.id
        raise CannotTell(f"{object_id} has no node in the scene graph")

    def in_sight(self, object_id: str) -> bool:
        """Whether the agent may use a thing from here."""
        raw = self.thing(object_id)
        return bool(raw["visible"]) and bool(raw.get("isInteractable", True))

    # --- acting ----------------------------------------------------------------------------------

    def do(self, action: str, object_id: str | None = None, **arguments: Any) -> EngineAnswer:
        """Do an action of the engine."""
        if object_id is not None:
            arguments["objectId"] = object_id
        what = " ".join([action, *(f"{key}={value}" for key, value in arguments.items())])
        return self._asked(what, lambda: self.world.step(action, **arguments))

    def put(self, place: str, **arguments: Any) -> EngineAnswer:
        """Put the held thing, as the adapter does."""
        held = self.held[0] if self.held else ""
        return self._asked(
            " ".join([f"put {held} at {place}", *arguments]),
            lambda: self.world.put(held, place, placeStationary=True, **arguments),
        )

    def stand(self, pose: AgentPose) -> EngineAnswer:
        """Teleport the agent."""
        return self._asked(f"teleport to {pose}", lambda: self.world.take_pose(pose))

    def points(self) -> list[dict[str, float]]:
        """The reachable points. Raises CannotTell without any."""
        points = self.bench.call(
            "GetReachablePositions", self.world.reachable, said=lambda them: f"{len(them)} points"
        )
        if not points:
            raise CannotTell("GetReachablePositions gives no point")
        return points

    def poses(self, object_id: str, points: Collection[Thing]) -> list[AgentPose]:
        """The poses from which a thing may be used."""
        return self.bench.call(
            f"GetInteractablePoses of {object_id}",
            lambda: self.world.interactable_poses(object_id, list(points)),
            said=lambda them: f"{len(them)} poses",
        )

    def _asked(self, what: str, ask: Callable[[], EngineAnswer]) -> EngineAnswer:
        within = self.bench.spec.attempt_s
        return self.bench.call(what, ask, within, said=said, changes=True)

    # --- what a check needs beforehand -----------------------------------------------------------

    def must(self, answer: EngineAnswer, what: str) -> EngineAnswer:
        """The answer of an action that a check needs. Raises CannotTell where it failed."""
        if not answer.success:
            raise CannotTell(f"to {what} came first, and failed: {said(answer)}")
        return answer

    def come_to(self, object_id: str) -> None:
        """Stand where a thing is in sight."""
        message = ""
        for variation in range(VARIATIONS):
            arrived = self._stood_at(object_id, variation)
            if arrived.failure is None:
                return
            message = arrived.message or message
        raise CannotTell(f"no pose was found from which {object_id} is in sight. {message}".strip())

    def _stood_at(self, object_id: str, variation: int) -> RawResult:
        node = self.node(object_id)
        return self.bench.call(
            f"come to {object_id}",
            lambda: stand_at(self.world, node, variation),
            self.bench.spec.attempt_s,
            said=lambda arrived: arrived.message or str(arrived.failure or "there"),
            changes=True,
        )

    def hold(self, object_id: str) -> str:
        """Take a thing into the hand, wherever it is."""
        self.must(self.do("PickupObject", object_id, forceAction=True), f"pick up {object_id}")
        if object_id not in self.held:
            raise CannotTell(f"{object_id} was picked up and is not reported as held")
        return object_id

    def tried(self, object_id: str, ask: Callable[[], EngineAnswer]) -> EngineAnswer:
        """The answer in sight of a thing, from another pose where something is in the way."""
        self.come_to(object_id)
        answer = ask()
        for variation in range(1, VARIATIONS):
            reason = failure_of(answer.message, look()).kind
            if answer.success or reason is not FailureClass.GEOMETRY:
                break
            if self._stood_at(object_id, variation).failure is None:
                answer = ask()
        return answer

    def place(self, object_id: str, place: str) -> None:
        """Bring a thing to a place."""
        if object_id not in self.held:
            self.hold(object_id)
        answer = self.tried(place, lambda: self.put(place, forceAction=True))
        self.must(answer, f"put {object_id} at {place}")
        if place not in self.parents(object_id):
            raise CannotTell(f"{object_id} was put at {place}, but {self.where(object_id)}")

    def open(self, object_id: str) -> None:
        self.come_to(object_id)
        self.must(self.do("OpenObject", object_id, forceAction=True), f"open {object_id}")

    def close(self, object_id: str) -> None:
        self.must(self.do("CloseObject", object_id, forceAction=True), f"close {object_id}")

    def store(self, object_id: str, container: str) -> None:
        """Put a thing into a container and close it; the agent stays in front."""
        self.open(container)
        self.place(object_id, container)
        self.close(container)

    def where(self, object_id: str) -> str:
        """In words, where a thing is reported."""
        places = self.thing(object_id).get("parentReceptacles")
        return f"parentReceptacles of {object_id} is {places}"


def said(answer: EngineAnswer) -> str:
    """The engine's answer in words."""
    if answer.success:
        return "done"
    message = " ".join(answer.message.split())
    return f"'{message}'" if message else "refused without a word"


def refused(answer: EngineAnswer, action: Action, *reasons: Reason) -> str:
    """The answer of an engine that refuses in words in which the adapter reads one of the reasons.

    Raises Differs for another one.
    """
    if answer.success:
        return expect(False, said(answer))
    reason = failure_of(answer.message, action).reason
    return expect(reason in reasons, f"{said(answer)}, which is read as {reason}")


def apart(one: Thing, other: Thing) -> float:
    """The distance of two objects' positions, in m."""
    a, b = one["position"], other["position"]
    return float(sum((a[axis] - b[axis]) ** 2 for axis in "xyz") ** 0.5)


def some(names: Collection[str]) -> str:
    """A few of many names."""
    listed = list(names)
    more = f" and {len(listed) - 3} more" if len(listed) > 3 else ""
    return ", ".join(listed[:3]) + more if listed else "none"
