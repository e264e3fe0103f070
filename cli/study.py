"""`peephole plan-study`: the number of tasks that show a difference, and a blinded order."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import BadInput
from .completion import suites
from .options import Data, Json, with_groups
from .output import print_json, write_file


@dataclass(frozen=True)
class StudyOptions:
    """The study that is planned. The descriptions are the help's."""

    difference: float
    """Smallest difference of success rates to detect, such as 0.1."""
    rate: float = 0.5
    """Success rate of the worse planner."""
    pairs_correlation: float = 0.0
    """Correlation of the two planners' successes on the same tasks."""
    power: float = 0.8
    """Probability of detecting the difference."""
    alpha: float = 0.05
    """Probability of detecting a difference where there is none."""
    repeats: Annotated[int, typer.Option(min=1)] = 1
    """How often to play each task."""
    repeats_correlation: Annotated[float, typer.Option(min=0, max=1)] = 1.0
    """Correlation of the difference over repeats of a task."""
    suite: Annotated[str | None, typer.Option(metavar="NAME", autocompletion=suites)] = None
    """Suite whose tasks --out lists."""
    data: Data = None
    planners: Annotated[str, typer.Option(metavar="A,B")] = "A,B"
    """Planners that --out lists."""
    seed: int | None = None
    """Random seed of the order. By default a secret one; keep yours secret."""
    out: Annotated[Path | None, typer.Option(metavar="FILE.csv")] = None
    """File for the blinded order; its key is written to FILE.key.csv."""
    as_json: Json = False


@with_groups
def plan_study(what: StudyOptions) -> None:
    """Plan a study: how many tasks show a difference; a random, blinded order of episodes."""
    from ..results.statistics.power import discordance, sequential_plan, tasks_needed, with_repeats

    if not 0.5 <= what.power < 1 or not 0 < what.alpha < 0.5:
        raise BadInput("--power is from 0.5 to below 1, and --alpha between 0 and 0.5.")
    chances = discordance(what.rate, what.difference, what.pairs_correlation)
    single = tasks_needed(chances, what.power, what.alpha)
    tasks = with_repeats(single, what.repeats, what.repeats_correlation)
    sequential = sequential_plan(chances, what.power, what.alpha)
    found: dict[str, Any] = {
        "tasks": tasks,
        "episodes": 2 * what.repeats * tasks,
        "only_better": chances.only_first,
        "only_worse": chances.only_second,
        "sequential_most": with_repeats(sequential.most, what.repeats, what.repeats_correlation),
        "sequential_mean": sequential.tasks * tasks / single,
    }
    written = [] if what.out is None else _write(what.out, what, tasks)
    if what.as_json:
        print_json(found | {"files": [str(path) for path in written]})
        return
    print("\n".join(_lines(found, what)))
    if written:
        print(f"Order written to {written[0]}, its key to {written[1]}; open the key at the end.")


def _lines(found: dict[str, Any], what: StudyOptions) -> list[str]:
    times = f", each played {what.repeats} times," if what.repeats > 1 else ""
    lines = [
        f"To distinguish success rates of {what.rate + what.difference:g} and {what.rate:g} with a "
        f"probability of {what.power:.0%} takes {found['tasks']} tasks{times} with both planners: "
        f"{found['episodes']} episodes (exact McNemar test, alpha {what.alpha:g}).",
        f"With a test after every task (--stop-when decided) it takes "
        f"{found['sequential_mean']:.0f} tasks on average if the difference is real, and "
        f"{found['sequential_most']} at most.",
        f"Assumptions: tasks are drawn at random; only the better planner solves "
        f"{found['only_better']:.1%} of them, only the other {found['only_worse']:.1%}.",
    ]
    if what.repeats > 1:
        lines.append(
            "Repeats count by their correlation (--repeats-correlation), which is an "
            "approximation. At 1, the default, they add no information."
        )
    return lines


def _write(out: Path, what: StudyOptions, tasks: int) -> list[Path]:
    """Write the order and its key. Raises BadInput where one of the files exists."""
    from ..results.statistics.power import blinded_order, key_csv, order_csv
    from ..results.statistics.stopping import shuffled
    from ..suites.registry import load_suite

    names = [f"task {number}" for number in range(1, tasks + 1)]
    chosen = secrets.randbits(32) if what.seed is None else what.seed
    if what.suite is not None:
        there = [task.id for task in load_suite(what.suite, what.data).tasks]
        if len(there) < tasks:
            raise BadInput(
                f"{what.suite} has {len(there)} tasks, and {tasks} are needed; ask for a larger "
                "--difference or choose another suite."
            )
        names = shuffled(there, chosen)[:tasks]
    order = blinded_order(
        names, [name.strip() for name in what.planners.split(",")], what.repeats, chosen
    )
    files = {out: order_csv(order), out.with_name(f"{out.stem}.key{out.suffix}"): key_csv(order)}
    for path in files:
        if path.exists():
            raise BadInput(f"{path} exists already; choose another file as --out.")
    for path, text in files.items():
        write_file(path, text, "--out")
    return list(files)
