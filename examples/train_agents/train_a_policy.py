"""Train a small policy on some tasks, and compare it with chance on others.

python examples/train_agents/train_a_policy.py [EPISODES]

A linear policy over three numbers that an action has: how many of its words the task names, whether
it was said before, and whether it is a walk. REINFORCE learns what each is worth. Both policies are
then played as planners, recorded, and compared. Needs the package gymnasium.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import peephole
from peephole.interfaces.gymnasium import env_id, planner_of

SUITE = "houses"
#: Steps of a training episode. The suite allows 200.
STEPS = 40


def features(info: dict[str, Any], said: list[str]) -> NDArray[np.float64]:
    """The numbers of each action on offer, shape (actions, 3). said: so far in the episode."""
    asked = set(re.findall(r"[a-z]+", info["instruction"].lower()))
    rows = []
    for action in info["menu"]:
        words = re.findall(r"[a-z]+", action)
        named = sum(word in asked for word in words) / len(words)
        rows.append((named, min(3, said.count(action)), action.startswith("go to")))
    return np.array(rows, dtype=np.float64)


def choose(
    weights: NDArray[np.float64], info: dict[str, Any], said: list[str], chance: np.random.Generator
) -> tuple[int, NDArray[np.float64]]:
    """The number of an action, drawn by its worth, and the gradient of that choice."""
    rows = features(info, said)
    worth = rows @ weights
    share = np.exp(worth - worth.max())
    share /= share.sum()
    number = int(chance.choice(len(share), p=share))
    return number, rows[number] - share @ rows


def train(env: gymnasium.Env[str, str], episodes: int, seed: int = 0) -> NDArray[np.float64]:
    """Play episodes with REINFORCE; returns the weights."""
    weights, chance, usual = np.zeros(3), np.random.default_rng(seed), 0.0
    for episode in range(episodes):
        _, info = env.reset(seed=seed + episode)
        said: list[str] = []
        gradient, total = np.zeros(3), 0.0
        for _ in range(STEPS):
            number, slope = choose(weights, info, said, chance)
            said.append(info["menu"][number])
            _, reward, terminated, truncated, info = env.step(said[-1])
            gradient += slope
            total += float(reward)
            if terminated or truncated:
                break
        weights += 0.2 * (total - usual) * gradient
        usual += 0.1 * (total - usual)
    return weights


def policy_of(weights: NDArray[np.float64], seed: int = 0) -> Callable[[str, dict[str, Any]], str]:
    """The policy of some weights, for `planner_of`; it begins again with each episode."""
    chance, said = np.random.default_rng(seed), list[str]()

    def policy(text: str, info: dict[str, Any]) -> str:
        if info["step"] == 0:
            said.clear()
        number, _ = choose(weights, info, said, chance)
        said.append(info["menu"][number])
        return said[-1]

    return policy


def main() -> None:
    episodes = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with gymnasium.make(env_id(SUITE), tasks="1-30") as env:
        weights = train(env, episodes)
    print("Worth of being named, said before, a walk:", np.round(weights, 2))
    runs = {}
    for name, policy in (("chance", policy_of(np.zeros(3))), ("trained", policy_of(weights))):
        runs[name] = peephole.run(planner_of(policy, name), SUITE, tasks="31-40")
        print(f"{name}: success {runs[name].figures['gsr'].text(100, 0)} %")
    print(f"Compare them with: peephole compare {runs['chance'].folder} {runs['trained'].folder}")


if __name__ == "__main__":
    main()
