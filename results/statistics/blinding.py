"""A randomised and blinded order of a study's episodes, with its key."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import BadInput


@dataclass(frozen=True)
class BlindedEpisode:
    """One episode of a study."""

    number: int
    """Its place in the order, from 1."""
    task: str
    """Id of the task."""
    repeat: int
    """Its repeat, from 0."""
    code: str
    """Stands for the planner; different in each episode."""
    planner: str
    """The planner."""


def blinded_order(
    tasks: Sequence[str], planners: Sequence[str], repeats: int, seed: int
) -> list[BlindedEpisode]:
    """All episodes in random order: tasks are shuffled, and the planners within each task.

    The episodes of a task and repeat follow each other, so a study may stop after any of them with
    complete pairs. Raises BadInput for a name twice, or fewer than two planners.
    """
    for names, what in ((tasks, "task"), (planners, "planner")):
        for name in names:
            if list(names).count(name) > 1:
                raise BadInput(f"The {what} '{name}' is named twice; leave one out.")
    if len(planners) < 2:
        raise BadInput("A blinded order needs at least two planners; name them in --planners A,B.")
    draw = np.random.default_rng(seed)
    codes = draw.choice(36**4, size=len(tasks) * len(planners) * repeats, replace=False)
    episodes: list[BlindedEpisode] = []
    for repeat in range(repeats):
        for place in draw.permutation(len(tasks)):
            for planner in draw.permutation(len(planners)):
                number = len(episodes)
                code = np.base_repr(int(codes[number]), 36).zfill(4)
                blinded = BlindedEpisode(number + 1, tasks[place], repeat, code, planners[planner])
                episodes.append(blinded)
    return episodes


def order_csv(episodes: Sequence[BlindedEpisode]) -> str:
    """The table for the person who plays the episodes, without planners."""
    rows = [(each.number, each.task, each.repeat, each.code) for each in episodes]
    return _csv(("number", "task", "repeat", "code"), rows)


def key_csv(episodes: Sequence[BlindedEpisode]) -> str:
    """The planner of each code, in order of the codes."""
    return _csv(("code", "planner"), sorted((each.code, each.planner) for each in episodes))


def _csv(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()
