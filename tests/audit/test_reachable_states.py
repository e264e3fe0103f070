"""What actions bring about, rare things too, is not called impossible; what no state has, is."""

from __future__ import annotations

from itertools import product

import pytest

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.audit.final_states import final_state
from peephole.audit.laws import Laws
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import (
    And,
    Goal,
    HasState,
    Not,
    Related,
)
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Kind, Relation, State
from peephole.skills.actions import drop, go_to, open_, pick_up, pour, put, sit, slice_, take_off
from peephole.skills.dynamics import step
from peephole.skills.embodiment import Embodiment

from .houses import (
    APPLES,
    BEDROOM,
    BOX,
    CASE,
    CHAIR,
    COIN,
    FRIDGE,
    GLASS,
    INSIDE,
    KNIFE,
    LOAF,
    ME,
    MILK,
    ON,
    SAFE,
    SHIRT,
    TABLE,
    TRAY,
    VASE,
    WATER,
    house,
    rarities,
    thing,
)


@pytest.mark.parametrize(
    "plan",
    [
        (pick_up(WATER), pour(WATER, GLASS)),
        (pick_up(CASE), go_to(FRIDGE), open_(FRIDGE), put(CASE, INSIDE, FRIDGE)),
        (pick_up(TRAY), go_to(FRIDGE), open_(FRIDGE), put(TRAY, INSIDE, FRIDGE)),
        (take_off(SHIRT),),
        (pick_up(APPLES[0]), put(APPLES[0], Relation.UNDER, TABLE)),
        (pick_up(GLASS), drop(GLASS)),
        (pick_up(TRAY), go_to(BEDROOM)),
        (pick_up(KNIFE), slice_(LOAF)),
        (sit(CHAIR),),
    ],
    ids=[
        *("poured", "in a case", "on a tray", "taken off", "under"),
        *("dropped", "carried", "sliced", "seated"),
    ],
)
def test_whatever_a_plan_changes_is_not_called_impossible(plan):
    start = rarities()
    laws = Laws(SymbolicAdapter.spec.actions, Embodiment(hands=2))
    step(start, go_to(TABLE), laws.body)
    after = start.copy()
    for action in plan:
        assert step(after, action, laws.body) is None, action
    for fact in (*changed(start, after), And(tuple(changed(start, after)))):
        assert satisfied(fact, after)
        found = final_state(start, fact, laws, str, 5000)
        assert not found.impossible, (fact, found.reasons, found.rules)


def changed(before: SceneGraph, after: SceneGraph) -> list[Goal]:
    """The facts on states and on what is where that hold in one state only."""
    items = [node.id for node in before.nodes() if node.kind in (Kind.OBJECT, Kind.AGENT)]
    places = [node.id for node in before.nodes()]
    ways = ((ON, False), (Relation.UNDER, False), (INSIDE, False), (INSIDE, True))
    facts: list[Goal] = [
        Related(item, relation, place, direct)
        for item, place in product(items, places)
        for relation, direct in ways
    ]
    facts += [HasState(item, state) for item in items for state in State]
    ended = [Not(fact) for fact in facts if satisfied(fact, before) and not satisfied(fact, after)]
    begun = [fact for fact in facts if not satisfied(fact, before) and satisfied(fact, after)]
    assert ended or begun
    return [*ended, *begun]


def test_the_plain_actions_of_one_hand_do_not_need_a_second():
    """With one hand that opening needs too, a door is opened before something is taken."""
    laws = Laws(
        SymbolicAdapter.spec.actions,
        Embodiment(hands=1, needs_free_hand=SymbolicAdapter.spec.actions),
    )
    goal = And((HasState(FRIDGE, State.OPEN), Related(ME, Relation.HOLDS, APPLES[0])))
    assert not final_state(house(), goal, laws, str, 5000).impossible
    wiped = And((HasState(TABLE, State.CLEAN),))
    assert not final_state(house(), wiped, laws, str, 5000).impossible


def test_no_limit_rules_out_what_is_so_at_the_start():
    """Two things in one hand and three at a place for one: so it is, and so it may stay."""
    laws = Laws(SymbolicAdapter.spec.actions, Embodiment(hands=1, capacity={"table": 1}))
    start = rarities()
    for apple in APPLES[1:]:
        start.detach(apple)
        start.add_edge(ME, Relation.HOLDS, apple)
    held = tuple(Related(ME, Relation.HOLDS, apple) for apple in APPLES[1:])
    laid = tuple(Related(item, ON, TABLE) for item in (APPLES[0], GLASS, KNIFE))
    assert not final_state(start, And((*held, *laid)), laws, str, 5000).impossible
    more = And((*held, Related(ME, Relation.HOLDS, KNIFE)))
    assert final_state(start, more, laws, str, 5000).impossible


def test_a_thing_of_two_places_may_stay_at_both_but_is_put_at_one():
    laws = Laws(SymbolicAdapter.spec.actions, Embodiment(hands=2))
    start = rarities()
    start.add_edge(KNIFE, ON, TRAY)
    both = (Related(KNIFE, ON, TABLE), Related(KNIFE, ON, TRAY))
    assert not final_state(
        start, And((*both, HasState(FRIDGE, State.OPEN))), laws, str, 5000
    ).impossible
    start.add_edge(VASE, INSIDE, BOX)  # a wide vase, over the tray and in the box
    kept = And(
        (Related(VASE, ON, TRAY), Related(VASE, INSIDE, BOX), Not(Related(VASE, INSIDE, FRIDGE)))
    )
    assert not final_state(start, kept, laws, str, 5000).impossible
    moved = And((both[0], Related(KNIFE, INSIDE, BOX, True)))
    assert final_state(start, moved, laws, str, 5000).impossible


def test_what_is_poured_takes_no_room():
    laws = Laws(SymbolicAdapter.spec.actions, Embodiment(hands=2, capacity={"glass": 1}))
    start = rarities()
    can = start[WATER].affordances
    start.add_node(thing(MILK, "milk", Kind.OBJECT, tuple(can)))
    start.add_edge(MILK, ON, TABLE)
    after = start.copy()
    for action in (
        go_to(TABLE),
        pick_up(WATER),
        pour(WATER, GLASS),
        pick_up(MILK),
        pour(MILK, GLASS),
    ):
        assert step(after, action, laws.body) is None
    goal = And((Related(WATER, INSIDE, GLASS, True), Related(MILK, INSIDE, GLASS, True)))
    assert satisfied(goal, after)
    assert not final_state(start, goal, laws, str, 5000).impossible


def test_what_stands_in_two_places_goes_along_with_the_one_that_is_moved():
    """Recorded graphs have such things: an apple on a tray that is also said to be in a safe."""
    laws = Laws(SymbolicAdapter.spec.actions, Embodiment(hands=2))
    start = rarities()
    start.detach(APPLES[0])
    start.add_edge(APPLES[0], ON, TRAY)
    start.add_edge(APPLES[0], INSIDE, SAFE)
    step(start, go_to(TABLE), laws.body)
    after = start.copy()
    assert step(after, pick_up(TRAY), laws.body) is None
    out = Not(Related(APPLES[0], INSIDE, SAFE))
    assert satisfied(out, after)
    assert not final_state(start, out, laws, str, 5000).impossible
    assert final_state(start, Not(Related(COIN, INSIDE, SAFE)), laws, str, 5000).impossible


def test_on_and_directly_on_are_one_place():
    laws = Laws(SymbolicAdapter.spec.actions, Embodiment(hands=2))
    twice = And(tuple(Related(APPLES[0], ON, TRAY, direct) for direct in (False, True)))
    assert not final_state(rarities(), twice, laws, str, 5000).impossible


def test_what_is_worn_comes_to_where_its_wearer_sits_down():
    laws = Laws(SymbolicAdapter.spec.actions, Embodiment(hands=2))
    start = rarities()
    start.detach(CHAIR)
    start.add_edge(CHAIR, INSIDE, BOX)
    step(start, go_to(BOX), laws.body)
    after = start.copy()
    assert step(after, sit(CHAIR), laws.body) is None
    within = Related(SHIRT, INSIDE, BOX)
    assert satisfied(within, after)
    assert not satisfied(within, start)
    assert not final_state(start, within, laws, str, 5000).impossible
