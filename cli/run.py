"""The command that runs a planner on the tasks of a suite, or continues a run."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import BadInput, PeepholeError
from .options import ModelOptions, RecordingOptions, TaskOptions, with_groups
from .output import print_json

if TYPE_CHECKING:
    from rich.console import Console

    from ..episodes.recording import EventData
    from ..episodes.result import EpisodeResult
    from ..episodes.runner import RunConfig
    from ..planners.llm.config import ModelConfig

#: Of the options on a model: the field of `ModelConfig` that each sets.
_MODEL_FIELDS = {
    "--temperature": "temperature",
    "--reply-tokens": "max_tokens",
    "--price-in": "price_in",
    "--price-out": "price_out",
    "--model-tokens": "budget_tokens",
    "--model-money": "budget_usd",
    "--model-timeout": "timeout_s",
}
#: Those that a resumed run may be given other values of.
_MAY_CHANGE = {"--model-tokens", "--model-money", "--model-timeout"}


@with_groups
def run(what: TaskOptions, asks: ModelOptions, how: RecordingOptions) -> None:
    """Run a planner on the tasks of a suite, and record it."""
    if how.watch and how.as_json:
        raise BadInput("--watch and --json exclude each other; choose one.")
    if how.watch and how.workers > 1:
        raise BadInput("--watch needs --workers 1.")
    folder = _continued(what, asks, how) if how.resume else _begun(what, asks, how)
    _play(folder, how)


def _begun(what: TaskOptions, asks: ModelOptions, how: RecordingOptions) -> Path:
    """Check what a new run needs and make its folder."""
    from ..episodes.runner import RunConfig, check_config, select_tasks, start_run
    from ..episodes.suites.registry import load_suite
    from ..planners.registry import absolute_reference, short_reference

    if not what.suite or not what.planner:
        raise BadInput(
            "A run needs --suite and --planner; see `peephole suites` and `peephole planners`."
        )
    config = check_config(
        RunConfig(
            suite=what.suite,
            planner=absolute_reference(what.planner),
            tasks=select_tasks(load_suite(what.suite, what.data), what.tasks),
            adapter=what.adapter,
            dialect=what.dialect,
            seed=what.seed,
            data=what.data_path,
            isolate=how.isolate,
            model=_model_config(asks),
        )
    )
    planner = re.sub(r"[^A-Za-z0-9_.-]+", "-", short_reference(what.planner))
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    folder = how.out or Path("runs") / f"{what.suite}-{planner}-{stamp}"
    start_run(config, folder)
    return folder


def _model_config(asks: ModelOptions) -> ModelConfig | None:
    asked = asks.asked()
    if not asks.model:
        if asked:
            raise BadInput(f"{next(iter(asked))} needs --model.")
        return None
    from ..planners.llm.config import ModelConfig

    return ModelConfig(name=asks.model, **_fields(asked))


def _fields(asked: dict[str, Any]) -> dict[str, Any]:
    return {_MODEL_FIELDS[option]: value for option, value in asked.items()}


def _continued(what: TaskOptions, asks: ModelOptions, how: RecordingOptions) -> Path:
    """Check that the options leave a run as it was begun. Returns its folder."""
    from ..episodes.runner import change_model, check_config, stored_config

    folder = how.out
    if folder is None:
        raise BadInput("--resume needs the run's folder: --out DIR.")
    if what.tasks or what.seed:
        raise BadInput("--resume goes on with the run's own tasks and seed; leave them out.")
    stored = stored_config(folder)
    _refuse_other(folder, stored, what, how.isolate)
    model = _changed_model(folder, stored.model, asks)
    check_config(stored)
    if model is not None and model != stored.model:
        change_model(folder, model)
    return folder


def _refuse_other(folder: Path, stored: RunConfig, what: TaskOptions, isolate: bool) -> None:
    """A resumed run keeps its config; an option that says otherwise is a mistake."""
    from ..planners.registry import absolute_reference

    given = {
        "suite": what.suite,
        "planner": absolute_reference(what.planner),
        "adapter": what.adapter,
        "dialect": what.dialect,
        "data": what.data_path,
    }
    for option, value in given.items():
        kept = getattr(stored, option)
        if value and value != kept:
            raise BadInput(f"{folder} was run with --{option} {kept}; leave --{option} out.")
    if isolate and not stored.isolate:
        raise BadInput(f"{folder} was run without --isolate; leave it out.")


def _changed_model(
    folder: Path, kept: ModelConfig | None, asks: ModelOptions
) -> ModelConfig | None:
    """A resumed run keeps its model and sampling; budgets and time-outs may be others."""
    asked = asks.asked()
    if kept is None:
        if asks.model or asked:
            raise BadInput(f"{folder} was run without a model; leave the model's options out.")
        return None
    if asks.model and asks.model != kept.name:
        raise BadInput(f"{folder} was run with --model {kept.name}; leave --model out.")
    for option, value in asked.items():
        before = getattr(kept, _MODEL_FIELDS[option])
        if option not in _MAY_CHANGE and value != before:
            raise BadInput(f"{folder} was run with {option} {before}; leave {option} out.")
    return replace(kept, **_fields(asked))


def _play(folder: Path, how: RecordingOptions) -> None:
    """Run the folder's episodes with progress on the terminal, then print the results."""
    from rich.console import Console

    from ..episodes.progress import RunProgress
    from ..episodes.runner import results_of, stored_config
    from ..episodes.runner import run as run_episodes
    from ..episodes.show import event_lines
    from ..planners.llm import serving

    console = Console(stderr=how.as_json, highlight=False)
    config = stored_config(folder)
    note = serving.note(config.model) if config.model is not None else ""
    if note:
        console.print(note, style="yellow", soft_wrap=True)

    def print_event(event: EventData) -> None:
        for line in event_lines(event):
            console.print(line, soft_wrap=True)

    before = len(results_of(folder)) if how.resume else 0
    with (
        _continuable(folder),
        RunProgress(console, len(config.tasks), quiet=how.watch) as progress,
    ):
        played = run_episodes(folder, how.workers, print_event if how.watch else None)
        for number, result in enumerate(played):  # those that had ended already come first
            progress.add(result.success, before=number < before)
    _print_results(console, folder, config, note, as_json=how.as_json)


@contextmanager
def _continuable(folder: Path) -> Iterator[None]:
    """Say how to continue the run where it is interrupted or the model cannot be asked now."""
    from ..planners.llm.failures import ModelFailure

    advice = f"peephole run --resume --out {folder}"
    try:
        yield
    except KeyboardInterrupt:
        print(f"\nInterrupted. Continue with: {advice}", file=sys.stderr)
        raise typer.Exit(1) from None
    except ModelFailure as failure:
        if not failure.resumable:
            raise
        told = str(failure).rstrip(".")
        raise type(failure)(f"{told}; then continue with: {advice}") from None


def _print_results(
    console: Console, folder: Path, config: RunConfig, note: str, *, as_json: bool
) -> None:
    """Print what a run has come to. Raises PeepholeError where the planner failed."""
    from ..episodes.metrics import run_data
    from ..episodes.runner import results_of
    from ..episodes.show import results_table

    results: list[EpisodeResult] = results_of(folder)
    if as_json:
        print_json(run_data(str(folder), results) | ({"note": note} if note else {}))
    else:
        console.print(results_table([(f"{config.player} on {config.suite}", results)]))
        console.print(f"Recorded in {folder}; read it with: peephole show {folder}", soft_wrap=True)
    failed = next((result for result in results if result.ended == "planner_error"), None)
    if failed is not None:
        raise PeepholeError(f"The planner failed in {failed.task}: {failed.detail}.")
