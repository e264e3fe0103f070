"""The file run.json of a run's folder: all that is needed to run it again."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from ..adapters.contract import STAND_IN
from ..errors import BadInput, PeepholeError
from ..models import serving
from ..models.config import ModelConfig
from ..planners.registry import short_reference
from ..suites.registry import present_name
from ..version import __version__
from .events import SCHEMA_VERSION
from .faults import Faults
from .recording import OUT_OF_SPACE


@dataclass(frozen=True)
class PlannedEpisode:
    """An episode that a run consists of.

    number: its place in the run, from 1. repeat: how often its task was played before in the run.
    seed: that of the run plus the repeat.
    """

    number: int
    task: str
    repeat: int
    seed: int


@dataclass(frozen=True)
class RunConfig:
    """What a run is started with.

    planner: a registered name, or FILE.py:NAME. adapter, dialect: empty for the suite's and the
    planner's default. tasks: ids, in order. seed: of the first time that each is played. repeats:
    how often each is played, every time with the next seed. options: of the planner, those other
    than its defaults, as one writes them after `--set`.
    data: the folder or file of a suite whose tasks the user supplies. isolate: the simulator runs
    in a process of its own. images: what the camera sees is recorded. planning_s: of an episode, in
    place of the suite's and the tasks' own; None for these. models: by role. replays: the folder of
    the run whose recorded replies are played again, "" for a run that asks its models. faults:
    failures that are put into the simulator.
    """

    suite: str
    planner: str
    tasks: tuple[str, ...] = ()
    adapter: str = ""
    dialect: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    repeats: int = 1
    data: str = ""
    isolate: bool = False
    images: bool = False
    planning_s: float | None = None
    models: Mapping[str, ModelConfig] = field(default_factory=dict)
    replays: str = ""
    faults: Faults | None = None

    @property
    def episodes(self) -> tuple[PlannedEpisode, ...]:
        """The episodes in order: all tasks once, then all of them again."""
        played = [(repeat, task) for repeat in range(self.repeats) for task in self.tasks]
        return tuple(
            PlannedEpisode(number, task, repeat, self.seed + repeat)
            for number, (repeat, task) in enumerate(played, start=1)
        )

    @property
    def label(self) -> str:
        """Who acts, as results are labelled: the planner with its options and models.

        Models that are stand-ins are marked so.
        """
        name = short_reference(self.planner)
        if self.options:
            told = (f"{key}={_short(value)}" for key, value in self.options.items())
            name += f"({', '.join(told)})"
        names = [serving.label(model) for model in self.models.values()]
        return ", ".join([name, *dict.fromkeys(names)])


def _short(value: str) -> str:
    """A value of an option as results are labelled: a file without its folder."""
    return Path(value).name if Path(value).is_absolute() else value


@dataclass(frozen=True)
class StandIn:
    """What played in place of the real thing in a run.

    kind: model or engine, or faults: failures put into the simulator. granted: what a stand-in of
    a model has besides the messages.
    """

    kind: str
    name: str
    granted: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """A sentence for readers of results."""
        if self.kind == "engine":
            return f"The engine is {self.name}."
        if self.kind == "faults":
            return f"Failures are put into the simulator, by the rates of {self.name}."
        granted = f", granted besides the messages: {'; '.join(self.granted)}" * bool(self.granted)
        return f"The model {self.name} is a stand-in, not a language model{granted}."


@dataclass(frozen=True)
class RunFile:
    """The content of run.json.

    adapter: its versions and settings, see `Adapter.facts`. files: digests of the files that
    options of the planner name, such as memories, by option.
    """

    config: RunConfig
    grants: tuple[str, ...] = ()
    adapter: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    schema_version: int = SCHEMA_VERSION
    peephole: str = __version__
    python: str = field(default_factory=platform.python_version)
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    @property
    def stand_ins(self) -> tuple[StandIn, ...]:
        """All that played in place of a language model or of the simulator's engine."""
        models = dict.fromkeys(
            StandIn("model", model.name, model.granted)
            for model in self.config.models.values()
            if model.stand_in
        )
        engine = self.adapter.get(STAND_IN)
        faults = self.config.faults
        return (
            *models,
            *([StandIn("engine", str(engine))] if engine else []),
            *([StandIn("faults", faults.file)] if faults else []),
        )

    @property
    def label(self) -> str:
        """Who acted, as results are labelled: that of the config, and what else stood in."""
        engine = ", stand-in engine" * bool(self.adapter.get(STAND_IN))
        return self.config.label + engine + ", injected faults" * (self.config.faults is not None)

    @property
    def mark(self) -> str:
        """What every row of its results says: which of "model" and "engine" is a stand-in, and
        "faults" where failures were put in.
        """
        return " and ".join(dict.fromkeys(stand_in.kind for stand_in in self.stand_ins))


def file_digests(options: BaseModel | None) -> dict[str, str]:
    """Digests of the files that a planner's options name, by option."""
    found = {}
    for option in type(options).model_fields if options is not None else ():
        path = getattr(options, option)
        if isinstance(path, Path) and path.is_file():
            with path.open("rb") as file:
                found[option] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def write_run(run: Path, content: RunFile) -> None:
    """Write run.json, whole or not at all. Raises BadInput where the folder cannot be written."""
    draft = run / "run.json.new"
    try:
        run.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(_adapter().dump_json(content, indent=2) + b"\n")
        draft.replace(run / "run.json")
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        if error.errno in OUT_OF_SPACE:
            raise PeepholeError(
                f"The folder {run} cannot be written ({error.strerror}); nothing that was finished "
                f"is lost: make room, and give the command again."
            ) from None
        raise BadInput(
            f"The folder {run} cannot be written ({error.strerror}); choose another --out."
        ) from None


def read_run(run: Path) -> RunFile:
    """The content of run.json. Raises BadInput naming what is wrong with the folder."""
    path = run / "run.json"
    if not path.is_file():
        raise BadInput(f"{run} is no run folder: it has no run.json.")
    try:
        content = path.read_bytes()
        data = json.loads(content)
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}).") from None
    except ValueError as error:
        raise BadInput(f"{path} is not JSON ({error}).") from None
    version = data.get("schema_version") if isinstance(data, dict) else None
    if version != SCHEMA_VERSION:
        raise BadInput(
            f"{path} has the schema version {version!r}; "
            f"this peephole reads version {SCHEMA_VERSION}."
        )
    try:
        stored: RunFile = _adapter().validate_json(content, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        told = first["msg"][:1].lower() + first["msg"][1:]
        raise BadInput(f"{path}: '{where}' is wrong: {told}; correct it.") from None
    if not stored.config.tasks:
        raise BadInput(f"{path}: 'config.tasks' names no task; correct it.")
    if stored.config.repeats < 1:
        raise BadInput(f"{path}: 'config.repeats' is less than 1; correct it.")
    return replace(stored, config=replace(stored.config, suite=present_name(stored.config.suite)))


@cache
def _adapter() -> TypeAdapter[RunFile]:
    return TypeAdapter(RunFile)
