"""A batch: many episodes of a suite that are stepped together, for training.

with peephole.make_batch("houses", size=128) as batch:
    now = batch.reset()
    while training:
        now = batch.step([policy(text, menu) for text, menu in zip(now.texts, now.menus)])
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import BadInput
from ...scene_graph.task import Task
from ..environment import checked_seed
from .seat import Move, Seat


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
    steps: list[int]
    """Actions so far in the episode."""
    refused: list[bool]
    """Whether the text of this step was no action."""
    failures: list[str | None]
    """Why the action of this step failed; None if it did not."""
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
        self._seed = checked_seed(seed)
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
        self._seed = self._seed if seed is None else checked_seed(seed)
        self._given = 0
        self.tasks, self.instructions = [self._order[0]] * self.size, [""] * self.size
        for place in range(self.size):
            self._begin(place)
        return self._now([True] * self.size, [0.0] * self.size)

    def step(self, actions: Iterable[str | None]) -> BatchStep:
        """Try a text in each episode; None says that the agent is done.

        Raises BadInput before `reset`, and for a wrong number or kind of actions.
        """
        each = self.each_action(actions)
        for action in each:
            if not (action is None or isinstance(action, str)):
                raise BadInput(f"A batch takes texts or None as actions, not {action!r}.")
        return self.move([_move(action) for action in each])

    def move(self, moves: Sequence[Move]) -> BatchStep:
        """Make a move in each episode that goes on, and begin another in place of each other."""
        begun, rewards = [False] * self.size, [0.0] * self.size
        for place, (seat, move) in enumerate(zip(self._seats, moves, strict=True)):
            if seat.ended is None:
                move(seat)
            else:
                begun[place] = True
                self._begin(place)
        return self._now(begun, rewards)

    def each_action(self, actions: Iterable[Any]) -> list[Any]:
        """The actions of a step, one for each episode.

        Raises BadInput before `reset`, and for what is not as many actions as episodes.
        """
        if not self.tasks:
            raise BadInput("The batch has not begun; call reset() first.")
        takes = f"A step of this batch takes a list of {self.size} actions, not"
        try:
            each = None if isinstance(actions, str) else list(actions)
        except TypeError:
            each = None
        if each is None:
            raise BadInput(f"{takes} {actions!r}.")
        if len(each) != self.size:
            raise BadInput(f"{takes} {len(each)}.")
        return each

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
            steps=[seat.steps for seat in self._seats],
            refused=[seat.is_refused for seat in self._seats],
            failures=[seat.failure for seat in self._seats],
            begun=begun,
        )


def _move(action: str | None) -> Move:
    """The move of an action of `Batch.step`."""
    return lambda seat: seat.done() if action is None else seat.step(action)
