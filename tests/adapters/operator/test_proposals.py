"""What a detector says of a photo, in the labels of the question."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from peephole.adapters.operator.proposals import merged, proposal
from peephole.adapters.operator.questions import Look, PhotoReading, Seen, Sighting, check_answer
from peephole.observation_text.detected_rows import Row, Rows
from peephole.scene_graph.node import Relation, State

from .photographed import photographed

ON, IN = Relation.ON, Relation.INSIDE
KITCHEN = photographed()[1]


def said(question: Look, *rows: tuple[str, ...]) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """Sightings and names left out, for rows of name, relation, related_to and states."""
    names = ("name", "relation", "related_to", "states")
    made = [Row(**dict(zip(names, row, strict=False))) for row in rows]
    found = proposal(question, Rows(rows=made))
    check_answer(question, Seen(criteria=(False,), sightings=found.sightings))
    assert merged((), found.sightings) == found.sightings
    return tuple((s.thing, s.relation, s.place, *s.states) for s in found.sightings), found.left_out


def test_rows_become_known_things_and_new_ones_with_a_number() -> None:
    found, left_out = said(
        KITCHEN,
        ("saucer-1", "ontop_of", "tray-1"),  # its keeper comes later
        ("cup", "ontop_of", "counter"),
        ("cup-1", "ontop_of", "counter-1"),
        ("tray-1", "ontop_of", "the counter"),
        ("tray 1", "ontop_of", "counter"),
        ("Tray", "ontop_of", "table"),
        ("cup 3", "inside_of", "table"),
        ("saucer", "inside_of", "tray 1"),
    )
    assert found == (
        ("cup 2", ON, "counter"),
        ("cup 1", ON, "counter"),
        ("tray", ON, "counter"),
        ("tray 2", ON, "table"),
        ("cup", ON, "table"),
        ("saucer", IN, "tray"),
        ("saucer 2", ON, "tray"),
    )
    assert left_out == ("tray 1",)


def test_states_are_those_that_a_person_could_say() -> None:
    found, left_out = said(
        KITCHEN,
        ("fridge", "", "", "open"),
        ("microwave-1", "ontop_of", "counter", "turned_on, closed"),
        ("apple", "ontop_of", "table", "open"),
        ("sofa", "", "", "open"),
        ("pear", "inside_of", "microwave"),
        ("plum", "inside_of", "the moon"),
        ("fig", "", ""),
    )
    assert found == (
        ("fridge", None, None, State.OPEN),
        ("microwave", None, None, State.CLOSED, State.ON),
        ("apple", ON, "table"),
    )
    assert left_out == ("sofa", "pear", "plum", "fig")
    reading = PhotoReading(
        model="m", photo="p", sightings=(Sighting(thing="fridge", states=(State.OPEN,)),)
    )
    assert "States in the photo: fridge open." in reading.words


def test_what_is_proposed_takes_the_place_of_what_is_expected() -> None:
    tray = Sighting(thing="tray", relation=ON, place="table")
    cup = Sighting(thing="cup 1", relation=ON, place="tray", states=(State.DIRTY,))
    fridge = Sighting(thing="fridge", states=(State.CLOSED,))
    moved = tray.model_copy(update={"place": "counter"})
    clean = cup.model_copy(update={"states": (State.CLEAN,)})
    opened = fridge.model_copy(update={"states": (State.OPEN,)})
    assert merged((tray, cup, fridge), (moved, clean, opened)) == (moved, clean, opened)
    into_itself = tray.model_copy(update={"place": "cup 1"})
    assert merged((tray, cup), (into_itself,)) == (tray, cup)


_NAMES = st.sampled_from(
    [
        *(
            "cup",
            "cup-1",
            "cup 2",
            "Tray",
            "tray (2)",
            "apple",
            "milk\n1",
            "x" * 99,
            "カップ-1",
            "",
        ),
        *("fridge", "table-1", "sofa", "robot", "kitchen", "counter", ""),
    ]
)
_ROW = st.builds(
    Row,
    name=_NAMES,
    relation=st.sampled_from(["ontop_of", "inside_of", "under", "attached_to", "beside", ""]),
    related_to=_NAMES,
    states=st.sampled_from(["open", "open, closed", "turned_on", "sad", ""]),
)


@given(st.lists(_ROW, max_size=9))
def test_whatever_rows_say_the_proposal_can_be_sent(rows: list[Row]) -> None:
    found = proposal(KITCHEN, Rows(rows=rows)).sightings
    check_answer(KITCHEN, Seen(criteria=(False,), sightings=found))
    check_answer(KITCHEN, Seen(criteria=(False,), sightings=merged(KITCHEN.expected, found)))
