"""Faults on purpose: each at rate 1, and which come when."""

from __future__ import annotations

import json
import random
import time

import openai
import pytest

from peephole.errors import BadInput
from peephole.stand_ins.scripted.faults import (
    ERRORS,
    KINDS,
    REPLY,
    DrawnFault,
    ReplyFaults,
    mistaken,
    parse_rates,
)
from peephole.stand_ins.scripted.home.memory import Choice
from peephole.stand_ins.scripted.table import to_table

ACTIONS = ["go to hall 1", "go to kitchen 1", "go to table 1", "go to table 2"]
QUICK = {"slow_s": 0.3, "retry_after_s": 0.2}


def _ask(client, messages, choice_of):
    return client.chat.completions.create(
        model="scripted", messages=messages, **choice_of(ACTIONS)
    ).choices[0]


def test_malformed_replies_are_no_json(client_of, first_messages, choice_of):
    with client_of(faults="malformed=1") as client:
        reply = _ask(client, first_messages, choice_of)
    with pytest.raises(ValueError, match="Expecting property name"):
        json.loads(reply.message.content)


def test_illegal_replies_have_an_action_that_is_not_on_offer(client_of, first_messages, choice_of):
    with client_of(faults="illegal=1") as client:
        reply = _ask(client, first_messages, choice_of)
    assert json.loads(reply.message.content)["action"] not in ACTIONS


def test_empty_replies_say_nothing(client_of, first_messages, choice_of):
    with client_of(faults="empty=1") as client:
        assert _ask(client, first_messages, choice_of).message.content == ""


def test_truncated_replies_are_the_beginning_of_the_right_one(
    client, client_of, first_messages, choice_of
):
    whole = _ask(client, first_messages, choice_of).message.content
    with client_of(faults="truncated=1") as faulty:
        reply = _ask(faulty, first_messages, choice_of)
    assert reply.finish_reason == "length"
    assert reply.message.content
    assert whole.startswith(reply.message.content)
    assert whole != reply.message.content


def test_slow_replies_take_as_long_as_set(client, client_of, first_messages, choice_of):
    with client_of(faults="slow=1", more=QUICK) as slow:
        began = time.monotonic()
        reply = _ask(slow, first_messages, choice_of)
        assert time.monotonic() - began >= 0.3
    assert reply == _ask(client, first_messages, choice_of)


def test_too_many_requests_say_when_to_come_back(client_of, first_messages, choice_of):
    with (
        client_of(faults="http429=1", more=QUICK) as client,
        pytest.raises(openai.RateLimitError) as caught,
    ):
        _ask(client, first_messages, choice_of)
    assert caught.value.response.headers["Retry-After"] == "0.2"
    assert caught.value.code == "rate_limit_exceeded"


def test_a_failing_server_has_status_500(client_of, first_messages, choice_of):
    with (
        client_of(faults="http500=1") as client,
        pytest.raises(openai.InternalServerError) as caught,
    ):
        _ask(client, first_messages, choice_of)
    assert caught.value.status_code == 500


def test_asking_again_can_succeed(client_of, first_messages, choice_of):
    with client_of(faults="http500=0.5", more=QUICK) as client:
        patient = client.with_options(max_retries=20)
        assert _ask(patient, first_messages, choice_of).finish_reason == "stop"


def _drawn(faults, times=200):
    return [faults.draw([{"role": "user", "content": str(i % 20)}]) for i in range(times)]


def test_the_same_seed_gives_the_same_faults_and_another_seed_others():
    rates = {"malformed": 0.3, "http429": 0.3, "slow": 0.3}
    assert _drawn(ReplyFaults(rates, seed=1)) == _drawn(ReplyFaults(rates, seed=1))
    assert _drawn(ReplyFaults(rates, seed=1)) != _drawn(ReplyFaults(rates, seed=2))


def test_faults_depend_on_the_attempt():
    drawn = _drawn(ReplyFaults({"empty": 0.5}))
    assert any(drawn[i] != drawn[i + 20] for i in range(20))


@pytest.mark.parametrize("kind", KINDS)
def test_rates_are_met(kind):
    drawn = _drawn(ReplyFaults({kind: 0.25}), times=1000)
    hits = sum(each != DrawnFault() for each in drawn)
    assert 190 < hits < 310


def test_without_rates_nothing_goes_wrong():
    assert set(_drawn(ReplyFaults())) == {DrawnFault()}


def test_rates_are_read_from_text():
    assert parse_rates("malformed=0.1, slow=1") == {"malformed": 0.1, "slow": 1.0}
    assert parse_rates("") == {}


@pytest.mark.parametrize("text", ["slow", "slow=", "slow=x", "slow=nan", "=1", "slow=-1"])
def test_other_texts_are_refused(text):
    with pytest.raises(BadInput):
        parse_rates(text)


def test_faults_of_a_reply_exclude_each_other():
    with pytest.raises(BadInput, match="sum to more than 1"):
        parse_rates(",".join(f"{kind}=0.3" for kind in REPLY))


# --- errors of a less able model ------------------------------------------------------------------


def _actions(client, messages, choice_of, offered, times=12):
    """The actions of replies to some questions that differ in nothing that matters."""
    format_ = choice_of(offered)
    replies = [
        client.chat.completions.create(
            model="scripted",
            messages=[
                {"role": "system", "content": f"{messages[0]['content']}{' ' * i}"},
                *messages[1:],
            ],
            **format_,
        )
        for i in range(times)
    ]
    return [json.loads(reply.choices[0].message.content)["action"] for reply in replies]


def test_invented_things_are_in_no_message(client_of, first_messages, choice_of):
    with client_of(faults="invented=1") as client:
        actions = _actions(client, first_messages, choice_of, ACTIONS)
    assert len(set(actions)) > 1, "always the same one would be easy to learn"
    for action in actions:
        assert action.startswith("go to ")
        assert action not in ACTIONS


def test_wrong_subgoals_are_on_offer_and_not_the_right_one(
    client, client_of, first_messages, choice_of
):
    (right,) = _actions(client, first_messages, choice_of, ACTIONS, 1)
    with client_of(faults="wrong_subgoal=1") as faulty:
        actions = _actions(faulty, first_messages, choice_of, ACTIONS)
    assert len(set(actions)) > 1
    assert set(actions) <= set(ACTIONS) - {right}


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (["go to table 1", "go to table 2", "go to sink 1", "put down cup 1"], "go to table 2"),
        (["go to table 1", "go to sink 1", "put down cup 1"], "put down cup 1"),
        (["go to table 1", "go to sink 1"], "go to table 1"),
    ],
)
def test_wrong_places_are_of_the_kind_or_where_one_stands(options, wrong):
    right = Choice("", "go to table 1")
    assert mistaken(right, "wrong_place", options, {}, random.Random(0)).action == wrong


WANTED = to_table(
    {
        "Cool the egg.": [{"relation": "inside", "thing": ["egg"], "place": ["fridge"]}],
        "Serve the egg.": [{"relation": "ontop", "thing": ["egg"], "place": ["coffee_table"]}],
    }
)


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        ("coffee table1", {"go to table2", "go to fridge1"}),
        ("table2", {"go to coffee table1", "go to fridge1"}),
        ("fridge", {"go to coffee table1", "go to table2", "go to fridge1"}),
    ],
)
def test_a_wrong_delivery_is_to_where_other_things_are_brought(place, wrong):
    right = Choice(f"egg on {place} in den1; egg1 for {place}, now in hall1", "go to den1")
    options = [
        *("go to den1", "go to attic1", "go to coffee table1", "go to table2", "go to fridge1"),
        *("go to sink1", "put down egg1 on table2"),
    ]
    made = [mistaken(right, "wrong_delivery", options, WANTED, random.Random(i)) for i in range(30)]
    assert {each.action for each in made} == wrong


def test_a_wrong_place_is_gone_to_as_often_as_the_rate_says(client_of, first_messages, choice_of):
    tables = ["go to table 1", "go to table 2"]
    with client_of() as client, client_of(faults="wrong_place=1") as faulty:
        right = _actions(client, first_messages, choice_of, tables, 3)
        wrong = _actions(faulty, first_messages, choice_of, tables, 3)
    assert {*right, *wrong} == {*tables}
    assert not {*right} & {*wrong}


@pytest.mark.parametrize(
    "thought", ["egg, cup on desk1 in hall1; cup2 on", "cup in fridge1", "plate3 in dishwasher1"]
)
def test_wrong_thoughts_are_of_less_or_more_or_of_another_place(thought):
    right = Choice(thought, "go to desk 1")
    wrong = [mistaken(right, "wrong_thought", [], {}, random.Random(seed)) for seed in range(20)]
    assert {each.action for each in wrong} == {right.action}
    assert right not in wrong
    lengths = {each.thought.count(",") - thought.count(",") for each in wrong}
    assert lengths == ({-1, 0, 1} if "egg" in thought else {0, 1})
    assert all(each.thought.endswith(thought.partition(";")[2]) for each in wrong)


@pytest.mark.parametrize(
    "thought",
    [
        *("nothing", "dishwasher1 on", "I look in fridge 1."),
        *("egg1 for fridge1, now in kitchen1", "cup to be cooled in fridge", "be in kitchen1"),
    ],
)
def test_a_thought_of_nothing_to_bring_cannot_be_wrong(thought):
    right = Choice(thought, "wait")
    assert mistaken(right, "wrong_thought", [], {}, random.Random(0)) == right


def test_early_stops_say_that_it_is_done(client_of, first_messages, choice_of):
    with client_of(faults="early_stop=1") as client:
        assert _actions(client, first_messages, choice_of, [*ACTIONS, "done"], 2) == ["done"] * 2


@pytest.mark.parametrize("text", ["put(apple, fridge)", "find an Apple", '{"goal": "the apple"}'])
def test_without_a_menu_another_thing_or_place_is_spoken_of(text):
    entry = {"relation": "inside", "thing": "apple", "place": "fridge"}
    other = {"relation": "on", "thing": "cup", "place": "table"}
    table = to_table({"Do this.": [entry], "Do that.": [other]})
    spoilt = mistaken(Choice("", text), "wrong_subgoal", None, table, random.Random(0)).action
    assert spoilt != text
    assert ("cup" in spoilt) != ("table" in spoilt)


def test_one_rate_is_spread_over_the_errors_of_a_model():
    each = dict.fromkeys(("malformed", *ERRORS), pytest.approx(0.04))
    assert parse_rates("errors=0.2") == each
    assert parse_rates("early_stop=0.5,errors=0.2,slow=1") == {
        **each,
        "early_stop": 0.5,
        "slow": 1.0,
    }
    assert parse_rates("errors=1") == dict.fromkeys(("malformed", *ERRORS), 0.2)
