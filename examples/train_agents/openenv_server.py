"""Household episodes as an OpenEnv server, for trainers and clients that speak its WebSocket.

python examples/train_agents/openenv_server.py --suite houses --port 8000

Each session has an episode of its own. `reset` takes `task` and `seed`; an action has a `text`.
Needs the packages gymnasium and openenv, which takes 480 MB.
"""

from __future__ import annotations

import argparse
from typing import Any

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

from peephole.interfaces.gymnasium import TextEnv


class HouseholdAction(Action):
    """One action, worded as in the menu."""

    text: str = Field(description='Such as "open fridge 1"; "done" and "give up" end the episode')


class HouseholdObservation(Observation):
    """What the agent perceives."""

    text: str = Field(description="The observation")
    instruction: str = Field(description="The task")
    menu: list[str] = Field(description="The possible actions")
    ended: str | None = Field(default=None, description="Why the episode is over")


class HouseholdEnvironment(Environment[HouseholdAction, HouseholdObservation, State]):
    """The episodes of one session."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, suite: str = "houses", **more: Any) -> None:
        """more: arguments of `TextEnv`."""
        super().__init__()
        self._env = TextEnv(suite, **more)
        self._state = State()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        task: str | None = None,
        **_: Any,
    ) -> HouseholdObservation:
        options = None if task is None else {"task": task}
        text, info = self._env.reset(seed=seed, options=options)
        self._state = State(episode_id=episode_id, step_count=0)
        return self._observed(text, info, None)

    def step(
        self, action: HouseholdAction, timeout_s: float | None = None, **_: Any
    ) -> HouseholdObservation:
        text, reward, _, _, info = self._env.step(action.text)
        self._state.step_count = info["step"]
        return self._observed(text, info, reward)

    @property
    def state(self) -> State:
        return self._state

    def close(self) -> None:
        self._env.close()

    def _observed(
        self, text: str, info: dict[str, Any], reward: float | None
    ) -> HouseholdObservation:
        ended = info["ended"]
        return HouseholdObservation(
            text=text,
            instruction=info["instruction"],
            menu=info["menu"],
            ended=ended,
            reward=reward,
            done=ended is not None,
        )


def app_of(suite: str, sessions: int = 64) -> Any:
    """The server's application. sessions: episodes at a time."""
    return create_app(
        lambda: HouseholdEnvironment(suite),
        HouseholdAction,
        HouseholdObservation,
        env_name="household",
        max_concurrent_envs=sessions,
    )


def main() -> None:
    import uvicorn

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--suite", default="houses")
    parser.add_argument("--port", type=int, default=8000)
    arguments = parser.parse_args()
    uvicorn.run(app_of(arguments.suite), host="127.0.0.1", port=arguments.port)


if __name__ == "__main__":
    main()
