"""The command that runs a planner on the tasks of a suite, or continues a run."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BadInput
from .model_options import MODEL_FIELDS, config_fields, model_configs
from .options import ModelOptions, RecordingOptions, TaskOptions, with_groups
from .output import json_alone, tell_tasks
from .playing import play_recorded, print_results
from .settings import with_settings

if TYPE_CHECKING:
    from ..episodes.resolve import Run
    from ..episodes.run_file import RunConfig
    from ..models.config import ModelConfig


@with_groups
def run(what: TaskOptions, asks: ModelOptions, recording: RecordingOptions) -> None:
    """Run a planner on the tasks of a suite, and record the episodes."""
    what, asks, recording = with_settings(what, asks, recording)
    if recording.watch and recording.as_json:
        raise BadInput("--watch and --json exclude each other; choose one.")
    if recording.watch and recording.workers > 1:
        raise BadInput("--watch follows one episode at a time; leave --workers out.")
    if what.stop_when is not None and what.grid is None:
        raise BadInput("--stop-when compares the planners of a grid; add --grid.")
    if what.grid is not None:
        from .grid import run_grid

        run_grid(what.grid, what, asks, recording)
        return
    with json_alone(recording.as_json), ExitStack() as stack:
        if recording.resume:
            run, folder = continued(what, asks, recording)
        else:
            source = what.replay_replies
            run = (
                _asked(what, asks, recording)
                if source is None
                else _replayed(source, what, asks, recording)
            )
            folder = stack.enter_context(made(run, recording.out))
        tell_tasks(run.suite, what.tasks)
        play_recorded(run, folder, recording)
    print_results(run.config, folder, as_json=recording.as_json)


def _asked(what: TaskOptions, asks: ModelOptions, recording: RecordingOptions) -> Run:
    """Make a new run of the options. Raises BadInput and Missing for what it lacks."""
    from ..episodes.approval.choice import approval_of
    from ..episodes.faults import read_faults
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
        isolate=recording.isolate,
        images=recording.images,
        planning_s=what.planning_time,
        models=model_configs(asks),
        faults=None if what.faults is None else read_faults(what.faults),
        approval=approval_of(what.approve) if what.approve else None,
    )
    return resolve(config, what.tasks)


@contextmanager
def made(run: Run, out: Path | None) -> Iterator[Path]:
    """Create the folder of a new run. out: the folder, or None for the default name."""
    from ..episodes.run_file import new_folder
    from ..episodes.runner import new_run

    folder = out or new_folder(run.config.suite, run.config.planner)
    with ExitStack() as stack:
        stack.callback(run.adapter.close)
        stack.enter_context(new_run(run, folder))
        yield folder


def _replayed(
    source: Path, what: TaskOptions, asks: ModelOptions, recording: RecordingOptions
) -> Run:
    """Make a run that plays a recorded one again. Raises BadInput for options that differ."""
    from ..episodes.reply_replay import replay_config
    from ..episodes.resolve import resolve
    from ..episodes.run_file import read_run

    if asks.model or asks.asked():
        raise BadInput("--replay-replies asks no model; leave --model and its options out.")
    if what.seed or what.repeats != 1:
        raise BadInput(
            "--replay-replies uses the run's own seed and repeats; leave --seed and --repeats out."
        )
    _refuse_other(source, read_run(source).config, what, recording)
    return resolve(replay_config(source, what.tasks))


def continued(
    what: TaskOptions, asks: ModelOptions, recording: RecordingOptions
) -> tuple[Run, Path]:
    """Load the run that --resume continues. Raises BadInput for options that differ from it."""
    from ..episodes.extension import extend, extended_config
    from ..episodes.recording import set_damaged_aside
    from ..episodes.resolve import resolve
    from ..episodes.run_file import read_run
    from ..episodes.runner import change_models
    from ..suites.registry import load_suite

    folder = recording.out
    if folder is None:
        raise BadInput("--resume needs the run's folder: --out DIR.")
    stored = read_run(folder).config
    if what.replay_replies or (what.seed, what.repeats) not in (
        (0, 1),
        (stored.seed, stored.repeats),
    ):
        raise BadInput(
            "--resume uses the run's own seed, repeats and replies; leave --seed, --repeats and "
            "--replay-replies out."
        )
    _refuse_other(folder, stored, what, recording)
    models = _changed_models(folder, stored.models, asks)
    for sentence in set_damaged_aside(folder):
        print(f"peephole: {sentence}", file=sys.stderr)
    suite = load_suite(stored.suite, Path(stored.data) if stored.data else None)
    config = extended_config(folder, suite, what.tasks)
    run = resolve(replace(config, models=models), suite=suite)
    if models != stored.models:
        change_models(folder, models)
    extend(folder, run)
    return run, folder


def _refuse_other(
    folder: Path, stored: RunConfig, what: TaskOptions, recording: RecordingOptions
) -> None:
    """Raise BadInput for an option that differs from the config of a recorded run."""
    from ..episodes.planner_files import check_named
    from ..planners.options import changed_options, parse_options
    from ..planners.registry import absolute_reference, load_planner, with_argument

    name, wanted = with_argument(what.planner, what.set_options)
    given = {
        "suite": what.suite,
        "planner": absolute_reference(name),
        "adapter": what.adapter,
        "dialect": what.dialect,
        "data": what.data_path,
    }
    for option, value in given.items():
        kept = getattr(stored, option)
        if value and value != kept:
            raise BadInput(f"{folder} was run with --{option} {kept}; leave --{option} out.")
    if what.faults is not None:
        from ..episodes.faults import read_faults

        if read_faults(what.faults) != stored.faults:
            raise BadInput(
                f"{folder} was run with {stored.faults.file if stored.faults else 'no'} --faults "
                f"or with other rates; leave --faults out."
            )
    if what.approve:
        from ..episodes.approval.choice import approval_of

        if approval_of(what.approve) != stored.approval:
            kept = "without --approve" if stored.approval is None else stored.approval.text
            raise BadInput(f"{folder} was run {kept}; leave --approve out.")
    if what.planning_time not in (None, stored.planning_s):
        raise BadInput(f"{folder} was run with another --planning-time; leave the option out.")
    check_named(stored.planner, folder, name)
    planner = load_planner(stored.planner)
    set_again = parse_options(planner, {**stored.options, **wanted})
    if changed_options(planner, set_again) != dict(stored.options):
        kept = " ".join(f"--set {key}={value}" for key, value in stored.options.items())
        raise BadInput(f"{folder} was run with {kept or 'no --set'}; leave --set out.")
    for option in ("isolate", "images"):
        if getattr(recording, option) and not getattr(stored, option):
            raise BadInput(f"{folder} was run without --{option}; leave the option out.")


def _changed_models(
    folder: Path, kept: Mapping[str, ModelConfig], asks: ModelOptions
) -> dict[str, ModelConfig]:
    """The models of a resumed run. Budgets and time-outs may change, names and sampling may not.

    Raises BadInput for an option that may not change.
    """
    from ..grids.unchanged import MAY_CHANGE

    asked = asks.asked()
    if not kept and (asks.model or asked):
        raise BadInput(f"{folder} was run without a model; leave --model and its options out.")
    for role, name in asks.by_role().items():
        if role not in kept or kept[role].name != name:
            names = " ".join(
                f"--model {config.name}" if role == "planner" else f"--model {role}={config.name}"
                for role, config in kept.items()
            )
            raise BadInput(f"{folder} was run with {names}; leave --model out.")
    for option, value in asked.items():
        for config in kept.values():
            before = getattr(config, MODEL_FIELDS[option])
            if MODEL_FIELDS[option] not in MAY_CHANGE and value != before:
                raise BadInput(f"{folder} was run with {option} {before}; leave {option} out.")
    return {role: replace(config, **config_fields(asked)) for role, config in kept.items()}
