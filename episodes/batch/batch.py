"""A batch: many episodes of a suite that are stepped together, for training.

with peephole.make_batch("houses", size=128) as batch:
    now = batch.reset()
    while training:
        now = batch.step([policy(text, menu) for text, menu in zip(now.texts, now.menus)])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import BadInput
from ...scene_graph.task import Task
from .seat import Seat


@dataclass(frozen=True, slots=True)
class BatchStep:
    """What a step gives, one entry for each episode of the batch."""

    texts: list[str]
    """The observations."""
    menus: list[Sequence[str]]
    """The actions on offer now; empty after an end. Read them only: episodes may share them."""
    rewards: list[float]
    """The suite's reward of this step."""
    ended: list[str | None]
    """Why an episode is over; None while it goes on. The next step begins another in its place."""
    success: list[bool | None]
    """Whether the goal holds; None where nobody can tell."""
    progress: list[float | None]
    """Share of the goal's literals that hold, in [0, 1]; None where nobody can tell."""
    begun: list[bool]
    """Whether the episode began with this step, so that its action was not used."""


class Batch:
    """Many episodes that are stepped together.

    An episode that has ended is replaced at the next step, whose action for it is not used
    (Gymnasium's autoreset mode "next step"). Tasks come in their order, over and over; each round
    has the next seed. Close it, or use it in a `with` statement.

    adapter: the name of the world. tasks: the task of each episode. instructions: what each is
    asked, with the names that the agent knows.
    """

    def __init__(
        self, seats: Sequence[Seat], tasks: Sequence[Task], adapter: str, seed: int = 0
    ) -> None:
        """seats: one for each episode at a time. tasks: at least one. seed: of the first round."""
        self.adapter = adapter
        self._seats = seats
        self._order = tasks
        self._seed = seed
        self._given = 0  # tasks so far
        self._rewards = [0.0] * len(seats)  # of each episode so far
        self.tasks: list[Task] = []
        self.instructions: list[str] = []

    @property
    def size(self) -> int:
        """The number of episodes at a time."""
        return len(self._seats)

    def reset(self, *, seed: int | None = None) -> BatchStep:
        """Begin all episodes, with the first tasks. seed: of the first round; None for the last."""
        self._seed = self._seed if seed is None else seed
        self._given = 0
        self.tasks, self.instructions = [self._order[0]] * self.size, [""] * self.size
        for place in range(self.size):
            self._begin(place)
        return self._now([True] * self.size, [0.0] * self.size)

    def step(self, actions: Sequence[str | None]) -> BatchStep:
        """Try a text in each episode; None says that the agent is done.

        Raises BadInput before `reset`, and for a wrong number or kind of actions.
        """
        if not self.tasks:
            raise BadInput("The batch has not begun; call reset() first.")
        if len(actions) != self.size or isinstance(actions, str):
            raise BadInput(f"A step of this batch takes {self.size} actions, not {len(actions)}.")
        for action in actions:
            if not (action is None or isinstance(action, str)):
                raise BadInput(f"A batch takes texts or None as actions, not {action!r}.")
        begun, rewards = [False] * self.size, [0.0] * self.size
        for place, (seat, action) in enumerate(zip(self._seats, actions, strict=True)):
            if seat.ended is not None:
                begun[place] = True
                self._begin(place)
            elif action is None:
                seat.done()
            else:
                seat.step(action)
        return self._now(begun, rewards)

    def end(self, place: int, ended: str) -> None:
        """End an episode by a rule of the caller; the next step begins another in its place."""
        self._seats[place].ended = ended

    def close(self) -> None:
        """Close all simulators."""
        for seat in self._seats:
            seat.close()
        self.tasks = []

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _begin(self, place: int) -> None:
        """Begin the next task at a place."""
        rounds, number = divmod(self._given, len(self._order))
        self._given += 1
        task, seat = self._order[number], self._seats[place]
        seat.begin(task, self._seed + rounds)
        self._rewards[place] = 0.0
        self.tasks[place], self.instructions[place] = task, seat.instruction

    def _now(self, begun: list[bool], rewards: list[float]) -> BatchStep:
        standings = [seat.standing() for seat in self._seats]
        for place, standing in enumerate(standings):
            rewards[place] = standing.reward - self._rewards[place]
            self._rewards[place] = standing.reward
        return BatchStep(
            texts=[seat.text for seat in self._seats],
            menus=[seat.menu() if seat.ended is None else () for seat in self._seats],
            rewards=rewards,
            ended=[seat.ended for seat in self._seats],
            success=[standing.success for standing in standings],
            progress=[standing.progress for standing in standings],
            begun=begun,
        )
