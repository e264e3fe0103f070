"""A model that reads a photo: what it proposes, what is kept of it, and what goes wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.operator import photo_reader, settings
from peephole.adapters.operator.answers import FILE, AnswerLog
from peephole.adapters.operator.photo_reader import ModelPhotoReader
from peephole.adapters.operator.questions import Look, Seen
from peephole.errors import BadInput

from ...endpoint_stand_in import EndpointStandIn
from .photographed import photographed

PHOTO, LOOK = photographed()


def read(model: str, question: Look = LOOK) -> Any:
    reader = ModelPhotoReader(model)
    try:
        return reader.read(PHOTO, question)
    finally:
        reader.close()


def test_a_drawn_photo_becomes_proposals_that_are_kept_with_the_answer(tmp_path: Path) -> None:
    reading = read("scripted_detector")
    assert [(s.thing, s.relation, s.place) for s in reading.sightings] == [
        ("cup 1", "on", "counter")
    ]
    assert reading.words.startswith("Proposed from the photo.")
    assert reading.model == "scripted_detector (mechanism check)"
    log = AnswerLog(tmp_path)
    answer = Seen(criteria=(True,), sightings=reading.sightings, photo=PHOTO, readings=(reading,))
    log.asked(LOOK)
    log.answered(LOOK, answer)
    assert AnswerLog(tmp_path).answer_to(LOOK) == answer
    line = json.loads((tmp_path / FILE).read_text().splitlines()[-1])
    (kept,) = line["answer"]["readings"]
    assert kept["photo"] == line["photo"]
    assert (tmp_path / kept["photo"]).read_bytes() == PHOTO
    assert "on top of counter" in kept["replies"][0]


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[EndpointStandIn]:
    with EndpointStandIn() as made:
        monkeypatch.setenv("OPENAI_BASE_URL", made.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-user")
        monkeypatch.setattr(photo_reader, "_PATIENCE_S", 0.1)
        yield made


def test_an_endpoint_gets_the_photo_and_the_names(endpoint: EndpointStandIn) -> None:
    rows = {"rows": [{"name": "cup", "relation": "ontop_of", "related_to": "table"}]}
    endpoint.text = lambda body: (
        json.dumps(rows) if len(endpoint.requests) > 1 else "A cup is on the table."
    )
    reading = read("eyes")
    assert [(s.thing, s.place) for s in reading.sightings] == [("cup 1", "table")]
    words, image = endpoint.requests[0]["messages"][0]["content"]
    assert image["image_url"]["url"].startswith("data:image/jpeg;base64,")
    assert "kitchen, fridge, counter, table, microwave" in words["text"]
    assert "apple, milk, cup 1, cup 2" in words["text"]
    assert "A cup is on the table." in endpoint.requests[1]["messages"][-1]["content"]


def test_nonsense_and_an_endpoint_that_fails_are_one_sentence(endpoint: EndpointStandIn) -> None:
    endpoint.text = lambda body: "I would rather not."
    reading = read("eyes")
    assert reading.sightings == ()
    assert reading.words.startswith("The photo was not read: it gave no usable answer: ")
    assert reading.words.endswith("The photo is kept. Enter what you see by hand.")
    assert len(reading.replies) == 3
    endpoint.always = lambda body: "401"
    refused = read("eyes")
    assert "The photo was not read: " in refused.words
    assert "sk-secret-of-the-user" not in refused.model_dump_json()


def test_a_model_that_cannot_be_reached_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, endpoint: EndpointStandIn
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert "The photo was not read: 127.0.0.1:9 " in read("eyes").words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("page detector=", "In PEEPHOLE_OPERATOR, detector is empty; write detector=MODEL."),
        (
            "terminal detector=eyes",
            "In PEEPHOLE_OPERATOR, detector: The model eyes needs an endpoint: set OPENAI_API_KEY",
        ),
        (
            "page detector=scripted_detector:missed=2",
            "In PEEPHOLE_OPERATOR, detector: ",
        ),
    ],
)
def test_a_model_that_nobody_can_ask_is_told_before_the_run(
    monkeypatch: pytest.MonkeyPatch, value: str, words: str
) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(settings.VARIABLE, value)
    with pytest.raises(BadInput) as caught:
        settings.chosen()
    assert str(caught.value).startswith(words)


def test_the_model_of_photos_is_named_as_in_model(monkeypatch: pytest.MonkeyPatch) -> None:
    value = "page port=0 detector=scripted_detector:missed=0.1,invented=0.1"
    monkeypatch.setenv(settings.VARIABLE, value)
    assert settings.chosen() == "page"
    assert settings.page_settings().port == 0
    expected = "scripted_detector:missed=0.1,invented=0.1 (mechanism check)"
    assert settings.detector() == expected
