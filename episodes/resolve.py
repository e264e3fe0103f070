"""Loads all that a run names, once, and checks that it fits together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from .. import plugins
from ..adapters.contract import Adapter, AdapterSpec, Capability
from ..adapters.registry import connect, require
from ..errors import BadInput, Missing, PeepholeError, unknown_name
from ..installed import together
from ..models import serving
from ..models.config import ModelConfig
from ..observation_text.dialect import Dialect
from ..planners.contract import Grant, Planner
from ..planners.options import changed_options, parse_options
from ..planners.registry import absolute_reference, load_planner, with_argument
from ..scene_graph.task import ONLY_A_PERSON_JUDGES, Task
from ..suites.contract import Suite
from ..suites.registry import load_suite
from .run_file import RunConfig, check_repeats

if TYPE_CHECKING:
    from pydantic import BaseModel


#: The dialect of environments for which none is named.
DEFAULT_DIALECT = "reactree_plain"


@dataclass(frozen=True)
class Run:
    """A run with everything that its config names."""

    config: RunConfig
    """Resolved: with names and models filled in."""
    suite: Suite
    """The suite."""
    tasks: Mapping[str, Task]
    """Those of the config, by id."""
    planner: Planner
    """The planner, with the grants of its options."""
    options: BaseModel | None
    """An instance of the planner's options."""
    adapter: Adapter
    """Connected, not reset yet."""
    dialect: Dialect
    """The wording of observations and actions."""


def resolve(
    config: RunConfig,
    tasks: str = "",
    *,
    planner: Planner | None = None,
    suite: Suite | None = None,
) -> Run:
    """Load all that a config names, once, and check that it fits together.

    tasks: which tasks, as `--tasks` names them, where the config names none. planner, suite: used
    instead of those that the config names. The caller closes the adapter. Raises BadInput where
    something does not fit, Missing where something is not installed, with one command that installs
    all of it, and PeepholeError where nothing could score the run.
    """
    if planner is None:
        name, options = with_argument(config.planner, config.options)
        config = replace(config, planner=name, options=options)
    try:
        return _resolve(config, tasks, planner, suite)
    except Missing as error:
        raise together([error, *_also_missing(config, planner, suite)]) from error


def _resolve(config: RunConfig, tasks: str, planner: Planner | None, suite: Suite | None) -> Run:
    suite = suite or load_suite(config.suite, Path(config.data) if config.data else None)
    if planner is None:
        planner = load_planner(config.planner)
        config = replace(config, planner=absolute_reference(config.planner))
    with plugins.guarded("suite", suite.name):  # it may make its tasks only now
        ids = config.tasks or select_tasks(suite, tasks)
        chosen = tasks_of(suite, ids)
    check_repeats(config.repeats, len(ids))
    if config.planning_s is not None:
        suite, chosen = _with_planning_s(suite, chosen, config.planning_s)
    with plugins.guarded("planner", planner.name):
        missing = planner.missing()
    if missing is not None:
        raise Missing(missing)
    _check_sources(planner, suite)
    options = parse_options(planner, config.options)
    planner = planner.granted_by(options)
    _check_goals(planner, chosen)
    models = dict(config.models) if config.replays else _checked_models(planner, config.models)
    adapter_name = config.adapter or suite.adapter
    adapter = connect(adapter_name, isolated=config.isolate)
    try:
        needed = _needed(planner, images=config.images)
        if config.replays:
            needed[Capability.REPLAYABLE] = "--replay-replies does its actions again"
        if config.branch is not None:
            needed[Capability.REPLAYABLE] = "a branch does the actions of its parent again"
        require(adapter.spec, needed)
        if Capability.IMAGES in needed:
            adapter.check_images()
        check_scorable(adapter.spec)
        if config.isolate and adapter.spec.attended:
            raise BadInput(
                f"The adapter {adapter.spec.name} has a person or a robot, which needs this "
                f"process; leave --isolate out."
            )
        name, dialect = _dialect(config.dialect, planner, adapter.spec)
    except BaseException:
        adapter.close()
        raise
    config = replace(
        config,
        tasks=ids,
        adapter=adapter_name,
        dialect=name,
        options=changed_options(planner, options),
        models=models,
    )
    return Run(config, suite, chosen, planner, options, adapter, dialect)


def _also_missing(
    config: RunConfig, planner: Planner | None, suite: Suite | None
) -> Iterator[Missing]:
    """What else is not installed of what a run needs that cannot start for want of something."""

    def lack_of_planner() -> None:
        with plugins.guarded("planner", config.planner):
            missing = (planner or load_planner(config.planner)).missing()
        if missing is not None:
            raise Missing(missing)

    def lack_of_adapter() -> None:
        name = config.adapter or (suite or load_suite(config.suite)).adapter
        connect(name).close()

    def lack_of_models() -> None:
        for model in config.models.values():
            serving.checked(model)

    for check in (lack_of_planner, lack_of_adapter, lack_of_models):
        try:
            check()
        except Missing as error:
            yield error
        except PeepholeError:
            continue


#: Tasks of a suite: "" for all, how many, a text as after `--tasks`, or their ids.
WantedTasks = str | int | Sequence[str]


def checked_tasks(wanted: WantedTasks) -> str | tuple[str, ...]:
    """What the Python API takes as tasks: a text as after `--tasks`, or ids. Raises BadInput."""
    if isinstance(wanted, str):
        return wanted
    if isinstance(wanted, int) and not isinstance(wanted, bool):
        return str(wanted)
    if isinstance(wanted, Sequence) and wanted and all(isinstance(each, str) for each in wanted):
        return tuple(wanted)
    raise BadInput(f"tasks is a number, a range such as '3-8', or a list of ids, not {wanted!r}.")


def chosen_tasks(suite: Suite, wanted: WantedTasks) -> Sequence[Task]:
    """The wanted tasks, in the suite's order. Raises BadInput."""
    asked = checked_tasks(wanted)
    with plugins.guarded("suite", suite.name):  # it may make its tasks only now
        if not asked:
            return suite.tasks
        ids = select_tasks(suite, asked) if isinstance(asked, str) else asked
        return list(tasks_of(suite, ids).values())


def task_called(suite: Suite, name: str) -> Task:
    """A task by its id. Raises BadInput."""
    if not isinstance(name, str):
        raise BadInput(f"A task is named by its id, a text, not {name!r}.")
    return chosen_tasks(suite, [name])[0]


def select_tasks(suite: Suite, wanted: str) -> tuple[str, ...]:
    """Task ids for `--tasks`: "" for all, "12" for the first 12, "13-24" for a range, or ids.

    Ids are split by commas. Raises BadInput.
    """
    text = wanted.strip()
    if text.lstrip("+-").isdecimal():
        if int(text) < 1:
            raise BadInput(f"--tasks {wanted} runs nothing; give a number from 1 or task ids.")
        return tuple(task.id for task in suite.tasks[: int(text)])
    if span := re.fullmatch(r"(\d+)-(\d+)", text):
        first, last = int(span[1]), int(span[2])
        if not 1 <= first <= last <= len(suite.tasks):
            raise BadInput(
                f"--tasks {first}-{last} is no part of {suite.name}, which has tasks 1 to "
                f"{len(suite.tasks)}."
            )
        return tuple(task.id for task in suite.tasks[first - 1 : last])
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


def tasks_note(suite: Suite, wanted: str) -> str:
    """A sentence for a number in `--tasks` that is larger than the suite's, or ""."""
    there = len(suite.tasks)
    asked_more = wanted.strip().lstrip("+").isdecimal() and int(wanted) > there
    return f"The number of tasks in {suite.name} is {there}; all are played." if asked_more else ""


def tasks_of(suite: Suite, wanted: Sequence[str]) -> dict[str, Task]:
    """The tasks of these ids, in the suite's order. Raises BadInput for an unknown id."""
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


def _with_planning_s(
    suite: Suite, tasks: Mapping[str, Task], planning_s: float
) -> tuple[Suite, dict[str, Task]]:
    """The suite and its tasks with another budget of planning seconds."""
    budgets = replace(suite.budgets, planning_s=planning_s)
    return replace(suite, budgets=budgets), {
        name: replace(task, budgets=task.budgets and replace(task.budgets, planning_s=planning_s))
        for name, task in tasks.items()
    }


def can_act_in(planner: Planner, spec: AdapterSpec) -> bool:
    """Whether a planner can play in an adapter: capabilities and a dialect for its actions."""
    if not set(_needed(planner)) <= spec.capabilities or not _is_scorable(spec):
        return False
    for name in planner.dialects:
        with suppress(PeepholeError):  # a dialect that does not load
            if _speaking(name, spec) is not None:
                return True
    return False


def _check_sources(planner: Planner, suite: Suite) -> None:
    shared = planner.sources & suite.sources
    if shared:
        raise BadInput(
            f"The planner {planner.name} has counted object places in {', '.join(shared)}, "
            f"from which the suite {suite.name} is made; choose another planner or suite."
        )


def _check_goals(planner: Planner, tasks: Mapping[str, Task]) -> None:
    """Raise BadInput where a planner is granted a goal and a task has only written criteria."""
    for task in tasks.values() if Grant.GOAL in planner.grants else ():
        if task.goal == ONLY_A_PERSON_JUDGES:
            raise BadInput(
                f"The task {task.id} has no goal that can be granted to the planner "
                f"{planner.name}, only written criteria; choose a planner that reads the "
                f"instruction, or give the task a goal."
            )


def _needed(planner: Planner, *, images: bool = False) -> dict[Capability, str]:
    """The capabilities that a run needs, each with its reason. images: whether it records them."""
    needed: dict[Capability, str] = {}
    if images:
        needed[Capability.IMAGES] = "--images records them"
    if Grant.IMAGES in planner.grants:
        needed[Capability.IMAGES] = f"the planner {planner.name} sees images"
    if Grant.TRUTH in planner.grants:
        needed[Capability.GRAPH] = f"the planner {planner.name} is granted the true state"
    return needed


def check_scorable(spec: AdapterSpec) -> None:
    """Raise PeepholeError where nothing can tell whether a goal holds."""
    if not _is_scorable(spec):
        raise PeepholeError(
            f"Nothing can score this run: the adapter {spec.name} gives no true state and does "
            f"not judge itself; choose another --adapter."
        )


def _is_scorable(spec: AdapterSpec) -> bool:
    return not spec.capabilities.isdisjoint({Capability.GRAPH, Capability.JUDGE})


def _dialect(wanted: str, planner: Planner, spec: AdapterSpec) -> tuple[str, Dialect]:
    """The wanted dialect, or the first with words for the adapter's actions.

    The adapter's own come first, then those of the planner in its order. Raises BadInput where
    there is none.
    """
    if wanted and wanted not in planner.dialects:
        load_dialect(wanted)
        raise BadInput(
            f"The planner {planner.name} does not speak the dialect {wanted}; "
            f"it speaks {', '.join(planner.dialects)}."
        )
    preferred = [name for name in spec.dialects if name in planner.dialects]
    for name in (wanted,) if wanted else (*preferred, *planner.dialects):
        dialect = _speaking(name, spec)
        if dialect is not None:
            return name, dialect
    spoken = [name for name, _ in installed_dialects(spec)]
    what = f"The dialect {wanted}" if wanted else f"The planner {planner.name}"
    raise BadInput(
        f"{what} has no words for the actions of the adapter {spec.name}, which speaks "
        f"{', '.join(spoken)}; choose another {'dialect' if wanted else 'planner'}."
    )


def dialect_for(spec: AdapterSpec) -> Dialect:
    """The first dialect with words for an adapter's actions, by the adapter's list, then by name.

    Raises BadInput if there is none.
    """
    for name in (*spec.dialects, DEFAULT_DIALECT):
        dialect = _speaking(name, spec)
        if dialect is not None:
            return dialect
    for _, dialect in installed_dialects(spec):
        return dialect
    raise BadInput(
        f"No dialect has words for the actions of the adapter {spec.name}; name another adapter."
    )


def _speaking(name: str, spec: AdapterSpec) -> Dialect | None:
    """The dialect of a name if it has words for an adapter's actions. Raises as `load_dialect`."""
    dialect = load_dialect(name)
    with plugins.guarded("dialect", name):
        return dialect if dialect.supports(spec.actions) else None


def installed_dialects(spec: AdapterSpec) -> Iterator[tuple[str, Dialect]]:
    """All dialects with words for an adapter's actions, by name, without broken ones."""
    for name in plugins.names("dialect"):
        with suppress(Missing):
            dialect = _speaking(name, spec)
            if dialect is not None:
                yield name, dialect


def load_dialect(name: str) -> Dialect:
    """The dialect of a name. Raises BadInput for an unknown one, Missing for a broken plugin."""
    dialect = plugins.load("dialect", name)
    if not isinstance(dialect, Dialect):
        raise Missing(
            f"The dialect '{name}' is no dialect (its entry point gives {dialect!r}); correct or "
            f"remove its package."
        )
    return dialect


def _checked_models(planner: Planner, models: Mapping[str, ModelConfig]) -> dict[str, ModelConfig]:
    """The config of each role that a planner asks; "planner" stands in for roles without one."""
    if not planner.models:
        if models:
            raise BadInput(f"The planner {planner.name} asks no model; leave --model out.")
        return {}
    if not models:
        raise BadInput(
            f"The planner {planner.name} asks a language model: give --model NAME for one of "
            f"your endpoint (OPENAI_API_KEY, OPENAI_BASE_URL), --model local for a small one "
            f"that runs here, or --model FILE.gguf."
        )
    for role in models:
        if role not in planner.models:
            raise unknown_name(f"model role of {planner.name}", role, planner.models)
    found = {}
    for role in planner.models:
        config = models.get(role) or models.get("planner")
        if config is None:
            raise BadInput(
                f"The planner {planner.name} asks a model for the role '{role}': give "
                f"--model {role}=NAME."
            )
        if config.budget_usd is not None and not (config.price_in or config.price_out):
            raise BadInput("--model-money needs the model's prices: --price-in and --price-out.")
        found[role] = serving.checked(config)
    return found
