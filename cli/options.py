"""Options that commands share, and those of `peephole run` in groups.

A group is a dataclass with an option a field; `with_groups` makes a command of a function that
takes groups.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from ..errors import BadInput
from .completion import found_grid, grid_names, registered, suites

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
_DATA = "Folder or file of a suite whose tasks you supply."
Data = Annotated[Path | None, typer.Option(metavar="PATH", help=_DATA)]
Suite = Annotated[str, typer.Argument(help="The suite's name.", autocompletion=suites)]
RunFolder = Annotated[Path, typer.Argument(help="The run's folder.")]
RunFolders = Annotated[list[Path], typer.Argument(help="One run, or several to compare.")]


class EngineChoice(StrEnum):
    """How episodes are played, see `episodes.engines`."""

    SERIAL = "serial"
    PROCESSES = "processes"
    RAY = "ray"


class StopWhen(StrEnum):
    """When a grid ends before all is played."""

    DECIDED = "decided"


_task = partial(typer.Option, rich_help_panel="What is run")
_model = partial(typer.Option, rich_help_panel="The planner's language model")
_recording = partial(typer.Option, rich_help_panel="How it runs and is recorded")


@dataclasses.dataclass(frozen=True)
class TaskOptions:
    """What is run: a planner on tasks of a suite in an adapter."""

    suite: Annotated[
        str,
        _task(
            metavar="NAME",
            help="Suite of tasks; see `peephole suites`.",
            autocompletion=suites,
        ),
    ] = ""
    planner: Annotated[
        str,
        _task(
            metavar="NAME",
            help="Planner; see `peephole planners`; or FILE.py:NAME of your own.",
            autocompletion=registered("planner"),
        ),
    ] = ""
    set_: Annotated[
        list[str] | None,
        _task("--set", metavar="KEY=VALUE", help="Option of the planner; may be repeated."),
    ] = None
    adapter: Annotated[
        str,
        _task(
            metavar="NAME",
            help="Simulator; the suite's own by default.",
            autocompletion=registered("adapter"),
        ),
    ] = ""
    dialect: Annotated[
        str,
        _task(
            metavar="NAME",
            help="Wording; the planner's own by default.",
            autocompletion=registered("dialect"),
        ),
    ] = ""
    data: Annotated[Path | None, _task(metavar="PATH", help=_DATA)] = None
    tasks: Annotated[
        str,
        _task(
            metavar="N|N-M|IDS",
            help="The first N tasks, or from N to M, or ids, split by commas; all by default.",
        ),
    ] = ""
    seed: Annotated[int, _task(metavar="K", help="Seed of simulator, planner and model.")] = 0
    repeats: Annotated[
        int,
        _task(
            metavar="R", min=1, help="How often each task is played, with the next seed each time."
        ),
    ] = 1
    grid: Annotated[
        Path | None,
        _task(
            metavar="FILE|NAME",
            help="Play all runs of a table or figure: a file, or one of Peephole's own by its "
            "name, such as reactree_table1.",
            callback=found_grid,
            autocompletion=grid_names,
        ),
    ] = None
    stop_when: Annotated[
        StopWhen | None,
        _task(
            metavar="decided",
            help="Of a grid: play no more than tells its first planner from each of the others.",
        ),
    ] = None
    replay_replies: Annotated[
        Path | None,
        _task(metavar="RUN", help="Play a recorded run again with its replies, without a model."),
    ] = None
    planning_time: Annotated[
        float | None,
        _task(
            metavar="S",
            min=0,
            help="Seconds of the planner's own in an episode; the suite's by default.",
        ),
    ] = None

    faults: Annotated[
        Path | None,
        _task(
            metavar="FILE",
            help="Let actions fail by the rates of a file, as `peephole compare --calibrate` "
            "writes it.",
        ),
    ] = None

    @property
    def set_options(self) -> dict[str, str]:
        """The planner's options that are set, by name. Raises BadInput for a malformed one."""
        found: dict[str, str] = {}
        for pair in self.set_ or ():
            key, equals, value = pair.partition("=")
            if not equals or not key.strip():
                raise BadInput(f"--set {pair} is malformed; write it as --set KEY=VALUE.")
            if key.strip() in found:
                raise BadInput(f"--set gives {key.strip()} two values; leave one out.")
            found[key.strip()] = value.strip()
        return found

    @property
    def data_path(self) -> str:
        """The data's absolute path, as it is stored; empty for none."""
        return str(self.data.resolve()) if self.data else ""


@dataclasses.dataclass(frozen=True)
class ModelOptions:
    """The model that is asked, and what it may take; None where the user does not say."""

    model: Annotated[
        list[str] | None,
        _model(
            metavar="[ROLE=]NAME",
            help="Model of your endpoint, FILE.gguf, or one of `peephole models`, such as 'local'. "
            "ROLE=NAME for a role of its own, such as vision=NAME; may be repeated.",
            autocompletion=registered("model"),
        ),
    ] = None
    temperature: Annotated[
        float | None,
        _model(metavar="T", min=0, help="Of its sampling; 0 by default, 1 where it makes tasks."),
    ] = None
    reply_tokens: Annotated[
        int | None,
        _model(metavar="N", min=1, help="Tokens of one reply at most; 1024 by default."),
    ] = None
    reasoning_effort: Annotated[
        str | None,
        _model(metavar="WORD", help="How much it thinks before it answers, such as low or high."),
    ] = None
    reasoning_tokens: Annotated[
        int | None,
        _model(metavar="N", min=0, help="Tokens for that, besides those of the reply."),
    ] = None
    model_threads: Annotated[
        int | None,
        _model(metavar="N", min=1, help="Threads of the processor for a model that runs here."),
    ] = None
    model_context: Annotated[
        int | None,
        _model(
            metavar="N",
            min=256,
            help="Tokens that an episode's conversation with it may have; 8192 by default.",
        ),
    ] = None
    model_tokens: Annotated[
        int | None,
        _model(metavar="N", min=1, help="Tokens that the run may take of its model."),
    ] = None
    model_money: Annotated[
        float | None,
        _model(metavar="USD", min=0, help="US dollars that it may spend on its model."),
    ] = None
    price_in: Annotated[
        float | None,
        _model(metavar="USD", min=0, help="US dollars per million tokens read."),
    ] = None
    price_out: Annotated[
        float | None,
        _model(metavar="USD", min=0, help="US dollars per million tokens written."),
    ] = None
    price_cached: Annotated[
        float | None,
        _model(metavar="USD", min=0, help="The same of input that its server had read before."),
    ] = None
    model_timeout: Annotated[
        float | None,
        _model(metavar="S", min=0.1, help="Seconds that one request to it may take."),
    ] = None
    model_patience: Annotated[
        float | None,
        _model(
            metavar="S",
            min=0,
            help="Seconds for which it is asked again after errors that may pass; 300 by default.",
        ),
    ] = None
    reply_cache: Annotated[
        Path | None,
        _model(metavar="DIR", help="Folder of replies that runs share; no question is paid twice."),
    ] = None

    def by_role(self) -> dict[str, str]:
        """The models' names by role; "planner" where none is given."""
        found: dict[str, str] = {}
        for given in self.model or ():
            match = re.fullmatch(r"([a-z_]+)=(.*)", given)
            role, name = (match[1], match[2]) if match else ("planner", given)
            if not name:
                raise BadInput(f"--model {given} names no model; write it as --model ROLE=NAME.")
            if role in found:
                raise BadInput(f"--model names two models for the role '{role}'; give one.")
            found[role] = name
        return found

    def without_budgets(self) -> ModelOptions:
        """The same where something else limits what is spent."""
        return dataclasses.replace(self, model_tokens=None, model_money=None)

    def asked(self) -> dict[str, Any]:
        """What is set besides the model's name, by option: `--reply-tokens`."""
        return {
            "--" + field.name.replace("_", "-"): (
                str(value.resolve()) if isinstance(value, Path) else value
            )
            for field in dataclasses.fields(self)
            if field.name != "model" and (value := getattr(self, field.name)) is not None
        }


@dataclasses.dataclass(frozen=True)
class RecordingOptions:
    """How a run is carried out, and where its recording goes."""

    workers: Annotated[
        int,
        _recording(metavar="N", min=1, help="Processes to run episodes in."),
    ] = 1
    engine: Annotated[
        EngineChoice | None,
        _recording(
            metavar="NAME",
            help="serial, processes or ray; processes by default where there are several workers.",
        ),
    ] = None
    images: Annotated[
        bool,
        _recording("--images", help="Record what the camera sees after every action."),
    ] = False
    isolate: Annotated[
        bool,
        _recording("--isolate", help="Run the simulator in a process of its own."),
    ] = False
    out: Annotated[Path | None, _recording(metavar="DIR", help="Folder of the recording.")] = None
    resume: Annotated[
        bool,
        _recording("--resume", help="Continue the run in --out."),
    ] = False
    watch: Annotated[
        bool,
        _recording("--watch", help="Print every step as it happens."),
    ] = False
    as_json: Annotated[
        bool,
        _recording("--json", help="Print one JSON document and nothing else."),
    ] = False


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command of a function whose parameters are groups: every field becomes an option."""
    groups: dict[str, type] = {
        name: hint for name, hint in get_type_hints(command).items() if name != "return"
    }

    def grouped(**given: Any) -> None:
        for name, value in given.items():
            if isinstance(value, float) and not math.isfinite(value):
                option = "--" + name.replace("_", "-")
                raise BadInput(f"{option} {value} is no number to go by; give another or none.")
        command(
            **{
                name: group(
                    **{field.name: given[field.name] for field in dataclasses.fields(group)}
                )
                for name, group in groups.items()
            }
        )

    parameters = []
    for group in groups.values():
        hints = get_type_hints(group, include_extras=True)
        parameters += [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty
                if field.default is dataclasses.MISSING
                else field.default,
                annotation=hints[field.name],
            )
            for field in dataclasses.fields(group)
        ]
    grouped.__name__, grouped.__doc__ = command.__name__, command.__doc__
    grouped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return grouped
