"""A batch plays as ordinary environments do, step by step, and refuses bad input."""

import random

import pytest

from peephole import api


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


@pytest.mark.parametrize("suite", ["houses", "robothow"])
def test_it_plays_as_environments_do(suite):
    compare_with_environments(suite, 150, 3)
