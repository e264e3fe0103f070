"""What the adapter `virtualhome` assumes of the evolving graph of virtualhome-eval.

Errands of the checks of `virtualhome_unity` that fit both simulators, and the words of its
refusals, from which the adapter takes the reasons of failures. The simulator is asked without what
the adapter corrects.
"""

from __future__ import annotations

from dataclasses import replace

from ..adapters.virtualhome.commands import VERB_OF, failure_of
from ..scene_graph.node import Relation
from ..skills.actions import Action, put
from ..skills.outcomes import Reason
from .assumption import CannotTell, Checks, Topic, expect
from .bench import Bench
from .virtualhome_unity import CHECKS as OF_UNITY
from .virtualhome_unity.engine import begin
from .virtualhome_unity.errands import (
    Errand,
    box_errand,
    hands_errand,
    seat_errand,
)
from .virtualhome_unity.evolving import SCENE

#: The checks of the executable that hold of the evolving graph too.
_SHARED = (
    *("nodes_have_their_fields", "words_of_nodes_are_known", "relations_are_known"),
    *("ids_stay_while_acting", "ids_last", "nothing_changes_alone"),
    *("opposite_words_exclude_each_other", "graph_has_what_is_enclosed", "things_are_in_rooms"),
    *("hands_begin_empty", "walk_brings_close", "walk_leaves_behind", "walk_changes_the_room"),
    *("far_furniture_stays", "far_things_stay", "contents_stay_inside", "sitting_shows"),
    *("the_seated_do_not_walk", "looking_works", "walking_twice_works", "grab_holds"),
    *("held_lies_nowhere", "grab_takes_the_named", "third_is_refused", "full_hands_open_nothing"),
    *("unheld_is_not_put", "other_hand_keeps", "nothing_out_of_closed", "putback_puts_on"),
    *("refused_lines_change_nothing", "putin_puts_inside", "nothing_into_closed", "cut_food_stays"),
    *("open_opens", "close_closes", "switchon_switches", "switchoff_switches", "open_changes_one"),
)

CHECKS = Checks(
    "virtualhome", SCENE, [each for each in OF_UNITY.assumptions if each.name in _SHARED]
)

_REFUSALS = "adapters/virtualhome/refusals.yaml"


def _means(errand: Errand, label: str, reason: Reason) -> str:
    """Check that a refusal of an errand is understood as a reason."""
    step = errand[label]
    if step.success:
        raise CannotTell(f"it was not refused: {step.text}")
    command = step.said.line.split("[")[1].split("]")[0].upper()
    thing = next(iter(errand.things.values()))
    if command in ("PUTBACK", "PUTIN"):
        action = put(thing, Relation.ON, thing)
    else:
        action = Action(VERB_OF[command], thing)
    found = failure_of(action, step.said.words).reason
    return expect(found is reason, f"{step.text}: taken for {found}")


@CHECKS.assume(
    Topic.REFUSALS,
    "Grabbing out of closed furniture says that it is inside a closed thing.",
    source=_REFUSALS,
)
def enclosed_is_said(bench: Bench) -> str:
    return _means(box_errand(bench), "grab enclosed", Reason.ENCLOSED)


@CHECKS.assume(
    Topic.REFUSALS,
    "Grabbing in another room says that the character is not close.",
    source=_REFUSALS,
)
def far_is_said(bench: Bench) -> str:
    return _means(box_errand(bench), "grab from afar", Reason.UNREACHABLE)


@CHECKS.assume(
    Topic.REFUSALS, "Putting into closed furniture says that it is not open.", source=_REFUSALS
)
def closed_is_said(bench: Bench) -> str:
    return _means(box_errand(bench), "put in closed", Reason.CONTAINER_CLOSED)


@CHECKS.assume(
    Topic.REFUSALS, "Grabbing a third thing says that no hand is free.", source=_REFUSALS
)
def full_hands_are_said(bench: Bench) -> str:
    return _means(hands_errand(bench), "third", Reason.HANDS_FULL)


@CHECKS.assume(
    Topic.REFUSALS, "Opening with full hands says that no hand is free.", source=_REFUSALS
)
def no_hand_to_open_is_said(bench: Bench) -> str:
    return _means(hands_errand(bench), "open with full hands", Reason.HANDS_FULL)


@CHECKS.assume(
    Topic.REFUSALS, "Putting what is not held says that it is not held.", source=_REFUSALS
)
def not_held_is_said(bench: Bench) -> str:
    return _means(hands_errand(bench), "put what is not held", Reason.NOT_HELD)


@CHECKS.assume(
    Topic.REFUSALS, "Walking while sitting says that the character sits.", source=_REFUSALS
)
def seated_is_said(bench: Bench) -> str:
    return _means(seat_errand(bench), "walk seated", Reason.SEATED)


CHECKS.assumptions[:] = [replace(each, start=begin) for each in CHECKS.assumptions]
