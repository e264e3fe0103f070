"""Faults of VirtualHome's executable; `virtualhome_unity_engine.py` is the stand-in with one."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from unittest.mock import patch

from peephole.adapters.virtualhome.unity.process import COMMAND_VARIABLE
from peephole.checks.virtualhome_unity import CHECKS

from .fault import Fault

__all__ = ["CHECKS", "FAULTS", "sound"]

_ENGINE = Path(__file__).with_name("virtualhome_unity_engine.py")
_SOUND = (sys.executable, "-m", "peephole.adapters.virtualhome.unity.stand_in")


@contextmanager
def _started(*command: str) -> Iterator[None]:
    """Let adapters start this command with a port of its own."""
    with patch.dict(os.environ, {COMMAND_VARIABLE: f"{shlex.join(command)} --port {{port}}"}):
        yield


def sound() -> AbstractContextManager[None]:
    """The stand-in as it is."""
    return _started(*_SOUND)


def _fault(name: str, sentence: str, *named_by: str) -> Fault:
    return Fault(name, sentence, named_by, partial(_started, sys.executable, str(_ENGINE), name))


FAULTS = (
    _fault(
        "refuses_with_success", "A refused line is answered with success.", "refusal_is_no_success"
    ),
    _fault("refuses_in_other_words", "Refusals have other words.", "refusal_has_its_words"),
    _fault("names_no_way", "A walk without a way has other words.", "no_way_has_its_words"),
    _fault(
        "knows_fewer_commands", "PLUGIN, WASH and POUR are unknown.", "other_commands_are_known"
    ),
    _fault("shows_effects_late", "The graph shows an effect 0.15 s later.", "graph_is_fresh"),
    _fault(
        "has_an_unknown_property",
        "A node has the property EMISSIVE, which we do not know.",
        "words_of_nodes_are_known",
    ),
    _fault("numbers_at_random", "Each load gives nodes other ids.", "ids_last"),
    _fault("loads_nothing_twice", "A second load undoes nothing.", "loading_undoes"),
    _fault("flickers", "A switch goes on and off by itself.", "nothing_changes_alone"),
    _fault(
        "opens_without_closing",
        "What is open is CLOSED, too.",
        "opposite_words_exclude_each_other",
        "open_opens",
    ),
    _fault(
        "hides_the_enclosed",
        "The graph lacks what is inside closed furniture.",
        "graph_has_what_is_enclosed",
    ),
    _fault(
        "enters_the_first_room",
        "A character always enters the first room.",
        "character_enters_its_room",
    ),
    _fault("builds_without_states", "A built graph opens nothing.", "built_states_count"),
    _fault(
        "drops_the_placeless",
        "Things without a place are left out without a word.",
        "placeless_things_are_told",
    ),
    _fault(
        "keeps_places_of_the_held", "A held thing still lies in its place.", "held_lies_nowhere"
    ),
    _fault(
        "holds_a_twin",
        "The graph names another thing of the class as held.",
        "grab_takes_the_named",
    ),
    _fault(
        "holds_in_one_hand",
        "Both things are held in the right hand.",
        "second_goes_into_the_other_hand",
    ),
    _fault("stays_close_to_all", "Nearness does not end by a walk.", "walk_leaves_behind"),
    _fault("stands_close_to_nothing", "The character is close to nothing.", "walk_brings_close"),
    _fault("cuts_into_nothing", "Cut food is gone.", "cut_food_stays"),
    _fault("stands_up_to_walk", "Who sits stands up to walk.", "the_seated_do_not_walk"),
    _fault(
        "brings_one_camera",
        "A character brings one camera.",
        "characters_bring_cameras",
    ),
)
