"""The adapters of games, as an agent meets them through an environment and the suite."""

import json
import random
from dataclasses import replace

import pytest

import peephole
from peephole.adapters.alfworld import engine
from peephole.adapters.alfworld.adapter import AlfworldAdapter, SymbolicAlfworldAdapter
from peephole.adapters.alfworld.drawing import drawn
from peephole.adapters.alfworld.game import TextGame
from peephole.adapters.alfworld.scenes import new_game
from peephole.adapters.process import messages
from peephole.observation_text.dialect import Refusal
from peephole.scene_graph.json_codec import graph_from_data, graph_to_data
from peephole.suites.registry import load_suite

HEAT, LIGHT = 3, 1


@pytest.fixture(scope="module")
def tasks():
    return load_suite("alfworld").tasks[:6]


def test_an_agent_is_told_what_the_game_says_and_offered_its_commands(tasks):
    game, dice = new_game(f"drawn/{HEAT}").fresh(), random.Random(0)
    with peephole.make("alfworld", task=tasks[HEAT].id) as environment:
        percept, told = environment.reset(), game.reset()
        for _ in range(60):
            assert (percept.text, environment.menu()) == (told.feedback, list(told.commands))
            if percept.ended:
                break
            command = dice.choice(told.commands)
            percept, told = environment.step(command), game.step(command)
            assert environment.score().success == told.won


@pytest.mark.parametrize("number", [LIGHT, HEAT])
def test_success_and_the_end_are_those_of_the_game(tasks, number):
    with peephole.make("alfworld", task=tasks[number].id) as environment:
        environment.reset()
        progress = [environment.score().progress]
        for command in drawn(number).walkthrough:
            assert environment.score().success is False
            percept = environment.step(command)
            progress.append(environment.score().progress)
        assert (percept.ended, environment.score().success) == ("goal_reached", True)
        assert progress == sorted(progress)
        assert progress[-1] == 1.0


def test_nothing_happens_after_what_is_no_command_and_it_costs_a_step(tasks):
    texts = (
        "dance",
        "take apple 9 from fridge 1",
        "open fridge 1",
        "heat potato 1",
        "go to moon 1",
    )
    with peephole.make("alfworld", task=tasks[HEAT].id) as environment:
        environment.reset()
        assert {environment.step(text).text for text in texts} == {"Nothing happens."}
        assert environment.steps == len(texts)
        assert environment.step("INVENTORY").text == "You are not carrying anything."


def test_what_lies_in_a_closed_receptacle_changes_no_text():
    game = drawn(LIGHT)
    lines = game.problem.lower().split("\n")
    opened = {line.split()[-1].rstrip(")") for line in lines if line.strip().startswith("(opened")}
    names = TextGame(game).names
    closed = [name for name in names if name.startswith("drawer") and name not in opened]
    here, there = closed[0], closed[-1]
    swap = {here: there, there: here}
    moved = [
        line.replace(at, swap[at]) if "(inreceptacle" in line else line
        for line in lines
        for at in [next((name for name in swap if name in line), here)]
    ]
    twins = [TextGame(game), TextGame(replace(game, problem="\n".join(moved)))]
    assert twins[0].problem.facts != twins[1].problem.facts
    assert twins[0].reset() == twins[1].reset()
    for command in [f"go to {names[here]}", "look", f"examine {names[here]}"]:
        assert twins[0].step(command) == twins[1].step(command)


def test_nothing_out_of_sight_is_offered(tasks):
    """The games offer to slice what lies in a closed fridge beside the agent."""
    names = new_game("drawn/4").names
    knife = next(n for n in names if n.startswith(("knife_", "butterknife_")))
    adapter = SymbolicAlfworldAdapter()
    adapter.reset(tasks[4], 0)
    for each in (
        f"go to {_place_of(adapter, knife)}",
        f"open {_place_of(adapter, knife)}",
        f"take {names[knife]} from {_place_of(adapter, knife)}",
        "go to fridge 1",
    ):
        action = dict(adapter.view().said.offers).get(each)
        if action is not None:
            adapter.attempt(action, 0)
    hidden = [text for text in adapter.told.commands if text.startswith("slice")]
    offered = [text for text, _ in adapter.view().said.offers if text.startswith("slice")]
    assert hidden, "the game offers it"
    assert offered == []


def _place_of(adapter, thing):
    graph = adapter.graph()
    node = next(node for node in graph.nodes() if node.native_id == thing)
    place = graph[graph.places(node.id)[0][1]]
    return f"{place.category} {place.number}"


def test_a_view_and_its_names_survive_the_way_between_processes(tasks):
    adapter = SymbolicAlfworldAdapter()
    adapter.reset(tasks[LIGHT], 0)
    view = adapter.view()
    data = json.loads(json.dumps(messages.view_to_data(view)))
    assert messages.view_from_data(data, "a test") == view
    graph = adapter.graph()
    assert graph_from_data(graph_to_data(graph)) == graph


@pytest.mark.parametrize("number", [LIGHT, HEAT])
def test_the_expert_wins(tasks, number, tmp_path):
    results = peephole.run("expert", "alfworld", tasks=[tasks[number].id], out=tmp_path / "run")
    assert [result.success for result in results.results] == [True]


def test_the_words_of_games_are_of_games_alone():
    with peephole.make("robothow", dialect="alfworld") as environment:
        environment.reset()
        for text in ("inventory", "help", "heat apple 1 with microwave 1"):
            assert environment.step(text).refused.startswith("There is no such action.")


def test_the_dialect_refuses_without_a_reason_in_a_game(tasks):
    with peephole.make("alfworld", task=tasks[LIGHT].id) as environment:
        environment.reset()
        with pytest.raises(Refusal, match=r"^Nothing happens\.$"):
            environment._observer.parse("take apple 1 from fridge 1")


def test_an_absent_engine_is_named(monkeypatch):
    monkeypatch.setenv(engine.VARIABLE, "/no/such/python")
    assert AlfworldAdapter.missing().startswith(
        "PEEPHOLE_ALFWORLD_PYTHON is /no/such/python, which"
    )
    monkeypatch.delenv(engine.VARIABLE)
    monkeypatch.setattr(engine.importlib.util, "find_spec", lambda name: None)
    assert "needs textworld, fast-downward, alfworld; install it with" in AlfworldAdapter.missing()
