"""An endpoint that is busy, slow or missing: which errors are waited for, and how long."""

from __future__ import annotations

import time
from typing import Any

import pytest

from peephole.models.contract import ContextFull
from peephole.models.events import (
    ModelHttpError,
)
from peephole.models.failures import (
    NoCredit,
    Unreachable,
)

from .conftest import ASK, PLACES, Make, replies


@pytest.mark.parametrize("fault", ["429", "500", "drop", "no_completion"])
def test_what_passes_is_tried_again(endpoint: Any, make: Make, fault: str) -> None:
    model, events = make()
    endpoint.faults.extend([fault, fault])
    assert model.choose(ASK, PLACES) in PLACES
    assert len(endpoint.requests) == 3
    refused = [event for event in events if isinstance(event, ModelHttpError)]
    assert len(refused) == (0 if fault == "drop" else 2)  # without a reply there is none to record
    assert [event.attempt for event in replies(events)] == [1]


def test_retry_after_is_waited_for(endpoint: Any, make: Make) -> None:
    model, _ = make()
    endpoint.faults.append("429")
    model.choose(ASK, PLACES)
    first, second = endpoint.times
    assert second - first >= 0.05  # what the stand-in's Retry-After says


def test_a_reply_took_no_longer_because_others_came_before(endpoint: Any, make: Make) -> None:
    """Failed requests and pauses do not count as the model's time."""
    model, events = make()
    endpoint.faults.append("busy")
    model.choose(ASK, PLACES)
    first, second = endpoint.times
    (reply,) = replies(events)
    assert second - first > 0.3
    assert reply.latency_s < time.monotonic() - second + (second - first) / 2
    assert model.model_s == pytest.approx(reply.latency_s, abs=1e-5)


class Clock:
    """Replaces the module `time`: pauses end at once and are listed."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return sum(self.pauses)

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def time(self) -> float:
        return time.time()

    def perf_counter(self) -> float:
        return time.perf_counter()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in ("patience", "pace"):
        monkeypatch.setattr(f"peephole.models.{module}.time", clock)
    monkeypatch.setattr(
        "peephole.models.pace.Pace.sleep", lambda pace, seconds: clock.sleep(seconds)
    )
    return clock


@pytest.mark.parametrize("fault", ["busy", "error_in_200", "error_in_choice"])
def test_a_server_that_is_busy_for_minutes_loses_no_run(
    endpoint: Any, make: Make, clock: Clock, fault: str
) -> None:
    model, events = make()
    endpoint.faults.extend(["ok"] + [fault] * 10)
    model.choose(ASK, PLACES)
    assert model.choose(ASK, PLACES) in PLACES
    assert 113 < sum(clock.pauses) < 152  # 151.5 s, less up to a quarter
    assert max(clock.pauses) <= 30
    assert sum(isinstance(event, ModelHttpError) for event in events) == 10


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("busy", "status 503 .*, 1[0-9] times .*--model-patience"),
        ("error_in_200", "with an error .The model is overloaded.*--model-patience"),
        ("no_pause", "status 429 .*, 1[0-9] times"),
    ],
)
def test_patience_ends(endpoint: Any, make: Make, clock: Clock, fault: str, sentence: str) -> None:
    model, _ = make(patience_s=200)
    endpoint.always = lambda body: fault
    with pytest.raises(Unreachable, match=sentence):
        model.choose(ASK, PLACES)
    assert 150 < sum(clock.pauses) <= 200


@pytest.mark.parametrize(
    ("fault", "error", "sentence"),
    [
        ("quota", NoCredit, "add credit"),
        ("unpaid", NoCredit, "add credit"),
        ("an_hour", Unreachable, "wants a pause of 3600 s"),
        ("context_in_200", ContextFull, "maximum context length"),
    ],
)
def test_what_no_pause_mends_is_not_waited_for(
    endpoint: Any, make: Make, clock: Clock, fault: str, error: type[Exception], sentence: str
) -> None:
    model, _ = make()
    endpoint.always = lambda body: fault
    with pytest.raises(error, match=sentence):
        model.choose(ASK, PLACES)
    assert len(endpoint.requests) == 1
    assert not clock.pauses


def test_an_address_where_nothing_ever_answered_is_soon_left(make: Make, clock: Clock) -> None:
    model, _ = make(url="http://127.0.0.1:9/v1")
    with pytest.raises(Unreachable, match="cannot be reached"):
        model.complete(ASK)
    assert 3 < sum(clock.pauses) < 8


def test_a_deadline_is_for_the_whole_reply(endpoint: Any, make: Make) -> None:
    model, _ = make(timeout_s=0.5, patience_s=0)
    endpoint.always = lambda body: "drip"
    began = time.perf_counter()
    with pytest.raises(Unreachable, match=r"did not answer within 0.5 s"):
        model.complete(ASK)
    assert time.perf_counter() - began < 1.5
