"""ALFWorld's own engine, where there is one, beside our interpreter."""

import sys
from pathlib import Path

import pytest

import peephole
from peephole.adapters.alfworld import engine
from peephole.adapters.alfworld.drawing import drawn
from peephole.suites.registry import load_suite

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(engine.missing() is not None, reason="ALFWorld's engine is not installed"),
]


def test_both_say_the_same_in_60_games(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "benchmarks"))
    sys.modules.pop("text_games", None)
    from text_games import Comparison, compare

    found = Comparison()
    for _ in compare(range(60), 15, found):
        pass
    assert found.differences == []
    assert found.compared >= 60 * 10
    assert found.won >= 60


@pytest.mark.parametrize("number", [1, 3])
def test_a_game_plays_in_its_engine(number):
    task = load_suite("alfworld").tasks[number]
    with peephole.make("alfworld", task=task.id, adapter="alfworld") as environment:
        percept = environment.reset()
        with peephole.make("alfworld", task=task.id) as ours:
            assert percept.text == ours.reset().text
            for command in drawn(number).walkthrough:
                percept, mine = environment.step(command), ours.step(command)
                assert (percept.text, environment.menu()) == (mine.text, ours.menu())
        assert environment.score().success
