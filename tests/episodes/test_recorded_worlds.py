"""Whatever is done, the record of it makes the same world and views again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import peephole
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import Environment
from peephole.episodes.events import Perceived, RecordedEvent, from_line, to_line
from peephole.episodes.journal import Journal
from peephole.errors import Missing
from peephole.observation_text.dialects.alfworld.dialect import DIALECT as ALFWORLD
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.view import View, Visibility
from peephole.observation_text.view_change import ViewReader
from peephole.planners.contract import Grant, Percept
from peephole.scene_graph.changes import applied
from peephole.scene_graph.goals import HasState
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import State
from peephole.scene_graph.rules import RefusedText, Rules
from peephole.scene_graph.task import Task
from peephole.skills import actions
from peephole.skills.actions import Action, Verb

from .small_house import told_by

NOWHERE = 70001  # an id that no house has
FORMS = ("{}", "go to {}", "open {}", "pick up {}", "put down {} on {}", "take {} from {}", "x {}")


class AnyHouse(SymbolicAdapter):
    """The built-in world of a house that is given, under a visibility profile."""

    def __init__(self, house: SceneGraph, visibility: Visibility) -> None:
        super().__init__()
        self.spec = replace(SymbolicAdapter.spec, visibility=visibility)
        self._house = house

    def reset(self, task: Task, seed: int) -> None:
        self.restore(self._house)


def any_action(data: st.DataObject, percept: Percept, truth: SceneGraph) -> Action | str:
    """A legal or illegal action or text, about things that are seen, hidden or nowhere."""
    kind = data.draw(st.sampled_from(["menu", "menu", "menu words", "typed", "words"]))
    offers = percept.menu()
    if kind.startswith("menu") and offers:
        words, action = data.draw(st.sampled_from(offers))
        return action if kind == "menu" else words
    if kind == "words":
        named = [f"{node.category} {number}" for node in truth.nodes() for number in (1, 2)]
        said = data.draw(st.tuples(*[st.sampled_from([*named, "", "door", "¼"])] * 2))
        return data.draw(st.sampled_from(FORMS)).format(*said)
    verb = data.draw(st.sampled_from(list(Verb)))
    thing = st.sampled_from([*truth.by_id, NOWHERE])
    fields: dict[str, Any] = {"verb": verb}
    if verb in actions.WITH_POSE:
        fields["pose"] = [0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0]
    elif verb not in actions.WITHOUT_TARGET:
        fields["target"] = data.draw(thing)
    if verb in actions.WITH_PLACE:
        fields["place"] = data.draw(thing)
    if verb is Verb.PUT:
        fields["relation"] = str(data.draw(st.sampled_from(actions.PUT_RELATIONS)))
    return actions.from_data(fields)


class Reread:
    """The world and the views of an episode, made again of its recorded events alone."""

    def __init__(self) -> None:
        self.truth = SceneGraph()
        self.view: View | None = None
        self._views = ViewReader()

    def take_in(self, event: RecordedEvent) -> None:
        event = from_line(to_line(event))
        if isinstance(event, Perceived) and event.observation and getattr(event, "action", 1):
            if event.world is not None:
                self.truth = applied(self.truth, event.world, "the test")
            self.view = self._views.read(event.view, self.truth, event.sensors, "the test")


@given(data=st.data())
@pytest.mark.parametrize("visibility", [Visibility.NEAR, Visibility.ROOM])
def test_whatever_is_done_its_record_makes_the_same_world_and_views(
    visibility: Visibility, house_strategy: SearchStrategy[SceneGraph], data: st.DataObject
) -> None:
    house = data.draw(house_strategy)
    adapter = AnyHouse(house, visibility)
    reread = Reread()
    grants = frozenset(set(Grant) - {Grant.GOAL})
    environment = Environment(
        adapter,
        Task("any", "Do as you like.", HasState(house.agent().id, State.SLICED), "json:any"),
        data.draw(st.sampled_from([DIALECT, ALFWORLD])),
        rules=Rules(
            refused=data.draw(st.sampled_from(list(RefusedText))),
            trials=99,
            infeasible_in_a_row=data.draw(st.sampled_from([None, 2])),
        ),
        grants=data.draw(st.sampled_from([grants, frozenset()])),
        journal=Journal(watch=reread.take_in),
    )

    def check(percept: Percept) -> None:
        assert reread.truth == adapter.graph()
        assert reread.view is not None
        assert reread.view == adapter.view()
        assert told_by(percept.view) == told_by(reread.view)
        if Grant.TRUTH in environment.grants:
            assert percept.view == reread.view

    percept = environment.reset()
    check(percept)
    for _ in range(data.draw(st.integers(1, 8))):
        if percept.ended is not None:
            break
        if data.draw(st.integers(0, 9)) == 9:
            percept = environment.new_trial()
        else:
            percept = environment.step(any_action(data, percept, reread.truth))
        assert percept.text
        assert percept.overview()
        check(percept)
    assert environment.score().success is False


@pytest.mark.parametrize("suite", ["houses", "ithor", "behavior", "blocks"])
def test_in_every_adapter_its_record_makes_the_same_world_and_views(
    suite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By actions on offer: what a camera sees, what is close, and what an arm feels."""
    monkeypatch.setenv("PEEPHOLE_AI2THOR_EXECUTABLE", "stand_in")
    try:
        made = peephole.make(suite)
    except Missing as error:
        pytest.skip(str(error))
    reread = Reread()
    with Environment(
        made.adapter, made.task, made.dialect, journal=Journal(watch=reread.take_in)
    ) as environment:
        percept = environment.reset()
        for turn in range(12):
            assert reread.truth == environment.adapter.graph()
            assert reread.view is not None
            view = environment.adapter.view()
            assert reread.view.graph.by_id == view.graph.by_id
            assert reread.view.covered == view.covered
            assert reread.view.arm == view.arm
            assert reread.view == view
            assert told_by(percept.view) == told_by(view)
            if percept.ended is not None:
                break
            offers = percept.menu()
            percept = environment.step(offers[turn * 7 % len(offers)][1])
