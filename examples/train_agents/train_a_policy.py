"""Train a small policy on some tasks, and compare it with chance on others.

python examples/train_agents/train_a_policy.py

A linear policy over three numbers that an action has: how many of its words the task names, how
often it was said before, and whether it is a walk. The cross-entropy method learns what each is
worth. Both policies are then played as planners, and recorded. Needs the package gymnasium.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import peephole
from peephole.interfaces.gymnasium import env_id, planner_of

SUITE = "household"
KINDS = ("bedroom_light", "open_fridge", "computer")
TRAIN = [f"{kind}/house-{house}" for house in (404, 429) for kind in KINDS]
TEST = [f"{kind}/house-{house}" for house in (453, 304) for kind in KINDS]
Weights = NDArray[np.float64]


def features(info: dict[str, Any], said: list[str]) -> NDArray[np.float64]:
    """The numbers of each action on offer, shape (actions, 3). said: so far in the episode."""
    asked = set(re.findall(r"[a-z]+", info["instruction"].lower()))
    rows = []
    for action in info["menu"]:
        named = sum(word in asked for word in re.findall(r"[a-z]+", action))
        rows.append((named, said.count(action), action.startswith("go to")))
    return np.array(rows, dtype=np.float64)


def policy_of(weights: Weights, seed: int = 0) -> Callable[[str, dict[str, Any]], str]:
    """The policy of some weights, which draws actions by their worth."""
    chance, said = np.random.default_rng(seed), list[str]()

    def policy(text: str, info: dict[str, Any]) -> str:
        if info["step"] == 0:
            said.clear()
        worth = features(info, said) @ weights
        share = np.exp(worth - worth.max())
        said.append(info["menu"][chance.choice(len(share), p=share / share.sum())])
        return said[-1]

    return policy


def score(env: gymnasium.Env[str, str], weights: Weights, episodes: int, seed: int) -> float:
    """The mean sum of rewards; sooner is a little better."""
    policy, total = policy_of(weights, seed), 0.0
    for episode in range(episodes):
        text, info = env.reset(seed=seed + episode)
        over = False
        while not over:
            text, reward, terminated, truncated, info = env.step(policy(text, info))
            total += float(reward) - 0.01
            over = terminated or truncated
    return total / episodes


def train(env: gymnasium.Env[str, str], rounds: int = 3, size: int = 10, seed: int = 0) -> Weights:
    """Draw weights, keep the best third, and draw around them; returns their mean."""
    chance = np.random.default_rng(seed)
    middle, spread = np.zeros(3), np.full(3, 3.0)
    for number in range(rounds):
        drawn = middle + spread * chance.standard_normal((size, 3))
        scores = [score(env, weights, 6, seed + number) for weights in drawn]
        best = drawn[np.argsort(scores)[-(size // 3) :]]
        middle, spread = best.mean(axis=0), best.std(axis=0) + 0.3
    return middle


def main() -> None:
    with gymnasium.make(env_id(SUITE), tasks=TRAIN, adapter="symbolic") as env:
        weights = train(env)
    print("Worth of being named, said before, a walk:", np.round(weights, 2))
    for name, policy in (("chance", policy_of(np.zeros(3))), ("trained", policy_of(weights))):
        run = peephole.run(planner_of(policy, name), SUITE, tasks=TEST, adapter="symbolic")
        print(f"{name}: success {run.figures['gsr'].text(100, 0)} %, peephole show {run.folder}")


if __name__ == "__main__":
    main()
