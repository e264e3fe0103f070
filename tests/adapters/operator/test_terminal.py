"""The desk in a terminal: what a person types, line by line."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from peephole.adapters.operator.page.photo import Photo
from peephole.adapters.operator.photo_reader import ModelPhotoReader, PhotoReader
from peephole.adapters.operator.questions import (
    Answer,
    Confirmed,
    Done,
    Failed,
    Place,
    Question,
    Ready,
    Refused,
    Seen,
    Sighting,
)
from peephole.adapters.operator.terminal import TerminalDesk
from peephole.scene_graph.node import Relation, State
from peephole.skills.executor import SimulatorDied
from peephole.skills.outcomes import Reason

from ...scripted_desk import EXAMPLES
from .photographed import photographed

PREPARE, DO, LOOK, CONFIRM = EXAMPLES


def answered(
    question: Question, *lines: str, reader: PhotoReader | None = None
) -> tuple[Answer, str]:
    """The answer to a question, and what was shown."""
    shown = io.StringIO()
    desk = TerminalDesk(io.StringIO("".join(f"{line}\n" for line in lines)), shown, reader)
    return desk.ask(question), shown.getvalue()


def test_a_person_prepares_and_confirms() -> None:
    answer, shown = answered(PREPARE, "", "what", "y")
    assert answer == Ready(criteria=(False,))
    assert "  Put the apple on the table.\n" in shown
    assert "Task: Put the apple in the fridge." in shown
    assert shown.count("That is no answer here.") == 2, "Enter alone answers nothing"
    assert answered(CONFIRM, "y")[0] == Confirmed(criteria=(False,))


def test_an_action_is_done_fails_or_is_not_allowed() -> None:
    answer, shown = answered(DO, "d")
    assert answer == Done(criteria=(False,))
    assert "Step 1 of at most 30." in shown
    assert "Mind: Keep your hand away from the hinge." in shown
    assert answered(DO, "f", "9", "2 a chair")[0] == Failed(
        criteria=(False,), reason=Reason.UNREACHABLE, words="a chair"
    )
    assert answered(DO, "n too hot")[0] == Refused(criteria=(False,), words="too hot")
    assert answered(DO, "n", "", "too hot")[0] == Refused(criteria=(False,), words="too hot")


def test_a_choice_can_be_taken_back() -> None:
    answer, _ = answered(DO, "n", "b", "f", "back", "d")
    assert answer == Done(criteria=(False,))


def test_criteria_change_on_the_way_to_any_answer() -> None:
    answer, shown = answered(DO, "c 1 7", "d")
    assert answer == Done(criteria=(True,))
    assert "There is no criterion 7." in shown
    assert "The apple is in the fridge (holds)" in shown
    assert answered(LOOK, "c 1", "")[0].criteria == (True,)


def test_a_repeated_question_warns() -> None:
    _, shown = answered(DO.model_copy(update={"repeated": True}), "d")
    assert "If you did it then, do not do it again." in shown


def inside(thing: str, place: str = "fridge", *states: State) -> Sighting:
    return Sighting(thing=thing, relation=Relation.INSIDE, place=place, states=states)


@pytest.mark.parametrize(
    ("lines", "sightings", "unseen"),
    [
        ([""], (inside("milk"),), ()),
        (["."], (inside("milk"),), ()),
        (["-", ""], (), ()),
        (["d", "egg", "again", "-", ""], (), ()),
        (["?"], (), ("fridge",)),
        (
            ["Apple, cup 1 (dirty)", ""],
            (inside("apple"), inside("cup 1", "fridge", State.DIRTY)),
            (),
        ),
        (["names", "key in box, box", "no", ""], (inside("key", "box"), inside("box")), ()),
        (["appel", "y", ""], (inside("apple"),), ()),
        (["appel", "n", ""], (inside("appel"),), ()),
        (["egg (boiled)", "egg", ""], (inside("egg"),), ()),
    ],
)
def test_what_is_seen_is_typed(
    lines: list[str], sightings: tuple[Sighting, ...], unseen: tuple[str, ...]
) -> None:
    answer, _ = answered(LOOK, *lines)
    assert answer == Seen(criteria=(False,), sightings=sightings, unseen=unseen)


def test_an_impossible_answer_is_asked_for_again() -> None:
    answer, shown = answered(LOOK, "egg, egg", "", "egg 1, egg 2", "")
    assert isinstance(answer, Seen)
    assert len(answer.sightings) == 2
    assert "'egg' is named twice; leave it at one place" in shown


@pytest.mark.parametrize(
    "lines",
    [
        ["apple, box", "cup 1 on tray", "", "", "cup 1 (dirty)", ""],  # there is no tray
        ["apple, box", "cup", "again", "", "cup 1 (dirty)", "y"],
    ],
)
def test_what_was_typed_is_not_typed_again(lines: list[str]) -> None:
    shelf = Place(label="shelf", relations=(Relation.INSIDE,))
    look = LOOK.model_copy(update={"places": (*LOOK.places, shelf), "expected": ()})
    answer, shown = answered(look, *lines)
    assert isinstance(answer, Seen)
    assert "In fridge [apple, box]: " in shown
    assert answer.sightings == (
        *(inside("apple"), inside("box")),
        inside("cup 1", "shelf", State.DIRTY),
    )


def test_states_of_a_place_are_corrected() -> None:
    places = (LOOK.places[0].model_copy(update={"relations": ()}),)
    closed = Sighting(thing="fridge", states=(State.CLOSED,))
    look = LOOK.model_copy(update={"places": places, "expected": (closed,)})
    assert answered(look, "")[0] == Seen(criteria=(False,), sightings=(closed,))
    opened = Sighting(thing="fridge", states=(State.OPEN,))
    assert answered(look, "ajar", "open", "")[0] == Seen(criteria=(False,), sightings=(opened,))


@pytest.mark.parametrize("lines", [["q"], []])
def test_a_person_leaves(lines: list[str]) -> None:
    with pytest.raises(SimulatorDied, match="the person left"):
        answered(DO, *lines)


def test_control_characters_reach_neither_the_terminal_nor_the_answer() -> None:
    answer, _ = answered(DO, "n \x1b[2Jno")
    assert isinstance(answer, Refused)
    assert "\x1b" not in answer.words
    _, shown = answered(DO.model_copy(update={"text": "Do \x1b[2J."}), "d")
    assert "\x1b" not in shown


def test_a_photo_of_the_terminal_fills_the_brackets(tmp_path: Path) -> None:
    content, question = photographed("counter")
    photo, other = tmp_path / "my photo.jpg", tmp_path / "other.txt"
    photo.write_bytes(content)
    other.write_text("no photo")
    reader = ModelPhotoReader("scripted_detector")
    try:
        lines = (f"{photo}x", str(other), f"'{photo}'", "", *("",) * 9)
        seen, shown = answered(question, *lines, reader=reader)
        assert answered(LOOK, "", "", "", reader=reader)[0] == answered(LOOK, "", "")[0]
    finally:
        reader.close()
    assert "cannot be read (No such file or directory); type another path." in shown
    assert "This file is no photo that can be read" in shown
    assert "Proposed from the photo." in shown
    assert "On counter [cup 1]: " in shown
    assert isinstance(seen, Seen)
    assert ("cup 1", "counter") in {(each.thing, each.place) for each in seen.sightings}
    assert seen.photo == Photo.read(content).content
    assert [reading.problem for reading in seen.readings] == [""]


def test_a_photo_is_read_once_also_where_the_answer_has_to_be_corrected(tmp_path: Path) -> None:
    content, _ = photographed()
    path = tmp_path / "photo.jpg"
    path.write_bytes(content)
    reader = ModelPhotoReader("scripted_detector")
    try:
        lines = (str(path), "", "egg, egg", "", "egg", "")
        seen, shown = answered(LOOK, *lines, reader=reader)
    finally:
        reader.close()
    assert isinstance(seen, Seen)
    assert "'egg' is named twice" in shown
    assert shown.count("Type the path of a photo") == 2
    assert seen.photo is not None
    assert len(seen.readings) == 1
