"""The statistics against simulated studies: wrong rejections, episodes saved, coverage, widths.

    .venv/bin/python benchmarks/studies.py                        # all parts
    .venv/bin/python benchmarks/studies.py alike --studies 10000

docs/explain/measured.md has the figures.
"""

from __future__ import annotations

import argparse
import time
from bisect import bisect_left
from collections.abc import Callable, Mapping

import numpy as np

from peephole.results.statistics.agreement import Agreement, agreement, outcome_agreement
from peephole.results.statistics.estimates import Estimate, mean_over_tasks, rate_over_tasks, wilson
from peephole.results.statistics.intervals import Array, Interval, mean_interval
from peephole.results.statistics.power import discordance, sequential_plan, tasks_needed
from peephole.results.statistics.predictions import PredictionPowered, prediction_powered_mean
from peephole.results.statistics.sequential import (
    PlannedBets,
    SpendingTest,
    confidence_sequence,
)

#: Rates of two planners, and the correlation of their successes over tasks.
PAIRS = ((0.7, 0.5, 0.3), (0.65, 0.5, 0.3), (0.4, 0.2, 0.2), (0.6, 0.5, 0.3))
#: By how much the logits of the better planner's progress are higher.
EASE = (0.75, 0.4)
_Generator = np.random.Generator


# --- One planner against itself, looked at after every pair ---------------------------------------


def alike(studies: int, tasks: int = 100, seed: int = 1) -> dict[str, float]:
    """The share of studies that ever reject, by what is measured."""
    draw = np.random.default_rng(seed)
    rejected = dict.fromkeys(("success", "success, 3 repeats", "progress", *_UNLIKE), 0)
    for _ in range(studies):
        ease = draw.beta(1, 1, size=tasks)  # tasks differ in how hard they are
        once = draw.binomial(1, ease, size=(2, tasks))
        thrice = draw.binomial(3, ease, size=(2, tasks))
        progress = draw.binomial(4, ease, size=(2, tasks)) / 4  # of four subgoals
        rejected["success"] += ever_spent(once[0] - once[1], tasks)
        rejected["success, 3 repeats"] += ends_on((thrice[0] - thrice[1]) / 3, tasks) is not None
        rejected["progress"] += ends_on(progress[0] - progress[1], tasks) is not None
        for name, study in _UNLIKE.items():
            rejected[name] += ends_on(study(draw, tasks), tasks) is not None
    return {name: count / studies for name, count in rejected.items()}


def ever_spent(differences: Array, tasks: int) -> bool:
    test = SpendingTest(tasks)
    return any(test.add(int(difference)) for difference in differences)


def ends_on(differences: Array, tasks: int) -> int | None:
    """After how many tasks differences of means tell planners apart; None where never."""
    test = PlannedBets(tasks)
    for number, difference in enumerate(differences[:tasks], start=1):
        if test.add(float(difference)):
            return number
    return None


#: Differences of planners with equal means and unequal distributions, as one is steady.
_UNLIKE: Mapping[str, Callable[[_Generator, int], Array]] = {
    "progress, 0.75 or mostly 1": lambda draw, tasks: draw.choice(
        [0.75, -0.25], size=tasks, p=[0.25, 0.75]
    ),
    "progress, 0.9 or mostly 1": lambda draw, tasks: draw.choice(
        [0.9, -0.1], size=tasks, p=[0.1, 0.9]
    ),
    "the same tenth or any, 3 repeats": lambda draw, tasks: (
        1.0 * (draw.random(tasks) < 0.1) - draw.binomial(3, 0.1, size=tasks) / 3
    ),
}


# --- Episodes saved -------------------------------------------------------------------------------


def saved(power: float, patterns: int, pair: tuple[float, float, float]) -> tuple[int, int, float]:
    """The tasks of the exact McNemar test, and the most and the mean of a sequential one.

    Both have at least this power.
    """
    better, worse, correlation = pair
    chances = discordance(worse, better - worse, correlation)
    plan = sequential_plan(chances, power, patterns=patterns)
    return tasks_needed(chances, power), plan.most, plan.tasks


def saved_on_progress(
    studies: int, power: float, ease: float, seed: int = 5
) -> tuple[int, int, float]:
    """The same of progress, against Student's test of its differences as a fixed sample.

    Of four subgoals one planner fulfils half, in tasks that are as hard for both; ease: by how much
    the other's logits are higher.
    """
    draw = np.random.default_rng(seed)
    most = 400
    drawn = []
    for _ in range(studies):
        hard = draw.normal(size=most)
        first, second = (
            draw.binomial(4, 1 / (1 + np.exp(-(more + hard)))) / 4 for more in (ease, 0.0)
        )
        drawn.append(first - second)

    def fixed_power(tasks: int) -> float:
        return float(np.mean([_student_rejects(each[:tasks]) for each in drawn]))

    def sequential_power(planned: int) -> float:
        return float(np.mean([ends_on(each, planned) is not None for each in drawn]))

    tasks = range(5, most)
    fixed = tasks[bisect_left(tasks, power, key=fixed_power)]
    planned = tasks[bisect_left(tasks, power, lo=fixed - 5, hi=2 * fixed, key=sequential_power)]
    ends = [ends_on(each, planned) or planned for each in drawn]
    return fixed, planned, float(np.mean(ends))


def _student_rejects(differences: Array) -> bool:
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    return bool(error > 0 and abs(differences.mean() / error) > 1.96 + 2.4 / len(differences))


# --- Coverage -------------------------------------------------------------------------------------

_Bounds = Interval | Estimate | tuple[float, float] | None


def coverage(studies: int, tasks: int = 60, seed: int = 2) -> dict[str, float]:
    """The share of intervals that hold the true value, by what they are of."""
    return {
        name: sum(
            _holds(*study(np.random.default_rng([seed, number]), tasks))
            for number in range(studies)
        )
        / studies
        for name, study in _COVERED.items()
    }


def _holds(bounds: _Bounds, true: float) -> bool:
    if bounds is None:
        return False
    low, high = bounds if isinstance(bounds, tuple) else (bounds.low, bounds.high)
    return low is not None and high is not None and low - 1e-9 <= true <= high + 1e-9


def _two(draw: _Generator, tasks: int, repeats: int) -> tuple[Array, Array]:
    """Successes of two planners that solve 65 and 50 % in tasks that differ, by task and repeat."""
    hard = draw.beta(2, 2, size=(tasks, 1))
    shape = (tasks, repeats)
    first = draw.random(shape) < hard + 0.3 * (1 - hard)
    second = draw.random(shape) < hard
    return first.astype(float), second.astype(float)


def _rate(draw: _Generator, tasks: int) -> tuple[_Bounds, float]:
    true = draw.uniform(0.1, 0.9)
    return wilson(int(draw.binomial(tasks, true)), tasks), true


def _rate_over_repeats(draw: _Generator, tasks: int) -> tuple[_Bounds, float]:
    values, _ = _two(draw, tasks, 3)
    outcomes = [(str(task), bool(each)) for task, row in enumerate(values) for each in row]
    return rate_over_tasks(outcomes), 0.65


def _shown_mean(draw: _Generator, tasks: int) -> tuple[_Bounds, float]:
    return _mean(draw.gamma(2, 10, size=tasks)), 20.0


def _rare_mean(draw: _Generator, tasks: int) -> tuple[_Bounds, float]:
    """A value that one task in twenty has. Studies that never see it have no interval."""
    while True:
        found = _mean((draw.random(tasks // 3) < 0.05).astype(float))
        if found.bounds is not None:
            return found, 0.05


def _mean(values: Array) -> Estimate:
    return mean_over_tasks(values.tolist(), [str(task) for task in range(len(values))])


def _difference(draw: _Generator, tasks: int) -> tuple[_Bounds, float]:
    first, second = _two(draw, tasks, 1)
    return mean_interval((first - second)[:, 0], range(tasks)), 0.15


def _few_differences(draw: _Generator, tasks: int) -> tuple[_Bounds, float]:
    return _difference(draw, tasks // 3)


def _difference_over_repeats(draw: _Generator, tasks: int) -> tuple[_Bounds, float]:
    first, second = _two(draw, tasks // 2, 3)
    return mean_interval((first - second).ravel(), np.repeat(range(tasks // 2), 3).tolist()), 0.15


def _whenever_looked(draw: _Generator, tasks: int) -> tuple[_Bounds, float]:
    first, second = _two(draw, tasks, 1)
    return confidence_sequence((first - second)[:, 0]), 0.15


def _predicted(draw: _Generator, tasks: int) -> tuple[_Bounds, float]:
    found = _with_predictions(draw, tasks // 2, 300)
    return (found.interval if isinstance(found, PredictionPowered) else None), 0.5


def _few_predicted(draw: _Generator, tasks: int) -> tuple[_Bounds, float]:
    found = _with_predictions(draw, tasks // 3, 100)
    return (found.interval if isinstance(found, PredictionPowered) else None), 0.5


def _kappa(draw: _Generator, tasks: int) -> tuple[_Bounds, float]:
    first, second = _two(draw, tasks, 1)
    return outcome_agreement(first[:, 0], second[:, 0], range(tasks)).kappa, 0.14


def _kappa_over_repeats(draw: _Generator, tasks: int) -> tuple[_Bounds, float]:
    first, second = _two(draw, tasks // 2, 3)
    clusters = np.repeat(range(tasks // 2), 3).tolist()
    return outcome_agreement(first.ravel(), second.ravel(), clusters).kappa, 0.14


_COVERED: Mapping[str, Callable[[_Generator, int], tuple[_Bounds, float]]] = {
    "rate (Wilson), 60 tasks": _rate,
    "rate over 60 tasks, 3 repeats": _rate_over_repeats,
    "mean shown by `show`, 60 tasks": _shown_mean,
    "the same of a rare value, 20 tasks, if it was seen": _rare_mean,
    "difference of success, 60 tasks": _difference,
    "difference of success, 20 tasks": _few_differences,
    "difference of success, 30 tasks, 3 repeats": _difference_over_repeats,
    "prediction-powered, 30 real and 300 simulated": _predicted,
    "prediction-powered, 20 real and 100 simulated": _few_predicted,
    "Cohen's kappa, 60 tasks": _kappa,
    "Cohen's kappa, 30 tasks, 3 repeats": _kappa_over_repeats,
    "difference whenever one looks (at least 95 %)": _whenever_looked,
}


def agreement_coverage(
    studies: int, planners: int, correlation: float, seed: int = 3
) -> dict[str, float]:
    """The same of measures of agreement, over planners drawn at random and 60 tasks."""
    draw = np.random.default_rng(seed)
    names = [str(number) for number in range(planners)]
    spread = [[1, correlation], [correlation, 1]]
    true = _true_agreement(draw, spread)
    held = dict.fromkeys(("srcc", "spearman", "mmrv"), 0)
    for _ in range(studies):
        ease = draw.multivariate_normal([0, 0], spread, size=planners) * 0.6
        sides = [_played(draw, ease[:, side]) for side in (0, 1)]
        found = agreement(*(dict(zip(names, side, strict=True)) for side in sides))
        assert isinstance(found, Agreement)
        exact = _exact_mmrv(*(_rates(ease[:, side]) for side in (0, 1)))
        held["srcc"] += _holds(found.srcc, true[0])
        held["spearman"] += _holds(found.spearman, true[1])
        held["mmrv"] += _holds(found.mmrv, exact)
    return {name: count / studies for name, count in held.items()}


def _rates(ease: Array) -> Array:
    """The true success rates of planners over tasks of normally spread hardness."""
    hard = np.linspace(-3, 3, 121)
    weight = np.exp(-(hard**2) / 2)
    found = 1 / (1 + np.exp(-(ease[:, None] + hard)))
    return np.asarray(found @ weight / weight.sum())


def _played(draw: _Generator, ease: Array, tasks: int = 60) -> Array:
    hard = draw.normal(size=tasks)
    chances = 1 / (1 + np.exp(-(ease[:, None] + hard)))
    return (draw.random(chances.shape) < chances).astype(float)


def _true_agreement(draw: _Generator, spread: list[list[float]]) -> tuple[float, float]:
    """The correlations of measured figures over very many planners."""
    ease = draw.multivariate_normal([0, 0], spread, size=4000) * 0.6
    # Each planner is measured with tasks of its own, which comes to the same for correlations.
    sides = [
        np.array([_played(draw, ease[[k], side])[0].mean() for k in range(4000)]) for side in (0, 1)
    ]
    places = [np.argsort(np.argsort(side + draw.normal(size=4000) * 1e-9)) for side in sides]
    return (
        float(np.corrcoef(sides[0], sides[1])[0, 1]),
        float(np.corrcoef(places[0], places[1])[0, 1]),
    )


def _exact_mmrv(x: Array, y: Array) -> float:
    gaps = y[:, None] - y
    return float((np.abs(gaps) * (gaps * (x[:, None] - x) < 0)).max(axis=1).mean())


# --- Prediction-powered means ---------------------------------------------------------------------


def _with_predictions(
    draw: _Generator, real: int, further: int, alike: float = 0.8
) -> PredictionPowered | str:
    """Three repeats a task; simulation is right about a task's chance in that share of tasks."""
    chance = draw.beta(0.4, 0.4, size=real + further)
    other = draw.beta(0.4, 0.4, size=real + further)
    chances = np.where(draw.random(real + further) < alike, chance, other)
    results = draw.binomial(3, chance[:real]) / 3
    simulated = draw.binomial(3, chances) / 3
    return prediction_powered_mean(results, simulated[:real], simulated[real:])


def narrower(studies: int, alike: float, seed: int = 4) -> tuple[float, float]:
    """The mean share by which intervals are narrower, and the mean of real tasks saved of 60."""
    draw = np.random.default_rng(seed)
    found = [_with_predictions(draw, 60, 600, alike) for _ in range(studies)]
    powered = [each for each in found if isinstance(each, PredictionPowered)]
    return float(np.mean([t.narrower for t in powered])), float(np.mean([t.saved for t in powered]))


# --- What is printed ------------------------------------------------------------------------------


def _print_alike(studies: int) -> None:
    for name, share in alike(studies).items():
        print(f"{name:32} {share:6.2%} of {studies} studies reject, looked at after every pair")


def _print_saved(studies: int) -> None:
    for power in (0.8, 0.9):
        for pair in PAIRS:
            fixed, most, mean = saved(power, min(studies, 400), pair)
            print(
                f"power {power}, rates {pair[0]} and {pair[1]}, correlation {pair[2]}: "
                f"fixed {fixed}, "
                f"sequential {mean:.1f} on average, {most} at most: {1 - mean / fixed:.0%} fewer"
            )
        for ease in EASE:
            fixed, most, mean = saved_on_progress(min(studies, 400), power, ease)
            print(
                f"power {power}, progress, logits higher by {ease}: fixed {fixed}, sequential "
                f"{mean:.1f} on average, {most} at most: {1 - mean / fixed:.0%} fewer"
            )


def _print_coverage(studies: int) -> None:
    for name, share in coverage(min(studies, 4000)).items():
        print(f"{name:50} {share:.1%}")


def _print_agreement(studies: int) -> None:
    for planners in (5, 10):
        for correlation in (0.5, 0.9):
            found = agreement_coverage(min(studies, 600), planners, correlation)
            shown = ", ".join(f"{name} {share:.1%}" for name, share in found.items())
            print(f"{planners} planners, correlation {correlation}: {shown}")


def _print_predictions(studies: int) -> None:
    for right in (0.5, 0.8, 0.9):
        share, fewer = narrower(min(studies, 1000), right)
        print(
            f"simulation right in {right:.0%} of tasks: intervals {share:.0%} narrower, as if "
            f"{fewer:.0f} more than 60 real tasks had been played"
        )


_PARTS = {
    "alike": _print_alike,
    "saved": _print_saved,
    "coverage": _print_coverage,
    "agreement": _print_agreement,
    "predictions": _print_predictions,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*_PARTS, []], default=list(_PARTS))
    parser.add_argument("--studies", type=int, default=10_000)
    options = parser.parse_args()
    for part in options.parts:
        began = time.perf_counter()
        print(f"--- {part}")
        _PARTS[part](options.studies)
        print(f"({time.perf_counter() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
