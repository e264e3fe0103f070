"""Episodes of the small house that an agent in a seat plays, in a thread beside the test's."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import peephole
from peephole.episodes.result import EpisodeResult
from peephole.planners.external.planner import planner_of
from peephole.planners.external.seat import Seat
from peephole.scene_graph.rules import Budgets, Rules
from peephole.scene_graph.task import Task
from peephole.suites.contract import Suite

#: How the task of the small house is done.
WORDS = (
    *("go to fridge 1", "open fridge 1", "pick up apple 1", "close fridge 1"),
    *("go to living room 1", "go to table 1", "put down apple 1 on table 1"),
)


class Held:
    """An episode that waits for its agent. A folder that holds it already is continued."""

    def __init__(
        self,
        task: Task,
        folder: Path,
        *,
        rules: Rules | None = None,
        budgets: Budgets | None = None,
        time_s: float = 60.0,
        **options: Any,
    ) -> None:
        """time_s: seconds of the agent. options: of the planner."""
        self.seat = Seat()
        self.folder = folder
        self._suite = Suite(
            "apples", "one task", (task,), "symbolic", rules or Rules(), budgets or Budgets()
        )
        self._options, self._time_s = options, time_s
        self._came: list[EpisodeResult | BaseException] = []
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def _play(self) -> None:
        planner = planner_of(self.seat)
        try:
            if self.folder.exists():
                run = peephole.resume(self.folder, planner=planner, suite=self._suite)
            else:
                run = peephole.run(
                    planner,
                    self._suite,
                    out=self.folder,
                    options=self._options,
                    planning_s=self._time_s,
                )
            self._came += run.results
        except BaseException as error:
            self._came.append(error)
        finally:
            self.seat.close()

    def result(self) -> EpisodeResult:
        """The result, once the episode is over. Raises what playing it raised."""
        self._thread.join(30)
        assert not self._thread.is_alive(), "the episode goes on"
        (came,) = self._came
        if isinstance(came, BaseException):
            raise came
        return came
