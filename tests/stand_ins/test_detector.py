"""The stand-in for a vision model: it reads pixels that came over HTTP, with set errors."""

from __future__ import annotations

import base64
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.adapters.drawn import draw
from peephole.errors import BadInput
from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.failures import ModelFailure
from peephole.models.images import image_part
from peephole.models.served_model import ServeOptions
from peephole.observation_text.names import Names
from peephole.observation_text.tile_codes import TileCode, located_codes
from peephole.observation_text.view import Visibility, visible
from peephole.planners.contract import Percept
from peephole.planners.kits.detectors.detection import Detection
from peephole.planners.kits.detectors.from_model import ModelDetector
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Edge, Kind, Node, Relation, State
from peephole.stand_ins.detector import MODEL, ErrorRates, parse_rates, with_errors

ROOM, ME, TABLE, BOX, BOWL = range(1, 6)


@contextmanager
def served(argument: str = "", seed: int = 0) -> Iterator[Any]:
    with (
        MODEL.serve(ServeOptions(argument, seed)) as endpoint,
        ModelConnection(ModelConfig("scripted_detector"), endpoint) as connection,
    ):
        yield connection.for_episode("vision", lambda event: None)


@pytest.fixture
def percept() -> Percept:
    """At a table with three apples in a bowl, and an open box."""
    graph = SceneGraph(
        [
            Node(ROOM, "kitchen", Kind.ROOM, ROOM),
            Node(ME, "character", Kind.AGENT, ME),
            Node(TABLE, "coffee table", Kind.FIXTURE, TABLE),
            Node(BOX, "box", Kind.OBJECT, BOX, frozenset({State.OPEN})),
            Node(BOWL, "fruit bowl", Kind.OBJECT, BOWL),
            *(Node(number, "apple", Kind.OBJECT, number) for number in (6, 7, 8)),
        ],
        [
            Edge(ME, Relation.INSIDE, ROOM),
            Edge(ME, Relation.CLOSE, TABLE),
            Edge(TABLE, Relation.INSIDE, ROOM),
            Edge(BOX, Relation.ON, TABLE),
            Edge(BOWL, Relation.ON, TABLE),
            *(Edge(number, Relation.INSIDE, BOWL) for number in (6, 7, 8)),
        ],
    )
    view = visible(graph, Visibility.NEAR)
    names = Names(view.graph.nodes())
    image = draw(view, TABLE)
    return Percept("", view, {i: names(i) for i in names.numbers}, 0, image=lambda: image)


def detected(percept: Percept, argument: str = "", seed: int = 0) -> Detection:
    with served(argument, seed) as model:
        return ModelDetector(model).detect(TABLE, percept, {TABLE: "coffee table 1"})


def test_without_errors_it_tells_all_that_the_picture_shows(percept: Percept) -> None:
    found = {t.id: (t.relation, t.related_to, t.states) for t in detected(percept).things}
    assert found == {
        BOX: (Relation.ON, TABLE, frozenset({State.OPEN})),
        BOWL: (Relation.ON, TABLE, frozenset()),
        **dict.fromkeys((6, 7, 8), (Relation.INSIDE, BOWL, frozenset())),
    }


def test_boxes_are_where_the_codes_stand(percept: Percept) -> None:
    boxes = [thing.box for thing in detected(percept).things]
    assert len(set(boxes)) == 5
    image = percept.image()
    assert image is not None
    for box in boxes:
        assert box is not None
        across, down = image.shape[1], image.shape[0]
        left, upper, right, lower = (
            round(edge * size) for edge, size in zip(box, (across, down) * 2, strict=True)
        )
        ((code, _),) = located_codes(
            np.pad(image[upper:lower, left:right], ((0, 60), (0, 0), (0, 0)))
        )
        assert code.category in ("box", "fruit bowl", "apple")


def test_it_goes_by_the_pixels_alone(percept: Percept) -> None:
    blank = np.full((300, 300, 3), 90, np.uint8)
    detection = detected(Percept("", percept.view, percept.names, 0, image=lambda: blank))
    assert detection.things == ()
    assert detection.problem == ""


def test_all_missed_leaves_nothing_and_all_invented_adds_what_is_not_there(
    percept: Percept,
) -> None:
    assert detected(percept, "missed=1").things == ()
    found = detected(percept, "invented=1").things
    assert len(found) == 10
    assert len({thing.id for thing in found}) == 10


def test_a_miscount_leaves_some_of_several_alike(percept: Percept) -> None:
    for seed in range(5):
        counts = Counter(t.category for t in detected(percept, "miscounted=1", seed).things)
        assert counts["apple"] in (1, 2)
        assert counts["box"] == counts["fruit bowl"] == 1


def test_the_same_seed_gives_the_same_and_a_second_look_another_draw(percept: Percept) -> None:
    with served("missed=0.5", 3) as model:
        looks = [
            ModelDetector(model).detect(TABLE, percept, {TABLE: "coffee table 1"}) for _ in range(6)
        ]
    assert looks[0] == detected(percept, "missed=0.5", 3)
    assert len({look.things for look in looks}) > 1


def test_it_takes_a_listed_name_where_there_is_one(percept: Percept) -> None:
    with served() as model:
        names = {TABLE: "coffee table 1", 7: "apple 4"}
        detection = ModelDetector(model).detect(TABLE, percept, names, [7])
    assert "apple-4 is inside fruit_bowl-1 [" in detection.described
    assert {t.name for t in detection.things if t.category == "apple"} >= {"apple 4"}


@given(st.integers(1, 6), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.integers(0, 10_000))
def test_what_is_told_is_what_is_there_but_for_what_is_invented(
    count: int, missed: float, invented: float, miscounted: float, seed: int
) -> None:
    place = TileCode(0, 255, None, Kind.FIXTURE, frozenset(), "table")
    things = [
        TileCode(n, 0, Relation.ON, Kind.OBJECT, frozenset(), "cup") for n in range(1, count + 1)
    ]
    rates = ErrorRates(missed, invented, miscounted)
    reported = with_errors(things, place, rates, random.Random(seed))
    true = [code for code in reported if code.category == "cup"]
    assert set(true) <= set(things)
    assert len(reported) - len(true) <= count
    assert len({code.index for code in reported}) == len(reported)
    if missed == 0 and count > 1 and miscounted == 0:
        assert len(true) == count


def test_rates_come_out_in_the_mean() -> None:
    place = TileCode(0, 255, None, Kind.FIXTURE, frozenset(), "table")
    cups = [TileCode(n, 0, Relation.ON, Kind.OBJECT, frozenset(), "cup") for n in range(1, 5)]
    pot = TileCode(5, 0, Relation.ON, Kind.OBJECT, frozenset(), "pot")
    rates = ErrorRates(missed=0.2, invented=0.1, miscounted=0.4)
    chance = random.Random(5)
    reported: Counter[str] = Counter()
    draws = 4000
    for _ in range(draws):
        reported.update(code.category for code in with_errors([*cups, pot], place, rates, chance))
    assert reported["cup"] / draws == pytest.approx(4 * 0.8 * (1 - 0.4 / 2), abs=0.06)
    assert reported["pot"] / draws == pytest.approx(0.8, abs=0.02)
    invented = reported.total() - reported["cup"] - reported["pot"]
    assert invented / draws == pytest.approx(5 * 0.1, abs=0.03)


@pytest.mark.parametrize("text", ["missing=0.1", "missed=2", "missed=x", "invented"])
def test_rates_that_are_none_are_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(BadInput):
        parse_rates(text)


def test_an_image_that_is_none_is_refused_and_so_is_planning(percept: Percept) -> None:
    broken = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    text = {"type": "text", "text": "This is what your camera shows of table-1."}
    with served() as model, pytest.raises(ModelFailure, match="cannot be decoded"):
        model.complete(
            [{"role": "user", "content": [text, broken]}],
            about=lambda: {"kind": "look", "place": "table-1", "listed": []},
        )
    whole = image_part(np.zeros((4, 4, 3), np.uint8))
    assert base64.b64decode(whole["image_url"]["url"].partition(",")[2])
    with served() as model, pytest.raises(ModelFailure, match="only describes the pictures"):
        model.complete([{"role": "user", "content": "Where is the milk?"}])


BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "detector.py"


def measured(*options: str) -> dict[str, Any]:
    command = [sys.executable, str(BENCHMARK), "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.slow
def test_through_the_whole_chain_nothing_is_lost() -> None:
    report = measured("--images", "20", "--suites", "behavior,houses", "--rates", "")
    assert report["images"] == 20
    assert report["measured"] == {"node_f1": 1.0, "edge_f1": 1.0, "exact": 1.0}
    assert report["expected"] == report["measured"]


@pytest.mark.slow
def test_over_a_thousand_images_f1_is_what_the_rates_give() -> None:
    report = measured()
    assert report["images"] == 1000
    for name in ("node_f1", "edge_f1"):
        assert report["measured"][name] == pytest.approx(report["expected"][name], abs=0.02)
