"""The client against an endpoint: its requests, and errors that repeating does not help."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

from peephole.errors import BadInput
from peephole.models.config import ModelConfig, endpoint_from_environment
from peephole.models.connection import ModelConnection
from peephole.models.contract import ContextFull, NoAnswer, Request
from peephole.models.events import (
    ModelContextFull,
    ModelHttpError,
    ModelReplied,
)
from peephole.models.failures import (
    BudgetUsed,
    ModelFailure,
    NoEndpoint,
    RequestRefused,
    UnknownModel,
    Unreachable,
    WrongKey,
)
from peephole.models.images import image_part
from peephole.models.served_model import ModelEndpoint

from .conftest import ASK, PLACES, Make


def test_a_choice_is_asked_with_a_schema_and_given_back(endpoint: Any, make: Make) -> None:
    model, events = make()
    endpoint.pick = lambda body, options: options[1]
    assert model.choose(ASK, PLACES) == "oven"
    form = endpoint.requests[0]["response_format"]["json_schema"]
    assert form["strict"] is True
    assert form["schema"]["properties"]["choice"]["enum"] == PLACES
    (replied,) = events
    assert isinstance(replied, ModelReplied)
    assert (replied.role, replied.call, replied.attempt) == ("planner", 1, 1)
    assert replied.problem is None
    assert replied.usage.tokens_in > 0
    assert (replied.served_model, replied.fingerprint) == ("stand-in-2026", "fp_1")


@pytest.mark.parametrize(
    ("fault", "error", "sentence"),
    [
        ("401", WrongKey, "does not accept the key in OPENAI_API_KEY"),
        ("403", WrongKey, "does not allow this key"),
        ("404", UnknownModel, "has no model stand-in .*it has stand-in-large"),
        ("bad", RequestRefused, "refuses a request"),
        ("500", Unreachable, "status 500"),
        ("no_completion", Unreachable, 'chat completion .*"hello".*; check OPENAI_BASE_URL'),
        ("slow", Unreachable, "did not answer within 0.2 s"),
    ],
)
def test_what_stays_is_one_sentence_with_what_to_do(
    endpoint: Any, make: Make, fault: str, error: type[ModelFailure], sentence: str
) -> None:
    model, events = make(patience_s=0.3, timeout_s=0.2)
    endpoint.always = lambda body: fault
    with pytest.raises(error, match=sentence) as raised:
        model.choose(ASK, PLACES)
    assert "\n" not in str(raised.value)
    assert ".;" not in str(raised.value)
    assert raised.value.exit_code in (1, 3)
    assert len(endpoint.requests) <= 8
    assert all(isinstance(event, ModelHttpError) for event in events)
    with pytest.raises(error):  # a planner that goes on asking gets the same
        model.choose(ASK, PLACES)


def test_a_key_that_an_endpoint_repeats_is_neither_recorded_nor_shown(
    endpoint: Any, make: Make
) -> None:
    model, events = make()
    endpoint.faults.append("key_told")
    with pytest.raises(WrongKey, match="is no good") as raised:
        model.choose(ASK, PLACES)
    assert endpoint.headers[0]["authorization"] == "Bearer sk-secret"
    assert isinstance(events[0], ModelHttpError)
    assert events[0].status == 403
    for told in (
        str(raised.value),
        str(events),
        str(ModelEndpoint(endpoint.url, "m", "sk-secret")),
    ):
        assert "sk-secret" not in told


def test_an_endpoint_that_is_not_there(make: Make) -> None:
    model, _ = make(url="http://127.0.0.1:9/v1", patience_s=0)
    with pytest.raises(Unreachable, match=r"cannot be reached \(.*refused"):
        model.complete(ASK)


def test_a_full_context_is_the_planners_to_mend_and_is_recorded(endpoint: Any, make: Make) -> None:
    model, events = make()
    endpoint.faults.append("context")
    with pytest.raises(ContextFull, match="larger context window"):
        model.choose(ASK, PLACES)
    assert isinstance(events[-1], ModelContextFull)
    assert "maximum context length" in events[-1].problem
    assert model.choose(ASK, PLACES) in PLACES


def test_budgets_end_the_run_before_the_next_call(endpoint: Any, make: Make) -> None:
    model, _ = make(budget_tokens=1)
    model.complete(ASK)
    with pytest.raises(BudgetUsed, match="--model-tokens"):
        model.complete(ASK)
    model, _ = make(budget_usd=1e-9, price_in=1.0)
    model.complete(ASK)
    with pytest.raises(BudgetUsed, match="--model-money"):
        model.complete(ASK)
    assert len(endpoint.requests) == 2


def test_many_questions_are_open_at_once(endpoint: Any, make: Make) -> None:
    """Each is answered only once four have arrived, so one after the other would never end."""
    model, _ = make()
    together = threading.Barrier(4)

    def wait(body: Any) -> str:
        together.wait(30)
        return "here"

    endpoint.text = wait
    answers = model.many([Request(ASK, temperature=0.7) for _ in range(4)])
    assert answers == ["here"] * 4
    assert all(body["temperature"] == 0.7 for body in endpoint.requests)


def test_seconds_of_questions_asked_at_once_count_once(endpoint: Any, make: Make) -> None:
    """Added up they exceed the elapsed time, which is taken off the planner's time."""
    model, _ = make()
    endpoint.faults.extend(["429"] * 8)
    began = time.perf_counter()
    model.many([Request(ASK) for _ in range(8)])
    passed = time.perf_counter() - began
    assert 0.05 <= model.asking_s <= passed
    assert 0 < model.model_s <= passed - 0.05  # the pauses are not the model's


def test_one_question_of_many_may_fail_alone(endpoint: Any, make: Make) -> None:
    model, _ = make(attempts=1)
    endpoint.always = lambda body: "empty" if "bed" in body["messages"][0]["content"] else None
    bed = [{"role": "user", "content": "the bed?"}]
    good, bad = model.many([Request(ASK, permitted=("a",)), Request(bed, permitted=("a",))])
    assert good == "a"
    assert isinstance(bad, NoAnswer)


def test_an_image_is_sent_as_a_data_url(endpoint: Any, make: Make) -> None:
    model, _ = make()
    picture = image_part(np.zeros((4, 6, 3), np.uint8))
    model.complete([{"role": "user", "content": [{"type": "text", "text": "?"}, picture]}])
    sent = endpoint.requests[0]["messages"][0]["content"][1]["image_url"]["url"]
    assert sent.startswith("data:image/png;base64,iVBORw0KGgo")
    with pytest.raises(ValueError, match="height x width x 3"):
        image_part(np.zeros((4, 6), np.uint8))


def test_key_and_endpoint_come_from_the_environment() -> None:
    with pytest.raises(NoEndpoint, match="set OPENAI_API_KEY, or OPENAI_BASE_URL"):
        endpoint_from_environment("m", {})
    assert endpoint_from_environment("m", {"OPENAI_API_KEY": "k"}).host == "api.openai.com"
    own = endpoint_from_environment("m", {"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1"})
    assert (own.host, own.key) == ("127.0.0.1:8000", None)


@pytest.mark.parametrize(
    "url",
    ["ftp://a/v1", "http:///v1", "http://[::1/v1", "http://a:99999/v1", "http://me:hush@a b/v1"],
)
def test_an_address_that_is_none_is_one_sentence(url: str) -> None:
    with pytest.raises(BadInput, match=r"expected http://HOST/v1") as caught:
        endpoint_from_environment("m", {"OPENAI_BASE_URL": url})
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("key", ["schlüssel-1", "sk-live\nsk-live", "sk live"])
def test_a_key_that_no_header_can_have_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(BadInput, match="copy the key again") as caught:
        endpoint_from_environment("m", {"OPENAI_API_KEY": key})
    assert key not in str(caught.value)


def test_a_slot_is_named_where_the_endpoint_has_some(endpoint: Any) -> None:
    for slots, slot, sent in ((2, 1, 1), (2, 3, 1), (0, 1, None)):
        access = ModelEndpoint(endpoint.url, "stand-in", slots=slots)
        with ModelConnection(ModelConfig("stand-in"), access, slot=slot) as connection:
            connection.for_episode("planner", lambda event: None).complete(ASK)
        assert endpoint.requests[-1].get("id_slot") == sent
