"""An environment manager for verl-agent: groups of episodes in this process, prompts, and actions.

python examples/train_agents/verl_agent.py

verl-agent asks its manager for prompts, hands it the replies of a model, and weighs episodes of one
task against each other. To use it, import `make_managers` in verl-agent's
`agent_system/environments/env_manager.py`, and return its result from `make_envs`. Alone, this
script plays one group with replies by chance. Needs the package gymnasium.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peephole.interfaces.gymnasium import TextEnv

#: Earlier steps that a prompt shows.
HISTORY = 4
_ACTION = re.compile(r"<action>(.*?)</action>", re.DOTALL)


class HouseholdManager:
    """`groups` tasks at a time, each in `group_size` episodes alike."""

    def __init__(
        self,
        suite: str,
        groups: int,
        group_size: int = 1,
        seed: int = 0,
        tasks: str | int | Sequence[str] = "",
        **more: Any,
    ) -> None:
        """tasks: to draw from, such as "1-80". more: arguments of `TextEnv`."""
        number = groups * group_size
        self.envs = [TextEnv(suite, tasks=tasks, reward="success", **more) for _ in range(number)]
        self._group_size = group_size
        self._chance = random.Random(seed)

    def reset(self, kwargs: Any = None) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Begin a task in each group; returns prompts and infos."""
        self._texts, self._infos, self._steps = [], [], [[] for _ in self.envs]
        self._over = [False] * len(self.envs)
        for place, env in enumerate(self.envs):
            if place % self._group_size == 0:
                seed, options = self._chance.randrange(2**31), None
            text, info = env.reset(seed=seed, options=options)
            options = {"task": info["task"]}
            self._texts.append(text)
            self._infos.append({**info, "won": False})
        return self._observations(), [*self._infos]

    def step(
        self, text_actions: Sequence[str]
    ) -> tuple[dict[str, Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Hand over the replies of the model; an episode that is over waits for the others."""
        rewards = np.zeros(len(self.envs), np.float32)
        for place, (env, reply) in enumerate(zip(self.envs, text_actions, strict=True)):
            if self._over[place]:
                continue
            found = _ACTION.findall(reply)
            said = " ".join(found[-1].split()) if found else reply.strip()[-30:]
            text, rewards[place], terminated, truncated, info = env.step(said)
            self._steps[place].append((said, text))
            self._texts[place], self._over[place] = text, terminated or truncated
            valid = bool(found) and not info["refused"]
            won = info.get("success", False)
            self._infos[place] = {**info, "won": won, "is_action_valid": np.array(valid)}
        return self._observations(), rewards, np.array(self._over), [*self._infos]

    def success_evaluator(self, **batch: Any) -> dict[str, NDArray[np.float64]]:
        """The success of each episode, as verl-agent logs it."""
        return {"success_rate": np.array([float(last[-1]["won"]) for last in batch["total_infos"]])}

    def close(self) -> None:
        for env in self.envs:
            env.close()

    def _observations(self) -> dict[str, Any]:
        prompts = [self._prompt(place) for place in range(len(self.envs))]
        return {"text": prompts, "image": None, "anchor": [*self._texts]}

    def _prompt(self, place: int) -> str:
        info, steps = self._infos[place], self._steps[place][-HISTORY:]
        earlier = "".join(f"> {said}\n{text}\n" for said, text in steps) or self._texts[place]
        return (
            f"You act in a household. Your task: {info['instruction']}\n"
            f"You have taken {info['step']} steps. The last ones, and what you saw:\n{earlier}\n"
            f"Your possible actions: {'; '.join(info['menu'])}\n"
            "Think within <think> and </think>. Then give one of the actions within <action> and "
            "</action>."
        )


def make_managers(
    suite: str, train: str, test: str, batch: int, group_size: int
) -> tuple[HouseholdManager, HouseholdManager]:
    """The managers of training and of validation. train, test: tasks, such as "1-80"."""
    return (
        HouseholdManager(suite, batch, group_size, tasks=train),
        HouseholdManager(suite, batch, seed=1000, tasks=test),
    )


def main() -> None:
    manager, _ = make_managers("houses", "1-10", "11-20", batch=2, group_size=3)
    chance = random.Random(0)
    prompts, infos = manager.reset()
    print(prompts["text"][0])
    seen = [[info] for info in infos]
    for _ in range(10):
        actions = [chance.choice(info["menu"]) for info in infos]
        replies = [f"<think>by chance</think><action>{action}</action>" for action in actions]
        prompts, _, _, infos = manager.step(replies)
        for each, info in zip(seen, infos, strict=True):
            each.append(info)
    print("Success of each episode:", manager.success_evaluator(total_infos=seen)["success_rate"])
    manager.close()


if __name__ == "__main__":
    main()
