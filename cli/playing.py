"""How a run appears on a terminal: progress, notes, and its results at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import PeepholeError
from .options import RecordingOptions
from .output import print_json

if TYPE_CHECKING:
    from rich.console import Console

    from ..episodes.engines.choice import EngineName
    from ..episodes.events import RecordedEvent
    from ..episodes.resolve import Run
    from ..episodes.result import EpisodeResult
    from ..episodes.run_file import RunConfig
    from ..models.serving import ModelStart


def play_recorded(run: Run, folder: Path, recording: RecordingOptions) -> None:
    """Play the episodes of a run's folder, with progress and notes on the terminal."""
    from ..episodes.run_file import read_run
    from ..episodes.runner import play, results_of
    from ..results.progress import EpisodeStatusReader, RunProgress
    from ..terminal import terminal_console

    console = terminal_console(stderr=recording.as_json)
    of_planner = read_run(folder).planner.get("note")
    for note in (note_on_models(run.config), _moved(run.config, folder), of_planner):
        if note:
            console.print(note, style="yellow", soft_wrap=True)

    before = len(results_of(folder)) if recording.resume else 0
    progress = RunProgress(
        console,
        len(run.config.episodes),
        watched=recording.watch,
        quiet=run.config.asks_person or run.adapter.spec.attended,
        activities=EpisodeStatusReader(folder, time.time()).now,
        asks_model=bool(run.config.models),
    )
    with _logged(recording, folder, console) as log, _continuable(folder), progress:
        played = play(
            run,
            folder,
            recording.workers,
            event_printer(console) if recording.watch else None,
            on_model_start=partial(print_start, console),
            engine=engine_name(recording),
        )
        uncounted = False
        for number, result in enumerate(played):  # episodes that had already ended come first
            if _is_uncounted(run.config, result) and not uncounted:
                uncounted = True
                console.print(_UNCOUNTED, style="yellow", soft_wrap=True)
            progress.add(result, before=number < before)
            log(result)


@contextmanager
def _logged(
    recording: RecordingOptions, folder: Path, console: Console
) -> Iterator[Callable[[EpisodeResult], None]]:
    """A function that gives a result to the loggers of --log."""
    if not recording.log:
        yield lambda result: None
        return
    from ..results.loggers.run_log import run_log

    note = partial(console.print, soft_wrap=True)
    with run_log(recording.log, folder, partial(note, style="yellow"), note) as log:
        yield log.add


def event_printer(console: Console) -> Callable[[RecordedEvent], None]:
    """A function that prints events as they are recorded, for --watch."""
    from ..results.show.event_lines import event_lines

    def print_event(event: RecordedEvent) -> None:
        for line in event_lines(event):
            console.print(line, soft_wrap=True)

    return print_event


def engine_name(recording: RecordingOptions) -> EngineName:
    """The engine of --engine, or "" for the default one."""
    return "" if recording.engine is None else recording.engine.value


def print_start(console: Console, start: ModelStart) -> None:
    """Print that a model is being started, or how long the start took."""
    if start.seconds is None:
        console.print(f"Starting the model {start.name} …", soft_wrap=True)
    else:
        console.print(f"The model is ready after {start.seconds:.1f} s.")


_UNCOUNTED = (
    "The endpoint does not report the tokens of its replies, so --model-tokens and --model-money "
    "cannot end this run; watch your spending, or limit the run with --tasks."
)


def _is_uncounted(config: RunConfig, result: EpisodeResult) -> bool:
    """Whether a budget is set, but the endpoint reported no tokens for the episode's replies."""
    budgets = (b for m in config.models.values() for b in (m.budget_tokens, m.budget_usd))
    filtered = result.ended == "no_answer"  # refused questions take no tokens
    return bool(result.calls and not result.tokens and not filtered) and any(
        budget is not None for budget in budgets
    )


def _moved(config: RunConfig, folder: Path) -> str:
    """A note that a run continues with another endpoint than it began with, or ""."""
    from ..episodes.run_file import read_run

    moved = {
        f"{before.host} and continues with {now.host}"
        for role, before in read_run(folder).config.models.items()
        if (now := config.models.get(role)) is not None and now.host != before.host
    }
    return f"The run began with the endpoint {', '.join(sorted(moved))}." if moved else ""


def note_on_models(config: RunConfig) -> str:
    """What the user has to know about the run's models, such as that one is a stand-in."""
    if config.replays:
        return f"The replies come from the recording {config.replays}; no model is asked."
    from ..models import serving

    notes = (serving.note(model, config.dialect) for model in config.models.values())
    return " ".join(dict.fromkeys(filter(None, notes)))


@contextmanager
def _continuable(folder: Path) -> Iterator[None]:
    """Add to an error from outside, such as Ctrl-C, how to continue the run."""
    from ..episodes.engines.contract import WorkerKilled
    from ..models.failures import ModelFailure

    advice = f"peephole run --resume --out {folder}"
    try:
        yield
    except KeyboardInterrupt:
        raise PeepholeError(f"Interrupted. Continue with: {advice}") from None
    except WorkerKilled as killed:
        raise PeepholeError(f"{str(killed).rstrip('.')}; then continue with: {advice}") from None
    except ModelFailure as failure:
        if not failure.resumable:
            raise
        problem = str(failure).rstrip(".")
        raise type(failure)(f"{problem}; then continue with: {advice}") from None


def print_results(config: RunConfig, folder: Path, *, as_json: bool) -> None:
    """Print the results of a run.

    Raises PeepholeError where the planner failed or no episode could be scored.
    """
    from ..episodes.run_file import read_run
    from ..episodes.runner import results_of
    from ..results.metrics import run_data
    from ..results.show.figures import results_view
    from ..terminal import terminal_console

    results, content = results_of(folder), read_run(folder)
    if as_json:
        note = note_on_models(config)
        marks = {
            "stand_in": content.mark,
            "stand_ins": [asdict(stand_in) for stand_in in content.stand_ins],
        }
        print_json(run_data(str(folder), results) | marks | ({"note": note} if note else {}))
    else:
        console = terminal_console()
        console.print(results_view([(f"{content.label} on {config.suite}", results)]))
        console.print(f"Recorded in {folder}; read it with: peephole show {folder}", soft_wrap=True)
    failed = [result for result in results if result.ended == "planner_error"]
    if failed:
        task = failed[0].task
        number = next(
            e.number for e, r in zip(config.episodes, results, strict=True) if r is failed[0]
        )
        others = len(failed) - 1
        more = f" and {others} other episode{'s' if others > 1 else ''}" if others else ""
        raise PeepholeError(
            f"The planner failed in {task}{more}: {failed[0].detail}. See the traceback with: "
            f"peephole show {folder} {number}"
        )
    if all(result.success is None for result in results):
        raise PeepholeError(f"No episode could be scored; see why with: peephole show {folder}")
