"""The stand-in on lists: what it reads in them, what it makes of a log, and its plans."""

from __future__ import annotations

import pytest

from peephole.stand_ins.chat_completions import ChatRequest
from peephole.stand_ins.scripted.dialects.llm_state import Words
from peephole.stand_ins.scripted.household.requirements import to_table
from peephole.stand_ins.scripted.lists.house import ListedHouse
from peephole.stand_ins.scripted.lists.knowledge import memory_of_lists
from peephole.stand_ins.scripted.lists.log import call_of, phrase_of, read_log
from peephole.stand_ins.scripted.lists.planning import plan, remedial_plan
from peephole.stand_ins.scripted.reply import answer

TASK = "Put the apple in the fridge."
TABLE = to_table(
    {
        TASK: [{"relation": "inside", "thing": "apple", "place": "fridge"}],
        "Turn the table lamp on.": [{"relation": "state", "thing": "table lamp", "state": "on"}],
    }
)
SCENE = """\
Object List: ['apple1 ON kitchentable1', 'knife1 IN drawer1', 'tablelamp1 ON kitchentable1']
Container List: ['fridge1 IN kitchen1', 'drawer1 IN kitchen1']
Surface List: ['kitchentable1 IN kitchen1']
Room List: ['kitchen1', 'livingroom1']
Current Holding: []
You are close to: ['kitchentable1', 'apple1']
Current Room: kitchen1"""
CALLS = frozenset({"move", "pickup", "placein", "placeon", "open", "close", "wait"})
CALLS |= {"switchon", "switchoff"}


@pytest.fixture
def words():
    return Words(TABLE)


def house(words, instruction=TASK, calls=CALLS):
    return ListedHouse(instruction, TABLE[instruction.lower()], words, calls)


def test_names_are_split_into_words_and_put_back(words):
    scene = words.scene(SCENE)
    assert scene.rooms == ("kitchen 1", "living room 1")
    assert scene.close == {"kitchen table 1", "apple 1"}
    assert scene.things["table lamp 1"].place == "kitchen table 1"
    assert scene.places_of("apple 1") == ["kitchen table 1", "kitchen 1"]
    assert words.original("living room 1") == "livingroom1"


@pytest.mark.parametrize(
    ("call", "phrase"),
    [
        ("move(kitchentable1)", "go to kitchen table 1"),
        ("pickup(apple1)", "pick up apple 1"),
        ("placein(apple1, fridge1)", "put down apple 1 in fridge 1"),
        ("placeunder(apple1, fridge1)", "put down apple 1 under fridge 1"),
        ("switchoff(tablelamp1)", "turn off table lamp 1"),
        ("plugin(tablelamp1)", "plug in table lamp 1"),
        ("wait()", "wait"),
        ("standup()", "stand up"),
    ],
)
def test_calls_are_translated_there_and_back(words, call, phrase):
    assert phrase_of(call, words) == phrase
    assert call_of(phrase, words) == call


def test_what_is_no_call_has_none(words):
    assert call_of("done", words) is None
    assert call_of("give up", words) is None


LOGS = {
    "open(fridge1) (Fail)": ("not known to be open, one is not there", {}),
    "move(fridge1) (Success)\nopen(fridge1) (Fail)": ("open already", {"open": True}),
    "move(fridge1) (Success)\nopen(fridge1) (Success)": ("open", {"open": True}),
    "move(fridge1) (Success)\nopen(fridge1) (Success)\nclose(fridge1) (Success)": (
        "closed",
        {"open": False},
    ),
}


@pytest.mark.parametrize("log", LOGS)
def test_states_are_concluded_from_the_log(words, log):
    _, states = LOGS[log]
    memory = memory_of_lists(words.scene(SCENE), read_log(log, words))
    assert memory.state("fridge 1", "open") is states.get("open")


def test_a_thing_that_cannot_be_taken_with_a_free_hand_is_fixed(words):
    log = read_log("move(kitchentable1) (Success)\npickup(apple1) (Fail)", words)
    assert memory_of_lists(words.scene(SCENE), log).not_graspable == {"apple 1"}
    far = read_log("pickup(apple1) (Fail)", words)
    assert memory_of_lists(words.scene(SCENE), far).not_graspable == set()


def test_a_plan_goes_on_as_far_as_one_can_foresee(words):
    calls, _ = plan(house(words), words.scene(SCENE), [], 20)
    assert calls == ["pickup(apple1)", "move(fridge1)"], "what stands there was not seen yet"
    log = read_log("move(fridge1) (Success)", words)
    calls, _ = plan(house(words), words.scene(SCENE), log, 20)
    assert calls == ["pickup(apple1)", "move(fridge1)", "open(fridge1)"], "nor what is inside"
    log = read_log("move(fridge1) (Success)\nopen(fridge1) (Success)", words)
    calls, _ = plan(house(words), words.scene(SCENE), log, 20)
    assert calls == ["pickup(apple1)", "move(fridge1)", "placein(apple1, fridge1)"]
    assert plan(house(words), words.scene(SCENE), log, 2)[0] == calls[:2]


def test_nothing_is_planned_that_has_no_call(words):
    lamp = house(words, "Turn the table lamp on.", CALLS - {"switchon"})
    near = words.scene(SCENE.replace("'apple1']", "'apple1', 'tablelamp1']"))
    able = house(words, "Turn the table lamp on.")
    assert plan(able, near, [], 5)[0] == ["switchon(tablelamp1)"]
    assert not any("switchon" in call for call in plan(lamp, near, [], 5)[0])


def test_what_was_only_believed_is_doubted_in_turn(words):
    """A lamp that would not go on is taken to be on, until that turns out not to be enough."""
    lamp = house(words, "Turn the table lamp on.")
    told = "move(tablelamp1) (Success)\nswitchon(tablelamp1) (Fail)\n"
    scene = words.scene(SCENE.replace("'apple1']", "'apple1', 'tablelamp1']"))
    assert plan(lamp, scene, read_log(told, words), 5)[0] == []
    first = remedial_plan(lamp, scene, read_log(told, words))
    assert first == ["move(tablelamp1)", "close(tablelamp1)", "switchon(tablelamp1)"]
    told += "close(tablelamp1) (Fail)\n"
    second = remedial_plan(lamp, scene, read_log(told, words))
    assert second == ["move(tablelamp1)", "switchoff(tablelamp1)", "switchon(tablelamp1)"]


def ask(system, user):
    messages = ({"role": "system", "content": system}, {"role": "user", "content": user})
    return answer(ChatRequest(messages, {}, None), TABLE).text


def section(title, text):
    return f"******** {title} start ********\n{text}\n******** {title} end ********\n"


def test_attention_adds_what_the_task_speaks_of_once():
    user = f"Task goal: {TASK}\n{section('current observation', SCENE)}"
    system = "You are the attention of a household robot."
    told = ask(system, user + section("current state", "apple1: []"))
    assert told == 'add_related_objects("fridge1")'
    assert ask(system, user + section("current state", "apple1: []\nfridge1: []")) == "nothing"


def test_the_estimator_keeps_in_attributes_what_lists_do_not_tell():
    done = "move(fridge1) (Success)\nopen(fridge1) (Success)\npickup(apple1) (Fail)"
    user = section("robot actions", done) + section("current state", "fridge1: []\napple1: []")
    system = "You are the state estimator of a household robot.\nupdate_reasoning(\nupdate_state("
    told = ask(system, f"{user}\nRoom List: ['kitchen1']\nCurrent Room: kitchen1")
    assert 'update_state("fridge1", "open | searched")' in told
    assert told.startswith('update_reasoning("1 of 3 actions failed')
