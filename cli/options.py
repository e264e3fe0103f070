"""Options that commands share, and the groups of options of `peephole run`.

A group is a dataclass with one option per field. `with_groups` makes a command of a function whose
parameters are groups.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import math
import re
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from ..errors import BadInput
from .completion import found_grid, grid_names, registered, suites

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
DATA = "Folder or file with your own data, for a suite that reads some."
Data = Annotated[Path | None, typer.Option(metavar="PATH", help=DATA)]
_TASKS: dict[str, Any] = {
    "metavar": "N|N-M|IDS",
    "help": "Which tasks: the first N, numbers N to M, or ids with commas between. By default all.",
}
Tasks = Annotated[str, typer.Option(**_TASKS)]
ADAPTER: dict[str, Any] = {
    "metavar": "NAME",
    "help": "Simulator; see `peephole adapters`. By default the suite's own.",
    "autocompletion": registered("adapter"),
}
AdapterName = Annotated[str, typer.Option(**ADAPTER)]
#: The option --grid; its help differs.
GridOption = partial(
    typer.Option, metavar="FILE|NAME", callback=found_grid, autocompletion=grid_names
)
Suite = Annotated[
    str, typer.Argument(help="Name of a suite; see `peephole suites`.", autocompletion=suites)
]
RunFolder = Annotated[Path, typer.Argument(help="Folder of a run.")]
RunFolders = Annotated[
    list[Path], typer.Argument(help="Folder of a run, or several folders to compare.")
]


#: The value of an --approve that names no file; `episodes.approval.choice` has it, too.
PERSON = "person"


def set_values(pairs: Sequence[str] | None) -> dict[str, str]:
    """The values of --set KEY=VALUE, by key. Raises BadInput for a malformed one."""
    found: dict[str, str] = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise BadInput(f"--set {pair} is malformed; write it as --set KEY=VALUE.")
        if key.strip() in found:
            raise BadInput(f"--set gives two values for {key.strip()}; leave one out.")
        found[key.strip()] = value.strip()
    return found


class EngineChoice(StrEnum):
    """How episodes are played; see `episodes.engines`."""

    SERIAL = "serial"
    THREADS = "threads"
    PROCESSES = "processes"
    RAY = "ray"


class StopWhen(StrEnum):
    """When a grid ends early."""

    DECIDED = "decided"


_WHAT = "What is run"
_task = partial(typer.Option, rich_help_panel=_WHAT)
_model = partial(typer.Option, rich_help_panel="The planner's language model")
_recording = partial(typer.Option, rich_help_panel="How it runs and is recorded")


@dataclasses.dataclass(frozen=True)
class TaskOptions:
    """What is run: a planner on tasks of a suite in an adapter. The descriptions are the help's."""

    config: Annotated[Path | None, _task(metavar="FILE")] = None
    """Settings of the run in a YAML file, named like these options. Options of the command come
    first."""
    suite: Annotated[str, _task(metavar="NAME", autocompletion=suites)] = ""
    """Suite that has the tasks; see `peephole suites`."""
    planner: Annotated[str, _task(metavar="NAME", autocompletion=registered("planner"))] = ""
    """Planner to run: a name from `peephole planners`, or FILE.py:NAME for your own. With --resume,
    name the file of a run that is not yours."""
    set_: Annotated[list[str] | None, _task("--set", metavar="KEY=VALUE")] = None
    """Option of the planner; see `peephole planners NAME`. May be repeated."""
    adapter: Annotated[str, _task(**ADAPTER)] = ""
    dialect: Annotated[str, _task(metavar="NAME", autocompletion=registered("dialect"))] = ""
    """How observations and actions are written as text. By default the planner's own."""
    data: Annotated[Path | None, _task(metavar="PATH", help=DATA)] = None
    tasks: Annotated[str, _task(**_TASKS)] = ""
    seed: Annotated[int, _task(metavar="K")] = 0
    """Random seed of the simulator, the planner and the model."""
    repeats: Annotated[int, _task(metavar="R", min=1)] = 1
    """How often to play each task. Repeats have seeds K, K+1 and so on."""
    grid: Annotated[Path | None, GridOption(rich_help_panel=_WHAT)] = None
    """Play all runs of a table or figure: a grid file, or the name of a grid that comes with
    Peephole, such as reactree_table1."""
    stop_when: Annotated[StopWhen | None, _task(metavar="decided")] = None
    """End a grid as soon as there are enough episodes to compare its first planner with each of
    the others."""
    replay_replies: Annotated[Path | None, _task(metavar="RUN")] = None
    """Play a recorded run again with its recorded model replies."""
    planning_time: Annotated[float | None, _task(metavar="S", min=0)] = None
    """Seconds of computing that the planner may use in an episode, besides model replies. By
    default the suite's limit."""
    faults: Annotated[Path | None, _task(metavar="FILE")] = None
    """Let actions fail at random, at the rates in a file that `peephole compare --calibrate`
    wrote."""

    approve: Annotated[str, _task(metavar="[FILE]")] = ""
    """Ask a person in the terminal before each action, or the rules in FILE. A denied action
    fails, and the planner reads why."""

    @property
    def set_options(self) -> dict[str, str]:
        """The values of --set, by option. Raises BadInput for a malformed one."""
        return set_values(self.set_)

    @property
    def data_path(self) -> str:
        """The absolute path of --data, as a recording stores it; empty without --data."""
        return str(self.data.resolve()) if self.data else ""


def with_person(arguments: Sequence[str]) -> list[str]:
    """Arguments in which an --approve without a file names the person."""
    ends = (*arguments[1:], "--")
    return [
        f"{each}={PERSON}" if each == "--approve" and after.startswith("-") else each
        for each, after in zip(arguments, ends, strict=False)
    ]


@dataclasses.dataclass(frozen=True)
class ModelOptions:
    """The language model, and the limits of its use; None where the user sets nothing."""

    model: Annotated[
        list[str] | None, _model(metavar="[ROLE=]NAME", autocompletion=registered("model"))
    ] = None
    """A model of your endpoint, a FILE.gguf, or a name from `peephole models`. ROLE=NAME, such
    as vision=NAME, sets the model of one role. May be repeated."""
    temperature: Annotated[float | None, _model(metavar="T", min=0)] = None
    """Sampling temperature. By default 0, or 1 in commands that generate tasks."""
    reply_tokens: Annotated[int | None, _model(metavar="N", min=1)] = None
    """Most tokens in one reply. By default what the question needs, 1024 or more."""
    reasoning_effort: Annotated[str | None, _model(metavar="WORD")] = None
    """Reasoning effort before a reply, such as low or high."""
    reasoning_tokens: Annotated[int | None, _model(metavar="N", min=0)] = None
    """Most tokens for reasoning, besides those of the reply."""
    model_threads: Annotated[int | None, _model(metavar="N", min=1)] = None
    """CPU threads for a model that runs on this machine."""
    model_context: Annotated[int | None, _model(metavar="N", min=256)] = None
    """Context length in tokens of a model that runs on this machine. By default 8192."""
    model_tokens: Annotated[int | None, _model(metavar="N", min=1)] = None
    """End the run when its model has used N tokens."""
    model_money: Annotated[float | None, _model(metavar="USD", min=0)] = None
    """End the run when its model has cost USD US dollars."""
    price_in: Annotated[float | None, _model(metavar="USD", min=0)] = None
    """US dollars per million input tokens."""
    price_out: Annotated[float | None, _model(metavar="USD", min=0)] = None
    """US dollars per million output tokens."""
    price_cached: Annotated[float | None, _model(metavar="USD", min=0)] = None
    """US dollars per million cached input tokens."""
    model_timeout: Annotated[float | None, _model(metavar="S", min=0.1)] = None
    """Most seconds for one request to the model."""
    model_patience: Annotated[float | None, _model(metavar="S", min=0)] = None
    """Seconds for which a request is repeated after temporary errors. By default 300."""
    reply_cache: Annotated[Path | None, _model(metavar="DIR")] = None
    """Folder with replies that runs share, so that the same prompt is paid only once."""

    def by_role(self) -> dict[str, str]:
        """The names of the models by role. A NAME without a role is for "planner"."""
        found: dict[str, str] = {}
        for given in self.model or ():
            match = re.fullmatch(r"([a-z_]+)=(.*)", given)
            role, name = (match[1], match[2]) if match else ("planner", given)
            if not name:
                raise BadInput(f"--model {given} has no name; write it as --model ROLE=NAME.")
            if role in found:
                raise BadInput(f"--model gives two models for the role '{role}'; leave one out.")
            found[role] = name
        return found

    def without_budgets(self) -> ModelOptions:
        """The same options without budgets, for a grid, which has a budget of its own."""
        return dataclasses.replace(self, model_tokens=None, model_money=None)

    def asked(self) -> dict[str, Any]:
        """The options that are set besides --model, by name, such as `--reply-tokens`."""
        return {
            "--" + field.name.replace("_", "-"): (
                str(value.resolve()) if isinstance(value, Path) else value
            )
            for field in dataclasses.fields(self)
            if field.name != "model" and (value := getattr(self, field.name)) is not None
        }


@dataclasses.dataclass(frozen=True)
class RecordingOptions:
    """How a run is played, and where its recording goes."""

    workers: Annotated[int, _recording(metavar="N", min=1)] = 1
    """Number of episodes that run in parallel."""
    engine: Annotated[EngineChoice | None, _recording(metavar="NAME")] = None
    """What runs the workers: serial, threads, processes or ray. By default threads where episodes
    wait for an endpoint in a built-in world, else processes; serial for one worker."""
    images: Annotated[bool, _recording("--images")] = False
    """Record the camera image after every action."""
    isolate: Annotated[bool, _recording("--isolate")] = False
    """Run the simulator in a process of its own."""
    out: Annotated[Path | None, _recording(metavar="DIR")] = None
    """Folder for the recording. By default a new one in runs/."""
    resume: Annotated[bool, _recording("--resume")] = False
    """Continue the run that is in --out."""
    log: Annotated[
        list[str] | None, _recording(metavar="NAME[=PLACE]", autocompletion=registered("logger"))
    ] = None
    """Also log the results to wandb, mlflow or tensorboard. PLACE is the project, experiment or
    folder. May be repeated."""
    watch: Annotated[bool, _recording("--watch")] = False
    """Print every step as it happens."""
    as_json: Annotated[bool, _recording("--json")] = False
    """Print one JSON document and nothing else."""


def _parameter(name: str, hint: Any, default: object = dataclasses.MISSING) -> inspect.Parameter:
    default = inspect.Parameter.empty if default is dataclasses.MISSING else default
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=hint)


@cache
def _source(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[module]))


def _field_texts(group: type) -> dict[str, str]:
    """The texts under the fields of a group, which are the descriptions in the help."""
    (body,) = (
        each.body
        for each in _source(group.__module__).body
        if isinstance(each, ast.ClassDef) and each.name == group.__name__
    )
    return {
        field.target.id: " ".join(str(text.value.value).split())
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    }


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command of a function whose parameters are groups, or typer's context.

    Every field of a group becomes an option, with the text below it as its description.
    """
    hints = get_type_hints(command)
    groups: dict[str, Any] = {n: h for n, h in hints.items() if dataclasses.is_dataclass(h)}
    contexts = {name: hint for name, hint in hints.items() if hint is typer.Context}

    def grouped(**given: Any) -> None:
        for name, value in given.items():
            if isinstance(value, float) and not math.isfinite(value):
                option = "--" + name.replace("_", "-")
                raise BadInput(f"{option} {value} is not a finite number; give another.")
        filled = {
            name: group(**{field.name: given[field.name] for field in dataclasses.fields(group)})
            for name, group in groups.items()
        }
        command(**filled, **{name: given[name] for name in contexts})

    parameters = [_parameter(name, hint) for name, hint in contexts.items()]
    for group in groups.values():
        hints, texts = get_type_hints(group, include_extras=True), _field_texts(group)
        for field in dataclasses.fields(group):
            hint = hints[field.name]
            if field.name in texts and get_origin(hint) is Annotated:
                get_args(hint)[1].help = texts[field.name]
            elif field.name in texts:
                hint = Annotated[hint, typer.Option(help=texts[field.name])]
            parameters.append(_parameter(field.name, hint, field.default))
    grouped.__name__, grouped.__doc__ = command.__name__, command.__doc__
    grouped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return grouped
