"""The menu: exactly what the perceived state allows, however the view is kept."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

import peephole
from peephole.observation_text import menu, menu_rules
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.incremental_view import IncrementalView
from peephole.observation_text.names import Names
from peephole.observation_text.observer import Observer
from peephole.observation_text.view import Visibility, visible
from peephole.scene_graph.node import Relation
from peephole.skills.actions import Action, Verb, go_to, look, pick_up, put, wait
from peephole.skills.dynamics import legal_actions, step
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Outcome

#: What brings the agent elsewhere, or changes what it holds and what is seen.
CHANGING = {Verb.GO_TO, Verb.PICK_UP, Verb.PUT, Verb.OPEN, Verb.CLOSE, Verb.DROP, Verb.SLICE}
BODIES = (
    Embodiment(),
    Embodiment(hands=1, needs_free_hand=frozenset({Verb.OPEN, Verb.TURN_ON})),
    Embodiment(capacity={"fridge": 1, "table": 2}, accepts={"sink": frozenset({"plate"})}),
    Embodiment(seats={Verb.SIT: {"sofa": 2}}, needs_tool=False),
)


@given(
    data=st.data(),
    body=st.sampled_from(BODIES),
    profile=st.sampled_from([Visibility.NEAR, Visibility.ROOM]),
    plain=st.booleans(),
)
def test_the_menu_is_what_the_rules_allow_on_the_perceived_graph(
    data, house_strategy, unburdened, body, profile, plain
):
    house = data.draw(house_strategy)
    if plain:
        unburdened(house)
    sight = IncrementalView(house, profile)
    kept = Observer(Names(), DIALECT, frozenset(Verb), body)
    fresh = Observer(Names(), DIALECT, frozenset(Verb), body)
    kept.start(sight.view())
    fresh.start(visible(house, profile))
    for _ in range(data.draw(st.integers(1, 12))):
        menu = kept.menu()
        assert menu == fresh.menu()  # in the same order
        alone = {Verb.LOOK, Verb.WAIT}
        assert {
            action for _, action in menu if action.verb not in alone or action.target is not None
        } == set(legal_actions(kept.view.graph, body))
        if not menu:
            break
        changing = [offer for offer in menu if offer[1].verb in CHANGING]
        often = changing if changing and data.draw(st.booleans()) else menu
        _, action = data.draw(st.sampled_from(often))
        outcome = Outcome(step(house, action, body))
        kept.after(sight.view(), action, outcome)
        fresh.after(visible(house, profile), action, outcome)


def test_what_a_place_takes_follows_what_it_keeps(empty):
    """However often it was looked at with the like in hand, and whatever was kept of it."""
    kitchen = empty.add("kitchen")
    empty.add("character", kitchen)
    bench, table = empty.add("bench", kitchen), empty.add("kitchen table", kitchen)
    one, other = empty.add("apple", bench, "on"), empty.add("apple", bench, "on")
    juice = empty.add("juice", table, "on")
    body = Embodiment(capacity={"kitchen table": 2})
    sight = IncrementalView(empty, Visibility.NEAR)
    observer = Observer(Names(), DIALECT, frozenset(Verb), body)
    observer.start(sight.view())

    def taken_after(*walk: Action) -> set[int | None]:
        """What the menu would put on the table after some actions."""
        for action in walk:
            observer.menu()
            assert step(empty, action, body) is None
            observer.after(sight.view(), action, Outcome(None))
        offered = [action for _, action in observer.menu()]
        return {action.target for action in offered if action.place == table}

    assert taken_after(go_to(bench), pick_up(one), go_to(table)) == {one}
    walk = (go_to(bench), pick_up(other), go_to(table))
    assert taken_after(*walk) == {one, other}
    assert taken_after(put(other, Relation.ON, table)) == set()
    assert taken_after(pick_up(juice)) == {one, juice}


def test_the_menu_follows_what_kind_of_thing_is_in_hand(empty):
    """Whatever was in hand before: a tool to slice with, what a place takes, what can be poured."""
    kitchen = empty.add("kitchen")
    empty.add("character", kitchen)
    bench = empty.add("bench", kitchen)
    for category in ("apple", "knife", "juice", "wine", "glass", "shirt"):
        empty.add(category, bench, "on")
    body = Embodiment(accepts={"bench": frozenset({"apple", "shirt"})})
    sight = IncrementalView(empty, Visibility.NEAR)
    observer = Observer(Names(), DIALECT, frozenset(Verb), body)
    observer.start(sight.view())
    step(empty, go_to(bench), body)
    observer.after(sight.view(), go_to(bench), Outcome(None))
    things = empty.contents(bench)
    told = set()
    for thing in things:
        assert step(empty, pick_up(thing), body) is None
        observer.after(sight.view(), pick_up(thing), Outcome(None))
        offered = {action for _, action in observer.menu()}
        assert offered - {look(), wait()} == set(legal_actions(observer.view.graph, body))
        told |= {action.verb for action in offered}
        empty.remove_edge(empty.agent().id, Relation.HOLDS, thing)
        empty.add_edge(thing, Relation.ON, bench)
    assert {Verb.SLICE, Verb.POUR, Verb.PUT} <= told


def test_what_is_kept_of_menus_is_bounded_and_changes_none(monkeypatch):
    def played() -> list[list[str]]:
        chance, menus = random.Random(1), []
        with peephole.make("houses") as world:
            world.reset()
            for _ in range(25):
                menus.append(world.menu())
                world.step(chance.choice(menus[-1]))
            spec = world.adapter.spec
            rules = menu_rules.MenuRules.of(spec.embodiment, spec.actions)
            sizes.append(len(rules.worded_offers(world.dialect)))
        return menus

    sizes: list[int] = []
    with monkeypatch.context() as patch:
        patch.setattr(menu_rules, "_KNOWN_RULES", {})
        for each in ("KEPT", "PUTS", "WORDED"):
            patch.setattr(menu, f"_MOST_{each}", 2)
        patch.setattr(menu_rules, "_MOST_ANSWERS", 2)
        small = played()
    assert played() == small
    assert sizes[0] <= 2 < sizes[1]
