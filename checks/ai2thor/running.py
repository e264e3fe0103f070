"""AI2-THOR's engine as a process: wrong calls, its death, repetition, times."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from ...adapters.ai2thor.connection import SCENE_S, STEP_S
from ...scene_graph.json_codec import digest
from ...scene_graph.node import Relation
from ...skills.actions import Action, go_to, open_, pick_up, put
from ..assumption import CannotTell, Topic, expect
from ..bench import Bench, Died, Refused
from .room import CHECKS, Room, assume, said

_CONNECTION = "adapters/ai2thor/connection.py"
#: Seconds within which a dead engine is noticed, and the part of a deadline that is calm.
_NOTICED_S, _CALM = 5.0, 0.25


@assume(
    Topic.CALLS,
    "An action that the engine does not have is a wrong call, and the engine goes on.",
    source=f"{_CONNECTION}, EngineAnswer.known; actions that some builds lack are replaced",
)
def unknown_action(room: Room) -> str:
    answer = room.do("BrewTheTea")
    after = room.do("Pass")
    return expect(
        not answer.known and after.success,
        f"{said(answer)}, known {answer.known}; then {said(after)}",
    )


@assume(
    Topic.CALLS,
    "A lacking argument is a wrong call, and the engine goes on.",
    source=f"{_CONNECTION}: the Controller raises ValueError for it",
)
def lacking_argument(room: Room) -> str:
    answer = room.do("TeleportFull", x=0.0)
    after = room.do("Pass")
    return expect(
        not answer.known and after.success,
        f"{said(answer)}, known {answer.known}; then {said(after)}",
    )


@assume(
    Topic.REFUSALS,
    "A refusal has a message.",
    source="adapters/ai2thor/failures.yaml: the message alone decides on the reason",
)
def refusals_have_words(room: Room) -> str:
    thing = room.one("Apple", "Potato", where=lambda raw: not raw["visible"])
    silent: list[str] = []
    spoken: list[str] = []
    for action in ("PickupObject", "SliceObject", "OpenObject", "ToggleObjectOn"):
        answer = room.do(action, thing)
        if not answer.success:
            (spoken if answer.message.strip() else silent).append(action)
    if not spoken and not silent:
        raise CannotTell("nothing was refused")
    return expect(not silent, f"refused with words: {spoken}; without: {silent}")


@CHECKS.assume(
    Topic.SCENE,
    "A floor plan that the build lacks is refused as such.",
    source=f"{_CONNECTION} makes one sentence of the Controller's error",
)
def unknown_scene(bench: Bench) -> str:
    connection = Room(bench).world.connection
    try:
        answer = bench.call(
            "load FloorPlan999", lambda: connection.load("FloorPlan999"), changes=True, said=said
        )
    except Refused as error:
        return str(error)
    except Died as error:
        return expect(False, str(error))
    return expect(False, f"load FloorPlan999: {said(answer)}")


@CHECKS.assume(
    Topic.RESTART,
    "An engine that is killed is noticed within 5 s, and started again with the same room.",
    source=f"{_CONNECTION}, Watchdog; an episode survives its simulator",
)
def killed_and_restarted(bench: Bench) -> str:
    room = Room(bench)
    before, process = digest(bench.graph()), room.world.connection.process_id
    if process is None:
        raise CannotTell("the engine's process is not known")
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    began = time.monotonic()
    try:
        room.do("Pass")
    except Died:
        noticed = time.monotonic() - began
    else:
        return expect(False, "the engine was killed and answered")
    bench.restart()
    same = digest(bench.graph()) == before
    answer = f"noticed after {noticed:.1f} s; the room is {'the same' if same else 'another'}"
    return expect(noticed <= _NOTICED_S and same, answer)


@CHECKS.assume(
    Topic.RESTART,
    "An engine that is closed leaves no process behind.",
    source=f"{_CONNECTION}: the engine and what it started end as one process group",
)
def closed_leaves_nothing(bench: Bench) -> str:
    process = Room(bench).world.connection.process_id
    if process is None:
        raise CannotTell("the engine's process is not known")
    bench.close()
    try:
        os.killpg(process, 0)
    except ProcessLookupError:
        return "its process group is gone"
    return expect(False, f"its process group {process} is still there")


@CHECKS.assume(
    Topic.RESTART,
    "The same tries from the same start lead to the same state.",
    source="Capability.REPLAYABLE of the adapter",
)
def same_tries_same_state(bench: Bench) -> str:
    digests = []
    for _ in range(2):
        bench.begin(again=True)
        for action in _tries(Room(bench)):
            bench.do(action)
        digests.append(digest(bench.graph()))
    return expect(digests[0] == digests[1], f"digests {digests[0][:12]} and {digests[1][:12]}")


def _tries(room: Room) -> list[Action]:
    """Fetch a thing and put it into the fridge."""
    thing, fridge = room.node(room.one("Apple", "Potato")), room.node(room.one("Fridge"))
    return [
        *(go_to(thing), pick_up(thing), go_to(fridge), open_(fridge)),
        put(thing, Relation.INSIDE, fridge),
    ]


@CHECKS.assume(
    Topic.TIMING,
    "A floor plan is loaded in a fourth of the 60 s that it may take.",
    source=f"{_CONNECTION}, SCENE_S",
)
def load_time(bench: Bench) -> str:
    began = time.monotonic()
    bench.begin("ithor:FloorPlan11#1")
    took = time.monotonic() - began
    return expect(took <= SCENE_S * _CALM, f"it took {took:.1f} s")


@assume(
    Topic.TIMING,
    "Every action is answered in a fourth of the 20 s that it may take.",
    source=f"{_CONNECTION}, STEP_S",
)
def answer_time(room: Room) -> str:
    fridge, slowest = room.one("Fridge"), (0.0, "")
    for action, arguments in (
        ("GetReachablePositions", {}),
        ("GetInteractablePoses", {"objectId": fridge}),
        ("Pass", {}),
        ("RotateRight", {}),
        ("OpenObject", {"objectId": fridge, "forceAction": True}),
        ("PickupObject", {"objectId": room.one("Apple", "Potato"), "forceAction": True}),
        ("DropHandObject", {"forceAction": True}),
    ):
        began = time.monotonic()
        room.do(action, **arguments)
        slowest = max(slowest, (time.monotonic() - began, action))
    return expect(slowest[0] <= STEP_S * _CALM, f"the slowest: {slowest[1]}, {slowest[0]:.2f} s")
