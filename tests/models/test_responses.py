"""Models that only the Responses API has."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from peephole.models.contract import ContextFull, NoAnswer
from peephole.models.events import ModelHttpError
from peephole.models.failures import UnknownModel
from peephole.models.serving import served

from .conftest import Make, replies

ASK = [
    {"role": "system", "content": "You are a robot."},
    {"role": "user", "content": "Where is the milk?"},
]


class Hunch(BaseModel):
    place: str
    sure: bool


@pytest.fixture
def make(endpoint: Any, make: Make) -> Make:
    endpoint.only_responses = True
    return make


def test_an_endpoint_without_chat_completions_is_asked_over_the_responses_api(
    endpoint: Any, make: Make
) -> None:
    model, events = make(reasoning_effort="low", reasoning_tokens=100)
    assert model.choose(ASK, ["fridge", "oven"], top_p=0.5) in ("fridge", "oven")
    assert model.answer(ASK, Hunch) == Hunch(place="I see.", sure=True)
    assert model.complete(ASK, stop=[" right"]) == "All"
    assert len(endpoint.requests) == 4  # the chat completions are tried once
    chat, choice, _, free = endpoint.requests
    assert "messages" in chat
    assert choice["input"] == ASK
    assert choice["reasoning"] == {"effort": "low"}
    assert (choice["max_output_tokens"], choice["temperature"], choice["top_p"]) == (1124, 0, 0.5)
    assert choice["store"] is False
    form = choice["text"]["format"]
    assert (form["type"], form["strict"]) == ("json_schema", True)
    assert form["schema"]["properties"]["choice"]["enum"] == ["fridge", "oven"]
    assert not {"stop", "text", "seed", "messages", "response_format"} & free.keys()
    assert isinstance(events[0], ModelHttpError)
    assert events[0].status == 404
    first = replies(events)[0]
    assert (first.served_model, first.usage.tokens_in > 0) == ("stand-in-2026", True)
    assert first.usage.cached == first.usage.tokens_in // 2
    assert first.usage.tokens_out > 0
    assert "asked over the Responses API" in served(events)[0]


def test_images_go_as_the_responses_api_has_them(endpoint: Any, make: Make) -> None:
    model, _ = make()
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    text = {"type": "text", "text": "What is it?"}
    model.complete([{"role": "user", "content": [text, image]}])
    assert endpoint.requests[-1]["input"][0]["content"] == [
        {"type": "input_text", "text": "What is it?"},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
    ]


@pytest.mark.parametrize("fault", ["no_schema", "no_temperature", "no_top_p", "no_effort"])
def test_what_it_refuses_is_changed(endpoint: Any, make: Make, fault: str) -> None:
    field = {
        "no_schema": "text",
        "no_temperature": "temperature",
        "no_top_p": "top_p",
        "no_effort": "reasoning",
    }[fault]
    endpoint.always = lambda body: fault if field in body and "input" in body else None
    model, events = make(reasoning_effort="low")
    assert model.choose(ASK, ["fridge", "oven"], top_p=0.5) in ("fridge", "oven")
    assert field not in endpoint.requests[-1]
    assert len(replies(events)[0].adapted) == 2


def test_replies_that_are_cut_off_withheld_or_no_answer(endpoint: Any, make: Make) -> None:
    model, events = make()
    endpoint.faults.extend(["ok", "truncated", "withheld", "free_text", "empty"])
    assert model.choose(ASK, ["fridge", "oven"]) in ("fridge", "oven")
    first, second, *_ = replies(events)
    assert (first.cut, first.withheld) == (True, False)
    assert (second.cut, second.withheld) == (False, True)
    assert len(replies(events)) == 5
    endpoint.always = lambda body: "no_completion" if len(endpoint.requests) < 9 else None
    assert model.complete(ASK) == "All right."
    endpoint.always = lambda body: "context"
    with pytest.raises(ContextFull):
        model.complete(ASK)
    endpoint.always = lambda body: "empty"
    with pytest.raises(NoAnswer):
        model.complete(ASK)


def test_an_endpoint_that_has_neither_is_an_error_in_its_words(endpoint: Any, make: Make) -> None:
    model, _ = make()
    endpoint.always = lambda body: "404"
    with pytest.raises(UnknownModel, match=r"has no model stand-in .*it has stand-in-large"):
        model.complete(ASK)
    assert ["messages" in body for body in endpoint.requests] == [True, False]
