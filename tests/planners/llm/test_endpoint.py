"""The client against an endpoint that errs in every way endpoints do."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
import pytest
from pydantic import BaseModel, Field

from peephole.planners.llm.config import ModelConfig, endpoint_from_environment
from peephole.planners.llm.connection import ModelConnection
from peephole.planners.llm.episode_model import EpisodeModel
from peephole.planners.llm.events import (
    ModelContextFull,
    ModelEvent,
    ModelHttpError,
    ModelReplied,
)
from peephole.planners.llm.failures import (
    BudgetUsed,
    ModelFailure,
    NoCredit,
    NoEndpoint,
    RequestRefused,
    UnknownModel,
    Unreachable,
    WrongKey,
)
from peephole.planners.llm.images import image_part
from peephole.planners.llm.protocol import read_completion
from peephole.planners.llm.usage import ModelBudget, Usage
from peephole.planners.model import ContextFull, NoAnswer, Request, Unusable
from peephole.served_model import ModelEndpoint

ASK = [{"role": "user", "content": "Where is the milk?"}]
PLACES = ["fridge", "oven", "bed"]
Made = tuple[EpisodeModel, list[ModelEvent]]
Make = Callable[..., Made]


class Guess(BaseModel):
    place: Literal["fridge", "oven"]
    weight: float = Field(ge=0, le=1)
    note: str = Field(default="", max_length=20)


@pytest.fixture
def make(endpoint: Any) -> Iterator[Make]:
    opened = []

    def made(url: str = "", **config: Any) -> Made:
        asked = ModelConfig("stand-in", **config)
        access = ModelEndpoint(url or endpoint.url, "stand-in", "sk-secret")
        opened.append(ModelConnection(asked, access, ModelBudget(asked)))
        events: list[ModelEvent] = []
        return opened[-1].for_episode("planner", events.append), events

    yield made
    for connection in opened:
        connection.close()


def replies(events: list[ModelEvent]) -> list[ModelReplied]:
    return [event for event in events if isinstance(event, ModelReplied)]


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
    ("fault", "reason"),
    [
        ("invalid_json", "not JSON"),
        ("truncated", "cut off"),
        ("free_text", "not JSON"),
        ("empty", "empty"),
        ("wrong_enum", "not one of the options"),
    ],
)
def test_a_bad_reply_is_asked_for_again_with_the_reason(
    endpoint: Any, make: Make, fault: str, reason: str
) -> None:
    model, events = make()
    endpoint.faults.append(fault)
    assert model.choose(ASK, PLACES) in PLACES
    assert [event.attempt for event in replies(events)] == [1, 2]
    assert reason in (replies(events)[0].problem or "")
    again = endpoint.requests[1]["messages"]
    assert [message["role"] for message in again] == ["user", "assistant", "user"]
    assert reason in again[-1]["content"]


@pytest.mark.parametrize(
    "reply",
    [
        "fridge",
        '```json\n{"choice": "fridge"}\n```',
        '<think>Milk is cold.</think>{"choice": "fridge"}',
        'Here it is: {"choice": "fridge"} I hope it helps.',
    ],
)
def test_an_answer_in_other_clothes_is_taken(endpoint: Any, make: Make, reply: str) -> None:
    model, events = make()
    endpoint.text = lambda body: reply
    assert model.choose(ASK, PLACES) == "fridge"
    assert len(events) == 1


@pytest.mark.parametrize(
    "reply",
    [
        "<think>oven?\nNo.</think>\n\nfridge\nor bed",
        "oven?\nNo, not the {oven}.</think>\n\nfridge\nor bed",
        "fridge\nor bed",
    ],
)
def test_what_a_model_thinks_aloud_is_no_part_of_its_answer(
    endpoint: Any, make: Make, reply: str
) -> None:
    model, _ = make()
    endpoint.text = lambda body: reply
    assert model.complete(ASK).splitlines()[0] == "fridge"
    assert model.complete(ASK, stop=["\nor"]) == "fridge"


def test_thoughts_that_were_cut_off_hold_no_answer(endpoint: Any, make: Make) -> None:
    model, _ = make(attempts=1)
    endpoint.text = lambda body: '<think>Perhaps {"choice": "oven"}, but'
    with pytest.raises(NoAnswer):
        model.choose(ASK, PLACES)


def test_a_text_in_parts_is_read(endpoint: Any, make: Make) -> None:
    model, _ = make()
    endpoint.always = lambda body: "parts"
    endpoint.text = lambda body: "fridge"
    assert model.complete(ASK) == "fridge"


@pytest.mark.parametrize("usage", [{}, {"usage": None}, {"usage": {"prompt_tokens": None}}])
def test_the_first_of_several_replies_counts_and_tokens_that_nobody_counted_do_not(
    usage: dict[str, Any],
) -> None:
    choices = [{"message": {"content": text}} for text in ("Yes.", "No.")]
    reply = read_completion(json.dumps({"choices": choices, **usage}))
    assert reply is not None
    assert (reply.text, reply.usage) == ("Yes.", Usage())


@pytest.mark.parametrize(
    ("fault", "told"), [("all_thought", "before its answer began"), ("truncated", "too long")]
)
def test_a_reply_that_is_cut_off_says_what_to_raise(
    endpoint: Any, make: Make, fault: str, told: str
) -> None:
    model, _ = make(attempts=2)
    endpoint.always = lambda body: fault
    with pytest.raises(NoAnswer, match=f"{told}.*--reply-tokens, or --reasoning-tokens"):
        model.choose(ASK, PLACES)


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


def test_what_a_server_lets_through_is_checked_here(endpoint: Any, make: Make) -> None:
    """A probability of 100 where the schema allows 1, as real servers have answered."""
    model, events = make()
    endpoint.text = lambda body: '{"place": "fridge", "weight": 100, "note": ""}'
    with pytest.raises(NoAnswer, match="weight"):
        model.answer(ASK, Guess)
    assert len(events) == len(endpoint.requests) == 5


def test_lengths_are_told_only_to_servers_that_take_them(endpoint: Any) -> None:
    for lengths in (False, True):
        access = ModelEndpoint(endpoint.url, "stand-in")
        with ModelConnection(ModelConfig("stand-in", lengths=lengths), access) as connection:
            connection.for_episode("planner", lambda event: None).answer(ASK, Guess)
        schema = endpoint.requests[-1]["response_format"]["json_schema"]["schema"]
        assert ("maxLength" in schema["properties"]["note"]) is lengths
        assert schema["required"] == ["place", "weight", "note"]


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
    """Neither what brought no answer counts as the model's time, nor the pause after it."""
    model, events = make()
    endpoint.faults.append("busy")
    model.choose(ASK, PLACES)
    first, second = endpoint.times
    (reply,) = replies(events)
    assert second - first > 0.3
    assert reply.latency_s < time.monotonic() - second + (second - first) / 2
    assert model.model_s == pytest.approx(reply.latency_s, abs=1e-5)


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
    assert raised.value.exit_code in (1, 3)
    assert len(endpoint.requests) <= 8
    assert all(isinstance(event, ModelHttpError) for event in events)
    with pytest.raises(error):  # a planner that goes on asking gets the same
        model.choose(ASK, PLACES)


class Clock:
    """Takes the place of the module `time`: pauses pass at once and are kept."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return sum(self.pauses)

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def time(self) -> float:
        return time.time()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("peephole.planners.llm.patience.time", clock)
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


def test_a_key_that_an_endpoint_repeats_is_neither_recorded_nor_told(
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


def test_a_server_that_fails_at_schemas_is_asked_without(endpoint: Any, make: Make) -> None:
    """Once may be chance, so the next question has one again."""
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
    """Each is answered only once four are there, so one after the other would never end."""
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
    """They would add up to more seconds than have passed, which come off a planner's time."""
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
    good, bad = model.many([Request(ASK, options=("a",)), Request(bed, options=("a",))])
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


def test_a_seed_that_is_refused_is_left_out(endpoint: Any, make: Make) -> None:
    model, events = make()
    endpoint.always = lambda body: "no_seed" if "seed" in body else None
    for _ in range(2):
        assert model.choose(ASK, PLACES, temperature=1.0) in PLACES
    assert ["seed" in body for body in endpoint.requests] == [True, False, False]
    assert replies(events)[0].adapted == ("no seed",)


def test_a_slot_is_named_where_the_endpoint_has_some(endpoint: Any) -> None:
    for slots, slot, sent in ((2, 1, 1), (2, 3, 1), (0, 1, None)):
        access = ModelEndpoint(endpoint.url, "stand-in", slots=slots)
        with ModelConnection(ModelConfig("stand-in"), access, slot=slot) as connection:
            connection.for_episode("planner", lambda event: None).complete(ASK)
        assert endpoint.requests[-1].get("id_slot") == sent


def test_a_server_that_holds_nothing_to_a_schema_is_told_so(endpoint: Any, make: Make) -> None:
    model, _ = make(attempts=2)
    for fault in ("free_text", "wrong_enum"):
        endpoint.always = lambda body, fault=fault: fault
        with pytest.raises(NoAnswer, match=r"Nothing holds its replies to the JSON schema .*serve"):
            model.choose(ASK, PLACES)
    endpoint.always = lambda body: "free_text"
    with pytest.raises(NoAnswer) as caught:
        model.read(ASK, _refuse)
    assert "schema" not in str(caught.value)


def _refuse(text: str) -> str:
    raise Unusable("Say a number.")
