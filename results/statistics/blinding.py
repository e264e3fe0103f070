"""A randomised, blinded order of a study's episodes, and the key to it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import BadInput


@dataclass(frozen=True)
class BlindedEpisode:
    """One episode of a study. code: stands for the planner, and is another one every time."""

    number: int
    task: str
    repeat: int
    code: str
    planner: str


def blinded_order(
    tasks: Sequence[str], planners: Sequence[str], repeats: int, seed: int
) -> list[BlindedEpisode]:
    """All episodes in random order: tasks are shuffled, and within each the planners.

    The episodes of a task and repeat follow each other, so that a study may be ended after any of
    them with whole pairs. Raises BadInput for a name twice, or fewer than two planners.
    """
    for names, what in ((tasks, "task"), (planners, "planner")):
        for name in names:
            if list(names).count(name) > 1:
                raise BadInput(f"The {what} '{name}' is there twice; leave one out.")
    if len(planners) < 2:
        raise BadInput("A blinded order needs two planners at least; name them in --planners A,B.")
    draw = np.random.default_rng(seed)
    codes = draw.choice(36**4, size=len(tasks) * len(planners) * repeats, replace=False)
    episodes: list[BlindedEpisode] = []
    for repeat in range(repeats):
        for place in draw.permutation(len(tasks)):
            for planner in draw.permutation(len(planners)):
                number = len(episodes)
                code = np.base_repr(int(codes[number]), 36).zfill(4)
                told = BlindedEpisode(number + 1, tasks[place], repeat, code, planners[planner])
                episodes.append(told)
    return episodes


def order_csv(episodes: Sequence[BlindedEpisode]) -> str:
    """What the person who plays the episodes gets: no planner in it."""
    rows = [(each.number, each.task, each.repeat, each.code) for each in episodes]
    return _csv(("number", "task", "repeat", "code"), rows)


def key_csv(episodes: Sequence[BlindedEpisode]) -> str:
    """Which planner each code stands for, in order of the codes."""
    return _csv(("code", "planner"), sorted((each.code, each.planner) for each in episodes))


def _csv(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()
