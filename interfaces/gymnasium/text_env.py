"""The world of one episode after another, as an environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ... import plugins
from ...adapters.contract import Adapter, Capability
from ...adapters.registry import connect
from ...episodes.batch.seat import EnvironmentSeat
from ...episodes.resolve import (
    WantedTasks,
    check_scorable,
    dialect_for,
    load_dialect,
    task_called,
)
from ...errors import BadInput, unknown_name
from ...observation_text.dialect import Dialect
from ...scene_graph.task import Task
from ...suites.contract import Suite
from .actions import ActionForm
from .tasks import Reward, check_options, check_reward, gained, suite_of, tasks_to_draw
from .words import CUT_OFF, OBSERVATION, Words, choices, info_of, with_task


class TextEnv(gymnasium.Env[str, Any]):
    """Episodes of a suite, with texts as observations and texts or numbers as actions.

    An action is a text in the dialect, "done" or "give up". With `indexed` it is a number of
    `info["menu"]`, and `info["action_mask"]` tells which numbers are on offer. A step that is no
    possible action costs what the suite says, and its observation says why.

    terminated: the goal is reached, or the agent or a rule of the suite ended the episode.
    truncated: a budget of steps or decisions is used up, or the simulator is lost. The reward comes
    from the true state. It is for a learner, not for the agent to read.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": Adapter.frame_rate}  # noqa: RUF012

    def __init__(
        self,
        suite: str | Suite,
        *,
        task: str | Task | None = None,
        tasks: WantedTasks = "",
        adapter: str | Adapter = "",
        dialect: str | Dialect = "",
        data: str | Path | None = None,
        reward: Reward = "progress",
        indexed: bool = False,
        menu_size: int = 512,
        render_mode: str | None = None,
    ) -> None:
        """suite: a name from `peephole suites`, or a suite. task: the only task that is played.
        tasks: those that `reset` draws from, as `peephole run --tasks` takes them; all by default.
        adapter, dialect, data: as in `peephole.make`. reward: of a step: the "progress" gained,
        1 at the end with "success", or as the "suite" says. indexed: actions are numbers below
        menu_size. render_mode: "ansi" for the observation, "rgb_array" for the camera.

        Raises BadInput for unknown names and Missing for what is not installed.
        """
        self._suite = suite_of(suite, data)
        self._tasks = tasks_to_draw(self._suite, task, tasks)
        if not isinstance(adapter, Adapter):
            adapter = connect(adapter or self._suite.adapter)
        self._adapter = adapter
        spec = self._adapter.spec
        check_scorable(spec)
        if not isinstance(dialect, Dialect):
            dialect = load_dialect(dialect) if dialect else dialect_for(spec)
        self._seat = EnvironmentSeat(adapter, dialect, self._suite.rules, self._suite.budgets)
        self._is_begun = False
        self._reward = check_reward(reward)
        modes = ["ansi", "rgb_array"] if Capability.IMAGES in spec.capabilities else ["ansi"]
        self.metadata = {"render_modes": modes, "render_fps": adapter.frame_rate}
        if render_mode is not None and render_mode not in modes:
            raise unknown_name(f"render mode of the adapter {spec.name}", render_mode, modes)
        self.render_mode = render_mode
        self.observation_space = Words(OBSERVATION)
        self._actions = ActionForm(indexed=indexed, menu_size=menu_size)
        self.action_space = self._actions.space

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin an episode, of a drawn task by default.

        seed: also that of the world. options: {"task": ID} for a certain task of the suite.
        """
        super().reset(seed=seed)
        wanted = check_options(options, ["task"]).get("task")
        task = self._drawn() if wanted is None else task_called(self._suite, wanted)
        self._is_begun = False
        self._seat.begin(task, int(self.np_random.integers(2**31)) if seed is None else seed)
        self._is_begun, self._decisions = True, 0
        self._text = with_task(self._seat.instruction, self._seat.text)
        self._standing = self._seat.standing()
        return self._text, self._info()

    def step(self, action: Any) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take an action; returns the observation, reward, terminated, truncated and info.

        Raises BadInput before `reset`, after the end, and for what is neither a text nor a number.
        """
        seat = self._begun()
        if seat.ended is not None:
            raise BadInput(f"The episode has ended ({seat.ended}); begin another with reset().")
        move = self._actions.move(action, self._menu)
        self._decisions += 1
        move(seat)
        if seat.ended is None and self._decisions >= seat.environment.budgets.decisions:
            seat.ended = "decisions"
        truncated = seat.ended in CUT_OFF
        terminated = seat.ended is not None and not truncated
        self._text = seat.text
        return self._text, self._gained(), terminated, truncated, self._info()

    def render(self) -> Any:
        """The last observation, or the image of the agent's camera, shape (height, width, 3)."""
        if self.render_mode == "rgb_array":
            self._begun()
            return self._adapter.image()
        return self._text if self.render_mode == "ansi" and self._is_begun else None

    def action_masks(self) -> NDArray[np.bool_]:
        """Which numbers are on offer, shape (menu_size,): the form of sb3-contrib."""
        self._begun()
        return self._actions.mask(self._menu).astype(np.bool_)

    def close(self) -> None:
        """Close the simulator."""
        self._is_begun = False
        self._adapter.close()

    # --- a step ----------------------------------------------------------------------------

    def _begun(self) -> EnvironmentSeat:
        if not self._is_begun:
            raise BadInput("The episode has not begun; call reset() first.")
        return self._seat

    def _gained(self) -> float:
        """The reward of the last step."""
        before, self._standing = self._standing, self._seat.standing()
        return gained(self._reward, before, self._standing, over=self._seat.ended is not None)

    def _info(self) -> dict[str, Any]:
        """What goes with an observation."""
        seat, environment = self._seat, self._seat.environment
        self._menu = choices(seat.menu(), environment.rules)
        info = info_of(seat.instruction, environment.percept, self._menu)
        info |= {"task": environment.task.id, "ended": seat.ended}
        if self._actions.is_indexed:
            info["action_mask"] = self._actions.mask(self._menu)
        if seat.ended is not None:
            info["success"] = bool(self._standing.success)
            info["progress"] = self._standing.progress or 0.0
        return info

    def _drawn(self) -> Task:
        tasks = self._tasks
        with plugins.guarded("suite", self._suite.name):
            return tasks[0 if len(tasks) == 1 else int(self.np_random.integers(len(tasks)))]
