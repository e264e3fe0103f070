"""Commands that list adapters, planners, models, suites and the tasks of a suite."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

import typer

from .completion import registered
from .completion import suites as completed_suites
from .options import Data, Json, Suite
from .output import json_alone, print_entries, print_json, tell_tasks

if TYPE_CHECKING:
    from ..adapters.registry import AdapterStatus
    from ..episodes.compatibility import Playable
    from ..models.serving import ModelStatus
    from ..planners.registry import PlannerStatus
    from ..suites.registry import SuiteStatus

#: A node in a task's instruction.
_NODE = re.compile(r"\{(\d+)\}")


class _Status(Protocol):
    @property
    def name(self) -> str: ...

    def to_data(self) -> dict[str, Any]: ...


StatusT = TypeVar("StatusT", bound=_Status)


def _list(
    statuses: Callable[[], Sequence[StatusT]],
    lines: Callable[[StatusT], Iterable[str]],
    as_json: bool,
) -> None:
    """Print the entries of one kind. lines: the lines that describe an entry."""
    with json_alone(as_json):
        found = statuses()
    if as_json:
        print_json([status.to_data() for status in found])
    else:
        print_entries({status.name: lines(status) for status in found})


def adapters(as_json: Json = False) -> None:
    """List the adapters of simulators, which are ready, and how to install the others."""
    from ..adapters.registry import adapter_status

    _list(adapter_status, _adapter_lines, as_json)


def _adapter_lines(status: AdapterStatus) -> list[str]:
    lines = [f"{'ready' if status.ready else 'NOT READY'}  {status.summary}".rstrip()]
    if status.tested_on:
        lines.append(f"run against: {status.tested_on}")
    return [*lines, *([status.missing] if status.missing else [])]


def planners(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Planner to describe in full: a name, or FILE.py:NAME for your own.",
            autocompletion=registered("planner"),
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the planners, or describe one: what it may see, its models, suites and options."""
    from ..episodes.compatibility import playable
    from ..planners.registry import planner_status, status_of

    with json_alone(as_json):
        statuses = planner_status() if name is None else [status_of(name)]
        plays = playable(status.name for status in statuses) if name or as_json else {}
    if as_json:
        found = [each.to_data() | plays[each.name].to_data() for each in statuses]
        print_json(found if name is None else found[0])
    elif name is None:
        print_entries({each.name: _described(each) for each in statuses})
        print("\nFor the options of a planner: peephole planners NAME")
    else:
        print_entries({each.name: _planner_lines(each, plays[each.name]) for each in statuses})


def _described(status: PlannerStatus | ModelStatus, more: Iterable[str] = ()) -> list[str]:
    """The summary of a plugin, further lines, and what is missing."""
    head = f"{'' if status.ready else 'NOT READY  '}{status.summary}".rstrip()
    return [head, *more, *([status.missing] if status.missing else [])]


def _planner_lines(status: PlannerStatus, plays: Playable) -> list[str]:
    lines = []
    if status.dialects:
        lines.append(_asked(status.models))
        lines.append(f"granted: {', '.join(['view', *status.grants])}")
        lines.append(f"dialects: {', '.join(status.dialects)}")
        lines.append(f"suites: {', '.join(plays.suites) or 'none of those that are ready'}")
        lines.append(f"adapters: {', '.join(plays.adapters) or 'none'}")
    for option in status.options:
        description = f": {option.description}" if option.description else ""
        lines.append(f"--set {option.name}={option.default} ({option.type}){description}")
    return _described(status, lines)


def _asked(roles: tuple[str, ...]) -> str:
    if not roles:
        return "asks no model"
    given = ("--model NAME" if role == "planner" else f"--model {role}=NAME" for role in roles)
    return f"asks models: {', '.join(roles)} (give {' '.join(given)})"


def models(as_json: Json = False) -> None:
    """List the models that Peephole can serve. Any other --model is one of your endpoint."""
    from ..models.serving import model_status

    _list(model_status, _model_lines, as_json)


def _model_lines(status: ModelStatus) -> list[str]:
    warning = "a stand-in, not a language model; use its results only to check mechanisms"
    return _described(status, [warning] if status.stand_in else [])


def suites(
    name: Annotated[
        str | None,
        typer.Argument(help="Suite to describe in full.", autocompletion=completed_suites),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the suites of tasks, or describe one: adapters, dialects, budgets and data."""
    from ..suites.registry import status_of, suite_status

    if name is None:
        _list(suite_status, _suite_lines, as_json)
        return
    from ..episodes.compatibility import suite_page

    with json_alone(as_json):
        status = status_of(name)
        page = suite_page(name) if status.tasks else {}
    if as_json:
        print_json(status.to_data() | page)
    else:
        print_entries({name: [*_suite_lines(status), *(f"{k}: {v}" for k, v in page.items())]})


def _suite_lines(status: SuiteStatus) -> list[str]:
    if status.missing is not None:
        return [f"NOT READY  {status.summary}".rstrip(), status.missing]
    from ..suites.contract import omissions_of

    omissions = omissions_of(status.skipped, status.notes)
    return [f"{status.tasks} tasks in {status.adapter}. {status.summary}", *omissions]


def tasks(suite: Suite, data: Data = None, as_json: Json = False) -> None:
    """List the tasks of a suite: ids and instructions.

    In an instruction, #17 stands for the name of node 17, which only the loaded scene has.
    """
    from .. import plugins
    from ..scene_graph.goal_codec import goal_to_data
    from ..suites.registry import load_suite

    with json_alone(as_json), plugins.guarded("suite", suite):
        found = load_suite(suite, data)
        loaded = tuple(found.tasks)
        tell_tasks(found)
    if not as_json:
        print_entries({task.id: [_NODE.sub(r"#\1", task.instruction)] for task in loaded})
        return
    print_json(
        [
            {
                "id": task.id,
                "instruction": task.instruction,
                "scene": task.scene,
                "labels": task.labels,
                "goal": goal_to_data(task.goal),
                "candidates": None if task.candidates is None else goal_to_data(task.candidates),
            }
            for task in loaded
        ]
    )
