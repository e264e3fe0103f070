"""Nothing hidden is told in the real house, played in the evolving graph."""

from __future__ import annotations

import random

import pytest

from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.names import Names
from peephole.observation_text.observer import Observer
from peephole.skills.dynamics import candidates
from peephole.skills.executor import Executor

PROGRAMS = ("1004_2", "442_2", "826_1")


@pytest.mark.parametrize("program", PROGRAMS)
def test_nothing_hidden_is_told_in_a_real_house(play, mentioned_in, program):
    """What is told is in the view or was before, and no view holds what is closed in."""
    world = play(program)
    truth = world.graph()
    names, categories = Names(truth), {node.category for node in truth.nodes()}
    observer = Observer(truth, DIALECT, world.spec.actions)
    executor = Executor(world, lambda: None)
    chance = random.Random(program)
    seen: set[int] = set()

    def check(text: str) -> None:
        truth = world.graph()
        for node in observer.view.graph.nodes():
            assert truth.closed_around(node.id) is None
            assert node == truth[node.id]
            seen.add(node.id)
        assert mentioned_in(text, names, categories) <= seen
        assert set(observer.names) == seen
        for option, action in observer.menu():
            assert mentioned_in(option, names, categories) <= seen
            assert set(action.things) <= seen

    check(observer.start(world.view()))
    for _ in range(200):
        offered = [a for a in candidates(world.graph()) if a.verb in world.spec.actions]
        action = chance.choice(offered)
        if observer.admit(action) is not None:
            continue
        outcome = executor.execute(action)
        text, told = observer.after(world.view(), action, outcome)
        check(text)
        assert all(attempt.message == "" for attempt in told.attempts)
    assert 20 < len(seen) < len(truth), "it saw something, and not everything"


def test_the_check_above_finds_names(play, mentioned_in):
    """It understands every form in which the dialect names a thing."""
    graph = play("1004_2").graph()
    names, categories = Names(graph), {node.category for node in graph.nodes()}
    food = [node.id for node in graph.nodes() if node.category == "food"]
    text = "There are 4 rooms. You see food (1, 3), freezer (1)"
    assert mentioned_in(text, names, categories) == {food[0], food[2], 289}
    assert mentioned_in("pick up food 2", names, categories) == {food[1]}
    with pytest.raises(AssertionError, match="a name of nothing"):
        mentioned_in("You see food (99).", names, categories)
