"""Nothing hidden is told in the real house, played in the evolving graph."""

from __future__ import annotations

import random

import pytest

from peephole.episodes.environment import Environment
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.names import Names
from peephole.planners.contract import Percept
from peephole.scene_graph.goals import And
from peephole.scene_graph.rules import Ends, Rules
from peephole.scene_graph.task import Task
from peephole.skills.dynamics import candidates

PROGRAMS = ("1004_2", "442_2", "826_1")


@pytest.mark.parametrize(
    "program",
    [PROGRAMS[0], *(pytest.param(each, marks=pytest.mark.slow) for each in PROGRAMS[1:])],
)
def test_nothing_hidden_is_reported_in_a_real_house(play, mentioned_in, program):
    """What is told is in the view or was before, and no view holds what is closed in."""
    world = play(program)
    truth = world.graph()
    categories = {node.category for node in truth.nodes()}
    scene = Task("any", "Do as you like.", And(()), f"virtualhome-eval:{program}")
    environment = Environment(world, scene, DIALECT, rules=Rules(ends=Ends.PLANNER_DONE))
    chance = random.Random(program)
    seen: set[int] = set()

    def check(percept: Percept) -> None:
        truth, names = world.graph(), percept.names
        for node in world.view().graph.nodes():
            assert truth.closed_around(node.id) is None
            assert node == truth[node.id]
        assert len(percept.view.graph) == len(world.view().graph)
        seen.update(percept.view.graph.by_id)
        assert mentioned_in(percept.text, names, categories) <= seen
        assert set(percept.names) == seen
        for option, action in percept.menu():
            assert mentioned_in(option, names, categories) <= seen
            assert set(action.things) <= seen

    percept = environment.reset()
    check(percept)
    for _ in range(80):
        offered = [a for a in candidates(world.graph()) if a.verb in world.spec.actions]
        action = chance.choice(offered)  # mostly of ids that were never given out
        if chance.random() < 0.5:
            action = chance.choice(percept.menu())[1]
        percept = environment.step(action)
        check(percept)
        assert all(attempt.message == "" for attempt in percept.outcome.attempts)
    assert 20 < len(seen) < len(truth), "it saw something, and not everything"


def test_the_check_above_finds_names(play, mentioned_in):
    """It understands every form in which the dialect names a thing."""
    graph = play("1004_2").graph()
    numbered = Names(graph.nodes())
    names = {node.id: numbered(node.id) for node in graph.nodes()}
    categories = {node.category for node in graph.nodes()}
    food = [node.id for node in graph.nodes() if node.category == "food"]
    text = "There are 4 rooms. You see food (1, 3), freezer (1)"
    assert mentioned_in(text, names, categories) == {food[0], food[2], 289}
    assert mentioned_in("pick up food 2", names, categories) == {food[1]}
    with pytest.raises(AssertionError, match="a name of nothing"):
        mentioned_in("You see food (99).", names, categories)
