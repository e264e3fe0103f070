"""A batch plays as ordinary environments do, step by step; bad input is one sentence."""

import random

import pytest

from peephole import api
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.batch.batch import Batch
from peephole.episodes.batch.seat import EnvironmentSeat
from peephole.episodes.resolve import load_dialect
from peephole.errors import BadInput
from peephole.scene_graph.rules import Budgets, Rules
from peephole.skills.executor import SimulatorDied
from peephole.suites.registry import load_suite

#: Suites that the built-in world plays, of all bodies.
SUITES = (
    "robothow",
    "houses",
    "houses:lived_in",
    "household",
    "wah",
    "vh_dynamic",
    "office",
    "grasif",
    "kitchens",
    "kitchens_ambiguous",
    "kitchen_physics",
)


def compare_with_environments(suite, steps, size, seed=0, **more):
    """Play a batch beside ordinary environments, with random actions and texts that are none."""
    dice = random.Random(seed)
    played = 0
    rounds, said = {}, [[] for _ in range(size)]
    worlds, totals, ended = [None] * size, [0.0] * size, [None] * size
    with api.make_batch(suite, size=size, **more) as batch:
        now = batch.reset()
        while played < steps:
            for place in range(size):
                if now.begun[place]:
                    task = batch.tasks[place]
                    number = rounds[task.id] = rounds.get(task.id, -1) + 1
                    worlds[place] = world = api.make(
                        suite,
                        task=task,
                        adapter=batch.adapter,
                        seed=number,
                        dialect=more.get("dialect", ""),
                    )
                    world.reset()
                    totals[place], ended[place], said[place] = 0.0, None, []
                    assert batch.instructions[place] == world.instruction
                world, standing = worlds[place], worlds[place].standing()
                assert now.texts[place] == world.text
                assert now.success[place] is standing.success
                assert now.progress[place] == standing.progress
                assert now.rewards[place] == standing.reward - totals[place]
                totals[place] = standing.reward
                assert now.ended[place] == ended[place]
                percept = world.percept
                assert (now.steps[place], now.refused[place]) == (
                    percept.step,
                    bool(percept.refused),
                )
                failure = percept.outcome and percept.outcome.failure
                assert now.failures[place] == (failure and str(failure.reason))
                assert [*now.menus[place]] == ([] if ended[place] else world.menu())
            actions = [_said(dice, menu, said[place]) for place, menu in enumerate(now.menus)]
            for place, action in enumerate(actions):
                if now.ended[place] is None:
                    said[place].append(action)
                    ended[place] = worlds[place].step(action).ended
                    played += 1
            now = batch.step(actions)


def _said(dice, menu, before):
    """Mostly an action on offer; sometimes one of before, or no action."""
    chance = dice.random()
    if not menu:
        return "anything"
    if chance < 0.04 and before:
        return dice.choice(before)
    if chance < 0.06:
        text = dice.choice(menu)
        return dice.choice((text.upper(), f" {text} ", f"{text} now", text[:-1], "dance", ""))
    return dice.choice(menu)


@pytest.mark.parametrize(
    ("suite", "more"),
    [
        ("houses", {}),
        ("robothow", {"tasks": 2}),
        ("kitchens", {"dialect": "reactree"}),
        ("houses", {"dialect": "alfworld", "tasks": 1}),
    ],
)
def test_it_plays_as_environments_do(suite, more):
    compare_with_environments(suite, 60, 2, **more)


def test_a_recorded_run_is_played_alike_to_its_goal(tmp_path):
    events = []
    run = api.run("explore", "houses", tasks=3, out=tmp_path / "run", watch=events.append)
    steps = [event for event in events if event.event in ("started", "stepped")]
    with api.make_batch("houses", tasks=3, size=1) as batch:
        now = batch.reset()
        for event in steps[1:]:
            said = "anything" if event.event == "started" else event.wording
            now = batch.step([said])
            assert now.texts == [event.observation]
            assert now.progress == [event.progress]
            assert now.begun == [event.event == "started"]
            if event.event == "stepped":
                assert now.rewards == [pytest.approx(event.reward)]
        assert now.success == [run.results[-1].success] == [True]
        assert now.ended == ["goal_reached"]


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
def test_ten_thousand_steps_are_those_of_environments(suite):
    compare_with_environments(suite, 10_000, 8)


def test_an_ended_episode_is_replaced_at_the_next_step():
    with api.make_batch("houses", tasks=2, size=3) as batch:
        first = batch.reset()
        asked = [task.id for task in batch.tasks]
        assert asked[0] == asked[2] != asked[1]  # in turns
        assert first.begun == [True] * 3
        ended = batch.step([None, "wait", None])
        assert ended.ended == ["done", None, "done"]
        assert ended.success == [False] * 3
        assert ended.menus[0] == ()
        again = batch.step([first.menus[0][0], "wait", "dance"])
        assert again.begun == [True, False, True]
        assert [task.id for task in batch.tasks] == [asked[1], asked[1], asked[0]]
        assert again.texts[2] == first.texts[0]


def test_the_built_in_world_plays_suites_of_other_simulators():
    with api.make_batch("robothow", size=1) as batch:
        assert batch.adapter == "symbolic"


def test_other_adapters_play_too():
    compare_with_environments("robothow", 4, 2, adapter="virtualhome", tasks=2)


def test_a_lost_simulator_costs_its_episode_alone(monkeypatch):
    tasks, dialect = load_suite("houses").tasks[:2], load_dialect("reactree_plain")
    worlds = [SymbolicAdapter(), SymbolicAdapter()]
    seats = [EnvironmentSeat(world, dialect, Rules(), Budgets()) for world in worlds]

    def lost(*given):
        raise SimulatorDied("gone")

    with Batch(seats, tasks, "symbolic") as batch:
        batch.reset()
        with monkeypatch.context() as patch:
            patch.setattr(worlds[0], "attempt", lost)
            patch.setattr(worlds[0], "reset", lost)
            with pytest.warns(UserWarning, match="An episode is void"):
                now = batch.step(["go to bathroom 1", "go to bathroom 1"])
        assert now.ended == ["voided", None]
        assert now.success == [False, False]
        assert now.texts[1].startswith("You go to bathroom 1.")
        assert batch.step(["wait", "wait"]).begun == [True, False]


def test_bad_input_is_told():
    with pytest.raises(BadInput, match="whole number of episodes from 1, such as 128, not 0"):
        api.make_batch("houses", size=0)
    with pytest.raises(BadInput, match="task of houses"):
        api.make_batch("houses", tasks=["nowhere"])
    with api.make_batch("houses", size=2) as batch:
        with pytest.raises(BadInput, match=r"call reset\(\) first"):
            batch.step(["wait", "wait"])
        batch.reset()
        with pytest.raises(BadInput, match="takes a list of 2 actions, not 1"):
            batch.step(["wait"])
        with pytest.raises(BadInput, match="takes a list of 2 actions, not 'no'"):
            batch.step("no")
        with pytest.raises(BadInput, match="A seed is a whole number, such as 0, not '3'"):
            batch.reset(seed="3")
        with pytest.raises(BadInput, match="texts or None as actions, not 3"):
            batch.step(["wait", 3])
