"""Detection by a vision model in two stages."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.models.contract import AUGMENTATION, NoAnswer
from peephole.models.images import png_bytes
from peephole.observation_text.detected_rows import spoken
from peephole.planners.contract import Percept
from peephole.planners.kits.detectors.from_model import ImageFolder, ModelDetector
from peephole.planners.kits.detectors.grounding import FIRST_INVENTED
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Relation, State

from .conftest import APPLE, BOWL, BOX, MILK, PEAR, TABLE, ListedModel

Make = Callable[..., Percept]


def row(
    name: str, relation: str = "", related_to: str = "", states: str = "", box: Any = ""
) -> dict[str, Any]:
    said = {"name": name, "relation": relation, "related_to": related_to, "states": states}
    return {**said, "box": box}


def detector(*rows: dict[str, Any]) -> ModelDetector:
    return ModelDetector(ListedModel("I see things.", {"rows": list(rows)}))  # type: ignore[arg-type]


def test_the_image_is_asked_about_first_and_the_description_alone_then(
    kitchen: SceneGraph, percept_of: Make, picture: Any
) -> None:
    model = ListedModel("An apple on the table.", {"rows": []})
    names = {TABLE: "table 1", APPLE: "apple 1", MILK: "milk 1"}
    ModelDetector(model).detect(TABLE, percept_of(kitchen, picture), names, [MILK])  # type: ignore[arg-type]
    (first, why), (second, why_too) = model.asked
    text, image = first[0]["content"]
    assert "table-1" in text["text"]
    assert "apple-1, milk-1" in text["text"]
    assert "Earlier these were there: milk-1." in text["text"]
    url = image["image_url"]["url"]
    assert base64.b64decode(url.partition(",")[2]) == png_bytes(picture)
    assert second[0]["content"].endswith("Description:\nAn apple on the table.")
    assert why == why_too == AUGMENTATION


def test_what_the_planner_does_not_know_is_not_offered_as_a_name(
    kitchen: SceneGraph, percept_of: Make, picture: Any
) -> None:
    model = ListedModel("Nothing.", {"rows": []})
    finder = ModelDetector(model)  # type: ignore[arg-type]
    names = {TABLE: "table 1", MILK: "milk 1"}
    finder.detect(TABLE, percept_of(kitchen, picture), names, known=())
    assert "milk" not in str(model.asked)


def test_rows_are_tied_to_what_is_there_by_category_and_place(
    kitchen: SceneGraph, percept_of: Make, picture: Any
) -> None:
    finder = detector(
        row("fruit_bowl-1", "ontop_of", "table-1"),
        row("apple-9", "inside_of", "fruit_bowl-1"),
        row("Apple (1)", "on", "table 1"),
        row("box", "ontop_of", "table-1", "closed"),
    )
    detection = finder.detect(TABLE, percept_of(kitchen, picture), {TABLE: "table 1"})
    things = {t.id: (t.relation, t.related_to, t.states) for t in detection.things}
    assert things == {
        BOWL: (Relation.ON, TABLE, frozenset()),
        APPLE: (Relation.INSIDE, BOWL, frozenset()),
        PEAR: (Relation.ON, TABLE, frozenset()),
        BOX: (Relation.ON, TABLE, frozenset({State.CLOSED})),
    }
    assert not detection.dropped


def test_what_is_not_there_has_a_name_and_an_id_that_nothing_has(
    kitchen: SceneGraph, percept_of: Make, picture: Any
) -> None:
    finder = detector(row("apple-1"), row("apple-2"), row("apple-3"), row("globe"))
    detection = finder.detect(TABLE, percept_of(kitchen, picture), {TABLE: "table 1"})
    *apples, third, globe = detection.things
    assert {thing.id for thing in apples} == {APPLE, PEAR}
    assert (third.name, globe.name) == ("apple 3", "globe 1")
    assert third.id >= FIRST_INVENTED
    assert globe.id >= FIRST_INVENTED
    assert third.id != globe.id


def test_a_known_thing_that_is_said_to_be_here_and_is_not_keeps_its_own_id(
    kitchen: SceneGraph, percept_of: Make, picture: Any
) -> None:
    names = {TABLE: "table 1", MILK: "milk 1"}
    finder = detector(row("milk-1", "ontop_of", "table-1"))
    (thing,) = finder.detect(TABLE, percept_of(kitchen, picture), names).things
    assert (thing.id, thing.name) == (MILK, "milk 1")


def test_what_cannot_be_used_of_an_answer_is_dropped_and_counted(
    kitchen: SceneGraph, percept_of: Make, picture: Any
) -> None:
    finder = detector(
        row("apple-1", "beside", "table-1"),
        row("apple-2", "ontop_of", "moon-1", "shiny, open"),
        row("apple-2", "ontop_of", "table-1"),
        row("table-1", "ontop_of", "table-1"),
        row("", "ontop_of", "table-1"),
    )
    detection = finder.detect(TABLE, percept_of(kitchen, picture), {TABLE: "table 1"})
    assert detection.dropped == {
        "relation": 1,
        "related_to": 1,
        "state": 1,
        "repeated": 1,
        "furniture": 1,
        "name": 1,
    }
    assert [(t.relation, t.related_to) for t in detection.things] == [(None, None)] * 2


@pytest.mark.parametrize(
    ("box", "edges"),
    [
        ("10, 20, 30, 50", (0.1, 0.2, 0.3, 0.5)),
        ([0, 0, 100, 100], (0.0, 0.0, 1.0, 1.0)),
        ("", None),
        (None, None),
        ("30, 20, 10, 50", None),
        ("nan, 0, 1, 1", None),
        ("left", None),
    ],
)
def test_a_box_has_four_edges_in_percent(
    kitchen: SceneGraph, percept_of: Make, picture: Any, box: Any, edges: Any
) -> None:
    detection = detector(row("apple", box=box)).detect(TABLE, percept_of(kitchen, picture), {})
    (thing,) = detection.things
    assert thing.box == (None if edges is None else pytest.approx(edges))
    assert detection.dropped == ({"box": 1} if edges is None and box else {})


def test_a_second_look_at_the_same_gives_the_same_names(
    kitchen: SceneGraph, percept_of: Make, picture: Any
) -> None:
    rows = {"rows": [row("apple"), row("globe")]}
    finder = ModelDetector(ListedModel("…", rows, "…", rows))  # type: ignore[arg-type]
    percept = percept_of(kitchen, picture)
    one, two = (finder.detect(TABLE, percept, {TABLE: "table 1"}) for _ in range(2))
    assert one.things == two.things


@pytest.mark.parametrize(
    "image", [None, np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3), float), "no image"]
)
def test_an_image_that_is_none_is_a_sentence_and_no_error(
    kitchen: SceneGraph, percept_of: Make, image: Any
) -> None:
    model = ListedModel()
    detection = ModelDetector(model).detect(TABLE, percept_of(kitchen, image), {TABLE: "table 1"})  # type: ignore[arg-type]
    assert detection.problem.endswith("; what is there is not known.")
    assert detection.dropped == {"no_image": 1}
    assert not model.asked


def test_an_image_of_one_colour_is_an_image(
    kitchen: SceneGraph, percept_of: Make, picture: Any
) -> None:
    assert not detector().detect(TABLE, percept_of(kitchen, picture), {}).problem


def test_no_usable_answer_is_a_sentence_and_no_error(
    kitchen: SceneGraph, percept_of: Make, picture: Any
) -> None:
    finder = ModelDetector(ListedModel("…", NoAnswer("m gave 5 unusable replies")))  # type: ignore[arg-type]
    detection = finder.detect(TABLE, percept_of(kitchen, picture), {TABLE: "table 1"})
    assert "no usable answer on table 1: m gave 5" in detection.problem
    assert detection.dropped == {"no_answer": 1}
    assert detection.covered == frozenset()


@pytest.mark.parametrize("file", ["table 1.png", "Table-1.PNG", "table.png"])
def test_images_of_a_folder_are_found_by_place(
    kitchen: SceneGraph, percept_of: Make, picture: Any, tmp_path: Path, file: str
) -> None:
    (tmp_path / file).write_bytes(png_bytes(picture))
    model = ListedModel("…", {"rows": []})
    finder = ModelDetector(model, ImageFolder(tmp_path))  # type: ignore[arg-type]
    assert not finder.detect(TABLE, percept_of(kitchen), {TABLE: "table 1"}).problem
    url = model.asked[0][0][0]["content"][1]["image_url"]["url"]
    assert base64.b64decode(url.partition(",")[2]) == png_bytes(picture)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"no image", "is no image"),
        (b"\x89PNG\r\n\x1a\nshort", "is no image"),
        (None, "no image of"),
    ],
)
def test_a_file_that_is_no_image_is_a_sentence_and_no_error(
    kitchen: SceneGraph, percept_of: Make, tmp_path: Path, content: bytes | None, told: str
) -> None:
    if content is not None:
        (tmp_path / "table 1.png").write_bytes(content)
    finder = ModelDetector(ListedModel(), ImageFolder(tmp_path))  # type: ignore[arg-type]
    detection = finder.detect(TABLE, percept_of(kitchen), {TABLE: "table 1"})
    assert told in detection.problem
    assert detection.dropped == {"no_image": 1}


words = st.lists(st.text("abcxyz", min_size=1, max_size=6), min_size=1, max_size=3)


@given(words, st.integers(1, 99), st.sampled_from(["{}-{}", "{} {}", "{} ({})", "{}_{}"]))
def test_names_are_read_however_they_are_written(
    category: list[str], number: int, form: str
) -> None:
    for blank in (" ", "_"):
        written = form.format(blank.join(category), number)
        assert spoken(written.upper()) == (" ".join(category), number)
