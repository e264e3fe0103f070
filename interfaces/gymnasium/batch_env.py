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

from ... import plugins
from ...episodes.batch.batch import BatchStep
from ...episodes.batch.choice import batch_of
from ...episodes.environment import Standing
from ...errors import BadInput, unknown_name
from ...observation_text.dialect import Dialect
from ...scene_graph.task import Task
from ...suites.contract import Suite
from .tasks import Reward, check_reward, chosen_tasks, gained, shared_suite
from .words import (
    ACTION,
    CUT_OFF,
    DONE,
    GIVE_UP,
    OBSERVATION,
    Words,
    choices,
    mask_of,
    with_task,
)

_NEW = Standing(None, 0.0, 0.0)


class BatchEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Episodes side by side, much faster than environments side by side.

    Tasks come in their order, over and over. Spaces, actions and rewards are those of `TextEnv`.
    An episode that has ended begins again at the next step, whose action for it is not used.
    `info` has "instruction", "menu", "task" and "ended" of each, and after an end "success" and
    "progress".
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int,
        suite: str | Suite,
        *,
        task: str | Task | None = None,
        tasks: str | int | Sequence[str] = "",
        adapter: str = "",
        dialect: str | Dialect = "",
        data: str | Path | None = None,
        reward: Reward = "progress",
        indexed: bool = False,
        menu_size: int = 512,
    ) -> None:
        """num_envs: episodes at a time. The other arguments are as in `TextEnv`."""
        if num_envs < 1:
            raise BadInput(f"A batch of {num_envs} plays nothing; give num_envs from 1.")
        self._suite = suite if isinstance(suite, Suite) else shared_suite(suite, str(data or ""))
        with plugins.guarded("suite", self._suite.name):
            chosen = chosen_tasks(self._suite, task, tasks)
        self._reward = check_reward(reward)
        world = adapter or self._suite.adapter
        self._batch = batch_of(self._suite, chosen, num_envs, world, dialect)
        self.num_envs = num_envs
        self._menu_size = menu_size if indexed else None
        self.single_observation_space = Words(OBSERVATION)
        self.single_action_space = (
            gymnasium.spaces.Discrete(menu_size) if indexed else Words(ACTION)
        )
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._menus: list[Sequence[str]] = []

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Begin all episodes with the first tasks. seed: of the worlds; it takes no options."""
        super().reset(seed=seed)
        for name in options or {}:
            raise unknown_name("option of a batch's reset", str(name), [])
        now = self._batch.reset(seed=seed)
        self._steps = [0] * self.num_envs
        self._standings = [_NEW] * self.num_envs
        texts, _ = self._taken_in(now)
        return texts, self._info(now)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Take an action in each episode; see `TextEnv.step`. Raises BadInput."""
        if not self._menus:
            raise BadInput("The batch has not begun; call reset() first.")
        said = [self._text(menu, each) for menu, each in zip(self._menus, actions, strict=True)]
        now = self._batch.step([None if text in (DONE, GIVE_UP) else text for text in said])
        for place, text in enumerate(said):
            self._steps[place] = 0 if now.begun[place] else self._steps[place] + 1
            reason = None if now.begun[place] else self._ends(place, text, now.ended[place])
            if reason is not None:
                self._batch.end(place, reason)
                now.ended[place] = reason
        texts, rewards = self._taken_in(now)
        truncated = np.array([each in CUT_OFF for each in now.ended])
        terminated = np.array([each is not None for each in now.ended]) & ~truncated
        return texts, rewards, terminated, truncated, self._info(now)

    def _ends(self, place: int, said: str, ended: str | None) -> str | None:
        """Why an episode is over that the batch itself does not end, or ends as done."""
        if said == GIVE_UP:
            return "gave_up"
        budgets = self._batch.tasks[place].budgets or self._suite.budgets
        spent = ended is None and self._steps[place] >= budgets.decisions
        return "decisions" if spent else None

    def _text(self, menu: Sequence[str], action: Any) -> str:
        """The text of an action. A number that is not on offer becomes a text that is refused."""
        if self._menu_size is None:
            if not isinstance(action, str):
                raise BadInput(
                    f"An action is a text such as '{menu[0]}', not {action!r}; make the "
                    f"environment with indexed=True for numbers."
                )
            word = action.strip().lower()
            return word if word in (DONE, GIVE_UP) else action
        if not self.single_action_space.contains(action):
            raise BadInput(f"An action is a number below {self._menu_size}, not {action!r}.")
        return menu[action] if action < len(menu) else f"action {action}"

    def _taken_in(self, now: BatchStep) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        """The observations and rewards of a step."""
        texts, rewards, self._menus = [], np.zeros(self.num_envs), []
        for place, text in enumerate(now.texts):
            instruction = self._batch.instructions[place]
            texts.append(with_task(instruction, text) if now.begun[place] else text)
            rules = self._batch.tasks[place].rules or self._suite.rules
            self._menus.append(choices([*now.menus[place]], rules) or [DONE])
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
        every = np.ones(self.num_envs, np.bool_)
        over = np.array([each is not None for each in now.ended])
        info: dict[str, Any] = {
            "instruction": _objects(self._batch.instructions),
            "menu": _objects(self._menus),
            "task": _objects([task.id for task in self._batch.tasks]),
            "ended": _objects(now.ended),
        }
        if self._menu_size is not None:
            info["action_mask"] = np.stack(
                [mask_of(len(menu), self._menu_size) for menu in self._menus]
            )
        info |= {f"_{name}": every.copy() for name in [*info]}
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
