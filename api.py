"""The Python API: make an environment, run a planner, continue a run.

import peephole

with peephole.make("houses") as environment:
    percept = environment.reset()
    percept = environment.step(environment.menu()[0])

run = peephole.run(planner="explore", suite="robothow", tasks=20)
print(run.figures["gsr"])
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import plugins
from .adapters.contract import Adapter
from .adapters.registry import connect
from .episodes.approval.approver import Approver
from .episodes.approval.choice import approval_of, approver_of
from .episodes.batch.batch import Batch
from .episodes.batch.choice import batch_of
from .episodes.branches.parent import Change, branch_config, read_parent
from .episodes.engines.choice import EngineName
from .episodes.engines.processes import end_if_script_runs_again
from .episodes.environment import Environment
from .episodes.events import RecordedEvent
from .episodes.extension import extend, extended_config
from .episodes.faults import read_faults
from .episodes.planner_files import check_named
from .episodes.recording import set_damaged_aside
from .episodes.reply_replay import replay_config
from .episodes.resolve import (
    Run,
    WantedTasks,
    checked_tasks,
    chosen_tasks,
    dialect_for,
    load_dialect,
    resolve,
    task_called,
    tasks_note,
)
from .episodes.result import EpisodeResult
from .episodes.run_file import RunConfig, new_folder, read_run
from .episodes.runner import new_run, play, results_of
from .errors import BadInput, Missing, each_name
from .installed import Lack
from .models.config import ModelConfig
from .observation_text.dialect import Dialect
from .planners.contract import Planner, grants_of
from .planners.options import written
from .results.metrics import summarize
from .results.statistics.estimates import Estimate
from .scene_graph.task import Task
from .suites.contract import Suite
from .suites.registry import load_suite

if TYPE_CHECKING:
    import pandas

    from .results.loggers.run_log import LoggerName, RunLog
    from .results.progress import RunProgress


def make(
    suite: str | Suite,
    *,
    task: str | Task | None = None,
    adapter: str | Adapter = "",
    dialect: str | Dialect = "",
    grants: str | Sequence[str] = (),
    seed: int = 0,
    data: str | Path | None = None,
    approve: str | Path | Approver | None = None,
) -> Environment:
    """The world of one episode. Close it, or use it in a `with` statement.

    suite: a name from `peephole suites`. task: a task id; the first task by default. adapter: a
    name from `peephole adapters`; the suite's own by default. dialect: the wording of observations
    and actions; by default the first with words for the adapter's actions. grants: what the agent
    gets beyond views, such as "goal" or "truth". data: the tasks of a suite that has none of its
    own. approve: who allows or denies each action: "person" in the terminal, a file of rules, or an
    approver.

    Raises BadInput for unknown names and Missing for what is not installed.
    """
    if isinstance(suite, str):
        suite = load_suite(suite, None if data is None else Path(data))
    if task is None:
        with plugins.guarded("suite", suite.name):  # it may make its tasks only now
            task = suite.tasks[0]
    elif not isinstance(task, Task):
        task = task_called(suite, task)
    if not isinstance(adapter, Adapter):
        adapter = connect(adapter or suite.adapter)
    if not isinstance(dialect, Dialect):
        dialect = load_dialect(dialect) if dialect else dialect_for(adapter.spec)
    return Environment(
        adapter,
        task,
        dialect,
        rules=suite.rules,
        budgets=suite.budgets,
        grants=grants_of(grants),
        seed=seed,
        approver=approver_of(approval_of(approve)) if isinstance(approve, str | Path) else approve,
    )


def make_batch(
    suite: str | Suite,
    *,
    tasks: WantedTasks = "",
    size: int = 128,
    adapter: str = "",
    dialect: str | Dialect = "",
    seed: int = 0,
    data: str | Path | None = None,
) -> Batch:
    """Many episodes at once in this process, for training. Close it, or use it in a `with`.

    tasks: how many, or their ids; all by default. size: the number of episodes at a time. adapter:
    by default the built-in world that has the suite's scenes, else the suite's own. dialect, data:
    as in `make`. seed: of the first round of tasks; each further round has the next.

    Raises BadInput for unknown names and sizes below 1, and Missing for what is not installed.
    """
    if isinstance(suite, str):
        suite = load_suite(suite, None if data is None else Path(data))
    return batch_of(suite, chosen_tasks(suite, tasks), size, adapter, dialect, seed)


@dataclass(frozen=True)
class RunResults:
    """The results of a run. folder: of its recording. results: of its episodes, in order."""

    folder: Path
    results: tuple[EpisodeResult, ...]

    @property
    def figures(self) -> dict[str, Estimate]:
        """The run's figures with 95 % intervals, by name: "gsr", "ssr", "steps" …"""
        return summarize(self.results)

    def frame(self) -> pandas.DataFrame:
        """The episodes as a table of pandas, a row each, as `peephole show --csv` has them.

        `labels`, `failures` and the like are columns of dictionaries. Raises Missing without
        pandas.
        """
        if find_spec("pandas") is None:
            raise Missing(Lack("A data frame needs pandas", "frame"))
        import pandas

        from .results.tables.rows import run_document

        return pandas.DataFrame(run_document(self.folder)["rows"])

    def _repr_html_(self) -> str:
        """The table of `peephole show`, in a notebook."""
        from .results.show.runs import run_html

        return run_html(self.folder)


def run(
    planner: str | Planner,
    suite: str | Suite,
    *,
    tasks: WantedTasks = "",
    adapter: str = "",
    dialect: str = "",
    options: Mapping[str, Any] | None = None,
    model: str | ModelConfig | Mapping[str, str | ModelConfig] | None = None,
    seed: int = 0,
    repeats: int = 1,
    data: str | Path | None = None,
    isolate: bool = False,
    images: bool = False,
    planning_s: float | None = None,
    faults: str | Path | None = None,
    approve: str | Path | None = None,
    workers: int = 1,
    engine: EngineName = "",
    out: str | Path | None = None,
    watch: Callable[[RecordedEvent], None] | None = None,
    progress: bool = False,
    log: LoggerName | Sequence[LoggerName] = (),
) -> RunResults:
    """Run a planner on tasks of a suite and record it, as `peephole run` does.

    planner: a name, "FILE.py:NAME", or a planner object. An object is played in this process, one
    episode at a time or with the engine "threads", and `resume` needs it again. suite: a name or a
    suite. tasks: how many, or their ids; all by default. repeats: how often each is played, with
    the next seed every time. options: of the planner. model: a name, or names by role. images:
    whether to record camera images. planning_s: planning seconds of an episode; by default those of
    the suite and its tasks. faults: a file of failures to inject. approve: "person" in the
    terminal, or a file of rules. workers: number of episodes that run in parallel. engine:
    "serial", "threads", "processes" or "ray"; by default as in `peephole run`. out: the folder of
    the recording. watch: called with every event as it is recorded (one worker only). progress:
    whether to show it on standard error. log: trackers that are told of the results, as in
    `log_run`.

    Raises BadInput, Missing and ModelFailure, each with one sentence that says what to do.
    """
    end_if_script_runs_again()
    wanted = checked_tasks(tasks)
    named = suite if isinstance(suite, str) else suite.name
    player = planner if isinstance(planner, str) else planner.name
    config = RunConfig(
        suite=named,
        planner=player,
        tasks=() if isinstance(wanted, str) else wanted,
        adapter=adapter,
        dialect=dialect,
        options={key: written(value) for key, value in (options or {}).items()},
        seed=seed,
        repeats=repeats,
        data="" if data is None else str(Path(data).resolve()),
        isolate=isolate,
        images=images,
        planning_s=planning_s,
        models=_models(model),
        faults=None if faults is None else read_faults(Path(faults)),
        approval=None if approve is None else approval_of(approve),
    )
    in_words = wanted if isinstance(wanted, str) else ""
    resolved = resolve(
        config,
        in_words,
        planner=None if isinstance(planner, str) else planner,
        suite=None if isinstance(suite, str) else suite,
    )
    if note := tasks_note(resolved.suite, in_words):
        warnings.warn(note, stacklevel=2)
    here = not (isinstance(planner, str) and isinstance(suite, str))
    how = _Playing(workers, engine, watch, progress, here, _several(log))
    return _recorded(resolved, out, how)


def resume(
    folder: str | Path,
    *,
    tasks: WantedTasks = "",
    planner: Planner | None = None,
    suite: Suite | None = None,
    workers: int = 1,
    engine: EngineName = "",
    watch: Callable[[RecordedEvent], None] | None = None,
    progress: bool = False,
    log: LoggerName | Sequence[LoggerName] = (),
) -> RunResults:
    """Continue a run that was cut off, or extend it by more tasks.

    tasks: all that the run is to have, as in `run`; it only grows. By default those that it has.
    planner, suite: those of the run, where it was begun with objects. workers, engine, watch,
    progress, log: as in `run`. Damaged files are kept, with a warning each, and their episodes are
    played again. Raises BadInput where the folder holds no run, or one of another planner or suite.
    """
    end_if_script_runs_again()
    folder = Path(folder)
    config = read_run(folder).config
    for what, given, name in (("planner", planner, config.planner), ("suite", suite, config.suite)):
        if given is not None and given.name != name:
            raise BadInput(f"{folder} was run with the {what} {name}, not {given.name}.")
    if planner is None:
        check_named(config.planner, folder)
    for sentence in set_damaged_aside(folder):
        warnings.warn(sentence, stacklevel=2)
    given_suite = suite is not None
    suite = suite or load_suite(config.suite, Path(config.data) if config.data else None)
    wanted = checked_tasks(tasks)
    wanted = wanted if isinstance(wanted, str) else ",".join(wanted)
    if note := tasks_note(suite, wanted):
        warnings.warn(note, stacklevel=2)
    config = extended_config(folder, suite, wanted)
    run = resolve(config, planner=planner, suite=suite)
    here = planner is not None or given_suite
    with ExitStack() as stack:
        stack.callback(run.adapter.close)
        extend(folder, run)
        how = _Playing(workers, engine, watch, progress, here, _several(log))
        return _played(run, folder, how)


def read(folder: str | Path) -> RunResults:
    """The results of a recorded run, which may still be played. Raises BadInput for no run."""
    folder = Path(folder)
    return RunResults(folder, tuple(results_of(folder)))


def log_run(folder: str | Path, *log: LoggerName) -> None:
    """Log a recorded run to trackers; one that was logged before is continued.

    log: "wandb", "mlflow", "tensorboard", a plugin's name, or a `RunLogger`. A name may have "="
    and a project, experiment or folder after it. Raises BadInput or Missing for a tracker that
    cannot be reached, and PeepholeError where it fails.
    """
    from .results.loggers.run_log import log_run

    log_run(Path(folder), log)


def branch(
    folder: str | Path,
    episode: int | str,
    *,
    at: int,
    action: str = "",
    planner: str | Planner = "",
    model: str | ModelConfig | Mapping[str, str | ModelConfig] | None = None,
    options: Mapping[str, Any] | None = None,
    repeats: int = 1,
    suite: Suite | None = None,
    workers: int = 1,
    out: str | Path | None = None,
    watch: Callable[[RecordedEvent], None] | None = None,
) -> RunResults:
    """Play a recorded episode to a step, change one thing, and play it on as a run of its own.

    episode: its number in the run, or its task's id. at: the first step that is not repeated, from
    1. action: done at that step instead of the planner's, in the run's dialect. planner: takes over
    there. model, options: of the planner from there on. Without a change its model is asked again.
    repeats: how often it is played on, every time with the next seed of the model. suite: that of
    the run, where it was begun with an object; a planner object of the run's name is no change.

    Raises BadInput for a step that is not recorded, and where the episode cannot be repeated.
    """
    from .results.show.episode_view import episode_number

    end_if_script_runs_again()
    folder = Path(folder)
    config = read_run(folder).config
    given = None if isinstance(planner, str) else planner
    other = planner if isinstance(planner, str) else planner.name
    parent = read_parent(folder, episode_number(folder, config, str(episode)))
    change = Change(
        action=action,
        planner="" if given is not None and other == config.planner else other,
        options={key: written(value) for key, value in (options or {}).items()},
        models=_models(model),
    )
    if given is None and not change.planner:
        check_named(config.planner, folder)
    config = branch_config(parent, at, change, repeats, given)
    here = given is not None or suite is not None
    run = resolve(config, planner=given, suite=suite)
    return _recorded(run, out, _Playing(workers, watch=watch, here=here))


def replay_replies(
    source: str | Path,
    *,
    tasks: str | Sequence[str] = (),
    planner: Planner | None = None,
    suite: Suite | None = None,
    workers: int = 1,
    out: str | Path | None = None,
    watch: Callable[[RecordedEvent], None] | None = None,
) -> RunResults:
    """Play a recorded run again with its recorded replies, without its models.

    The new recordings equal the old ones, byte for byte. tasks: ids; all that have ended by
    default. planner, suite: those of the run, where it was begun with objects. out, workers, watch:
    as in `run`; watch is called after an episode was found equal. Raises NotReplayed, which says
    where the run differs, and BadInput where the folder holds no ended episode.
    """
    end_if_script_runs_again()
    source = Path(source)
    config = replay_config(source, ",".join(each_name(tasks)))
    if planner is None:
        check_named(config.planner, source)
    run = resolve(config, planner=planner, suite=suite)
    here = not (planner is None and suite is None)
    return _recorded(run, out, _Playing(workers, watch=watch, here=here))


@dataclass(frozen=True)
class _Playing:
    """How a run is played; see `run`. here: in this process only."""

    workers: int
    engine: EngineName = ""
    watch: Callable[[RecordedEvent], None] | None = None
    progress: bool = False
    here: bool = False
    log: Sequence[LoggerName] = ()


def _recorded(run: Run, out: str | Path | None, how: _Playing) -> RunResults:
    """Play a new run to its end. out: its folder; None for a name with the time."""
    folder = new_folder(run.config.suite, run.config.planner) if out is None else Path(out)
    with ExitStack() as stack:
        stack.callback(run.adapter.close)
        stack.enter_context(new_run(run, folder))
        return _played(run, folder, how)


def _played(run: Run, folder: Path, how: _Playing) -> RunResults:
    """Play what is left of a run."""
    ended = 0 if not how.progress else len(results_of(folder))
    with (
        _logged(how.log, folder) as logs,
        _shown(run, folder) if how.progress else nullcontext() as shown,
    ):
        played = play(run, folder, how.workers, how.watch, engine=how.engine, here=how.here)
        for number, result in enumerate(played):
            if shown is not None:
                shown.add(result, before=number < ended)
            if logs is not None:
                logs.add(result)
    return RunResults(folder, tuple(results_of(folder)))


def _shown(run: Run, folder: Path) -> RunProgress:
    from .results.progress import EpisodeStatusReader, RunProgress
    from .terminal import terminal_console

    return RunProgress(
        terminal_console(stderr=True),
        len(run.config.episodes),
        quiet=run.config.asks_person or run.adapter.spec.attended,
        activities=EpisodeStatusReader(folder, time.time()).now,
        asks_model=bool(run.config.models),
    )


def _logged(log: Sequence[LoggerName], folder: Path) -> AbstractContextManager[RunLog | None]:
    if not log:
        return nullcontext()
    from .results.loggers.run_log import run_log

    return run_log(log, folder, warn=lambda sentence: warnings.warn(sentence, stacklevel=2))


def _several(log: LoggerName | Sequence[LoggerName]) -> Sequence[LoggerName]:
    return log if isinstance(log, list | tuple) else (log,)


def _models(
    model: str | ModelConfig | Mapping[str, str | ModelConfig] | None,
) -> dict[str, ModelConfig]:
    if model is None:
        return {}
    by_role = model if isinstance(model, Mapping) else {"planner": model}
    return {
        role: config if isinstance(config, ModelConfig) else ModelConfig(config)
        for role, config in by_role.items()
    }
