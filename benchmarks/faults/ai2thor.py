"""Faults of AI2-THOR's engine; `ai2thor_engine.py` is the stand-in with one of them."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from unittest.mock import patch

from peephole.adapters.ai2thor.engine import EXECUTABLE_VARIABLE, STAND_IN
from peephole.checks.ai2thor import CHECKS

from .fault import Fault

__all__ = ["CHECKS", "FAULTS", "sound"]

_ENGINE = Path(__file__).with_name("ai2thor_engine.py")


@contextmanager
def _engine(command: str) -> Iterator[None]:
    """Within this context the Controller starts that engine."""
    with patch.dict(os.environ, {EXECUTABLE_VARIABLE: command}):
        yield


def sound() -> AbstractContextManager[None]:
    """The stand-in without a fault."""
    return _engine(STAND_IN)


def _fault(name: str, sentence: str, *named_by: str) -> Fault:
    command = shlex.join([sys.executable, str(_ENGINE), name])
    return Fault(name, sentence, named_by, partial(_engine, command))


FAULTS = (
    _fault("only_visible_reported", "Only visible objects are reported.", "everything_reported"),
    _fault(
        "contents_in_inventory",
        "inventoryObjects lists what is in the held pot, too.",
        "contents_are_not_held",
    ),
    _fault(
        "closed_has_no_contents",
        "parentReceptacles is empty for things in closed containers.",
        "closed_keeps",
    ),
    _fault(
        "controlled_by_name",
        "controlledObjects of a knob is a text, not a list.",
        "knob_names_burner",
    ),
    _fault(
        "held_keeps_place",
        "A thing in the hand keeps its place in parentReceptacles.",
        "held_has_no_place",
        "place_gives_up_held",
    ),
    _fault(
        "closed_shows",
        "Things in closed containers are visible.",
        "closed_fridge_hides",
        "closed_microwave_bars",
    ),
    _fault("far_sight", "Things are visible from 5 m.", "sight_ends"),
    _fault("high_camera", "The camera is 0.9 m above the agent.", "camera_height"),
    _fault("yaw_counter_clockwise", "Yaw counts counter-clockwise.", "yaw_frame"),
    _fault("horizon_up", "cameraHorizon grows upwards.", "horizon_down"),
    _fault("quarter_yaws", "A teleport rounds the yaw to 90 degrees.", "teleport_exact"),
    _fault("two_hands", "A second thing can be picked up.", "one_hand"),
    _fault("contents_left_behind", "What is in a pot stays behind.", "contents_go_along"),
    _fault("ids_follow_places", "A put thing gets the id of its new position.", "ids_last"),
    _fault(
        "closed_in_other_words",
        "A put into a closed fridge is refused in other words.",
        "put_in_closed",
    ),
    _fault(
        "table_despite_force",
        "The table of types holds with forceAction, too.",
        "force_passes_table",
    ),
    _fault("opens_late", "isOpen changes with the next action only.", "open_and_close"),
    _fault("knob_without_burner", "A knob turns on no burner.", "knob_turns_burner"),
    _fault("cools_down", "Hot things cool down within ten actions.", "heat_lasts"),
    _fault("tap_without_water", "The tap cleans nothing.", "tap_cleans"),
    _fault("pieces_without_place", "Pieces have no place.", "pieces_stay"),
    _fault("pieces_with_own_ids", "Pieces have ids by their position.", "piece_ids"),
    _fault("unnamed_stay", "SetObjectPoses keeps what it does not name.", "unnamed_are_removed"),
    _fault("arguments_ignored", "Unknown arguments are ignored.", "wrong_argument"),
    _fault("things_drift", "A thing drifts by 4 mm each time the agent waits.", "nothing_moves"),
    _fault("another_start", "A thing starts elsewhere at each load.", "loaded_again"),
)
