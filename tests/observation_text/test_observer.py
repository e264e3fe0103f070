"""What stands between planner and world: names by sight, verbs by adapter, outcomes as told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.names import Names
from peephole.observation_text.observer import Observer
from peephole.observation_text.view import Visibility, visible
from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import Verb, go_to, open_, pick_up, put, wait
from peephole.skills.dynamics import apply
from peephole.skills.outcomes import Attempt, Failure, Outcome, Reason


def see(house):
    return visible(house, Visibility.ROOM)


@pytest.fixture
def observer(house):
    observer = Observer(
        Names(house.nodes()), DIALECT, frozenset({Verb.GO_TO, Verb.PICK_UP, Verb.OPEN})
    )
    observer.start(see(house))
    return observer


def test_names_grow_with_what_is_perceived(house, observer):
    names = observer.names
    assert names[house.id("juice 2")] == "juice 2"
    assert house.id("juice 1") not in names
    house.set_state(house.id("fridge 1"), State.OPEN)
    observer.after(see(house), wait(), Outcome(None))
    assert names[house.id("juice 1")] == "juice 1"


def test_names_are_for_reading(observer):
    with pytest.raises(TypeError):
        observer.names[1] = "mine"


def test_the_view_is_the_newest(house, observer):
    bedroom = house.id("bedroom 1")
    apply(house, go_to(bedroom))
    view = see(house)
    observer.after(view, go_to(bedroom), Outcome(None))
    assert observer.view is view


def test_a_piece_that_appears_later_is_numbered_after_the_rest(house, observer):
    apple = house[house.id("apple 1")]
    house.add_node(replace(apple, id=700, native_id=0))
    house.add_edge(700, Relation.ON, house.id("kitchen table 1"))
    observer.after(see(house), wait(), Outcome(None))
    assert observer.names[700] == "apple 3"


def test_things_are_numbered_by_first_sight(house):
    observer = Observer(Names(), DIALECT, frozenset(Verb))
    observer.start(see(house))
    assert observer.names[house.id("juice 2")] == "juice 1"
    house.set_state(house.id("fridge 1"), State.OPEN)
    observer.after(see(house), wait(), Outcome(None))
    assert observer.names[house.id("juice 1")] == "juice 2"


def test_what_is_granted_is_named_before_anything_is_seen(house):
    observer = Observer(Names(), DIALECT, frozenset(Verb))
    observer.grant([house[house.id("juice 1")]])
    assert observer.names == {house.id("juice 1"): "juice 1"}
    observer.start(see(house))
    assert observer.names[house.id("juice 2")] == "juice 2"


def test_verbs_that_the_adapter_lacks_are_not_admitted(house, observer):
    apple, table = house.id("apple 1"), house.id("kitchen table 1")
    action = put(apple, Relation.ON, table)
    assert observer.admit(action) == Failure(Reason.NOT_SUPPORTED, apple)
    assert observer.admit(pick_up(apple)) is None
    text, _ = observer.after(observer.view, action, Outcome(observer.admit(action)))
    assert text == "You cannot do that here."


def test_unknown_things_come_before_missing_verbs(house, observer):
    hidden = house.id("wine 1")
    action = put(hidden, Relation.ON, house.id("bench 1"))
    assert observer.admit(action) == Failure(Reason.UNKNOWN, hidden)


def test_an_action_on_something_unperceived_is_worded_without_it(house, observer):
    assert observer.word(pick_up(house.id("wine 1"))) == "pick up something"
    assert observer.word(pick_up(999)) == "pick up something"


def test_the_simulators_words_stay_behind_and_all_else_is_reported(house, observer):
    fridge = house.id("fridge 1")
    slipped = Failure(Reason.UNREACHABLE, fridge)
    outcome = Outcome(
        None,
        (Attempt(0, slipped, "wine 1 is in the way", 0.5), Attempt(1, None, "ok", 0.25, True)),
        1.0,
        0.5,
    )
    _, told = observer.after(observer.view, open_(fridge), outcome)
    assert told == replace(
        outcome,
        attempts=(Attempt(0, slipped, "", 0.5), Attempt(1, None, "", 0.25, True)),
    )
