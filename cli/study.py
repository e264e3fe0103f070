"""`peephole plan-study`: how many tasks a difference needs, and a blinded order to play them in."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import BadInput
from .completion import suites
from .options import Data, Json
from .output import print_json


def plan_study(
    difference: Annotated[
        float, typer.Option(help="Difference of success rates that is to be found, such as 0.1.")
    ],
    rate: Annotated[float, typer.Option(help="Success rate of the worse planner.")] = 0.5,
    pairs_correlation: Annotated[
        float, typer.Option(help="Of the two planners' successes over tasks, from earlier runs.")
    ] = 0.0,
    power: Annotated[float, typer.Option(help="Chance of finding the difference.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Chance of finding one where there is none.")] = 0.05,
    repeats: Annotated[int, typer.Option(min=1, help="How often each task is played.")] = 1,
    repeats_correlation: Annotated[
        float, typer.Option(min=0, max=1, help="Of a task's differences over its repeats.")
    ] = 1.0,
    suite: Annotated[
        str | None,
        typer.Option(help="Suite that --out takes the tasks of.", autocompletion=suites),
    ] = None,
    data: Data = None,
    planners: Annotated[
        str, typer.Option(metavar="A,B", help="Planners of the order that --out writes.")
    ] = "A,B",
    seed: Annotated[
        int | None, typer.Option(help="Of the order; drawn anew if left out. Keep it to yourself.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="File for the blinded order; its key is written beside it."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say how many tasks a wanted difference needs; write a random, blinded order of episodes."""
    from ..results.statistics.power import discordance, sequential_plan, tasks_needed, with_repeats

    if not 0.5 <= power < 1 or not 0 < alpha < 0.5:
        raise BadInput("--power is from 0.5 to below 1, and --alpha between 0 and 0.5.")
    chances = discordance(rate, difference, pairs_correlation)
    single = tasks_needed(chances, power, alpha)
    tasks = with_repeats(single, repeats, repeats_correlation)
    sequential = sequential_plan(chances, power, alpha)
    found: dict[str, Any] = {
        "tasks": tasks,
        "episodes": 2 * repeats * tasks,
        "only_better": chances.only_first,
        "only_worse": chances.only_second,
        "sequential_most": with_repeats(sequential.most, repeats, repeats_correlation),
        "sequential_mean": sequential.tasks * tasks / single,
    }
    written = [] if out is None else _write(out, suite, data, planners, tasks, repeats, seed)
    if as_json:
        print_json(found | {"files": [str(path) for path in written]})
        return
    for line in _lines(found, rate, difference, power, alpha, repeats):
        print(line)
    if written:
        print(f"Order written to {written[0]}, its key to {written[1]}; open the key at the end.")


def _lines(
    found: dict[str, Any],
    rate: float,
    difference: float,
    power: float,
    alpha: float,
    repeats: int,
) -> list[str]:
    times = f", each played {repeats} times," if repeats > 1 else ""
    lines = [
        f"To tell success rates of {rate + difference:g} and {rate:g} apart with a chance of "
        f"{power:.0%} takes {found['tasks']} tasks{times} with both planners: {found['episodes']} "
        f"episodes (exact McNemar test, alpha {alpha:g}).",
        f"Looked at after every task (--stop-when decided), {found['sequential_mean']:.0f} tasks "
        f"on average where the difference is real, {found['sequential_most']} at most.",
        f"Assumed: tasks drawn at random; the better planner alone solves "
        f"{found['only_better']:.1%} of them, the other alone {found['only_worse']:.1%}.",
    ]
    if repeats > 1:
        lines.append(
            "Repeats count by their correlation (--repeats-correlation), an approximation; with 1, "
            "the default, they tell nothing new."
        )
    return lines


def _write(
    out: Path,
    suite: str | None,
    data: Path | None,
    planners: str,
    tasks: int,
    repeats: int,
    seed: int | None,
) -> list[Path]:
    """Write the order and its key. Raises BadInput rather than overwriting either."""
    from ..results.statistics.blinding import blinded_order, key_csv, order_csv
    from ..results.statistics.stopping import shuffled
    from ..suites.registry import load_suite

    names = [f"task {number}" for number in range(1, tasks + 1)]
    chosen = secrets.randbits(32) if seed is None else seed
    if suite is not None:
        there = [task.id for task in load_suite(suite, data).tasks]
        if len(there) < tasks:
            raise BadInput(
                f"{suite} has {len(there)} tasks, and {tasks} are needed; ask for a larger "
                "--difference or choose another suite."
            )
        names = shuffled(there, chosen)[:tasks]
    order = blinded_order(names, [name.strip() for name in planners.split(",")], repeats, chosen)
    files = {out: order_csv(order), out.with_name(f"{out.stem}.key{out.suffix}"): key_csv(order)}
    for path in files:
        if path.exists():
            raise BadInput(f"{path} is there already; name another file with --out.")
    for path, text in files.items():
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise BadInput(f"{path} cannot be written: {error.strerror}.") from None
    return list(files)
