"""The plan of a study: the number of tasks that it needs, and a blinded order of its episodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ...data_files import csv_text
from ...errors import BadInput
from .intervals import Array
from .sequential import SpendingBounds, coin_step

#: Largest number of tasks considered.
_MOST = 20_000
_SEED = 20240229


@dataclass(frozen=True)
class Discordance:
    """The probabilities that one planner alone solves a task."""

    only_first: float
    only_second: float


def discordance(rate: float, difference: float, correlation: float) -> Discordance:
    """The probabilities for two planners with rates `rate + difference` and `rate`.

    correlation: of the two successes over tasks (phi). Raises BadInput where successes with these
    rates cannot have it.
    """
    better = rate + difference
    if not (0 < rate < 1 and 0 < better < 1 and difference > 0):
        raise BadInput(
            f"Rates of {rate:g} and {better:g} are impossible; choose --rate and a positive "
            "--difference so that both lie between 0 and 1."
        )
    spread = math.sqrt(rate * (1 - rate) * better * (1 - better))
    both = rate * better + correlation * spread
    least, most = max(0.0, rate + better - 1), min(rate, better)
    if not least - 1e-12 <= both <= most + 1e-12:
        low, high = ((bound - rate * better) / spread for bound in (least, most))
        raise BadInput(
            f"Successes with rates {rate:g} and {better:g} cannot be correlated by "
            f"{correlation:g}; --pairs-correlation is from {low:.2f} to {high:.2f} for them."
        )
    return Discordance(max(better - both, 0.0), max(rate - both, 0.0))


def mcnemar_power(tasks: int, chances: Discordance, alpha: float = 0.05) -> float:
    """The probability that the exact test rejects, in favour of either planner."""
    told_apart = chances.only_first + chances.only_second
    found = 0.0
    for number, chance in enumerate(_binomial(tasks, told_apart)):
        bound = _bound(number, alpha)
        if bound >= 0 and chance > 1e-15:
            sides = _binomial(number, chances.only_first / told_apart)
            found += chance * float(sides[: bound + 1].sum() + sides[number - bound :].sum())
    return found


@cache
def _bound(number: int, alpha: float) -> int:
    """The most tasks of the worse planner with which the test rejects; -1 where it never does."""
    tails = 2 * np.cumsum(_binomial(number, 0.5)[: (number + 1) // 2])
    return int(np.searchsorted(tails, alpha * (1 + 1e-12), side="right")) - 1


def _binomial(number: int, chance: float) -> Array:
    """The probabilities of 0 to `number` successes."""
    counts = np.arange(number + 1)
    if chance in (0.0, 1.0):
        return np.asarray(counts == number * chance, dtype=float)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, number + 1)))])
    ways = logs[-1] - logs - logs[::-1]
    return np.asarray(
        np.exp(ways + counts * np.log(chance) + (number - counts) * np.log1p(-chance))
    )


def tasks_needed(chances: Discordance, power: float = 0.8, alpha: float = 0.05) -> int:
    """The fewest tasks that give the exact test this power. Raises BadInput above 20,000."""
    told_apart = chances.only_first + chances.only_second
    gap = chances.only_first - chances.only_second
    if told_apart / gap**2 > _MOST:
        raise _too_small(gap)
    # The test's power goes up and down a little; begin well below and search by halves.
    low, high = 1, max(16, math.ceil(8 * told_apart / gap**2))
    while mcnemar_power(high, chances, alpha) < power:
        low, high = high, 2 * high
        if high > 8 * _MOST:
            raise _too_small(gap)
    while high - low > 1:
        middle = (low + high) // 2
        if mcnemar_power(middle, chances, alpha) < power:
            low = middle
        else:
            high = middle
    return high


def _too_small(gap: float) -> BadInput:
    return BadInput(f"A difference of {gap:g} needs more than {_MOST} tasks; ask for a larger one.")


def with_repeats(tasks: int, repeats: int, correlation: float) -> int:
    """The tasks that are needed where each is repeated.

    tasks: needed with one repeat. correlation: of a task's differences over its repeats, as
    `variance_split` measures it; 0 where only the model makes the difference, 1 where repeats add
    nothing.
    """
    return math.ceil(tasks * (1 + (repeats - 1) * correlation) / repeats)


@dataclass(frozen=True)
class SequentialPlan:
    """A study with a look after every task: most tasks, mean number of tasks, and power.

    power: the probability that it finds the difference. tasks: on average, where the difference is
    real.
    """

    most: int
    tasks: float
    power: float


def sequential_plan(
    chances: Discordance, power: float = 0.8, alpha: float = 0.05, patterns: int = 60
) -> SequentialPlan:
    """The plan with this power.

    Which tasks separate the planners is drawn from a fixed seed, `patterns` times; the outcome of
    each pattern is computed exactly.
    """
    most = math.ceil(1.04 * tasks_needed(chances, power, alpha))
    while True:
        plan = _expected(chances, most, alpha, patterns)
        if plan.power >= power:
            return plan
        most = math.ceil(most * 1.02)


def _expected(chances: Discordance, most: int, alpha: float, patterns: int) -> SequentialPlan:
    """The plan with at most so many tasks, averaged over patterns."""
    told_apart = chances.only_first + chances.only_second
    draw = np.random.default_rng(_SEED)
    tasks, power = 0.0, 0.0
    # Patterns are stratified by their number of such tasks.
    shares = np.cumsum(_binomial(most, told_apart))
    for number in np.searchsorted(shares, (np.arange(patterns) + 0.5) / patterns):
        pattern = draw.permutation(most) < number
        bounds = SpendingBounds(most, alpha)
        scores: Array = np.ones(1)  # probability of each score that is not rejected yet
        for differs in pattern:
            tasks += float(scores.sum())
            if differs:
                scores = coin_step(scores, 1, chances.only_first / told_apart)
            bound = bounds.next(int(differs))
            if bound is not None:
                outside = np.abs(np.arange(len(scores)) - len(scores) // 2) >= bound
                power += float(scores[outside].sum())
                scores[outside] = 0
    return SequentialPlan(most, tasks / patterns, power / patterns)


@dataclass(frozen=True)
class BlindedEpisode:
    """One episode of a study. number: from 1. repeat: from 0. code: stands for the planner."""

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
    return csv_text([("number", "task", "repeat", "code"), *rows])


def key_csv(episodes: Sequence[BlindedEpisode]) -> str:
    """The planner of each code, in order of the codes."""
    return csv_text([("code", "planner"), *sorted((each.code, each.planner) for each in episodes)])
