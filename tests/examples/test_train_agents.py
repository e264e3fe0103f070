"""The recipes for trainers: each is played as its trainer does, with the smallest of learners."""

from __future__ import annotations

import importlib.util
import inspect
import random
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest

from peephole.interfaces.gymnasium import env_id

FOLDER = Path(__file__).parents[2] / "examples" / "train_agents"
TASK = "switch/house-3-1"
SOLUTION = (
    *("go to bedroom 1", "go to desk 2", "turn on table lamp 2"),
    *("go to nightstand 1", "turn off table lamp 1"),
)


def recipe(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_verl_agent_weighs_groups_of_episodes_alike() -> None:
    manager = recipe("verl_agent").HouseholdManager("houses", 2, 2, tasks=3)
    prompts, infos = manager.reset(kwargs=None)
    assert prompts["text"][0] == prompts["text"][1]
    assert infos[0]["task"] == infos[1]["task"]
    assert infos[0]["instruction"] in prompts["text"][0]
    replies = ["<think>why</think><action>wait</action>", "wait", "<action>fly</action>", ""]
    prompts, rewards, over, infos = manager.step(replies)
    assert "> wait" in prompts["text"][0]
    assert [bool(info["is_action_valid"]) for info in infos] == [True, False, False, False]
    assert (rewards.shape, over.tolist()) == ((4,), [False] * 4)
    manager.close()


def test_verl_agent_learns_of_success() -> None:
    manager = recipe("verl_agent").HouseholdManager("houses", 1, 2, tasks=TASK)
    _, infos = manager.reset()
    seen = [[info] for info in infos]
    for action in SOLUTION:
        replies = [f"<action>{action}</action>", "<action>wait</action>"]
        _, rewards, over, infos = manager.step(replies)
        for each, info in zip(seen, infos, strict=True):
            each.append(info)
    assert rewards.tolist() == [1.0, 0.0]
    assert over.tolist() == [True, False]
    manager.step(replies)  # the first waits for the second
    assert manager.success_evaluator(total_infos=seen)["success_rate"].tolist() == [1.0, 0.0]


@pytest.fixture
def agentgym() -> Iterator[tuple[ModuleType, str]]:
    module = recipe("agentgym_server")
    server = module.server_of(module.Episodes("houses"), 0)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield module, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_agentgym_plays_through_its_server(agentgym: tuple[ModuleType, str]) -> None:
    module, base = agentgym
    client = module.HouseholdEnvClient(base, data_len=100)
    others = module.HouseholdEnvClient(base, data_len=100)
    number = [task.id for task in module.load_suite("houses").tasks].index(TASK)
    client.reset(number)
    others.reset(0)
    assert "table lamp 1 off" in client.observe()
    for action in SOLUTION:
        came = client.step(f"Thought: so\nAction: {action}</s>")
    assert (came.reward, came.done) == (1.0, True)
    assert not others.step("Action: wait").done
    with pytest.raises(OSError, match="400"):
        client.step("Action: wait")  # after the end
    client.close()


def test_trl_finds_tools_and_a_reward() -> None:
    env = recipe("trl_grpo").HouseholdEnv()
    tools = [
        name
        for name, _ in inspect.getmembers(env, inspect.ismethod)
        if name not in ("reset", "get_reward") and not name.startswith("_")
    ]
    assert tools == ["act", "possible_actions"]
    row = recipe("trl_grpo").rows(2, 2)[-1]
    assert row["task"] in env.reset(**row) or env.get_reward() == 0.0
    assert "table lamp 1" in env.reset(task=TASK, seed=1)
    assert "go to bedroom 1" in env.possible_actions()
    answers = [env.act(action) for action in SOLUTION]
    assert answers[-1].endswith("The episode is over.")
    assert env.get_reward() == 1.0
    with pytest.raises(Exception, match="The episode has ended"):
        env.act("wait")


@pytest.mark.slow
def test_trl_trains_a_tiny_model(tmp_path: Path) -> None:
    pytest.importorskip("trl")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
    from trl import chat_template_utils

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    special = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"]
    bytes_alone = Tokenizer(models.BPE({each: i for i, each in enumerate(letters)}, []))
    bytes_alone.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_alone.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bytes_alone, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    tokenizer.add_special_tokens({"additional_special_tokens": special[:1]})
    tokenizer.chat_template = chat_template_utils.qwen3_chat_template
    small = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8}
    model = Qwen3ForCausalLM(Qwen3Config(vocab_size=len(tokenizer), **small, **heads))
    came = recipe("trl_grpo").train(
        model,
        tokenizer,
        tasks=1,
        each=2,
        output_dir=str(tmp_path),
        max_completion_length=16,
        max_steps=1,
        per_device_train_batch_size=2,
        num_generations=2,
        report_to="none",
        use_cpu=True,
    )
    assert came.global_step == 1


@pytest.mark.slow
def test_openenv_serves_sessions_of_their_own() -> None:
    pytest.importorskip("openenv")
    import socket

    import uvicorn
    from openenv.core.generic_client import GenericEnvClient

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    app = recipe("openenv_server").app_of("houses")
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        thread.join(0.1)
    base = f"http://127.0.0.1:{port}"
    with GenericEnvClient(base).sync() as one, GenericEnvClient(base).sync() as other:
        other.reset(task=TASK, seed=0)
        assert "table lamp 1" in one.reset(task=TASK, seed=0).observation["instruction"]
        came = [one.step({"text": action}) for action in SOLUTION]
        assert [each.reward for each in came] == [0.0, 0.0, 0.5, 0.0, 0.5]
        assert came[-1].done
        assert not other.step({"text": "wait"}).done
    server.should_exit = True
    thread.join()


@pytest.mark.slow
def test_a_small_policy_learns() -> None:
    module = recipe("train_a_policy")
    known, new = (
        gymnasium.make(env_id(module.SUITE), tasks=tasks, adapter="symbolic")
        for tasks in (module.TRAIN, module.TEST)
    )
    weights = module.train(known)
    learned, chance = (module.score(new, each, 12, 100) for each in (weights, np.zeros(3)))
    assert learned > chance + 0.1


def test_a_policy_is_played_and_recorded_as_a_planner(tmp_path: Path) -> None:
    import peephole
    from peephole.interfaces.gymnasium import planner_of

    said = iter(SOLUTION)
    seen: list[tuple[str, dict[str, Any]]] = []

    def policy(text: str, info: dict[str, Any]) -> str:
        seen.append((text, info))
        return next(said)

    run = peephole.run(planner_of(policy, "mine"), "houses", tasks=[TASK], out=tmp_path / "run")
    assert run.results[0].ended == "goal_reached"
    env = gymnasium.make(env_id("houses"), task=TASK)
    text, info = env.reset(seed=0)
    for action, (heard, known) in zip(SOLUTION, seen, strict=True):
        assert heard == text
        assert known == {key: value for key, value in info.items() if key in known}
        text, *_, info = env.step(action)
    assert not {"task", "ended"} & {*seen[0][1]}


def test_a_policy_may_end_an_episode(tmp_path: Path) -> None:
    import peephole
    from peephole.interfaces.gymnasium import planner_of

    chance = random.Random(0)
    words = iter([chance.choice(("wait", "WAIT")), "Give up"])
    run = peephole.run(
        planner_of(lambda text, info: next(words)), "office", tasks=1, out=tmp_path / "run"
    )
    assert (run.results[0].ended, run.results[0].steps) == ("gave_up", 1)


def test_every_recipe_is_on_the_page() -> None:
    page = (FOLDER.parents[1] / "docs" / "howto" / "train_agents.md").read_text()
    for path in FOLDER.glob("*.py"):
        assert re.search(rf"examples/train_agents/{path.name}", page), path.name
