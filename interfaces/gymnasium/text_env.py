"""The world of one episode after another, as an environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ... import plugins
from ...adapters.contract import Adapter, Capability
from ...adapters.registry import connect
from ...episodes.environment import Environment
from ...episodes.resolve import check_scorable, dialect_for, load_dialect
from ...errors import BadInput, unknown_name
from ...observation_text.dialect import Dialect
from ...planners.contract import Percept
from ...scene_graph.rules import Feedback
from ...scene_graph.task import Task
from ...skills.executor import EpisodeVoided, SimulatorDied
from ...suites.contract import Suite
from .tasks import Reward, check_reward, chosen_tasks, gained, shared_suite, task_called
from .words import (
    ACTION,
    CUT_OFF,
    DONE,
    GIVE_UP,
    OBSERVATION,
    Words,
    choices,
    info_of,
    mask_of,
    with_task,
)

#: The last observation where the simulator is lost.
VOID = "The simulator is lost. This episode does not count."


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
        tasks: str | int | Sequence[str] = "",
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
        self._suite = suite if isinstance(suite, Suite) else shared_suite(suite, str(data or ""))
        with plugins.guarded("suite", self._suite.name):  # it may make its tasks only now
            self._tasks = chosen_tasks(self._suite, task, tasks)
        if not isinstance(adapter, Adapter):
            adapter = connect(adapter or self._suite.adapter)
        self._adapter = adapter
        spec = self._adapter.spec
        check_scorable(spec)
        if not isinstance(dialect, Dialect):
            dialect = load_dialect(dialect) if dialect else dialect_for(spec)
        self._dialect = dialect
        self._reward = check_reward(reward)
        modes = ["ansi", "rgb_array"] if Capability.IMAGES in spec.capabilities else ["ansi"]
        self.metadata = {"render_modes": modes, "render_fps": adapter.frame_rate}
        if render_mode is not None and render_mode not in modes:
            raise unknown_name(f"render mode of the adapter {spec.name}", render_mode, modes)
        self.render_mode = render_mode
        self.observation_space = Words(OBSERVATION)
        self._menu_size = menu_size if indexed else None
        self.action_space = gymnasium.spaces.Discrete(menu_size) if indexed else Words(ACTION)
        self._environment: Environment | None = None

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin an episode, of a drawn task by default.

        seed: also that of the world. options: {"task": ID} for a certain task of the suite.
        """
        super().reset(seed=seed)
        for name in options or {}:
            if name != "task":
                raise unknown_name("option of reset", str(name), ["task"])
        wanted = (options or {}).get("task")
        task = self._drawn() if wanted is None else task_called(self._suite, wanted)
        suite = self._suite
        self._environment = environment = Environment(
            self._adapter,
            task,
            self._dialect,
            rules=suite.rules,
            budgets=suite.budgets,
            seed=int(self.np_random.integers(2**31)) if seed is None else seed,
        )
        self._decisions = 0
        self._ended: str | None = None
        percept = environment.reset()
        self._text = with_task(environment.instruction, percept.text)
        self._standing = environment.standing()
        return self._text, self._info(percept)

    def step(self, action: Any) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take an action; returns the observation, reward, terminated, truncated and info.

        Raises BadInput before `reset`, after the end, and for what is neither a text nor a number.
        """
        environment = self._begun()
        said = self._said(action)
        self._decisions += 1
        try:
            percept = self._taken(environment, action, said)
            self._text, self._ended = percept.text, self._ended or percept.ended
        except (EpisodeVoided, SimulatorDied) as error:
            gymnasium.logger.warn(f"An episode is void: {error}")
            self._adapter.close()
            percept = environment.percept
            self._text, self._ended = VOID, "voided"
        if self._ended is None and self._decisions >= environment.budgets.decisions:
            self._ended = "decisions"
        truncated = self._ended in CUT_OFF
        terminated = self._ended is not None and not truncated
        reward = self._gained(environment)
        return self._text, reward, terminated, truncated, self._info(percept)

    def render(self) -> Any:
        """The last observation, or the image of the agent's camera, shape (height, width, 3)."""
        if self.render_mode == "rgb_array":
            self._begun(running=False)
            return self._adapter.image()
        return self._text if self.render_mode == "ansi" and self._environment else None

    def action_masks(self) -> NDArray[np.bool_]:
        """Which numbers are on offer, shape (menu_size,): the form of sb3-contrib."""
        return self._mask().astype(np.bool_)

    def close(self) -> None:
        """Close the simulator."""
        self._environment = None
        self._adapter.close()

    # --- a step ----------------------------------------------------------------------------

    def _begun(self, *, running: bool = True) -> Environment:
        if self._environment is None:
            raise BadInput("The episode has not begun; call reset() first.")
        if running and self._ended is not None:
            raise BadInput(f"The episode has ended ({self._ended}); begin another with reset().")
        return self._environment

    def _said(self, action: Any) -> str | None:
        """The text of an action; None for a number that is not on offer."""
        if self._menu_size is None:
            if not isinstance(action, str):
                raise BadInput(
                    f"An action is a text such as '{self._menu[0] if self._menu else DONE}', not "
                    f"{action!r}; make the environment with indexed=True for numbers."
                )
            return action
        if not isinstance(action, int | np.integer) or not self.action_space.contains(action):
            raise BadInput(
                f"An action is a number from 0 to {self._menu_size - 1}, not {action!r}; make the "
                f"environment with indexed=False for texts."
            )
        return self._menu[action] if action < len(self._menu) else None

    def _taken(self, environment: Environment, action: Any, said: str | None) -> Percept:
        """What the agent gets after it said something. said: None for a number not on offer."""
        if said is None:
            last = len(self._menu) - 1
            return environment.refuse(
                str(action), f"There is no action {action} now; choose a number from 0 to {last}."
            )
        word = said.strip().lower()
        if word == DONE and environment.rules.feedback is not Feedback.NONE:
            return environment.check_goal()
        if word in (DONE, GIVE_UP):
            self._ended = "done" if word == DONE else "gave_up"
            return environment.percept
        return environment.step(said)

    def _gained(self, environment: Environment) -> float:
        """The reward of the last step."""
        before, self._standing = self._standing, environment.standing()
        return gained(self._reward, before, self._standing, over=self._ended is not None)

    def _info(self, percept: Percept) -> dict[str, Any]:
        """What goes with an observation."""
        environment = self._begun(running=False)
        self._menu = choices(environment.menu(), environment.rules)
        info = info_of(environment.instruction, percept, self._menu)
        info |= {"task": environment.task.id, "ended": self._ended}
        if self._menu_size is not None:
            info["action_mask"] = self._mask()
        if self._ended is not None:
            success, progress, _ = environment.standing()
            info["success"] = bool(success) and self._ended != "voided"
            info["progress"] = progress or 0.0
        return info

    def _mask(self) -> NDArray[np.int8]:
        self._begun(running=False)
        if self._menu_size is None:
            raise BadInput("Actions are texts here; make the environment with indexed=True.")
        return mask_of(len(self._menu), self._menu_size)

    def _drawn(self) -> Task:
        tasks = self._tasks
        with plugins.guarded("suite", self._suite.name):
            return tasks[0 if len(tasks) == 1 else int(self.np_random.integers(len(tasks)))]
