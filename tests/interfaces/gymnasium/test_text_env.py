"""Suites as Gymnasium environments: spaces, rewards, ends, bad input, and worlds side by side."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import peephole
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.errors import BadInput, PeepholeError
from peephole.interfaces.gymnasium import TextEnv, env_id
from peephole.scene_graph.rules import Budgets
from peephole.skills.executor import SimulatorDied
from peephole.suites.contract import Suite
from peephole.suites.registry import load_suite, suite_names

TASK = "switch/house-3-1"
SOLUTION = (
    *("go to bedroom 1", "go to desk 2", "turn on table lamp 2"),
    *("go to nightstand 1", "turn off table lamp 1"),
)
#: Suites of three worlds, for the fast tests.
QUICK = ("houses", "kitchens:hard", "office")


#: Episodes of a few steps.
SHORT = Suite(
    "short", "", load_suite("houses").tasks[:4], "symbolic", budgets=Budgets(steps=5, decisions=8)
)


def made(suite: str = "houses", **more):
    return gymnasium.make(env_id(suite), **more)


def begun(suite: str | Suite = "houses", **more):
    env = TextEnv(suite, **more)
    env.reset(seed=0)
    return env


def check(suite: str, *, indexed: bool, recwarn: pytest.WarningsRecorder) -> None:
    env = made(suite, indexed=indexed, tasks=3)
    check_env(env.unwrapped)
    env.close()
    assert not [str(each.message) for each in recwarn if "WARN" in str(each.message)]


@pytest.mark.parametrize("suite", QUICK)
def test_gymnasium_accepts_it(suite: str, recwarn: pytest.WarningsRecorder) -> None:
    check(suite, indexed=suite == "houses", recwarn=recwarn)


@pytest.mark.slow
@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("suite", suite_names())
def test_gymnasium_accepts_every_suite(
    suite: str,
    indexed: bool,
    recwarn: pytest.WarningsRecorder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PEEPHOLE_AI2THOR_EXECUTABLE", "stand_in")
    try:
        load_suite(suite)
    except PeepholeError as error:  # it plays a user's own files, or has an engine of its own
        pytest.skip(str(error))
    check(suite, indexed=indexed, recwarn=recwarn)


def test_there_is_an_id_for_every_suite() -> None:
    there = {env_id(suite) for suite in suite_names()}
    assert there <= {*gymnasium.registry}
    assert "peephole/kitchens_hard" in there


def test_it_plays_as_the_environment_does() -> None:
    env = made()
    with peephole.make("houses", task=TASK, seed=5) as world:
        text, info = env.reset(seed=5, options={"task": TASK})
        percept = world.reset()
        assert text == f"Task: {world.instruction}\n\n{percept.text}"
        for number in range(30):
            assert info["menu"] == world.menu()
            said = info["menu"][number * 7 % len(info["menu"])]
            text, *_, info = env.step(said)
            assert text == world.step(said).text
        assert info["step"] == world.steps == 30
        assert info["task"] == TASK


def test_progress_is_the_reward_and_the_goal_the_end() -> None:
    env = made()
    env.reset(options={"task": TASK})
    rewards = [env.step(each)[1] for each in SOLUTION[:-1]]
    assert rewards == [0.0, 0.0, 0.5, 0.0]
    _, reward, terminated, truncated, info = env.step(SOLUTION[-1])
    assert (reward, terminated, truncated) == (0.5, True, False)
    assert (info["ended"], info["success"], info["progress"]) == ("goal_reached", True, 1.0)


def test_success_alone_can_be_the_reward() -> None:
    env = made(reward="success")
    env.reset(options={"task": TASK})
    assert [env.step(each)[1] for each in SOLUTION] == [0.0, 0.0, 0.0, 0.0, 1.0]


def test_the_rewards_of_the_suite_can_be_the_reward() -> None:
    env = made("kitchens:hard", reward="suite", tasks=1)
    _, info = env.reset()
    with peephole.make("kitchens:hard") as world:
        world.reset()
        said = info["menu"][:4]
        given = [env.step(each)[1] for each in said]
        for each in said:
            world.step(each)
        assert sum(given) == pytest.approx(world.score().reward)
        assert all(given)


def test_an_agent_ends_an_episode_that_waits_for_its_word() -> None:
    env = begun("office")
    assert env.step("wait")[4]["menu"][-1] == "done"
    *_, terminated, truncated, info = env.step(" Done ")
    assert (terminated, truncated, info["ended"], info["success"]) == (True, False, "done", False)
    assert "done" not in begun("houses").reset()[1]["menu"]
    assert begun("houses").step("give up")[4]["ended"] == "gave_up"


def test_a_goal_check_answers_and_goes_on() -> None:
    text, _, terminated, truncated, _ = begun("kitchens:hard").step("done")
    assert text == "The task is not done yet."
    assert not terminated
    assert not truncated


def test_budgets_cut_an_episode_off() -> None:
    env = begun(SHORT)
    ends = [env.step("wait")[2:] for _ in range(5)]
    assert [each[:2] for each in ends] == [(False, False)] * 4 + [(False, True)]
    assert ends[-1][2]["ended"] == "steps"
    env.reset()
    assert [env.step("dance")[4]["ended"] for _ in range(8)] == [None] * 7 + ["decisions"]


def test_a_number_that_is_not_on_offer_is_refused_with_a_sentence() -> None:
    env = begun(indexed=True)
    _, info = env.reset(seed=0)
    offered = len(info["menu"])
    assert info["action_mask"].sum() == offered
    assert env.action_masks()[:offered].all()
    text, *_, info = env.step(offered)
    assert text == f"There is no action {offered} now; choose a number from 0 to {offered - 1}."
    assert info["refused"]
    assert info["step"] == 0
    for number in (np.int64(0), np.array(0)):  # the second is what stable-baselines3 predicts
        assert not env.step(number)[4]["refused"]


def test_a_lost_simulator_costs_its_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    env = begun()

    def lost(*_: object) -> None:
        raise SimulatorDied("gone")

    with monkeypatch.context() as patch:
        patch.setattr(SymbolicAdapter, "attempt", lost)
        patch.setattr(SymbolicAdapter, "reset", lost)
        with pytest.warns(UserWarning, match="An episode is void"):
            _, reward, terminated, truncated, info = env.step("go to bathroom 1")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert (info["ended"], info["success"]) == ("voided", False)
    assert env.step(env.reset()[1]["menu"][0])[4]["ended"] is None


@pytest.mark.parametrize(
    ("do", "sentence"),
    [
        (lambda: TextEnv("houses").step("wait"), "The episode has not begun; call reset() first."),
        (lambda: begun("hosues"), "There is no suite 'hosues'. Did you mean houses"),
        (lambda: begun(task="x"), "There is no task of houses 'x'."),
        (lambda: begun(task=TASK, tasks=3), "Name a task or tasks, not both."),
        (lambda: begun(tasks="0"), "--tasks 0 runs nothing"),
        (lambda: begun(reward="gold"), "There is no reward 'gold'."),
        (lambda: begun(render_mode="human"), "There is no render mode of the adapter symbolic"),
        (lambda: begun(adapter="symbolc"), "There is no adapter 'symbolc'. Did you mean symbolic"),
        (lambda: begun().step(3), "An action is a text such as 'go to "),
        (lambda: begun(indexed=True).step("wait"), "An action is a whole number from 0 to 511, "),
        (lambda: begun(indexed=True).step(512), "An action is a whole number from 0 to 511, not 5"),
        (lambda: begun(indexed=True, menu_size=9), "make the environment with menu_size="),
        (lambda: begun().action_masks(), "Actions are texts here; make the environment with inde"),
        (lambda: begun(menu_size="9"), "menu_size is a whole number from 1, such as 512, not '9'."),
        (lambda: begun(tasks=1.5), "tasks is a number, a range such as '3-8', or a list of ids, n"),
        (lambda: begun(tasks=[]), "tasks is a number, a range such as '3-8', or a list of ids, n"),
        (lambda: begun(tasks=[1]), "tasks is a number, a range such as '3-8', or a list of ids, n"),
        (lambda: begun(task=5), "A task is named by its id, a text, not 5."),
        (lambda: begun().reset(options={"tasks": 1}), "There is no option of reset 'tasks' here;"),
        (lambda: begun().reset(options=5), "The options of reset are a dictionary with task, not"),
        (lambda: begun().reset(options={"task": 5}), "A task is named by its id, a text, not 5."),
        (lambda: begun().reset(options={"task": "x"}), "There is no task of houses 'x'."),
    ],
)
def test_bad_input_is_one_sentence(do, sentence: str) -> None:
    with pytest.raises(BadInput) as raised:
        do()
    assert str(raised.value).startswith(sentence) or sentence in str(raised.value)
    assert "\n" not in str(raised.value)


def test_after_the_end_a_step_says_so() -> None:
    env = begun()
    env.step("give up")
    with pytest.raises(BadInput, match=r"The episode has ended \(gave_up\); begin another with"):
        env.step("wait")


def test_an_unknown_id_is_told_by_gymnasium_in_one_sentence() -> None:
    with pytest.raises(gymnasium.error.NameNotFound, match="Did you mean: `houses`"):
        gymnasium.make("peephole/hosues")
    with pytest.raises(gymnasium.error.ResetNeeded, match="Cannot call"):
        made().step("wait")


def test_environments_side_by_side_begin_again_by_themselves() -> None:
    envs = gymnasium.make_vec(
        env_id("houses"), num_envs=3, vectorization_mode="sync", suite=SHORT, indexed=True
    )
    assert envs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP
    texts, infos = envs.reset(seed=1)
    assert len({*texts}) > 1
    assert all(text.startswith("Task: ") for text in texts)
    ended = begun_again = 0
    for _ in range(6):
        actions = np.array([mask.argmax() for mask in infos["action_mask"]])
        texts, _, _, truncated, infos = envs.step(actions)
        ended += int(truncated.sum())
        begun_again += sum(text.startswith("Task: ") for text in texts)
    assert ended == begun_again == 3
    envs.close()


def test_texts_pass_between_processes() -> None:
    with pytest.raises(ValueError, match="shared_memory=False"):
        gymnasium.make_vec(env_id("houses"), 2, vectorization_mode="async")
    alone = {"shared_memory": False}
    envs = gymnasium.make_vec(
        env_id("houses"), 2, vectorization_mode="async", vector_kwargs=alone, tasks=1
    )
    texts, _ = envs.reset(seed=0)
    with peephole.make("houses") as world:
        text = world.reset().text
        assert texts[0].endswith(text)
        texts, *_ = envs.step(["look around", "dance"])
        assert texts[0] == world.step("look around").text
    envs.close()


def test_a_text_may_have_any_characters() -> None:
    env = TextEnv(Suite("mine", "", [load_suite("houses").tasks[0]], "symbolic"))
    assert "Räum auf: 整理" in env.observation_space
    assert 3 not in env.observation_space
    env.reset()
    assert env.step("整理 🙂")[4]["refused"]


def test_the_last_observation_and_the_camera_can_be_rendered() -> None:
    env = made("houses", render_mode="ansi")
    text, _ = env.reset(seed=0)
    assert env.render() == text
    env = made("houses", render_mode="rgb_array")
    env.reset(seed=0)
    assert env.render().shape[-1] == 3
