"""One episode of primitives, and the things of a scene that it needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ...adapters.omnigibson.adapter import OmniGibsonAdapter
from ...adapters.omnigibson.omnigibson_backend import OmniGibsonBackend
from ...adapters.omnigibson.primitives import Error, Primitive, Result
from ...adapters.omnigibson.symbolic_backend import SymbolicBackend
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind, Node, Relation, State
from ..assumption import CannotTell, expect
from ..bench import Bench

#: Cans lie on a floor, and there is a bin; OmniGibson's scenes add the furniture of a house.
SCENE = "behavior:picking_up_trash"

#: Furniture for the episode, the best first.
_TABLES = ("table", "counter", "desk")
_BOXES = ("fridge", "refrigerator", "oven", "dishwasher", "cabinet")
#: Seconds to read a state in OmniGibson.
_READ_S = 120.0


@dataclass(frozen=True)
class Things:
    """What the episode handles, by the ids of its nodes."""

    thing: int
    """Can be carried, has no inside, and is not at the robot."""
    other: int
    """Another such one."""
    bin: int
    """Can be carried, has an inside and no door."""
    table: int
    """Furniture with a top, neither openable nor to be switched."""
    box: int
    """Furniture that is shut."""
    device: int
    """Furniture that is off."""
    room: int
    """A room other than the one of the robot at the start."""


@dataclass(frozen=True)
class Step:
    """One primitive, the state before it and after it, and what is seen after it."""

    primitive: Primitive
    result: Result
    before: SceneGraph
    after: SceneGraph
    seen: frozenset[int]

    @property
    def error(self) -> Error | None:
        return self.result.error

    @property
    def answer(self) -> str:
        """The primitive's own answer."""
        return result_text(self.result)

    def held(self, *, before: bool = False) -> int | None:
        """What is in the hand after it, or before it."""
        graph = self.before if before else self.after
        return next(iter(graph.held(graph.agent().id)), None)


@dataclass
class Episode:
    """The steps of the episode by their names."""

    things: Things
    start: SceneGraph
    steps: dict[str, Step] = field(default_factory=dict)
    lost: str = ""  # why it ended early

    def step(self, name: str, *, needs: Callable[[Step], bool] = lambda step: True) -> Step:
        """A step. needs: what must be so before it. Raises CannotTell."""
        if name not in self.steps:
            raise CannotTell(f"'{name}' was not reached: {self.lost}")
        step = self.steps[name]
        if not needs(step):
            raise CannotTell(f"before '{name}' the state was another one than it needs")
        return step


def empty_handed(step: Step) -> bool:
    """Before it, nothing was in the hand."""
    return step.held(before=True) is None


def full_handed(step: Step) -> bool:
    """Before it, something was in the hand."""
    return step.held(before=True) is not None


def holding(thing: int) -> Callable[[Step], bool]:
    """Before it, a thing was in the hand."""
    return lambda step: step.held(before=True) == thing


def lying(thing: int, relation: Relation | None = None, place: int = 0) -> Callable[[Step], bool]:
    """Before it, a thing was somewhere outside the hand: in a relation to a place, if named."""
    if relation is None:
        return lambda step: bool(step.before.places(thing))
    return lambda step: step.before.has_edge(thing, relation, place)


def named(found: int | None, thing: int) -> str:
    """What the hand holds, in words."""
    return "nothing" if found is None else "it" if found == thing else f"another thing ({found})"


def worded(places: Collection[tuple[Relation, int]]) -> str:
    """Places in words: "on 7, inside 3"."""
    return ", ".join(f"{relation} {place}" for relation, place in places)


def result_text(result: Result) -> str:
    """A result in words: "success", or the error with its message."""
    if result.error is None:
        return "success"
    return f"{result.error}: {' '.join(result.message.split())[:160]}"


def adapter_of(bench: Bench) -> OmniGibsonAdapter:
    adapter = bench.adapter
    if not isinstance(adapter, OmniGibsonAdapter):
        raise CannotTell(f"the adapter {bench.spec.name} has no primitives of OmniGibson")
    return adapter


def run(bench: Bench, primitive: Primitive, thing: int | None) -> Result:
    """Run a primitive once, without what the adapter asks before it."""
    backend = adapter_of(bench).backend
    words = str(primitive) if thing is None else f"{primitive} {thing}"
    return bench.call(
        words,
        lambda: backend.apply(primitive, thing),
        bench.spec.attempt_s,
        said=result_text,
        changes=True,
    )


def engine_of(bench: Bench) -> OmniGibsonBackend:
    """OmniGibson's side of the adapter. Raises CannotTell on the symbolic backend."""
    backend = adapter_of(bench).backend
    if isinstance(backend, SymbolicBackend):
        raise CannotTell("the symbolic backend has no poses, time, cameras or goals of its own")
    return backend


def raw_state_of(bench: Bench) -> Mapping[str, Any]:
    """The present state as `simulator.OmniGibsonSimulator.state` gives it."""
    return bench.call("raw state", engine_of(bench).raw_state, _READ_S, said=False)


def refused(step: Step, *errors: Error) -> str:
    """The answer of a primitive that must fail with one of these and leave the hand as it was."""
    unchanged = step.held() == step.held(before=True)
    answer = step.answer if unchanged else f"{step.answer}; the hand holds something else now"
    return expect(step.error in errors and unchanged, answer)


def things_of(bench: Bench) -> Things:
    """The things of the scene for the episode. Raises CannotTell where one is lacking."""
    graph = bench.graph()
    me = graph.agent().id

    def loose(graph: SceneGraph, node: Node) -> bool:
        hollow = node.affordances & {Affordance.CONTAINER, Affordance.OPENABLE}
        near = graph.has_edge(me, Relation.CLOSE, node.id)
        return not hollow and not near and not graph.contents(node.id)

    def carried(where: _Where, *affords: Affordance) -> int:
        able = {Affordance.GRASPABLE, *affords}
        return bench.find(kind=Kind.OBJECT, affords=able, where=where).id

    def furniture(
        names: Sequence[str],
        *affords: Affordance,
        without: Collection[Affordance] = (),
        states: Collection[State] = (),
    ) -> int:
        def called(name: str) -> _Where:
            return lambda graph, node: (
                name in node.category and node.affordances.isdisjoint(without)
            )

        for name in names:
            with suppress(CannotTell):
                return bench.find(
                    kind=Kind.FIXTURE, affords=affords, states=states, where=called(name)
                ).id
        raise CannotTell(f"the scene has no {' or '.join(filter(None, names)) or 'device'}")

    opens, holds, switches = Affordance.OPENABLE, Affordance.CONTAINER, Affordance.SWITCHABLE
    thing = carried(loose)
    return Things(
        thing,
        other=carried(lambda graph, node: node.id != thing and loose(graph, node)),
        bin=carried(lambda graph, node: opens not in node.affordances, holds),
        table=furniture(_TABLES, Affordance.SURFACE, without=(opens, switches, holds)),
        box=furniture(_BOXES, opens, holds, states={State.CLOSED}),
        device=furniture([""], switches, states={State.OFF}),
        room=bench.find(kind=Kind.ROOM, where=lambda graph, node: node.id != graph.room_of(me)).id,
    )


_Where = Callable[[SceneGraph, Node], bool]


def _plan(things: Things) -> Iterator[tuple[str, Primitive, int | None]]:
    """The primitives of the episode, each with its name in checks."""
    thing, table, box, device = things.thing, things.table, things.box, things.device
    yield "release nothing", Primitive.RELEASE, None
    yield "place nothing", Primitive.PLACE_ON_TOP, table
    yield "cut with nothing", Primitive.CUT, thing
    yield "wipe with nothing", Primitive.WIPE, table
    yield "open a table", Primitive.OPEN, table
    yield "switch a table", Primitive.TOGGLE_ON, table
    yield "switch on", Primitive.TOGGLE_ON, device
    yield "switch on again", Primitive.TOGGLE_ON, device
    yield "switch off", Primitive.TOGGLE_OFF, device
    yield "grasp from afar", Primitive.GRASP, thing
    yield "grasp with a full hand", Primitive.GRASP, things.other
    yield "grasp what is held", Primitive.GRASP, thing
    yield "open with a full hand", Primitive.OPEN, box
    yield "close with a full hand", Primitive.CLOSE, box
    yield "switch with a full hand", Primitive.TOGGLE_ON, device
    yield "cut with no knife", Primitive.CUT, things.other
    yield "place inside a table", Primitive.PLACE_INSIDE, table
    yield "place on top", Primitive.PLACE_ON_TOP, table
    yield "go to a shut box", Primitive.NAVIGATE_TO, box
    yield "grasp from the table", Primitive.GRASP, thing
    yield "place into a shut box", Primitive.PLACE_INSIDE, box
    yield "open", Primitive.OPEN, box
    yield "open again", Primitive.OPEN, box
    yield "go to an open box", Primitive.NAVIGATE_TO, box
    yield "close", Primitive.CLOSE, box
    yield "grasp out of a shut box", Primitive.GRASP, thing
    yield "travel", Primitive.NAVIGATE_TO, table
    yield "release", Primitive.RELEASE, None
    yield "grasp what was released", Primitive.GRASP, thing
    yield "place into a bin", Primitive.PLACE_INSIDE, things.bin
    yield "grasp the bin", Primitive.GRASP, things.bin
    yield "place the bin", Primitive.PLACE_ON_TOP, table
    yield "go to a room", Primitive.NAVIGATE_TO, things.room


#: Where these fail, the robot goes there and tries again, so that what follows can be told.
_WORTH_A_WALK = frozenset(
    {
        "grasp from afar",
        "place on top",
        "grasp from the table",
        "place into a bin",
        "grasp the bin",
        "place the bin",
    }
)


def _play(bench: Bench) -> Episode:
    bench.begin()
    episode = Episode(things_of(bench), bench.graph())
    try:
        for name, primitive, thing in _plan(episode.things):
            step = _take(bench, episode, name, primitive, thing)
            if step.error is not None and name in _WORTH_A_WALK:
                _take(bench, episode, f"walk to {name}", Primitive.NAVIGATE_TO, thing)
                _take(bench, episode, f"{name}, again", primitive, thing)
    except CannotTell as lost:
        episode.lost = str(lost)
    return episode


def _take(
    bench: Bench, episode: Episode, name: str, primitive: Primitive, thing: int | None
) -> Step:
    """Take a step and note it. Raises CannotTell."""
    backend = adapter_of(bench).backend
    before = list(episode.steps.values())[-1].after if episode.steps else episode.start
    result = run(bench, primitive, thing)
    after = bench.call("state", lambda: backend.graph().copy(), _READ_S, said=False)
    view = bench.call("view", backend.view, _READ_S, said=False)
    seen = frozenset(node.id for node in view.graph.nodes())
    step = episode.steps[name] = Step(primitive, result, before, after, seen)
    return step


def episode_of(bench: Bench) -> Episode:
    """The episode, played with the first check that reads it."""
    return bench.once("omnigibson's primitives", lambda: _play(bench))
