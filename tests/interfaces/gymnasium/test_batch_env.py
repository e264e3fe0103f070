"""Episodes side by side in one world are the same as environments of their own."""

from __future__ import annotations

import random

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from peephole.errors import BadInput
from peephole.interfaces.gymnasium import BatchEnv, TextEnv, env_id
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.suites.contract import Suite
from peephole.suites.registry import load_suite

#: Episodes of a few steps, which the agent may end.
SHORT = Suite(
    "short",
    "",
    load_suite("houses").tasks[:3],
    "symbolic",
    rules=Rules(Ends.PLANNER_DONE),
    budgets=Budgets(steps=6, decisions=9),
)


@pytest.mark.parametrize("indexed", [False, True])
def test_it_plays_as_environments_do(indexed: bool) -> None:
    size, chance = 2, random.Random(0)
    envs = gymnasium.make_vec(env_id("houses"), size, suite=SHORT, indexed=indexed)
    alone = [TextEnv(SHORT, indexed=indexed) for _ in range(size)]
    assert isinstance(envs, BatchEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    texts, info = envs.reset(seed=0)
    over, given, ends = [True] * size, 0, set()
    rewards = np.zeros(size)
    said: list[str] = []
    for _ in range(40):
        for place, env in enumerate(alone):
            if over[place]:
                task = SHORT.tasks[given % 3]
                text, one = env.reset(seed=given // 3, options={"task": task.id})
                reward, over[place], given = 0.0, False, given + 1
            else:
                text, reward, terminated, truncated, one = env.step(said[place])
                over[place] = terminated or truncated
                ends.add(one["ended"])
            assert texts[place] == text
            assert rewards[place] == reward
            same = ("ended", "instruction", "task", "step", "refused", "failure")
            assert {name: info[name][place] for name in same} == {name: one[name] for name in same}
            if not over[place]:
                assert info["menu"][place] == one["menu"]
            else:
                assert info["success"][place] == one["success"]
                assert info["progress"][place] == one["progress"]
        said = [words(chance, menu, indexed=indexed) for menu in info["menu"]]
        texts, rewards, *_, info = envs.step(said)
    envs.close()
    assert {"steps", "done"} <= ends


def test_to_give_up_ends_an_episode_whose_goal_would_be_checked() -> None:
    envs, alone = BatchEnv(1, "kitchens:hard", tasks=1), TextEnv("kitchens:hard", tasks=1)
    envs.reset(seed=0)
    alone.reset(seed=0)
    for said in ("wait", "give up"):
        texts, *_, info = envs.step([said])
        text, *_, one = alone.step(said)
        assert (texts[0], info["ended"][0]) == (text, one["ended"])
    assert one["ended"] == "gave_up"


def words(chance: random.Random, menu: list[str], *, indexed: bool):
    if indexed:
        return chance.choice([len(menu) - 1, len(menu), *range(len(menu))])
    return chance.choice([*menu[:20], "Done ", "dance", "give up"])


def test_the_budget_of_decisions_ends_an_episode_of_texts_that_are_none() -> None:
    envs = BatchEnv(1, SHORT)
    envs.reset()
    ends = [envs.step(["dance"])[4]["ended"][0] for _ in range(9)]
    assert ends == [None] * 8 + ["decisions"]
    assert envs.step(["dance"])[0][0].startswith("Task: ")


TAKES = "A step of this batch takes a list of 1 actions, not"


@pytest.mark.parametrize(
    ("do", "sentence"),
    [
        (lambda: BatchEnv(0, SHORT), "A batch plays a whole number of episodes from 1"),
        (lambda: BatchEnv("2", SHORT), "A batch plays a whole number of episodes from 1"),
        (lambda: BatchEnv(1, SHORT, tasks=1.5), "tasks is a number, a range such as '3-8', or a"),
        (lambda: BatchEnv(1, SHORT).step(["wait"]), "The batch has not begun; call reset() first."),
        (lambda: begun().step([3]), "An action is a text such as 'go to"),
        (lambda: begun().step([]), f"{TAKES} 0."),
        (lambda: begun().step(["wait", "wait"]), f"{TAKES} 2."),
        (lambda: begun().step("wait"), f"{TAKES} 'wait'."),
        (lambda: begun().step(None), f"{TAKES} None."),
        (lambda: begun(indexed=True).step(["wait"]), "An action is a whole number from 0 to 511"),
        (lambda: begun().reset(options={"task": "x"}), "There is no option of reset 'task' here"),
    ],
)
def test_bad_input_is_one_sentence(do, sentence: str) -> None:
    with pytest.raises(BadInput) as raised:
        do()
    assert str(raised.value).startswith(sentence)


def begun(**more) -> BatchEnv:
    envs = BatchEnv(1, SHORT, **more)
    envs.reset()
    return envs
