"""A batch of episodes as a vector environment of Gymnasium, all in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ...episodes.batch.batch import BatchStep
from ...episodes.batch.choice import batch_of
from ...episodes.environment import Standing
from ...episodes.resolve import WantedTasks
from ...observation_text.dialect import Dialect
from ...scene_graph.task import Task
from ...suites.contract import Suite
from .actions import ActionForm
from .tasks import Reward, check_options, check_reward, gained, suite_of, tasks_to_draw
from .words import CUT_OFF, DONE, OBSERVATION, Words, choices, with_task

_NEW = Standing(None, 0.0, 0.0)


class BatchEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Episodes side by side, much faster than environments side by side.

    Tasks come in their order, over and over. Spaces, actions and rewards are those of `TextEnv`.
    An episode that has ended begins again at the next step, whose action for it is not used.
    `info` has the entries of `TextEnv`, an array of each.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int,
        suite: str | Suite,
        *,
        task: str | Task | None = None,
        tasks: WantedTasks = "",
        adapter: str = "",
        dialect: str | Dialect = "",
        data: str | Path | None = None,
        reward: Reward = "progress",
        indexed: bool = False,
        menu_size: int = 512,
    ) -> None:
        """num_envs: episodes at a time. The other arguments are as in `TextEnv`."""
        self._suite = suite_of(suite, data)
        chosen = tasks_to_draw(self._suite, task, tasks)
        self._reward = check_reward(reward)
        self._actions = ActionForm(indexed=indexed, menu_size=menu_size)
        world = adapter or self._suite.adapter
        self._batch = batch_of(self._suite, chosen, num_envs, world, dialect)
        self.num_envs = num_envs
        self.single_observation_space = Words(OBSERVATION)
        self.single_action_space = self._actions.space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Begin all episodes with the first tasks. seed: of the worlds; it takes no options."""
        super().reset(seed=seed)
        check_options(options, [])
        now = self._batch.reset(seed=seed)
        self._decisions = [0] * self.num_envs
        self._standings = [_NEW] * self.num_envs
        texts, _ = self._taken_in(now)
        return texts, self._info(now)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Take an action in each episode; see `TextEnv.step`. Raises BadInput."""
        pairs = zip(self._batch.each_action(actions), self._menus, strict=True)
        now = self._batch.move([self._actions.move(action, menu) for action, menu in pairs])
        for place, begun in enumerate(now.begun):
            self._decisions[place] = 0 if begun else self._decisions[place] + 1
            if now.ended[place] is None and self._decisions[place] >= self._most_decisions(place):
                self._batch.end(place, "decisions")
                now.ended[place] = "decisions"
        texts, rewards = self._taken_in(now)
        truncated = np.array([each in CUT_OFF for each in now.ended])
        terminated = np.array([each is not None for each in now.ended]) & ~truncated
        return texts, rewards, terminated, truncated, self._info(now)

    def _most_decisions(self, place: int) -> int:
        return (self._batch.tasks[place].budgets or self._suite.budgets).decisions

    def _taken_in(self, now: BatchStep) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        """The observations and rewards of a step."""
        texts, rewards = [], np.zeros(self.num_envs)
        self._menus: list[list[str]] = []
        for place, text in enumerate(now.texts):
            instruction = self._batch.instructions[place]
            texts.append(with_task(instruction, text) if now.begun[place] else text)
            rules = self._batch.tasks[place].rules or self._suite.rules
            self._menus.append(choices(now.menus[place], rules) or [DONE])
            before = _NEW if now.begun[place] else self._standings[place]
            total = before.reward + now.rewards[place]
            standing = Standing(now.success[place], now.progress[place], total)
            over = now.ended[place] is not None
            if not now.begun[place]:
                rewards[place] = gained(self._reward, before, standing, over=over)
            self._standings[place] = standing
        return tuple(texts), rewards

    def _info(self, now: BatchStep) -> dict[str, Any]:
        """The infos of a step, an array of each, and which of the places have it."""
        over = np.array([each is not None for each in now.ended])
        info: dict[str, Any] = {
            "instruction": _objects(self._batch.instructions),
            "menu": _objects(self._menus),
            "step": np.array(now.steps),
            "refused": np.array(now.refused),
            "failure": _objects(now.failures),
            "task": _objects([task.id for task in self._batch.tasks]),
            "ended": _objects(now.ended),
        }
        if self._actions.is_indexed:
            info["action_mask"] = np.stack([self._actions.mask(menu) for menu in self._menus])
        info |= {f"_{name}": np.ones(self.num_envs, np.bool_) for name in [*info]}
        if over.any():
            success = np.array([bool(each) for each in now.success]) & over
            progress = np.array([each or 0.0 for each in now.progress])
            info |= {"success": success, "_success": over}
            info |= {"progress": progress * over, "_progress": over.copy()}
        return info

    def close_extras(self, **_: Any) -> None:
        """Close the simulators."""
        self._batch.close()


def _objects(values: Sequence[Any]) -> NDArray[np.object_]:
    """Values as an array with one of them at each place, also where they are lists."""
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array
