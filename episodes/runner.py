"""Runs the tasks of a suite with one planner, in one or several processes, and resumes runs."""

from __future__ import annotations

import multiprocessing
import os
import platform
import re
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from .. import __version__, plugins
from ..adapters.contract import AdapterSpec
from ..adapters.registry import connect
from ..errors import BadInput, Missing, unknown_name
from ..observation_text.dialect import Dialect
from ..planners.contract import Planner
from ..planners.llm import config as model_data
from ..planners.llm import serving
from ..planners.llm.config import ModelConfig
from ..planners.llm.connection import ModelConnection
from ..planners.llm.spending import spent
from ..planners.llm.usage import Counter, ModelBudget, Usage
from ..planners.registry import load_planner, short_reference
from ..scene_graph.graph import SceneGraph
from ..scene_graph.task import Task
from ..served_model import ModelEndpoint
from ..skills.executor import RetryPolicy
from . import result as result_data
from .episode import EpisodeContext, run_episode
from .event_data import to_model_event
from .event_fields import check_fields
from .instruction_table import instruction_table
from .recording import (
    SCHEMA_VERSION,
    EpisodeLog,
    EventData,
    episode_files,
    episode_path,
    latest,
    read_events,
    read_run,
    write_run,
)
from .result import EpisodeResult
from .suites.contract import Suite
from .suites.registry import load_suite


@dataclass(frozen=True)
class RunConfig:
    """What a run is started with; stored in run.json.

    planner: a registered name, or FILE.py:NAME with an absolute path.
    adapter, dialect: empty for the suite's and the planner's default. tasks: ids, in order.
    data: the folder or file of a suite whose tasks the user supplies. isolate: the simulator runs
    in a process of its own. model: what the planner asks, None where it asks none.
    """

    suite: str
    planner: str
    tasks: tuple[str, ...]
    adapter: str = ""
    dialect: str = ""
    seed: int = 0
    data: str = ""
    isolate: bool = False
    model: ModelConfig | None = None

    @property
    def player(self) -> str:
        """Who acts, as results are labelled: the planner and its model, a stand-in marked so."""
        planner = short_reference(self.planner)
        return planner if self.model is None else f"{planner}, {serving.label(self.model)}"


def select_tasks(suite: Suite, wanted: str) -> tuple[str, ...]:
    """Task ids for `--tasks`: all (""), the first N ("12"), or ids split by commas."""
    if re.fullmatch(r"\s*[+-]?[0-9]+\s*", wanted):
        if int(wanted) < 1:
            raise BadInput(f"--tasks {wanted} runs nothing; give a number from 1 or task ids.")
        return tuple(task.id for task in suite.tasks[: int(wanted)])
    known = [task.id for task in suite.tasks]
    if not wanted:
        return tuple(known)
    chosen = [part.strip() for part in wanted.split(",") if part.strip()]
    if not chosen:
        raise BadInput(f"--tasks '{wanted}' names no task; give a number or ids, split by commas.")
    for task_id in chosen:
        if task_id not in known:
            raise unknown_name(f"task of {suite.name}", task_id, known)
    return tuple(dict.fromkeys(chosen))


def _tasks_of(suite: Suite, wanted: Sequence[str]) -> dict[str, Task]:
    """The tasks of these ids, in the suite's order. Raises BadInput for one that is not there."""
    found: dict[str, Task] = {}
    left = set(wanted)
    for task in suite.tasks:
        if not left:  # a suite may take long to make more
            break
        if task.id in left:
            found[task.id] = task
            left.remove(task.id)
    if left:
        raise unknown_name(f"task of {suite.name}", min(left), [task.id for task in suite.tasks])
    return found


def check_config(config: RunConfig) -> RunConfig:
    """The config with its defaults filled in; raises where planner and dialect do not fit."""
    suite = load_suite(config.suite, Path(config.data) if config.data else None)
    planner = load_planner(config.planner)
    adapter = config.adapter or suite.adapter
    connected = connect(adapter)
    connected.close()
    dialect = _dialect(config.dialect, planner, connected.spec)
    shared = planner.sources & suite.sources
    if shared:
        raise BadInput(
            f"The planner {planner.name} has counted where things are in {', '.join(shared)}, "
            f"which the suite {suite.name} is made from; choose another planner or suite."
        )
    missing = planner.missing()
    if missing is not None:
        raise Missing(missing)
    model = _checked_model(planner, config.model)
    return replace(config, adapter=adapter, dialect=dialect, model=model)


def _dialect(wanted: str, planner: Planner, spec: AdapterSpec) -> str:
    """The dialect that is wanted, or the planner's first that has words for the adapter's actions.

    Raises BadInput where there is none.
    """
    if wanted:
        plugins.load("dialect", wanted)
        if wanted not in planner.dialects:
            raise BadInput(
                f"The planner {planner.name} does not speak the dialect {wanted}; "
                f"it speaks {', '.join(planner.dialects)}."
            )
    for name in (wanted,) if wanted else planner.dialects:
        if plugins.load("dialect", name).supports(spec.actions):
            return name
    spoken = [
        name
        for name in plugins.names("dialect")
        if plugins.load("dialect", name).supports(spec.actions)
    ]
    what = f"The dialect {wanted}" if wanted else f"The planner {planner.name}"
    raise BadInput(
        f"{what} has no words for what can be done in the adapter {spec.name}, which is told in "
        f"{', '.join(spoken)}; choose another {'dialect' if wanted else 'planner'}."
    )


def _checked_model(planner: Planner, model: ModelConfig | None) -> ModelConfig | None:
    if model is None:
        if planner.models:
            raise BadInput(
                f"The planner {planner.name} asks a language model: give --model NAME for one of "
                f"your endpoint (OPENAI_API_KEY, OPENAI_BASE_URL), --model local for a small one "
                f"that runs here, or --model FILE.gguf."
            )
        return None
    if not planner.models:
        raise BadInput(f"The planner {planner.name} asks no model; leave --model out.")
    if model.budget_usd is not None and not (model.price_in or model.price_out):
        raise BadInput("--model-money needs the model's prices: --price-in and --price-out.")
    return serving.checked(model)


def start_run(config: RunConfig, folder: Path) -> None:
    """Make the folder of a new run. Raises BadInput where one is there already."""
    if (folder / "run.json").exists():
        raise BadInput(
            f"{folder} holds a run already; continue it with --resume or choose another --out."
        )
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; choose a new folder as --out.")
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} is not empty and no run; choose another --out.")
    planner = load_planner(config.planner)
    adapter = connect(config.adapter, isolated=config.isolate)
    write_run(
        folder,
        {
            "schema": SCHEMA_VERSION,
            "peephole": __version__,
            "python": platform.python_version(),
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "config": _config_data(config),
            "grants": sorted(planner.grants),
            "adapter": adapter.facts(),
        },
    )
    adapter.close()


def _config_data(config: RunConfig) -> dict[str, Any]:
    return {**asdict(config), "tasks": list(config.tasks)}


def change_model(folder: Path, model: ModelConfig) -> None:
    """Let a run go on with other budgets or time-outs of its model."""
    config = replace(stored_config(folder), model=model)
    write_run(folder, {**read_run(folder), "config": _config_data(config)})


_WORDS = {str: "text", list: "a list", int: "a whole number", bool: "true or false"}


def stored_config(folder: Path) -> RunConfig:
    """The config of an existing run. Raises BadInput naming the field that is wrong."""
    stored = read_run(folder)["config"]
    fields: dict[str, Any] = {}
    expected: Mapping[str, type] = {
        "suite": str,
        "planner": str,
        "tasks": list,
        "adapter": str,
        "dialect": str,
        "seed": int,
        "data": str,
        "isolate": bool,
    }
    for name, kind in expected.items():
        value = stored.get(name)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise BadInput(
                f"{folder / 'run.json'}: 'config.{name}' is {value!r}; expected {_WORDS[kind]}."
            )
        fields[name] = value
    if not fields["tasks"] or not all(isinstance(task, str) for task in fields["tasks"]):
        raise BadInput(
            f"{folder / 'run.json'}: 'config.tasks' is {fields['tasks']!r}; expected ids of tasks."
        )
    model = stored.get("model")
    if isinstance(model, dict):
        fields["model"] = model_data.from_data(model, str(folder / "run.json"))
    elif model is not None:
        raise BadInput(f"{folder / 'run.json'}: 'config.model' is {model!r}; expected an object.")
    return RunConfig(**{**fields, "tasks": tuple(fields["tasks"])})


def run(
    folder: Path,
    workers: int = 1,
    watch: Callable[[EventData], None] | None = None,
) -> Iterator[EpisodeResult]:
    """Run, or continue, all episodes of a run folder; yields each result as it is known.

    Episodes that are finished already are read, not run. watch is called with every event, in
    this process only, so it needs workers = 1.
    """
    config = stored_config(folder)
    open_tasks: list[tuple[int, str]] = []
    for number, task_id in enumerate(config.tasks, start=1):
        finished = finished_result(episode_path(folder, number, task_id))
        if finished is not None:
            yield finished
        else:
            open_tasks.append((number, task_id))
    if not open_tasks:
        return
    with ExitStack() as stack:
        access = _start_model(stack, config, [task_id for _, task_id in open_tasks])
        if workers <= 1:
            purse = None if config.model is None else _purse(config.model, folder)
            worker = stack.enter_context(Worker(config, folder, watch, access, purse))
            for number, task_id in open_tasks:
                yield worker.episode(number, task_id)
            return
        pool = stack.enter_context(_pool(min(workers, len(open_tasks)), config, folder, access))
        futures = [pool.submit(_run_in_worker, number, task_id) for number, task_id in open_tasks]
        for future in as_completed(futures):
            yield future.result()


def _start_model(
    stack: ExitStack, config: RunConfig, open_tasks: list[str]
) -> ModelEndpoint | None:
    """The way to the run's model, started where need be and for as long as the stack lasts."""
    if config.model is None:
        return None
    suite = load_suite(config.suite, Path(config.data) if config.data else None)
    tasks = tuple(_tasks_of(suite, open_tasks).values())
    return stack.enter_context(
        serving.open_endpoint(config.model, config.seed, lambda: _instruction_table(config, tasks))
    )


def _instruction_table(config: RunConfig, tasks: Sequence[Task]) -> dict[str, Any]:
    """What the instructions of some tasks ask for, read off the states that they begin in."""
    adapter = connect(config.adapter, isolated=config.isolate)
    model = "" if config.model is None else config.model.name

    def truth_of(task: Task) -> SceneGraph:
        adapter.reset(task, config.seed)
        truth = adapter.graph()
        if truth is None:
            raise BadInput(
                f"The adapter {config.adapter} gives no true state, which --model {model} needs "
                f"a table of the instructions from; choose another --model or --adapter."
            )
        return truth

    try:
        return instruction_table(tasks, truth_of)
    finally:
        adapter.close()


def _purse(
    model: ModelConfig, folder: Path, tokens: Counter | None = None, usd: Counter | None = None
) -> ModelBudget:
    """The run's purse, with what its recordings say is spent already."""
    purse = ModelBudget(model, tokens, usd)
    total = Usage()
    for path in episode_files(folder):
        models = [event for event in read_events(path) if event["event"] == "model"]
        total += spent(map(to_model_event, models)).total.usage
    purse.add(total)
    return purse


def finished_result(path: Path) -> EpisodeResult | None:
    """The result of an episode's file, or None where it has not ended."""
    if not path.exists():
        return None
    events = latest(read_events(path))
    if not events or events[-1]["event"] != "end":
        return None
    check_fields(events[-1:], path)
    return result_data.from_data(events[-1], str(path))


def results_of(folder: Path) -> list[EpisodeResult]:
    """The results of all finished episodes of a run, in the order of its tasks."""
    config = stored_config(folder)
    found = (
        finished_result(episode_path(folder, number, task_id))
        for number, task_id in enumerate(config.tasks, start=1)
    )
    return [result for result in found if result is not None]


class Worker:
    """What one process holds to run episodes: the connected adapter and the suite's tasks.

    access, purse: of the run's model; without access the planner gets none.
    """

    def __init__(
        self,
        config: RunConfig,
        folder: Path,
        watch: Callable[[EventData], None] | None = None,
        access: ModelEndpoint | None = None,
        purse: ModelBudget | None = None,
    ) -> None:
        suite = load_suite(config.suite, Path(config.data) if config.data else None)
        dialect = plugins.load("dialect", config.dialect)
        assert isinstance(dialect, Dialect)
        self.folder = folder
        self.tasks = _tasks_of(suite, config.tasks)
        self.adapter = connect(config.adapter, isolated=config.isolate)
        self.model: ModelConnection | None = None
        if config.model is not None and access is not None:
            self.model = ModelConnection(config.model, access, purse)
        self.setting = EpisodeContext(
            adapter=self.adapter,
            planner=load_planner(config.planner),
            dialect=dialect.for_visibility(self.adapter.spec.visibility),
            rules=suite.rules,
            budgets=suite.budgets,
            seed=config.seed,
            model=self.model,
            watch=watch,
            policy=RetryPolicy.within(self.adapter.spec.attempt_s),
            sources=suite.sources,
        )

    def episode(self, number: int, task_id: str) -> EpisodeResult:
        path = episode_path(self.folder, number, task_id)
        with EpisodeLog(path) as log:
            check_fields([*log.events, *log.models], path)
            return run_episode(self.setting, self.tasks[task_id], log)

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.adapter.close()
        if self.model is not None:
            self.model.close()


# --- worker processes --------------------------------------------------------------------------

_worker: Worker | None = None


@contextmanager
def _pool(
    workers: int, config: RunConfig, folder: Path, access: ModelEndpoint | None
) -> Iterator[ProcessPoolExecutor]:
    """Worker processes; on an interruption what has not begun is cancelled."""
    context = multiprocessing.get_context("spawn")
    purse = None
    if config.model is not None:
        purse = _purse(config.model, folder, context.Value("d", 0.0), context.Value("d", 0.0))
    pool = ProcessPoolExecutor(
        workers,
        mp_context=context,
        initializer=_start_worker,
        initargs=(config, folder, access, purse),
    )
    try:
        yield pool
    except BaseException:
        for process in list((pool._processes or {}).values()):
            process.terminate()  # every finished step is on disk; the run can be resumed
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _start_worker(
    config: RunConfig, folder: Path, access: ModelEndpoint | None, purse: ModelBudget | None
) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker = Worker(config, folder, access=access, purse=purse)


def _end_with_parent() -> None:
    """A worker never outlives a killed run, which may be resumed at once."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _run_in_worker(number: int, task_id: str) -> EpisodeResult:
    assert _worker is not None
    return _worker.episode(number, task_id)
