"""Household episodes for TRL: a model acts by tool calls, and GRPO trains it.

python examples/train_agents/trl_grpo.py Qwen/Qwen3-0.6B

TRL makes an instance of `HouseholdEnv` for each rollout. Its public methods are the model's tools,
`reset` begins the task of a row of the data set, and `get_reward` scores the rollout. Needs the
packages gymnasium, trl (1.10 or later) and jmespath.
"""

from __future__ import annotations

import sys
from typing import Any

from peephole.interfaces.gymnasium import TextEnv
from peephole.suites.registry import load_suite

SUITE = "houses"
PROMPT = "You act in a household by your tools. Do the task, and look at the results of your calls."


class HouseholdEnv:
    """An episode at a time. A tool that raises an error tells the model its sentence."""

    def __init__(self) -> None:
        self._env = TextEnv(SUITE, reward="progress")
        self._total = 0.0

    def reset(self, task: str | None = None, seed: int | None = None, **_: Any) -> str:
        options = None if task is None else {"task": task}
        text, self._info = self._env.reset(seed=seed, options=options)
        self._total = 0.0
        return f"\n{text}\nPossible actions: {'; '.join(self._info['menu'])}"

    def act(self, action: str) -> str:
        """
        Do one action.

        Args:
            action: The action, worded as the possible actions are, such as "go to kitchen 1".

        Returns:
            What you see then.
        """
        text, reward, terminated, truncated, self._info = self._env.step(action)
        self._total += reward
        return f"{text} The episode is over." if terminated or truncated else text

    def possible_actions(self) -> str:
        """
        List the actions that are possible now.

        Returns:
            The actions.
        """
        return "; ".join(self._info["menu"])

    def get_reward(self) -> float:
        return self._total


def rows(tasks: int, each: int) -> list[dict[str, Any]]:
    """The data set: tasks of the suite, each with several seeds."""
    prompt = [{"role": "user", "content": PROMPT}]
    return [
        {"prompt": prompt, "task": task.id, "seed": seed}
        for task in load_suite(SUITE).tasks[:tasks]
        for seed in range(each)
    ]


def train(model: Any, tokenizer: Any = None, tasks: int = 80, each: int = 4, **config: Any) -> Any:
    """Train a model; returns TRL's output. config: of `GRPOConfig`."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=Dataset.from_list(rows(tasks, each)),
        environment_factory=HouseholdEnv,
        args=GRPOConfig(**{"output_dir": "grpo", "max_completion_length": 4096, **config}),
    )
    return trainer.train()


if __name__ == "__main__":
    print(train(sys.argv[1] if len(sys.argv) > 1 else "Qwen/Qwen3-0.6B"))
