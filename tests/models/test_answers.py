"""Which replies the client accepts as answers, and after which it asks again."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from peephole.models.bodies import read_completion
from peephole.models.contract import NoAnswer, Unusable
from peephole.models.usage import Usage

from .conftest import ASK, PLACES, Guess, Make, replies


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
        "[" * 1500,
        '{"choice":' * 1500,
        "9" * 5000,
        "[1e999]",
        f"```json{' ' * 30_000}[",
    ],
    ids=["lists", "objects", "digits", "infinity", "fence"],
)
def test_a_reply_without_bounds_is_asked_for_again_at_once(
    endpoint: Any, make: Make, reply: str
) -> None:
    model, events = make()
    texts = [reply, "fridge"]
    endpoint.text = lambda body: texts.pop(0)
    began = time.process_time()
    assert model.choose(ASK, PLACES) == "fridge"
    assert [event.problem for event in replies(events)] == ["The reply is not JSON.", None]
    assert time.process_time() - began < 1.0


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


def test_a_reply_far_longer_than_asked_for_is_cut_off_and_said_to_be(
    endpoint: Any, make: Make
) -> None:
    model, events = make(attempts=2)
    endpoint.text = lambda body: '{"choice": "' + "a" * 250_000
    with pytest.raises(NoAnswer, match=r"Only 200,000 characters of a reply are read"):
        model.choose(ASK, PLACES)
    assert [len(event.reply) for event in replies(events)] == [200_000] * 2
    endpoint.text = lambda body: "a" * 250_000
    assert len(model.complete(ASK, max_tokens=20_000)) == 250_000


def test_what_a_server_lets_through_is_checked_here(endpoint: Any, make: Make) -> None:
    """A probability of 100 where the schema allows 1, as real servers have answered."""
    model, events = make()
    endpoint.text = lambda body: '{"place": "fridge", "weight": 100, "note": ""}'
    with pytest.raises(NoAnswer, match="weight"):
        model.answer(ASK, Guess)
    assert len(events) == len(endpoint.requests) == 5


def test_an_error_says_that_no_schema_is_enforced(endpoint: Any, make: Make) -> None:
    model, _ = make(attempts=2)
    for fault in ("free_text", "wrong_enum"):
        endpoint.always = lambda body, fault=fault: fault
        with pytest.raises(NoAnswer, match=r"does not enforce the JSON schema; serve"):
            model.choose(ASK, PLACES)
    endpoint.always = lambda body: "free_text"
    with pytest.raises(NoAnswer) as caught:
        model.read(ASK, _refuse)
    assert "schema" not in str(caught.value)


def _refuse(text: str) -> str:
    raise Unusable("Say a number.")
