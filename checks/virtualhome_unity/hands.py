"""What is assumed of hands: grabbing, holding, putting, and what furniture has to do with it."""

from __future__ import annotations

from ..assumption import CannotTell, Checks, Topic, expect
from ..bench import Bench
from .errands import Step, box_errand, hands_errand, knife_errand, twin_errand

CHECKS = Checks("virtualhome_unity")

_DYNAMICS = "skills/dynamics.py"
_STATE = "adapters/virtualhome/unity/state.py"
_BODY = "adapters/virtualhome/evolving_graph.py: Embodiment"


def _holding(step: Step) -> str:
    held = ", ".join(map(step.after.named, sorted(step.after.held()))) or "nothing"
    return f"{step.text}; it holds {held}"


@CHECKS.assume(
    Topic.HANDS,
    "A grabbed thing is held by HOLDS_RH or HOLDS_LH.",
    source="adapters/virtualhome/graph_import.py: read_edges",
)
def grab_holds(bench: Bench) -> str:
    errand = box_errand(bench)
    step = errand["grab"]
    return expect(errand.things["thing"] in step.after.held(), _holding(step))


@CHECKS.assume(
    Topic.CARRYING,
    "A held thing lies nowhere: its edges ON and INSIDE furniture are gone.",
    source=f"{_STATE}: _in_hand; adapters/virtualhome/graph_import.py: assemble",
)
def held_lies_nowhere(bench: Bench) -> str:
    errand = box_errand(bench)
    step = errand["grab"]
    places = step.after.places(errand.things["thing"])
    return expect(not places, f"{step.text}; it still is {sorted(places)}")


@CHECKS.assume(
    Topic.HANDS,
    "Of two things of one class, the one with the id in the line is held.",
    source=f"{_STATE}: _in_hand corrects it; virtualhome issue 132",
)
def grab_takes_the_named(bench: Bench) -> str:
    errand = twin_errand(bench)
    step = errand["grab"]
    return expect(step.after.held() == {errand.things["thing"]}, _holding(step))


@CHECKS.assume(
    Topic.HANDS,
    "A second thing is held in the other hand.",
    source=f"{_BODY}: two hands",
)
def second_goes_into_the_other_hand(bench: Bench) -> str:
    errand = hands_errand(bench)
    step = errand["second"]
    hands = [step.after.related(step.after.me, hand) for hand in ("HOLDS_RH", "HOLDS_LH")]
    wanted = {errand.things["first"], errand.things["second"]}
    words = f"right {sorted(hands[0])}, left {sorted(hands[1])}"
    return expect(hands[0] | hands[1] == wanted and len(hands[0]) == 1, f"{step.text}; {words}")


@CHECKS.assume(
    Topic.REFUSALS,
    "With both hands full a third thing cannot be grabbed.",
    source=f"{_BODY}: two hands; {_DYNAMICS}: Reason.HANDS_FULL",
)
def third_is_refused(bench: Bench) -> str:
    step = hands_errand(bench)["third"]
    return expect(not step.success and len(step.after.held()) == 2, _holding(step))


@CHECKS.assume(
    Topic.REFUSALS,
    "With both hands full nothing can be opened.",
    source=f"{_BODY}: needs_free_hand",
)
def full_hands_open_nothing(bench: Bench) -> str:
    step = hands_errand(bench)["open with full hands"]
    return expect(not step.success, step.text)


@CHECKS.assume(
    Topic.REFUSALS,
    "What is not held cannot be put down.",
    source=f"{_DYNAMICS}: Reason.NOT_HELD",
)
def unheld_is_not_put(bench: Bench) -> str:
    step = hands_errand(bench)["put what is not held"]
    return expect(not step.success, step.text)


@CHECKS.assume(
    Topic.HANDS,
    "A put leaves the thing in the other hand there.",
    source=f"{_DYNAMICS}: the effect of put",
)
def other_hand_keeps(bench: Bench) -> str:
    errand = hands_errand(bench)
    step = errand["put first"]
    return expect(step.after.held() == {errand.things["second"]}, _holding(step))


@CHECKS.assume(
    Topic.REFUSALS,
    "A thing inside closed furniture cannot be grabbed, and stays there.",
    source=f"{_DYNAMICS}: Reason.ENCLOSED",
)
def nothing_out_of_closed(bench: Bench) -> str:
    errand = box_errand(bench)
    step = errand["grab enclosed"]
    stays = step.after.places(errand.things["thing"]) == {("INSIDE", errand.things["box"])}
    return expect(not step.success and stays, _holding(step))


@CHECKS.assume(
    Topic.REFUSALS,
    "A refused line changes nothing.",
    source="skills/outcomes.py: a refusal is retried as if nothing had happened",
)
def refused_lines_change_nothing(bench: Bench) -> str:
    steps = [*box_errand(bench).steps(), *hands_errand(bench).steps()]
    refused = [step for step in steps if not step.success]
    if not refused:
        raise CannotTell("nothing was refused")
    changed = [step.text for step in refused if step.before != step.after]
    return expect(not changed, "; ".join(changed) or f"{len(refused)} refusals changed nothing")


@CHECKS.assume(
    Topic.ACTIONS,
    "PUTBACK brings the thing ON the surface and out of the hand.",
    source="adapters/virtualhome/commands.py: put on is PUTBACK",
)
def putback_puts_on(bench: Bench) -> str:
    errand = box_errand(bench)
    step, thing = errand["put on"], errand.things["thing"]
    places = step.after.places(thing)
    words = f"{_holding(step)}; it is {sorted(places)}"
    wanted = places == {("ON", errand.things["surface"])} and thing not in step.after.held()
    return expect(wanted, words)


@CHECKS.assume(
    Topic.NAMES,
    "What was put down in another room is inside no other room afterwards.",
    source="scene_graph: room_of; adapters/virtualhome/graph_import.py: rooms",
)
def put_things_change_rooms(bench: Bench) -> str:
    errand = box_errand(bench)
    step, thing = errand["put on"], errand.things["thing"]
    rooms = step.after.rooms_of(thing)
    words = f"{step.text}; in {', '.join(map(step.after.named, rooms)) or 'no room'}"
    return expect(rooms <= {errand.things["there"]}, words)


@CHECKS.assume(
    Topic.ACTIONS,
    "PUTIN brings the thing INSIDE open furniture and out of the hand.",
    source="adapters/virtualhome/commands.py: put inside is PUTIN",
)
def putin_puts_inside(bench: Bench) -> str:
    errand = box_errand(bench)
    step, thing = errand["put in"], errand.things["thing"]
    places = step.after.places(thing)
    words = f"{_holding(step)}; it is {sorted(places)}"
    wanted = places == {("INSIDE", errand.things["box"])} and thing not in step.after.held()
    return expect(wanted, words)


@CHECKS.assume(
    Topic.REFUSALS,
    "Nothing can be put into closed furniture; it stays in the hand.",
    source=f"{_DYNAMICS}: Reason.CONTAINER_CLOSED",
)
def nothing_into_closed(bench: Bench) -> str:
    errand = box_errand(bench)
    step = errand["put in closed"]
    held = errand.things["thing"] in step.after.held()
    return expect(not step.success and held, _holding(step))


@CHECKS.assume(
    Topic.ACTIONS,
    "Food is cut with a held knife, and stays in the graph under its id.",
    source=f"{_STATE}: cut shows it as sliced from then on",
)
def cut_food_stays(bench: Bench) -> str:
    errand = knife_errand(bench)
    step, food = errand["cut"], errand.things["food"]
    stays = food in step.after.nodes
    return expect(stays, f"{step.text}; {step.after.named(food)}")
