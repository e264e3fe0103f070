"""What the stand-in does next, by transcripts in the dialect `reactree`."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.stand_ins.scripted.formats import react
from peephole.stand_ins.scripted.household.policy import next_action
from peephole.stand_ins.scripted.household.requirements import to_table
from peephole.stand_ins.scripted.transcript import Transcript, Turn

TASK = "Put an apple in the fridge."
TABLE = to_table(
    {
        TASK: [{"relation": "inside", "thing": "apple", "place": "fridge"}],
        "Put two apples in the fridge.": [
            {"relation": "inside", "thing": "apple", "count": 2, "place": "fridge"}
        ],
        "Put apple 2 on table 1 and leave lamp 1 on.": [
            {
                "relation": "on",
                "thing": "apple",
                "thing_named": 1,
                "place": "table",
                "place_named": 1,
            },
            {"relation": "state", "thing": "lamp", "thing_named": 1, "state": "on"},
        ],
        "Hold an apple.": [{"relation": "holds", "thing": "apple"}],
    }
)
ROOMS = to_table(
    {
        TASK: [
            {
                "relation": "on",
                "thing": "apple",
                "place": "table",
                "place_room": "meeting room 2",
            }
        ]
    }
)
FIRST = (
    "You are in the house, and there are 2 rooms: bedroom (1), kitchen (1). You are in the middle "
    "of a kitchen (1). Looking quickly around the room, you see fridge (1), table (1)."
)
TO_TABLE = Turn("go to table 1", "You arrive at the table (1). You see apple (1, 2), table (1)")
TAKEN = Turn("pick up apple 1", "You pick up apple. You hold apple (1).")
AT_FRIDGE = Turn(
    "go to fridge 1",
    "You arrive at the fridge (1). The fridge (1) is closed. You see apple (1), fridge (1) "
    "You hold apple (1).",
)
OPENED = Turn(
    "open fridge 1",
    "You open fridge. You see apple (1), fridge (1), milk (1) You hold apple (1).",
)
PUT = Turn("put down apple 1 in fridge 1", "You put down apple in fridge")


def _next(*turns, task=TASK, options=None, first=FIRST):
    return next_action(Transcript(task, first, tuple(turns), options), TABLE).action


def test_a_place_is_sought_in_the_room_that_is_named():
    first = FIRST.replace("2 rooms: bedroom (1),", "3 rooms: meeting room (1, 2),")
    entered = Turn(
        "go to meeting room 2",
        "You move to the meeting room (2). Looking quickly around the room, you see table (2).",
    )

    def chosen(*turns):
        return next_action(Transcript(TASK, first, turns, None), ROOMS).action

    assert chosen(TO_TABLE) == "go to meeting room 2"
    assert chosen(TO_TABLE, entered) == "go to apple 1"
    holding = Turn(entered.action, f"{entered.observation} You hold apple (1).")
    at_table = "You arrive at the table (2). You see apple (1), table (2) You hold apple (1)."
    there = Turn("go to table 2", at_table)
    assert chosen(TO_TABLE, TAKEN, holding, there) == "put down apple 1 on table 2"


def test_a_device_whose_state_is_not_told_is_restarted_where_it_cannot_be_turned_on():
    asked = {"relation": "treated", "thing": "mug", "state": "filled"}
    table = to_table({TASK: [asked]})
    first = FIRST.replace("table (1)", "coffee machine (1), mug (1)")
    at_machine = Turn(
        "go to coffee machine 1",
        "You arrive at the coffee machine (1). You see coffee machine (1), mug (1)",
    )
    taken = Turn("pick up mug 1", "You pick up mug. You hold mug (1).")
    put = Turn("put down mug 1 in coffee machine 1", "You put down mug in coffee machine")

    def chosen(*offered):
        turns = (at_machine, taken, put)
        return next_action(Transcript(TASK, first, turns, offered), table).action

    assert chosen("turn on coffee machine 1", "pick up mug 1") == "turn on coffee machine 1"
    assert chosen("turn off coffee machine 1", "pick up mug 1") == "turn off coffee machine 1"


def test_the_way_to_a_goal():
    assert _next() in ("go to table 1", "go to fridge 1")
    assert _next(TO_TABLE) == "pick up apple 1"
    assert _next(TO_TABLE, TAKEN) == "go to fridge 1"
    assert _next(TO_TABLE, TAKEN, AT_FRIDGE) == "open fridge 1"
    assert _next(TO_TABLE, TAKEN, AT_FRIDGE, OPENED) == "put down apple 1 in fridge 1"
    assert _next(TO_TABLE, TAKEN, AT_FRIDGE, OPENED, PUT) == "done"


def test_more_of_a_sort_are_fetched_from_where_they_were_seen():
    turns = (TO_TABLE, TAKEN, AT_FRIDGE, OPENED, PUT)
    assert _next(*turns, task="Put two apples in the fridge.") == "go to apple 2"
    options = ("go to table 1", "give up")  # the apple is not in sight
    assert _next(*turns, task="Put two apples in the fridge.", options=options) == "go to table 1"


def test_two_things_are_carried_at_once():
    assert _next(TO_TABLE, TAKEN, task="Put two apples in the fridge.") == "pick up apple 2"


def test_with_one_hand_things_are_carried_one_by_one():
    task = "Put two apples in the fridge."
    told = Transcript(task, FIRST, (TO_TABLE, TAKEN), None, hands=1)
    assert next_action(told, TABLE).action == "go to fridge 1"
    full = Turn("pick up apple 2", "You do not have an empty hand. You hold apple (1).")
    assert _next(TO_TABLE, TAKEN, full, task=task) == "go to fridge 1", "learnt where not told"


def test_with_one_hand_the_fridge_is_opened_before_the_apple_is_taken_up_again():
    dropped = Turn("drop apple 1", "You drop apple.")
    turns = (TO_TABLE, TAKEN, AT_FRIDGE)
    for done, then in ((turns, "drop apple 1"), ((*turns, dropped), "open fridge 1")):
        options = ("open fridge 1", "drop apple 1", "pick up apple 1", "give up")
        told = Transcript(TASK, FIRST, done, options, hands=1, opening_needs_hand=True)
        assert next_action(told, TABLE).action == then


def test_a_thing_that_is_filled_first_is_brought_then():
    task = "Put milk 1 in bowl 1. Put bowl 1 on table 1."
    named = {"thing_named": 1, "place_named": 1}
    table = to_table(
        {
            task: [
                {"relation": "inside", "thing": "milk", "place": "bowl", **named},
                {"relation": "on", "thing": "bowl", "place": "table", **named},
            ]
        }
    )
    turns = (
        Turn("go to fridge 1", "You arrive at the fridge (1). You see bowl (1), milk (1)"),
        Turn("pick up milk 1", "You pick up milk. You hold milk (1)."),
        Turn("put down milk 1 in bowl 1", "You put down milk in bowl"),
    )
    assert next_action(Transcript(task, FIRST, turns, None), table).action == "pick up bowl 1"


def test_a_chest_that_stands_about_is_gone_back_to_and_opened():
    turns = [
        Turn("go to table 1", "You arrive at the table (1). You see chest (1), table (1)"),
        Turn("go to fridge 1", "You arrive at the fridge (1). You see fridge (1)"),
        Turn(
            "go to bedroom 1",
            "You move to the bedroom (1). Looking quickly around the room, you see nothing.",
        ),
        Turn(
            "go to kitchen 1",
            "You move to the kitchen (1). Looking quickly around the room, "
            "you see fridge (1), table (1).",
        ),
    ]
    assert _next(*turns) == "look around"
    turns.append(Turn("look around", "Looking quickly around the room, you see fridge (1)."))
    assert _next(*turns) == "go to chest 1"
    there = Turn(
        "go to chest 1", "You arrive at the chest (1). The chest (1) is closed. You see chest (1)"
    )
    assert _next(*turns, there) == "open chest 1"
    opened = Turn("open chest 1", "You open chest. You see chest (1)")
    again = Turn("go to bedroom 1", turns[2].observation)
    around = Turn("look around", "Looking quickly around the room, you see nothing.")
    assert _next(*turns, there, opened) == "go to bedroom 1"
    assert _next(*turns, there, opened, again, around) == "give up"


def test_what_has_no_door_is_looked_at_once():
    """By its name a wardrobe has one; nobody is told here that it is closed."""
    first = FIRST.replace("fridge", "wardrobe")
    looked = [
        Turn(f"go to {name}", f"You arrive at the {name[:-2]} (1). You see {name[:-2]} (1)")
        for name in ("wardrobe 1", "table 1")
    ]
    left = Turn(
        "go to bedroom 1",
        "You move to the bedroom (1). Looking quickly around the room, you see nothing.",
    )
    back = Turn(
        "go to kitchen 1",
        "You move to the kitchen (1). Looking quickly around the room, you see table (1), "
        "wardrobe (1).",
    )
    around = Turn("look around", "Looking quickly around the room, you see nothing.")
    turns = [*looked, left]
    said = []
    while not said or said[-1] != "give up":
        said.append(_next(*turns, first=first))
        assert len(said) < 9
        answers = {"look around": around, "go to kitchen 1": back, "go to bedroom 1": left}
        turns += [answers[said[-1]]] if said[-1] in answers else []
    assert not {"go to wardrobe 1", "open wardrobe 1"} & set(said)


def test_what_the_short_text_means_is_known():
    options = ("go to table 1", "put down apple 1", "done", "give up")
    assert _next(TO_TABLE, TAKEN, AT_FRIDGE, OPENED, options=options) == "put down apple 1"
    short = Turn("put down apple 1", PUT.observation)
    assert _next(TO_TABLE, TAKEN, AT_FRIDGE, OPENED, short) == "done"


def test_a_named_thing_is_not_taken_for_another():
    task = "Put apple 2 on table 1 and leave lamp 1 on."
    assert _next(TO_TABLE, task=task) == "look at table 1"
    looked = Turn("look at table 1", "You look at the table (1). You see apple (1)")
    assert _next(TO_TABLE, looked, task=task) == "pick up apple 2"
    looked = Turn("look at table 1", "You look at the table (1). You see apple (1, 2)")
    assert _next(TO_TABLE, looked, task=task) == "go to bedroom 1"  # the lamp is nowhere yet


def test_a_state_that_holds_already_is_learnt_from_the_failure():
    task = "Put apple 2 on table 1 and leave lamp 1 on."
    first = FIRST.replace("table (1).", "lamp (1), table (1).")
    looked = Turn("look at table 1", "You look at the table (1). You see apple (1, 2)")
    at_lamp = Turn("go to lamp 1", "You arrive at the lamp (1). You see lamp (1)")
    turns = (TO_TABLE, looked, at_lamp)
    assert _next(*turns, task=task, first=first) == "turn on lamp 1"
    on = Turn("turn on lamp 1", "The lamp is already turned on.")
    assert _next(*turns, on, task=task, first=first) != "turn on lamp 1"


def test_an_action_that_failed_twice_in_the_same_way_is_not_repeated():
    refused = Turn("pick up apple 1", "You try, but nothing happens.")
    assert _next(TO_TABLE, refused) == "pick up apple 1"
    assert _next(TO_TABLE, refused, refused) == "pick up apple 2"


@pytest.mark.parametrize(
    ("turns", "missing_step"),
    [
        ((TO_TABLE, Turn("pick up apple 1", "The apple is not close to you.")), "go to apple 1"),
        (
            (
                TO_TABLE,
                TAKEN,
                Turn("put down apple 1 in fridge 1", "The fridge is closed. You hold apple (1)."),
            ),
            "go to fridge 1",
        ),
        (
            (
                TO_TABLE,
                TAKEN,
                Turn("pick up apple 2", "You pick up apple. You hold apple (1, 2)."),
                Turn(
                    AT_FRIDGE.action,
                    AT_FRIDGE.observation.replace("apple (1)", "apple (1, 2)"),
                ),
                Turn("open fridge 1", "You do not have an empty hand. You hold apple (1, 2)."),
            ),
            "put down apple 2 on fridge 1",
        ),
        ((Turn("go to table 1", "You are not standing."),), "stand up"),
    ],
)
def test_the_missing_step_is_done_after_a_failure(turns, missing_step):
    told = "Put two apples in the fridge." if missing_step.startswith("put") else TASK
    assert _next(*turns, task=told) == missing_step


def test_only_what_is_on_offer_is_chosen():
    options = ("go to bedroom 1", "open fridge 1", "give up")
    assert _next(options=options) in options
    assert _next(TO_TABLE, options=("wait", "give up")) == "give up"


def test_an_empty_house_is_given_up():
    assert _next(first="You are in the house.") == "give up"


def test_what_is_missing_is_looked_for_in_closed_furniture_too():
    arrived = Turn(
        "go to fridge 1",
        "You arrive at the fridge (1). The fridge (1) is closed. You see fridge (1)",
    )
    empty = Turn("go to table 1", "You arrive at the table (1). You see table (1)")
    assert _next(empty, arrived, task="Hold an apple.") == "open fridge 1"
    inside = Turn("open fridge 1", "You open fridge. You see apple (1), fridge (1)")
    assert _next(empty, arrived, inside, task="Hold an apple.") == "pick up apple 1"


def test_a_gap_in_the_middle_is_survived():
    """Of how the apple came into its hand nothing is left."""
    assert _next(AT_FRIDGE) == "open fridge 1"
    assert _next(OPENED) in ("go to fridge 1", "put down apple 1 in fridge 1")


_TEXTS = st.sampled_from(
    [t.observation for t in (TO_TABLE, TAKEN, AT_FRIDGE, OPENED, PUT)]
    + ["", "You have not seen any such thing.", "You do not have an empty hand.", "The"]
) | st.text(max_size=40)
_ACTIONS = st.sampled_from(
    [t.action for t in (TO_TABLE, TAKEN, AT_FRIDGE, OPENED, PUT)]
    + ["", "open", "look around", "wait", "put down apple 1", "go to bedroom 1", "stand up"]
)


@given(
    turns=st.lists(st.builds(Turn, _ACTIONS, _TEXTS), max_size=12),
    options=st.none() | st.lists(_ACTIONS, max_size=5).map(lambda o: (*o, "done", "give up")),
    task=st.sampled_from([TASK, "Hold an apple.", "Put apple 2 on table 1 and leave lamp 1 on."]),
)
def test_any_transcript_gets_one_answer_among_the_options_and_always_the_same(turns, options, task):
    transcript = Transcript(task, FIRST, tuple(turns), options)
    choice = next_action(transcript, TABLE)
    assert choice == next_action(transcript, TABLE)
    assert choice.thought
    assert options is None or choice.action in options


def test_messages_of_react_are_read_into_a_transcript():
    messages = [
        {
            "role": "system",
            "content": "You can hold one thing at a time. Opening takes an empty hand.",
        },
        {"role": "user", "content": f"Task: {TASK}\n{FIRST}"},
        {"role": "assistant", "content": json.dumps({"thought": "", "action": TO_TABLE.action})},
        {"role": "user", "content": TO_TABLE.observation},
        {"role": "assistant", "content": "Hm."},
        {"role": "user", "content": "That is no JSON.\nPossible actions: wait; pick up apple 1"},
    ]
    heard = react.read(messages, {})
    options = ("wait", "pick up apple 1")
    assert heard == Transcript(TASK, FIRST, (TO_TABLE,), options, hands=1, opening_needs_hand=True)
    two_hands = [{"role": "system", "content": "You can hold 2 things at a time."}, *messages[1:]]
    assert react.read(two_hands, {}) == Transcript(TASK, FIRST, (TO_TABLE,), options)
    schema = {"properties": {"thought": {}, "action": {"enum": ["wait"]}}}
    assert react.recognises(messages, schema)
    assert react.read(messages, schema).options == ("wait",)
    assert not react.recognises(messages, {"properties": {"answer": {}}})
