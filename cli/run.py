"""The command that runs a planner on the tasks of a suite, or continues a run."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadInput, PeepholeError
from .options import ModelOptions, RecordingOptions, TaskOptions, with_groups
from .output import json_alone, print_json, tell_omissions

if TYPE_CHECKING:
    from rich.console import Console

    from ..episodes.events import RecordedEvent
    from ..episodes.resolve import Run
    from ..episodes.result import EpisodeResult
    from ..episodes.run_file import RunConfig
    from ..planners.llm.config import ModelConfig
    from ..planners.llm.serving import ModelStart

#: Of the options on a model: the field of `ModelConfig` that each sets.
_MODEL_FIELDS = {
    "--temperature": "temperature",
    "--reply-tokens": "max_tokens",
    "--reasoning-effort": "reasoning_effort",
    "--reasoning-tokens": "reasoning_tokens",
    "--price-in": "price_in",
    "--price-out": "price_out",
    "--price-cached": "price_cached",
    "--model-threads": "threads",
    "--model-context": "context",
    "--reply-cache": "reply_cache",
    "--model-tokens": "budget_tokens",
    "--model-money": "budget_usd",
    "--model-timeout": "timeout_s",
    "--model-patience": "patience_s",
}
#: Those that a resumed run may be given other values of.
_MAY_CHANGE = {
    "--model-tokens",
    "--model-money",
    "--model-timeout",
    "--model-patience",
    "--model-threads",
    "--reply-cache",
}


@with_groups
def run(what: TaskOptions, asks: ModelOptions, how: RecordingOptions) -> None:
    """Run a planner on the tasks of a suite, and record it."""
    if how.watch and how.as_json:
        raise BadInput("--watch and --json exclude each other; choose one.")
    if how.watch and how.workers > 1:
        raise BadInput("--watch needs --workers 1.")
    with json_alone(how.as_json):
        if how.resume:
            run, folder = _continued(what, asks, how)
        elif what.replay_replies is not None:
            run, folder = _replayed(what.replay_replies, what, asks, how)
        else:
            run, folder = _begun(what, asks, how)
        tell_omissions(run.suite)
        _play(run, folder, how)
    _print_results(run.config, folder, as_json=how.as_json)


def _begun(what: TaskOptions, asks: ModelOptions, how: RecordingOptions) -> tuple[Run, Path]:
    """Check what a new run needs and make its folder."""
    from ..episodes.resolve import resolve
    from ..episodes.run_file import RunConfig

    if not what.suite or not what.planner:
        raise BadInput(
            "A run needs --suite and --planner; see `peephole suites` and `peephole planners`."
        )
    config = RunConfig(
        suite=what.suite,
        planner=what.planner,
        adapter=what.adapter,
        dialect=what.dialect,
        options=what.set_options,
        seed=what.seed,
        repeats=what.repeats,
        data=what.data_path,
        isolate=how.isolate,
        images=how.images,
        planning_s=what.planning_time,
        models=_model_configs(asks),
    )
    return _made(resolve(config, what.tasks), how.out)


def _made(run: Run, out: Path | None) -> tuple[Run, Path]:
    """A new run with the folder that is made for it."""
    from ..episodes.api import new_folder
    from ..episodes.runner import start_run

    folder = out or new_folder(run.config.suite, run.config.planner)
    try:
        start_run(run, folder)
    except BaseException:
        run.adapter.close()
        raise
    return run, folder


def _replayed(
    source: Path, what: TaskOptions, asks: ModelOptions, how: RecordingOptions
) -> tuple[Run, Path]:
    """Check that a recorded run can be played again, and make the folder of the new one."""
    from ..episodes.reply_replay import replay_config
    from ..episodes.resolve import resolve
    from ..episodes.run_file import read_run

    if asks.model or asks.asked():
        raise BadInput("--replay-replies asks no model; leave the model's options out.")
    if what.seed or what.repeats != 1:
        raise BadInput(
            "--replay-replies goes by the run's own seed and repeats; leave --seed and --repeats "
            "out."
        )
    _refuse_other(source, read_run(source).config, what, how)
    return _made(resolve(replay_config(source, what.tasks)), how.out)


def _model_configs(asks: ModelOptions) -> dict[str, ModelConfig]:
    asked = asks.asked()
    if not asks.model:
        if asked:
            raise BadInput(f"{next(iter(asked))} needs --model.")
        return {}
    from ..planners.llm.config import ModelConfig

    fields = _fields(asked)
    return {role: ModelConfig(name=name, **fields) for role, name in asks.by_role().items()}


def _fields(asked: dict[str, Any]) -> dict[str, Any]:
    return {_MODEL_FIELDS[option]: value for option, value in asked.items()}


def _continued(what: TaskOptions, asks: ModelOptions, how: RecordingOptions) -> tuple[Run, Path]:
    """Check that the options leave a run as it was begun, and load it."""
    from ..episodes.recording import set_damaged_aside
    from ..episodes.resolve import resolve
    from ..episodes.run_file import read_run
    from ..episodes.runner import change_models

    folder = how.out
    if folder is None:
        raise BadInput("--resume needs the run's folder: --out DIR.")
    if what.tasks or what.seed or what.repeats != 1 or what.replay_replies:
        raise BadInput(
            "--resume goes on with the run's own tasks, seed, repeats and replies; leave --tasks, "
            "--seed, --repeats and --replay-replies out."
        )
    stored = read_run(folder).config
    _refuse_other(folder, stored, what, how)
    models = _changed_models(folder, stored.models, asks)
    for sentence in set_damaged_aside(folder):
        print(f"peephole: {sentence}", file=sys.stderr)
    run = resolve(replace(stored, models=models))
    if models != stored.models:
        change_models(folder, models)
    return run, folder


def _refuse_other(
    folder: Path, stored: RunConfig, what: TaskOptions, how: RecordingOptions
) -> None:
    """A resumed run keeps its config; an option that says otherwise is a mistake."""
    from ..planners.options import changed_options, parse_options
    from ..planners.registry import absolute_reference, load_planner

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
    if what.planning_time not in (None, stored.planning_s):
        raise BadInput(f"{folder} was run with another --planning-time; leave it out.")
    planner = load_planner(stored.planner)
    set_again = parse_options(planner, {**stored.options, **what.set_options})
    if changed_options(planner, set_again) != dict(stored.options):
        told = " ".join(f"--set {key}={value}" for key, value in stored.options.items())
        raise BadInput(f"{folder} was run with {told or 'no --set'}; leave --set out.")
    for option, wanted, kept in (
        ("isolate", how.isolate, stored.isolate),
        ("images", how.images, stored.images),
    ):
        if wanted and not kept:
            raise BadInput(f"{folder} was run without --{option}; leave it out.")


def _changed_models(
    folder: Path, kept: Mapping[str, ModelConfig], asks: ModelOptions
) -> dict[str, ModelConfig]:
    """A resumed run keeps its models and their sampling; budgets and time-outs may be others."""
    asked = asks.asked()
    if not kept and (asks.model or asked):
        raise BadInput(f"{folder} was run without a model; leave the model's options out.")
    for role, name in asks.by_role().items():
        if role not in kept or kept[role].name != name:
            names = " ".join(
                f"--model {config.name}" if role == "planner" else f"--model {role}={config.name}"
                for role, config in kept.items()
            )
            raise BadInput(f"{folder} was run with {names}; leave --model out.")
    for option, value in asked.items():
        for config in kept.values():
            before = getattr(config, _MODEL_FIELDS[option])
            if option not in _MAY_CHANGE and value != before:
                raise BadInput(f"{folder} was run with {option} {before}; leave {option} out.")
    return {role: replace(config, **_fields(asked)) for role, config in kept.items()}


def _play(run: Run, folder: Path, how: RecordingOptions) -> None:
    """Run the folder's episodes with progress on the terminal."""
    from rich.console import Console

    from ..episodes.activity import ActivityReader
    from ..episodes.progress import RunProgress
    from ..episodes.runner import play, results_of
    from ..episodes.show import event_lines

    console = Console(stderr=how.as_json, highlight=False, markup=False)
    for note in (_note(run.config), _moved(run.config, folder)):
        if note:
            console.print(note, style="yellow", soft_wrap=True)

    def print_event(event: RecordedEvent) -> None:
        for line in event_lines(event):
            console.print(line, soft_wrap=True)

    before = len(results_of(folder)) if how.resume else 0
    progress = RunProgress(
        console,
        len(run.config.episodes),
        watched=how.watch,
        activities=ActivityReader(folder, time.time()).now,
        asks_model=bool(run.config.models),
    )
    with _continuable(folder), progress:
        played = play(
            run,
            folder,
            how.workers,
            print_event if how.watch else None,
            on_model_start=partial(_print_start, console),
        )
        uncounted = False
        for number, result in enumerate(played):  # those that had ended already come first
            if _is_uncounted(run.config, result) and not uncounted:
                uncounted = True
                console.print(_UNCOUNTED, style="yellow", soft_wrap=True)
            progress.add(result, before=number < before)


def _print_start(console: Console, start: ModelStart) -> None:
    """Say that a model is being started, or how long that took."""
    if start.seconds is None:
        console.print(f"Starting the model {start.name} …", soft_wrap=True)
    else:
        console.print(f"It is ready after {start.seconds:.1f} s.")


_UNCOUNTED = (
    "The endpoint does not tell how many tokens its replies take, so --model-tokens and "
    "--model-money cannot end this run; watch its spending yourself, or limit it with --tasks."
)


def _is_uncounted(config: RunConfig, result: EpisodeResult) -> bool:
    """Whether budgets were set that an episode's replies without tokens cannot use up."""
    budgets = (b for m in config.models.values() for b in (m.budget_tokens, m.budget_usd))
    filtered = result.ended == "no_answer"  # refused questions take no tokens
    return bool(result.calls and not result.tokens and not filtered) and any(
        budget is not None for budget in budgets
    )


def _moved(config: RunConfig, folder: Path) -> str:
    """A sentence where a run goes on with another endpoint than it was begun with."""
    from ..episodes.run_file import read_run

    moved = {
        f"{before.host} and goes on with {now.host}"
        for role, before in read_run(folder).config.models.items()
        if (now := config.models.get(role)) is not None and now.host != before.host
    }
    return f"The run was begun with the endpoint {', '.join(sorted(moved))}." if moved else ""


def _note(config: RunConfig) -> str:
    """What the user has to know of the run's models."""
    if config.replays:
        return f"Played with the replies recorded in {config.replays}; no model is asked."
    from ..planners.llm import serving

    return " ".join(filter(None, map(serving.note, dict.fromkeys(config.models.values()))))


@contextmanager
def _continuable(folder: Path) -> Iterator[None]:
    """Say how to continue the run where something outside of it cut it off."""
    from ..episodes.engines import WorkerKilled
    from ..planners.llm.failures import ModelFailure

    advice = f"peephole run --resume --out {folder}"
    try:
        yield
    except KeyboardInterrupt:
        raise PeepholeError(f"Interrupted. Continue with: {advice}") from None
    except WorkerKilled:
        raise PeepholeError(
            f"A process of the run was killed, perhaps for want of memory; continue with: {advice}"
        ) from None
    except ModelFailure as failure:
        if not failure.resumable:
            raise
        told = str(failure).rstrip(".")
        raise type(failure)(f"{told}; then continue with: {advice}") from None


def _print_results(config: RunConfig, folder: Path, *, as_json: bool) -> None:
    """Print what a run has come to.

    Raises PeepholeError where the planner failed or no episode could be scored.
    """
    from rich.console import Console

    from ..episodes.metrics import run_data
    from ..episodes.run_file import read_run
    from ..episodes.runner import results_of
    from ..episodes.show import results_view

    results, content = results_of(folder), read_run(folder)
    if as_json:
        note = _note(config)
        marks = {
            "stand_in": content.mark,
            "stand_ins": [asdict(stand_in) for stand_in in content.stand_ins],
        }
        print_json(run_data(str(folder), results) | marks | ({"note": note} if note else {}))
    else:
        console = Console(highlight=False, markup=False)
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
            f"The planner failed in {task}{more}: {failed[0].detail}. Its traceback: "
            f"peephole show {folder} {number}"
        )
    if all(result.success is None for result in results):
        raise PeepholeError(
            f"No episode could be scored; what became of them is in: peephole show {folder}"
        )
