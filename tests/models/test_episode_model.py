"""The model of an episode: its questions, its records, and that it asks nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.contract import ContextFull, NoAnswer, Request, Unusable
from peephole.models.episode_model import EpisodeModel
from peephole.models.events import (
    ModelContextFull,
    ModelEmbedded,
    ModelEvent,
    ModelHttpError,
    ModelReplied,
    vectors_from_data,
)
from peephole.models.failures import BudgetUsed, UnknownModel
from peephole.models.record import RecordDiffers
from peephole.models.served_model import ModelEndpoint
from peephole.models.spending import spent
from peephole.models.usage import Usage

ASK = [{"role": "user", "content": "Where is the milk?"}]
Make = Callable[..., tuple[EpisodeModel, list[ModelEvent]]]


@pytest.fixture
def make(endpoint: Any) -> Iterator[Make]:
    opened = []

    def made(
        recorded: Iterable[ModelEvent] = (), role: str = "planner", **config: Any
    ) -> tuple[EpisodeModel, list[ModelEvent]]:
        where = ModelEndpoint(endpoint.url, "stand-in")
        opened.append(ModelConnection(ModelConfig("stand-in", **config), where))
        events: list[ModelEvent] = []
        return opened[-1].for_episode(role, events.append, recorded), events

    yield made
    for connection in opened:
        connection.close()


def number(text: str) -> int:
    """A reply read as a number."""
    if not text.isdigit():
        raise Unusable("Answer with a number.")
    return int(text)


def test_a_request_carries_its_sampling(endpoint: Any, make: Make) -> None:
    model, events = make()
    model.complete(ASK, temperature=0.7, top_p=0.9, max_tokens=5, stop=["\n"], purpose="augment")
    sent = endpoint.requests[0]
    assert (sent["temperature"], sent["top_p"], sent["max_tokens"]) == (0.7, 0.9, 5)
    assert sent["stop"] == ["\n"]
    assert isinstance(events[0], ModelReplied)
    assert events[0].purpose == "augment"
    model.complete(ASK)
    assert not {"top_p", "stop"} & set(endpoint.requests[1])


@pytest.mark.parametrize(
    ("allowed", "needs", "sent"), [(None, 16, 1024), (None, 5000, 5000), (300, 5000, 300)]
)
def test_a_reply_may_be_as_long_as_its_answer_needs_unless_the_user_limits_it(
    endpoint: Any, make: Make, allowed: int | None, needs: int, sent: int
) -> None:
    endpoint.text = lambda body: "no number"
    model, _ = make(max_tokens=allowed, attempts=2)
    with pytest.raises(NoAnswer):
        model.read(ASK, number, needs=needs)
    assert [body["max_tokens"] for body in endpoint.requests] == [sent, sent]


def test_a_stop_that_a_server_ignores_ends_the_reply_here(endpoint: Any, make: Make) -> None:
    endpoint.text = lambda body: "go to fridge 1\nThen I open it. END"
    model, _ = make()
    assert model.complete(ASK, stop=["END", "\n"]) == "go to fridge 1"


def test_after_an_unusable_reply_nothing_ends_the_next_one_early(endpoint: Any, make: Make) -> None:
    """A model that thinks aloud has not come to its answer by the first end of a line."""
    said = iter(["<think>\nIs it one? No.</think>\n2", "<think>\nIs it one? No.</think>\n2"])
    endpoint.text = lambda body: next(said).split(*body.get("stop", ["END"]))[0]
    model, _ = make(max_tokens=500)
    assert model.read(ASK, number, stop=["\n"], max_tokens=5) == 2
    assert [sent["max_tokens"] for sent in endpoint.requests] == [5, 500]
    assert "stop" not in endpoint.requests[1]


def test_a_text_that_cannot_be_read_is_asked_for_again_with_the_reason(
    endpoint: Any, make: Make
) -> None:
    said = iter(["Two?", "2"])
    endpoint.text = lambda body: next(said)
    model, events = make()
    assert model.read(ASK, number) == 2
    assert endpoint.requests[1]["messages"][1:] == [
        {"role": "assistant", "content": "Two?"},
        {"role": "user", "content": "That cannot be used. Answer with a number. Answer again."},
    ]
    assert [getattr(event, "problem", "") for event in events] == ["Answer with a number.", None]


def test_replies_that_stay_unreadable_are_no_answer(endpoint: Any, make: Make) -> None:
    model, _ = make(attempts=3)
    with pytest.raises(NoAnswer, match="3 unusable replies: Answer with a number"):
        model.read(ASK, number)
    assert len(endpoint.requests) == 3
    answers = model.many([Request(ASK, parse=number), Request(ASK, permitted=("a",))])
    assert isinstance(answers[0], NoAnswer)
    assert answers[1] == "a"


@pytest.mark.parametrize(
    ("said", "first", "temperatures"),
    [
        (["Two?"] * 5, 0.0, [0.0, 0.0, 0.5, 1.0, 1.0]),
        (["Two?", "Two?", "Three?", "Four?", "Four?"], 0.0, [0.0, 0.0, 0.5, 0.5, 0.5]),
        (["Two?", "Three?", "Two?", "Three?", "Two?"], 0.0, [0.0] * 5),
        (["Two?"] * 4, 0.75, [0.75, 0.75, 1.0, 1.0]),
        (["Two?"] * 3, 1.5, [1.5, 1.5, 1.5]),
    ],
)
def test_an_unusable_reply_that_comes_again_raises_the_temperature(
    endpoint: Any, make: Make, said: list[str], first: float, temperatures: list[float]
) -> None:
    left = iter(said)
    endpoint.text = lambda body: next(left)
    config = {"attempts": len(said), "temperature": first}
    model, events = make(**config)
    with pytest.raises(NoAnswer):
        model.read(ASK, number)
    assert [body["temperature"] for body in endpoint.requests] == temperatures
    assert [getattr(event, "temperature", None) for event in events] == temperatures
    for kept in range(1, len(said)):
        left = iter(said[kept:])
        endpoint.requests.clear()
        resumed, more = make(events[:kept], **config)
        with pytest.raises(NoAnswer):
            resumed.read(ASK, number)
        assert [body["temperature"] for body in endpoint.requests] == temperatures[kept:]
        assert len(more) == len(said) - kept
    endpoint.text = lambda body: "2"
    assert model.read([*ASK, *ASK], number) == 2
    assert endpoint.requests[-1]["temperature"] == first


def test_samples_differ_by_their_number_alone(endpoint: Any, make: Make) -> None:
    model, events = make()
    assert model.samples(Request(ASK, temperature=1.0), 3) == ["All right."] * 3
    assert [body["messages"] for body in endpoint.requests] == [ASK] * 3
    digests = {event.digest for event in events}
    assert len(digests) == 3
    other, again = make()
    other.many([Request(ASK, temperature=1.0, sample=2)])
    assert again[0].digest in digests


def asked(model: EpisodeModel) -> list[Any]:
    """Ask one question of every kind."""
    found: list[Any] = [model.choose(ASK, ["fridge", "oven"], purpose="plan")]
    found += model.samples(Request(ASK, temperature=1.0, purpose="vote"), 3)
    found.append(model.embed(["milk", "fridge"]).tolist())
    try:
        model.complete(ASK)
    except ContextFull as full:
        found.append(str(full))
    return [*found, model.complete(ASK, top_p=0.5)]


def test_a_continued_episode_asks_only_what_is_not_recorded(endpoint: Any, make: Make) -> None:
    faults = ["wrong_enum", "ok", "500", "ok", "ok", "ok", "ok", "context", "ok"]
    endpoint.faults.extend(faults)
    model, events = make()
    expected = asked(model)
    assert not endpoint.faults
    sent = len(answers(events))
    assert {type(event) for event in answers(events)} == {
        ModelReplied,
        ModelEmbedded,
        ModelContextFull,
    }
    events = [slow(event) for event in events]
    for kept in range(len(events) + 1):
        endpoint.requests.clear()
        left = answers(events[kept:])
        endpoint.faults.clear()
        endpoint.faults.extend(fault_of(event) for event in left)
        model, more = make(recorded=events[:kept])
        assert asked(model) == expected
        assert len(endpoint.requests) == len(left) == len(answers(more)) <= sent
        assert model.model_s > 0
        if not left:  # the three samples were asked at once: a minute together
            timed = [event for event in events if hasattr(event, "latency_s")]
            assert model.asking_s < 60 < model.model_s == 60 * (len(timed) - 2)


def slow(event: ModelEvent) -> ModelEvent:
    """The event with a latency of a minute, longer than any test here."""
    if isinstance(event, ModelReplied | ModelEmbedded):
        return replace(event, latency_s=60.0)
    return event


def answers(events: list[ModelEvent]) -> list[ModelEvent]:
    return [event for event in events if not isinstance(event, ModelHttpError)]


def fault_of(event: ModelEvent) -> str:
    if isinstance(event, ModelContextFull):
        return "context"
    return "wrong_enum" if getattr(event, "problem", None) else "ok"


def test_a_question_that_differs_from_the_recording_is_an_error(endpoint: Any, make: Make) -> None:
    model, events = make()
    model.complete(ASK, top_p=0.5, purpose="plan")
    same, _ = make(recorded=events)
    assert same.complete(ASK, top_p=0.5, purpose="another") == "All right."
    for differs in ({"top_p": 0.6}, {"top_p": 0.5, "stop": ["a"]}, {}):
        other, _ = make(recorded=events)
        with pytest.raises(RecordDiffers, match="Call 1 of the role planner"):
            other.complete(ASK, **differs)
        assert isinstance(other.trouble, RecordDiffers)
    embedder, _ = make(recorded=events)
    with pytest.raises(RecordDiffers):
        embedder.embed(["milk"])
    assert len(endpoint.requests) == 1


def test_roles_answer_from_their_own_events_only(endpoint: Any, make: Make) -> None:
    planner, events = make()
    planner.complete(ASK)
    vision, seen = make(recorded=events, role="vision")
    vision.complete(ASK)
    assert len(endpoint.requests) == 2
    assert [event.role for event in [*events, *seen]] == ["planner", "vision"]
    assert seen[0].digest == events[0].digest


def test_embeddings_are_of_unit_length_and_recorded(endpoint: Any, make: Make) -> None:
    model, events = make()
    vectors = model.embed(["milk", "a fridge"])
    assert vectors.dtype == np.float32
    assert vectors[0] == pytest.approx(np.array([4, 1, 0]) / 17**0.5)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1])
    (event,) = events
    assert isinstance(event, ModelEmbedded)
    assert (vectors_from_data(event.vectors) == vectors).all()
    assert (event.texts, event.usage.tokens_in) == (2, 2)
    assert endpoint.requests[0]["input"] == ["milk", "a fridge"]


@pytest.mark.parametrize(
    ("fault", "error"), [("404", UnknownModel), ("context", ContextFull), ("500", None)]
)
def test_embeddings_meet_the_same_troubles(
    endpoint: Any, make: Make, fault: str, error: type[Exception] | None
) -> None:
    model, _ = make(budget_tokens=1)
    endpoint.faults.append(fault)
    if error is not None:
        with pytest.raises(error):
            model.embed(["milk"])
    else:
        assert model.embed(["milk"]).shape == (1, 3)
        with pytest.raises(BudgetUsed):
            model.embed(["milk"])


def test_spending_is_summed_by_purpose_and_by_role(endpoint: Any, make: Make) -> None:
    model, events = make()
    asked_usage = []
    for purpose in ("plan", "augment", "plan"):
        model.complete([{"role": "user", "content": purpose * 10}], purpose=purpose)
        assert isinstance(events[-1], ModelReplied)
        asked_usage.append(events[-1].usage)
    model.embed(["milk"])
    vision, more = make(role="vision")
    vision.complete(ASK)
    found = spent([*events, *more])
    assert found.total.calls == 5
    assert found.by_purpose["plan"].usage == asked_usage[0] + asked_usage[2]
    assert found.by_purpose["embed"].usage == Usage(1)
    assert {role: part.calls for role, part in found.by_role.items()} == {
        "planner": 4,
        "vision": 1,
    }
    assert found.total.peak_tokens_in == max(usage.tokens_in for usage in asked_usage)


@pytest.mark.parametrize("host", ["api.openai.com", "mine.openai.azure.com:443"])
def test_where_a_schema_is_read_first_it_does_not_change_with_the_options(
    endpoint: Any, make: Make, host: str
) -> None:
    """This keeps the endpoint's prompt cache valid; the answer is checked here."""
    model, _ = make(host=host)
    assert model.enforces_schema() is False
    assert endpoint.requests == []
    endpoint.text = lambda body: '{"choice": "go to fridge 9"}'
    for count in (10, 12):
        options = [f"go to fridge {number}" for number in range(count)]
        assert model.choose(ASK, options) == "go to fridge 9"
    one, other = (body["response_format"] for body in endpoint.requests)
    assert one == other
    with pytest.raises(NoAnswer, match="not one of the options"):
        model.choose(ASK, [f"go to chair {number}" for number in range(9)])


def test_whether_a_server_holds_replies_to_schemas_is_asked_once_and_recorded(
    endpoint: Any, make: Make
) -> None:
    endpoint.always = lambda body: None
    model, events = make()
    assert model.enforces_schema() is True
    endpoint.always = lambda body: "free_text"
    loose, _ = make()
    assert loose.enforces_schema() is False
    again, _ = make(events)
    asked = len(endpoint.requests)
    assert again.enforces_schema() is True
    assert len(endpoint.requests) == asked == 2
