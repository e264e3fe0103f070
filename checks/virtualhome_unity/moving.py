"""What is assumed of walking: what the character is close to, where it is, what goes along."""

from __future__ import annotations

from ..assumption import CannotTell, Checks, Topic, expect
from ..bench import Bench
from .engine import graph_now, line_of, send
from .errands import Step, box_errand, look_errand, seat_errand, stack_errand

CHECKS = Checks("virtualhome_unity")

_REACH = "skills/reach.py"
_DYNAMICS = "skills/dynamics.py"


def _close(step: Step) -> str:
    near = step.after.related(step.after.me, "CLOSE")
    return f"{step.text}; close to {len(near)} things"


@CHECKS.assume(
    Topic.ACTIONS,
    "A walk to furniture brings a CLOSE edge from the character to it.",
    source=f"{_REACH}: the agent reaches what it is close to",
)
def walk_brings_close(bench: Bench) -> str:
    errand = box_errand(bench)
    step = errand["walk"]
    near = step.after.related(step.after.me, "CLOSE")
    return expect(errand.things["box"] in near, _close(step))


@CHECKS.assume(
    Topic.ACTIONS,
    "A walk into another room ends the nearness to what was left.",
    source=f"{_REACH}",
)
def walk_leaves_behind(bench: Bench) -> str:
    errand = box_errand(bench)
    step = errand["away"]
    near = step.after.related(step.after.me, "CLOSE")
    return expect(errand.things["box"] not in near, _close(step))


@CHECKS.assume(
    Topic.ACTIONS,
    "After a walk to a room the character is inside that room alone.",
    source="adapters/virtualhome/unity/adapter.py: _enter; scene_graph: room_of",
)
def walk_changes_the_room(bench: Bench) -> str:
    errand = box_errand(bench)
    step = errand["away"]
    rooms = step.after.rooms_of(step.after.me)
    words = f"{step.text}; it is in {', '.join(map(step.after.named, rooms))}"
    return expect(rooms == {errand.things["there"]}, words)


@CHECKS.assume(
    Topic.ACTIONS,
    "A walk changes nothing but the character's own relations, and what it carries.",
    source="adapters/virtualhome/unity/adapter.py: _approach walks before a second try",
)
def walk_changes_nothing_else(bench: Bench) -> str:
    step = box_errand(bench)["walk"]
    changed = {edge for edge in step.before.edges ^ step.after.edges if step.before.me not in edge}
    other = [i for i in step.before.nodes if step.before.states(i) != step.after.states(i)]
    words = f"{step.text}; {len(changed)} other relations and {len(other)} states changed"
    return expect(not changed and set(other) <= {step.before.me}, words)


@CHECKS.assume(
    Topic.REFUSALS,
    "Furniture in another room cannot be closed from afar.",
    source=f"{_DYNAMICS}: check refuses it as not close, before the executable is asked",
)
def far_furniture_stays(bench: Bench) -> str:
    errand = box_errand(bench)
    step = errand["close from afar"]
    states = step.after.states(errand.things["box"])
    return expect(not step.success and "OPEN" in states, f"{step.text}; it is {sorted(states)}")


@CHECKS.assume(
    Topic.REFUSALS,
    "A thing in another room cannot be grabbed from afar.",
    source=f"{_DYNAMICS}: check refuses it as not close, before the executable is asked",
)
def far_things_stay(bench: Bench) -> str:
    errand = box_errand(bench)
    step = errand["grab from afar"]
    held = errand.things["thing"] in step.after.held()
    return expect(not step.success and not held, f"{step.text}; held: {held}")


@CHECKS.assume(
    Topic.CARRYING,
    "A held thing stays in the hand on a walk into another room, and is in no other room.",
    source=f"{_DYNAMICS}: the effect of go_to",
)
def held_goes_along(bench: Bench) -> str:
    errand = box_errand(bench)
    step, thing = errand["away"], errand.things["thing"]
    rooms = step.after.rooms_of(thing)
    where = ", ".join(map(step.after.named, rooms)) or "no room"
    words = f"held: {thing in step.after.held()}, in {where}"
    wanted = thing in step.after.held() and rooms <= {errand.things["there"]}
    return expect(wanted, f"{step.text}; {words}")


@CHECKS.assume(
    Topic.CARRYING,
    "What lay on a carried thing is still on it, or falls into a room; it is never nowhere.",
    source="scene_graph: room_of; adapters/virtualhome/graph_import.py: assemble",
)
def stacked_are_somewhere(bench: Bench) -> str:
    errand = stack_errand(bench)
    step, thing, tray = errand["away"], errand.things["thing"], errand.things["tray"]
    places, rooms = step.after.places(thing), step.after.rooms_of(thing)
    words = f"{step.after.named(thing)} on {step.after.named(tray)}: {('ON', tray) in places}"
    where = [step.after.named(place) for place in (*(to for _, to in places), *rooms)]
    return expect(bool(where), f"{words}; it is in or on {', '.join(where) or 'nothing'}")


@CHECKS.assume(
    Topic.CARRYING,
    "What is inside furniture stays inside when that is opened or closed.",
    source=f"{_DYNAMICS}: open and close change one state",
)
def contents_stay_inside(bench: Bench) -> str:
    errand = box_errand(bench)
    box = errand.things["box"]
    for label in ("open", "close at last"):
        step = errand[label]
        before, after = (
            {start for start, word, to in graph.edges if word == "INSIDE" and to == box}
            for graph in (step.before, step.after)
        )
        if before != after:
            return expect(False, f"{step.text}; {len(before)} things were inside, {len(after)} are")
    return f"{len(after)} things stayed inside {step.after.named(box)}"


@CHECKS.assume(
    Topic.ACTIONS,
    "Who sits shows it, by the state SITTING, and stands up by STANDUP.",
    source="adapters/virtualhome/graph_import.py: POSTURES",
)
def sitting_shows(bench: Bench) -> str:
    errand = seat_errand(bench)
    down, up = errand["sit"], errand["stand up"]
    states = [sorted(step.after.states(step.after.me)) for step in (down, up)]
    words = f"after SIT {states[0]}, after STANDUP {states[1]}"
    return expect("SITTING" in states[0] and "SITTING" not in states[1], words)


@CHECKS.assume(
    Topic.REFUSALS,
    "Who sits cannot walk.",
    source=f"{_DYNAMICS}: Reason.SEATED",
)
def the_seated_do_not_walk(bench: Bench) -> str:
    step = seat_errand(bench)["walk seated"]
    return expect(not step.success, step.text)


@CHECKS.assume(
    Topic.ACTIONS,
    "A character can turn to furniture in its room, and then look at it.",
    source="adapters/virtualhome/commands.py: looking turns to the thing first",
)
def looking_works(bench: Bench) -> str:
    errand = look_errand(bench)
    turn, look = errand["turn"], errand["look"]
    return expect(turn.success and look.success, f"{turn.text}; {look.text}")


@CHECKS.assume(
    Topic.ACTIONS,
    "A walk to what the character already stands at succeeds.",
    source="adapters/virtualhome/unity/adapter.py: _approach",
)
def walking_twice_works(bench: Bench) -> str:
    graph = graph_now(bench)
    thing = graph.first("furniture", where=lambda i: graph.nodes[i]["category"] == "Furniture")
    line = line_of(graph, "WALK", thing)
    first, second = send(bench, line), send(bench, line)
    if not first.success:
        raise CannotTell(first.text)
    return expect(second.success, second.text)
