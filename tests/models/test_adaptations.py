"""Changes to requests that an endpoint needs."""

from __future__ import annotations

from typing import Any

import pytest

from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.served_model import ModelEndpoint

from .conftest import ASK, PLACES, Guess, Make, replies


def test_tokens_to_think_with_are_allowed_besides_those_of_the_answer(
    endpoint: Any, make: Make
) -> None:
    model, events = make(reasoning_effort="high", reasoning_tokens=500, max_tokens=100)
    endpoint.always = lambda body: "no_effort" if "reasoning_effort" in body else None
    model.complete(ASK)
    model.complete(ASK, max_tokens=5)
    assert [body["max_tokens"] for body in endpoint.requests] == [600, 600, 505]
    assert endpoint.requests[0]["reasoning_effort"] == "high"
    assert replies(events)[0].adapted == ("no reasoning_effort",)


def test_schemas_have_lengths_only_for_servers_that_take_them(endpoint: Any) -> None:
    for lengths in (False, True):
        access = ModelEndpoint(endpoint.url, "stand-in")
        with ModelConnection(ModelConfig("stand-in", lengths=lengths), access) as connection:
            connection.for_episode("planner", lambda event: None).answer(ASK, Guess)
        schema = endpoint.requests[-1]["response_format"]["json_schema"]["schema"]
        assert ("maxLength" in schema["properties"]["note"]) is lengths
        assert schema["required"] == ["place", "weight", "note"]


@pytest.mark.parametrize(
    ("fault", "field", "change"),
    [
        ("no_schema", "response_format", "schema in the prompt"),
        ("no_top_p", "top_p", "no top_p"),
        ("no_stop", "stop", "no stop"),
        ("no_temperature", "temperature", "no temperature"),
        ("no_max_tokens", "max_tokens", "max_completion_tokens"),
    ],
)
def test_what_an_endpoint_refuses_is_left_out_from_then_on_and_noted(
    endpoint: Any, make: Make, fault: str, field: str, change: str
) -> None:
    model, events = make()
    endpoint.always = lambda body: fault if field in body else None
    for _ in range(2):
        assert model.choose(ASK, PLACES, top_p=0.9, stop=["\n"]) in PLACES
    assert [field in body for body in endpoint.requests] == [True, False, False]
    assert [event.adapted for event in replies(events)] == [(change,)] * 2


def test_a_seed_that_is_refused_is_left_out(endpoint: Any, make: Make) -> None:
    model, events = make()
    endpoint.always = lambda body: "no_seed" if "seed" in body else None
    for _ in range(2):
        assert model.choose(ASK, PLACES, temperature=1.0) in PLACES
    assert ["seed" in body for body in endpoint.requests] == [True, False, False]
    assert replies(events)[0].adapted == ("no seed",)


def test_a_server_that_fails_at_schemas_is_asked_without(endpoint: Any, make: Make) -> None:
    """One failure may be chance, so the next question has a schema again."""
    model, events = make()
    endpoint.always = lambda body: "schema_500" if "response_format" in body else None
    for _ in range(3):
        assert model.choose(ASK, PLACES) in PLACES
    sent = ["response_format" in body for body in endpoint.requests]
    assert sent == [True, True, True, False, True, False, False]
    assert [event.adapted for event in replies(events)] == [("schema in the prompt",)] * 3


def test_errors_of_a_server_that_takes_schemas_do_not_end_them(endpoint: Any, make: Make) -> None:
    model, _ = make()
    model.choose(ASK, PLACES)
    endpoint.faults.extend(["schema_500"] * 4)
    model.choose(ASK, PLACES)
    assert all("response_format" in body for body in endpoint.requests)


def test_one_schema_that_is_too_much_does_not_end_schemas(endpoint: Any, make: Make) -> None:
    model, _ = make()
    model.choose(ASK, PLACES)
    endpoint.faults.append("no_schema")
    model.choose(ASK, PLACES)
    model.choose(ASK, PLACES)
    assert ["response_format" in body for body in endpoint.requests] == [True, True, False, True]
