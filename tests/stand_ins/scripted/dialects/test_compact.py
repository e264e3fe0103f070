"""Transcripts in the dialect `compact`, translated into `reactree`."""

from __future__ import annotations

import pytest

from peephole.stand_ins.scripted.dialects.compact import to_reactree
from peephole.stand_ins.scripted.dialects.reactree import parse_first, parse_observation
from peephole.stand_ins.scripted.formats import react
from peephole.stand_ins.scripted.household.policy import next_action
from peephole.stand_ins.scripted.household.requirements import to_table
from peephole.stand_ins.scripted.transcript import Transcript, Turn

FIRST = (
    "Rooms: hall1, tv room1. In hall1. Here: bench1, lamp2. Not looked at: kitchen table1, desk1."
)


def translated(action: str, told: str) -> Turn:
    (turn,) = to_reactree(Transcript("Go.", FIRST, (Turn(action, told),), None)).turns
    return turn


def test_another_wording_is_left_alone() -> None:
    published = Transcript("Go.", "You are in the house, and there is 1 room: hall (1).", (), None)
    assert to_reactree(published) is published


def test_the_first_observation_tells_rooms_and_furniture() -> None:
    transcript = to_reactree(Transcript("Go.", FIRST, (), ("go to desk1", "done")))
    seen = parse_first(transcript.first)
    assert (seen.rooms, seen.room) == (["hall 1", "tv room 1"], "hall 1")
    assert seen.furniture == ["bench 1", "lamp 2", "kitchen table 1", "desk 1"]
    assert transcript.options == ("go to desk 1", "done")
    assert transcript.wording["kitchen table 1"] == "kitchen table1"


@pytest.mark.parametrize(
    ("action", "compact", "published"),
    [
        (
            "open fridge1",
            "At fridge1, open: juice1, juice2. Not looked at: desk1 +3. Held: cup1.",
            "You open fridge. You see cup (1), fridge (1), juice (1), juice (2). You hold cup (1).",
        ),
        (
            "go to fridge1",
            "At fridge1, closed.",
            "You arrive at the fridge (1). The fridge (1) is closed. The fridge (1) is off. "
            "You see fridge (1).",
        ),
        (
            "go to tv room1",
            "In tv room1. Here: tv1. Rooms left: hall1.",
            "You move to the tv room (1). Looking quickly around the room, you see tv (1).",
        ),
        (
            "put down cup1",
            "Done. Put: one cup (cup1) on coffee table1. Held: pen2.",
            "You put down cup on coffee table You hold pen (2).",
        ),
        ("pick up cup1", "Done. Held: cup1.", "You pick up cup. You hold cup (1)."),
        ("turn on tv1", "Done.", "You turn on tv."),
        (
            "pick up cup1",
            "The cup1 is not close to you.",
            "The cup (1) is not close to you.",
        ),
    ],
)
def test_observations(action: str, compact: str, published: str) -> None:
    turn = translated(action, compact)
    assert turn.observation == published
    observed = parse_observation(turn.observation, turn.action)
    assert observed.failure == ("not close" if "not close" in compact else "")


def chosen(*turns: Turn, first: str = FIRST) -> str:
    instruction = "Put a cup on the desk."
    asked = {"relation": "on", "thing": "cup", "place": "desk"}
    told = Transcript(instruction, first, turns, None)
    return next_action(to_reactree(told), to_table({instruction: [asked]})).action


def test_the_search_goes_by_the_list_of_what_is_left() -> None:
    assert chosen() == "go to kitchen table1"
    assert chosen(Turn("go to desk1", "At desk1: pen1. Not looked at: kitchen table1.")) == (
        "go to kitchen table1"
    )
    closed = Turn("go to kitchen table1", "At kitchen table1, closed.")
    assert chosen(closed) == "open kitchen table1"
    empty = Turn("open kitchen table1", "At kitchen table1, open: nothing. Rooms left: tv room1.")
    looked = Turn("go to desk1", "At desk1: pen1. Rooms left: tv room1.")
    assert chosen(closed, empty, looked) == "go to tv room1"


def test_what_is_wanted_is_taken_along_before_its_place_is_known() -> None:
    first = FIRST.replace(", desk1", "")
    seen = Turn("go to kitchen table1", "At kitchen table1: cup1, pen1. Rooms left: tv room1.")
    assert chosen(seen, first=first) == "pick up cup1"
    held = Turn("pick up cup1", "Done. Held: cup1.")
    assert chosen(seen, held, first=first) == "go to tv room1"


def test_thoughts_are_what_is_left_to_be_done_in_the_order_of_the_instruction() -> None:
    table = to_table(
        {
            "Put two knives and a cup on the desk and switch on the lamp.": [
                {"relation": "on", "thing": ["cup"], "place": ["desk"]},
                {"relation": "on", "thing": ["knife"], "place": ["desk"], "count": 2},
                {"relation": "state", "thing": ["lamp"], "state": "on"},
            ]
        }
    )
    (instruction,) = table

    def thought(*turns: Turn) -> str:
        told = Transcript(instruction, FIRST, turns, None)
        return next_action(to_reactree(told), table).thought

    assert thought() == "knife, knife, cup on desk1 in hall1; lamp2 on"
    turns = [
        Turn("go to kitchen table1", "At kitchen table1: cup1, knife1, knife2."),
        Turn("pick up knife1", "Done. Held: knife1."),
        Turn("go to desk1", "At desk1: nothing. All looked at. Held: knife1."),
        Turn("put down knife1 on desk1", "Done. Put: one knife (knife1) on desk1."),
    ]
    seen = "knife2, cup1 at kitchen table1 in hall1"
    held = "knife1 for desk1, now at"
    on_desk = "knife, knife, cup on desk1 in hall1"
    assert thought(*turns[:2]) == f"{on_desk}; {held} kitchen table1; {seen}; lamp2 on"
    assert thought(*turns[:3]) == f"{on_desk}; {held} desk1; {seen}; lamp2 on"
    assert thought(*turns) == f"knife, cup on desk1 in hall1; {seen}; lamp2 on"
    turns.append(Turn("go to kitchen table1", "At kitchen table1: cup1, knife2."))
    turns.append(Turn("pick up knife2", "Done. Put: one knife (knife1) on desk1. Held: knife2."))
    seen = "cup1 at kitchen table1 in hall1"
    held = "knife2 for desk1, now at kitchen table1"
    assert thought(*turns) == f"knife, cup on desk1 in hall1; {held}; {seen}; lamp2 on"


def test_thoughts_say_what_is_to_be_cooled_until_it_is() -> None:
    instruction = "Put a chilled cup on the desk."
    cup: dict[str, object] = {"thing": ["cup"]}
    table = to_table(
        {
            instruction: [
                {**cup, "relation": "treated", "state": "cooled"},
                {**cup, "relation": "on", "place": ["desk"]},
            ]
        }
    )
    first = FIRST.replace("kitchen table1", "kitchen table1, fridge1")

    def thought(*turns: Turn) -> str:
        told = Transcript(instruction, first, turns, None)
        return next_action(to_reactree(told), table).thought

    on_desk = "cup on desk1 in hall1"
    turns = [
        Turn("go to kitchen table1", "At kitchen table1: cup1."),
        Turn("pick up cup1", "Done. Held: cup1."),
        Turn("go to fridge1", "At fridge1, closed. Held: cup1."),
        Turn("open fridge1", "At fridge1, open: nothing. Held: cup1."),
        Turn("put down cup1 in fridge1", "Done. Put: one cup (cup1) in fridge1."),
        Turn("close fridge1", "Done."),
        Turn("open fridge1", "At fridge1, open: cup1."),
    ]
    assert thought().endswith("; cup to be cooled in fridge")
    assert "; cup1 to be cooled in fridge, now at kitchen table1" in thought(*turns[:2])
    assert "; cup1 to be cooled in fridge, now at fridge1" in thought(*turns[:4])
    assert thought(*turns[:5]) == f"{on_desk}; cup1 to be cooled in fridge"
    assert thought(*turns) == f"{on_desk}; cup1 at fridge1 in hall1"


def test_what_lies_beside_a_bowl_that_was_looked_at_is_not_in_it() -> None:
    """Nor is the bowl in itself."""
    instruction = "Put the sponge into the bowl, and that on the desk."
    sponge = {"relation": "inside", "thing": ["sponge"], "place": ["bowl"]}
    bowl = {"relation": "inside", "thing": ["bowl"], "place": ["desk"]}
    table = to_table({instruction: [sponge, bowl]})
    turns = [
        Turn("go to kitchen table1", "At kitchen table1: bowl1, sponge1."),
        Turn("look at bowl1", "At bowl1: nothing."),
    ]
    told = Transcript(instruction, FIRST, turns, None)
    assert next_action(to_reactree(told), table).action == "pick up sponge1"


def thinks(
    instruction: str, entries: list[dict[str, object]], *turns: Turn, first: str = FIRST
) -> str:
    """What is thought of an instruction after some turns."""
    table = to_table({instruction: entries})
    told = Transcript(instruction, first, turns, None)
    return next_action(to_reactree(told), table).thought


def test_thoughts_name_what_the_instruction_names() -> None:
    """Another lamp, another cup and another desk are not meant."""
    instruction = "Put cup 2 on desk 3 and switch lamp 1 off."
    cup: dict[str, object] = {"relation": "on", "thing": ["cup"], "thing_named": 1}
    lamp: dict[str, object] = {"relation": "state", "thing": ["lamp"], "state": "off"}
    entries = [{**cup, "place": ["desk"], "place_named": 1}, {**lamp, "thing_named": 1}]
    assert thinks(instruction, entries) == "cup2 on desk3; lamp1 off"
    table = Turn("go to kitchen table1", "At kitchen table1: cup1, cup2. Not looked at: desk1.")
    seen = "cup2 at kitchen table1 in hall1"
    assert thinks(instruction, entries, table) == f"cup2 on desk3; {seen}; lamp1 off"


def test_of_all_there_are_one_thinks_until_all_was_looked_at() -> None:
    entries: list[dict[str, object]] = [
        {"relation": "on", "thing": ["cup"], "place": ["desk"], "count": "all"}
    ]
    first = "Rooms: hall1. In hall1. Not looked at: kitchen table1, desk1, shelf1."
    turns = [
        Turn("go to kitchen table1", "At kitchen table1: cup1. Not looked at: desk1, shelf1."),
        Turn("pick up cup1", "Done. Held: cup1."),
        Turn("go to desk1", "At desk1: nothing. Not looked at: shelf1. Held: cup1."),
        Turn("put down cup1 on desk1", "Done. Put: one cup (cup1) on desk1."),
        Turn("go to shelf1", "At shelf1: nothing. All looked at. Put: one cup (cup1) on desk1."),
        Turn("go to hall1", "In hall1. All looked at. Put: one cup (cup1) on desk1."),
    ]
    all_cups = "all cup on desk1 in hall1"
    thoughts = [
        thinks("Put all the cups on the desk.", entries, *turns[:count], first=first)
        for count in range(3, 7)
    ]
    assert thoughts == [f"{all_cups}; cup1 for desk1, now at desk1", all_cups, all_cups, "nothing"]


def test_of_every_lamp_one_thinks_until_all_was_looked_at() -> None:
    entries: list[dict[str, object]] = [
        {"relation": "state", "thing": ["lamp"], "state": "off", "count": "all"}
    ]
    first = "Rooms: hall1. In hall1. Here: lamp2, lamp3. All looked at."
    turns = [
        Turn("go to lamp2", "At lamp2, on."),
        Turn("turn off lamp2", "Done."),
        Turn("go to lamp3", "At lamp3, on."),
        Turn("turn off lamp3", "Done."),
        Turn("go to hall1", "In hall1. Here: lamp2, lamp3. All looked at."),
    ]
    thoughts = [
        thinks("Turn off every lamp.", entries, *turns[:count], first=first) for count in (0, 2, 5)
    ]
    assert thoughts == ["all lamp off", "all lamp off", "nothing"]


def test_the_lamp_of_one_room_is_not_that_of_another() -> None:
    entries: list[dict[str, object]] = [
        {"relation": "state", "thing": ["lamp"], "state": "off", "room": "tv room"}
    ]
    instruction = "Turn off the lamp in the TV room."
    assert thinks(instruction, entries) == "lamp off in tv room"
    turn = Turn("go to tv room1", "In tv room1. Here: lamp1. All looked at.")
    assert thinks(instruction, entries, turn) == "lamp1 off"


def test_toast_is_thought_of_until_there_is_enough() -> None:
    entries: list[dict[str, object]] = [
        {"relation": "treated", "thing": ["slice of bread"], "state": "toasted"}
    ]
    instruction = "Make a slice of toast."
    slice_ = "slice of bread1"
    turns = [
        Turn("go to desk1", f"At desk1: {slice_}, toaster1."),
        Turn(f"pick up {slice_}", f"Done. Held: {slice_}."),
        Turn(f"put down {slice_} in toaster1", f"Done. Put: one slice ({slice_}) in toaster1."),
        Turn("turn on toaster1", "Done."),
    ]
    to_be = "to be toasted in toaster"
    assert thinks(instruction, entries, turns[0]) == f"slice of bread {to_be}"
    assert thinks(instruction, entries, *turns[:2]) == f"{slice_} {to_be}, now at desk1"
    assert thinks(instruction, entries, *turns[:3]) == f"{slice_} {to_be}"
    assert thinks(instruction, entries, *turns) == "nothing"


def test_what_is_to_be_taken_away_is_counted_and_set_aside_with_both_hands_full() -> None:
    entries: list[dict[str, object]] = [
        {"relation": "away", "thing": ["anything"], "place": ["kitchen table"], "count": 3}
    ]
    instruction = "Take three things away from the kitchen table."
    turns = [
        Turn("go to kitchen table1", "At kitchen table1: cup1, egg1, pen1."),
        Turn("pick up cup1", "Done. Held: cup1."),
        Turn("pick up egg1", "Done. Held: cup1, egg1."),
    ]
    away = "away from kitchen table1 in hall1"
    assert thinks(instruction, entries) == f"thing, thing, thing {away}"
    assert thinks(instruction, entries, *turns[:2]) == f"thing, thing {away}"
    told = f"thing {away}; cup1, egg1 to be set aside, now at kitchen table1"
    assert thinks(instruction, entries, *turns) == told


def test_what_is_to_be_in_hand_in_the_end_is_thought_of_until_it_is() -> None:
    entries: list[dict[str, object]] = [
        {"relation": "holds", "thing": ["pen"]},
        {"relation": "close", "thing": ["you"], "place": ["lamp"]},
        {"relation": "state", "thing": ["lamp"], "state": "on"},
    ]
    instruction = "Examine the pen in the light of the lamp."
    turns = [
        Turn("go to desk1", "At desk1: pen1."),
        Turn("pick up pen1", "Done. Held: pen1."),
        Turn("go to lamp2", "At lamp2. Held: pen1."),
        Turn("turn on lamp2", "Done. Held: pen1."),
    ]
    assert thinks(instruction, entries) == "lamp2 on; pen in hand; be at lamp"
    assert thinks(instruction, entries, *turns[:2]) == "lamp2 on; be at lamp"
    assert thinks(instruction, entries, *turns[:3]) == "lamp2 on"
    assert thinks(instruction, entries, *turns) == "nothing"


def chooses(
    instruction: str,
    entries: list[dict[str, object]],
    *turns: Turn,
    first: str = FIRST,
    options: tuple[str, ...] | None = None,
) -> str:
    """What is done for an instruction after some turns."""
    told = Transcript(instruction, first, turns, options)
    return next_action(to_reactree(told), to_table({instruction: entries})).action


def test_what_is_seen_at_a_glance_is_sought_in_other_rooms_at_once() -> None:
    """In those that have such a thing as a rule first, and in none that one was in."""
    open_fridge: list[dict[str, object]] = [
        {"relation": "state", "thing": ["fridge"], "state": "open"}
    ]
    first = (
        "Rooms: bedroom1, hall1, kitchen1. In hall1. Here: bench1. Not looked at: desk1. "
        "Rooms not seen: bedroom1, kitchen1."
    )
    turns = [
        Turn("go to kitchen1", "In kitchen1. Not looked at: sink1. Rooms not seen: bedroom1."),
        Turn("go to bedroom1", "In bedroom1. Not looked at: bed1."),
    ]
    gone = [chooses("Open it.", open_fridge, *turns[:count], first=first) for count in range(3)]
    assert gone == ["go to kitchen1", "go to bedroom1", "go to bed1"]
    cup: list[dict[str, object]] = [{"relation": "on", "thing": ["cup"], "place": ["desk"]}]
    assert chooses("Put a cup there.", cup, first=first) == "go to desk1"


def test_what_runs_is_stopped_before_it_is_looked_into() -> None:
    cup: list[dict[str, object]] = [{"relation": "on", "thing": ["cup"], "place": ["desk"]}]
    first = FIRST.replace("kitchen table1", "stove1")
    turns = [
        Turn("go to stove1", "At stove1, closed, on: spoon1."),
        Turn("turn off stove1", "Done."),
    ]
    gone = [chooses("Put it.", cup, *turns[:count], first=first) for count in (1, 2)]
    assert gone == ["turn off stove1", "open stove1"]


def test_what_has_no_power_is_plugged_in() -> None:
    lamp: list[dict[str, object]] = [{"relation": "state", "thing": ["lamp"], "state": "on"}]
    turn = Turn("go to lamp2", "At lamp2: nothing. Not looked at: desk1.")
    options = ("go to desk1", "plug in lamp2", "give up")
    assert chooses("Switch it on.", lamp, turn, options=options) == "plug in lamp2"


def test_a_lamp_that_is_off_is_not_gone_to_again() -> None:
    entries: list[dict[str, object]] = [
        {"relation": "state", "thing": ["lamp"], "state": "off", "count": "all"}
    ]
    first = "Rooms: hall1. In hall1. Here: lamp2, lamp3. All looked at."
    turns = [
        Turn("go to lamp2", "At lamp2: nothing. All looked at."),
        Turn("go to lamp3", "At lamp3: nothing. All looked at."),
    ]
    assert chooses("Turn off every lamp.", entries, turns[0], first=first) == "go to lamp3"
    told = chooses("Turn off every lamp.", entries, *turns, first=first)
    assert not told.startswith("go to lamp")


def test_a_microwave_that_is_named_is_the_microwave_oven_of_the_house() -> None:
    instruction = "Switch microwave 1 off."
    entries: list[dict[str, object]] = [
        {"relation": "state", "thing": ["microwave"], "state": "off", "thing_named": 1}
    ]
    first = "Rooms: kitchen1. In kitchen1. Not looked at: microwave oven1."
    turn = Turn("go to microwave oven1", "At microwave oven1, closed, on.")
    assert chooses(instruction, entries, first=first) == "go to microwave oven1"
    assert chooses(instruction, entries, turn, first=first) == "turn off microwave oven1"
    assert thinks(instruction, entries, turn, first=first) == "microwave oven1 off"


def test_a_knife_is_fetched_before_one_goes_to_what_is_to_be_sliced() -> None:
    """And of what is sliced a piece is taken, which is named like the whole."""
    bread: dict[str, object] = {"thing": ["bread"]}
    entries = [
        {**bread, "relation": "state", "state": "sliced"},
        {**bread, "relation": "on", "place": ["desk"]},
    ]
    turns = [
        Turn("go to kitchen table1", "At kitchen table1: bread1. Not looked at: desk1."),
        Turn("go to desk1", "At desk1: knife1. All looked at."),
        Turn("pick up knife1", "Done. Held: knife1."),
        Turn("go to kitchen table1", "At kitchen table1: bread1. All looked at. Held: knife1."),
        Turn("slice bread1", "Done. Sliced: bread2, bread3. Held: knife1."),
    ]
    gone = [chooses("Slice it.", entries, *turns[:count]) for count in range(2, 5)]
    assert gone == ["pick up knife1", "go to bread1", "slice bread1"]
    options = ("go to desk1", "go to bread2", "pick up bread2", "give up")
    assert chooses("Slice it.", entries, *turns, options=options) == "go to bread2"


def test_one_goes_on_looking_when_what_is_wanted_was_lost_from_sight() -> None:
    entries: list[dict[str, object]] = [
        {"relation": "on", "thing": ["cup"], "place": ["desk"], "count": 2}
    ]
    turns = [
        Turn("go to cup1", "At cup1: cup2. Not looked at: kitchen table1, desk1."),
        Turn("pick up cup2", "Done. Held: cup2."),
        Turn("go to desk1", "At desk1: nothing. Not looked at: kitchen table1. Held: cup2."),
        Turn("put down cup2", "Done. Put: one cup (cup2) on desk1."),
    ]
    options = ("go to desk1", "go to kitchen table1", "done", "give up")
    assert chooses("Put two cups there.", entries, *turns, options=options) == (
        "go to kitchen table1"
    )


@pytest.mark.parametrize(
    ("rule", "hands"),
    [("You hold one thing at most.", 1), ("You hold 2 things at most.", 2)],
)
def test_the_rules_say_how_much_one_holds(rule: str, hands: int) -> None:
    messages = [
        {"role": "system", "content": f"You are a household robot. {rule}"},
        {"role": "user", "content": f"Task: Go.\n{FIRST}"},
    ]
    assert react.read(messages, {}).hands == hands
