"""The file run.json of a run's folder: all that is needed to run it again."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter

from ..adapters.contract import STAND_IN
from ..data_files import draft_of, first_mistake_in, json_data, read_text
from ..errors import BadInput, PeepholeError
from ..models import serving
from ..models.config import ModelConfig
from ..planners.registry import short_reference
from ..suites.contract import path_name
from ..suites.registry import present_name
from ..version import __version__
from .approval.choice import PERSON, Approval
from .branches.branch import Branch
from .events import SCHEMA_VERSION
from .faults import Faults
from .provenance import Provenance
from .recording import OUT_OF_SPACE, free_name

#: The most episodes of a run.
MOST_EPISODES = 200_000


def check_repeats(repeats: int, tasks: int) -> None:
    """Raise BadInput for a number of repeats that a run with so many tasks cannot have."""
    most = max(1, MOST_EPISODES // max(1, tasks))
    if not 1 <= repeats <= most:
        raise BadInput(
            f"The number of repeats is not from 1 to {most} (a run has at most {MOST_EPISODES} "
            f"episodes); choose another."
        )


@dataclass(frozen=True)
class PlannedEpisode:
    """An episode of a run.

    number: its place in the run, from 1. repeat: how often its task was played before in the run.
    seed: that of the run plus the repeat.
    """

    number: int
    task: str
    repeat: int
    seed: int


@dataclass(frozen=True)
class RunConfig:
    """What a run is started with."""

    suite: str
    """Name of the suite, with its variant."""
    planner: str
    """A registered name, or FILE.py:NAME."""
    tasks: tuple[str, ...] = ()
    """Ids, in order."""
    extended: tuple[int, ...] = ()
    """Numbers of tasks that the run had before each time that it was extended."""
    adapter: str = ""
    """Name of the adapter; "" for the suite's own."""
    dialect: str = ""
    """Name of the dialect; "" for the default of the planner and the adapter."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Options of the planner other than its defaults, as `--set` takes them."""
    seed: int = 0
    """Of the first time that each task is played."""
    repeats: int = 1
    """How often each task is played, every time with the next seed."""
    data: str = ""
    """Folder or file of a suite whose tasks the user supplies."""
    isolate: bool = False
    """Whether the simulator runs in a process of its own."""
    images: bool = False
    """Whether camera images are recorded."""
    planning_s: float | None = None
    """Planning seconds of an episode; None for those of the suite and its tasks."""
    models: Mapping[str, ModelConfig] = field(default_factory=dict)
    """Model settings by role."""
    replays: str = ""
    """Folder of the run whose replies are played again; "" for a run that asks models."""
    faults: Faults | None = None
    """Failures to inject."""
    approval: Approval | None = None
    """Who approves actions; None where nobody does."""
    branch: Branch | None = None
    """The recorded episode that it branches from; None for a run of its own."""

    @property
    def asks_person(self) -> bool:
        """Whether a person in the terminal is asked while the run is played."""
        return self.approval is not None and self.approval.by == PERSON

    @property
    def episodes(self) -> tuple[PlannedEpisode, ...]:
        """The episodes in order: all tasks once, then all of them again.

        Those of tasks with which the run was extended follow all others, so no number changes.
        """
        parts = pairwise((0, *self.extended, len(self.tasks)))
        played = [
            (repeat, task)
            for first, end in parts
            for repeat in range(self.repeats)
            for task in self.tasks[first:end]
        ]
        return tuple(
            PlannedEpisode(number, task, repeat, self.seed + repeat)
            for number, (repeat, task) in enumerate(played, start=1)
        )

    def world_seed(self, episode: PlannedEpisode) -> int:
        """The seed of an episode's world and planner; in a branch that of its parent."""
        return episode.seed if self.branch is None else self.branch.seed

    @property
    def label(self) -> str:
        """The planner with its options and models, as results are labelled.

        Stand-ins for models are marked.
        """
        name = short_reference(self.planner)
        if self.options:
            settings = (f"{key}={_short(value)}" for key, value in self.options.items())
            name += f"({', '.join(settings)})"
        names = [serving.label(model) for model in self.models.values()]
        return ", ".join([name, *dict.fromkeys(names)])


def _short(value: str) -> str:
    """The value of an option in a label: files without their folders."""
    return " ".join(Path(p).name if Path(p).is_absolute() else p for p in value.split(" "))


@dataclass(frozen=True)
class StandIn:
    """What played in place of the real thing in a run.

    kind: model, engine, or faults (injected failures). granted: what a stand-in for a model gets
    besides the messages.
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
    """The content of run.json."""

    config: RunConfig
    """What the run was started with."""
    grants: tuple[str, ...] = ()
    """What the planner was granted besides views."""
    adapter: Mapping[str, Any] = field(default_factory=dict)
    """Versions and settings of the adapter, see `Adapter.facts`."""
    planner: Mapping[str, Any] = field(default_factory=dict)
    """What the planner says of the machine, see `Planner.facts`."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Digests of files that planner options name, such as memories, by option."""
    provenance: Provenance = field(default_factory=Provenance)
    """Versions of software, and a digest of the tasks."""
    schema_version: int = SCHEMA_VERSION
    """Version of the recording."""
    peephole: str = __version__
    """Version of Peephole."""
    python: str = field(default_factory=platform.python_version)
    """Version of Python."""
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    """Time of the start, ISO 8601 in UTC."""

    @property
    def stand_ins(self) -> tuple[StandIn, ...]:
        """All that stood in for a language model or for the simulator's engine."""
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
        """The label of the config, marked for stand-in engines, faults, approvers, branches."""
        config = self.config
        marks = (
            "stand-in engine" * bool(self.adapter.get(STAND_IN)),
            "injected faults" * (config.faults is not None),
            "" if config.approval is None else config.approval.text,
            "" if config.branch is None else config.branch.text,
        )
        return ", ".join([config.label, *filter(None, marks)])

    @property
    def mark(self) -> str:
        """What in the run is not real, for each row of its results: "model", "engine", "faults"."""
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
    try:
        run.mkdir(parents=True, exist_ok=True)
        with draft_of(run / "run.json") as draft:
            draft.write_bytes(_adapter().dump_json(content, indent=2) + b"\n")
    except OSError as error:
        if error.errno in OUT_OF_SPACE:
            raise PeepholeError(
                f"The folder {run} cannot be written ({error.strerror}); nothing that was finished "
                f"is lost: free some space, then give the command again."
            ) from None
        raise BadInput(
            f"The folder {run} cannot be written ({error.strerror}); choose another --out."
        ) from None


def read_run(run: Path) -> RunFile:
    """The content of run.json. Raises BadInput naming what is wrong with the folder."""
    path = run / "run.json"
    if not path.is_file():
        raise BadInput(f"{run} is no run folder: it has no run.json; name another folder.")
    try:
        content = read_text(path)
        data = json_data(content)
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); correct that.") from None
    except ValueError as error:
        raise BadInput(f"{path} is not JSON ({error}); restore the file.") from None
    version = data.get("schema_version") if isinstance(data, dict) else None
    if version != SCHEMA_VERSION:
        raise BadInput(
            f"{path} has the schema version {version!r}; "
            f"this peephole reads version {SCHEMA_VERSION}; use the version that recorded it."
        )
    with first_mistake_in(str(path)):
        stored: RunFile = _adapter().validate_json(content, strict=True)
    if not stored.config.tasks:
        raise BadInput(f"{path}: 'config.tasks' names no task; correct it.")
    sizes = (0, *stored.config.extended, len(stored.config.tasks))
    if any(before >= after for before, after in pairwise(sizes)):
        raise BadInput(f"{path}: 'config.extended' has numbers that do not grow; correct it.")
    try:
        check_repeats(stored.config.repeats, len(stored.config.tasks))
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    return replace(stored, config=replace(stored.config, suite=present_name(stored.config.suite)))


@cache
def _adapter() -> TypeAdapter[RunFile]:
    return TypeAdapter(RunFile)


def run_folders(path: Path) -> list[Path]:
    """The folder itself where it is a run, else all runs below it, in order.

    Runs of a grid come suite by suite. In each suite they come in the order of the grid's rows,
    whose number begins the folder's name. Raises BadInput where there is no run.
    """
    if is_run(path):
        return [path]
    if not path.is_dir():
        raise BadInput(f"{path} is no run folder: it does not exist; name another one.")
    found = []
    for parent, folders, _ in os.walk(path):
        runs = sorted(name for name in folders if is_run(Path(parent, name)))
        found += [Path(parent, name) for name in runs]
        # A run holds no other run, but perhaps thousands of files.
        folders[:] = sorted(set(folders) - set(runs))
    if not found:
        raise BadInput(f"{path} holds no run (no run.json in it or below it); name another folder.")
    return found


def is_run(folder: Path) -> bool:
    """Whether a folder is that of a run."""
    return (folder / "run.json").is_file()


def new_folder(suite: str, planner: str) -> Path:
    """The default folder of a new run, named by suite, planner and time.

    A number follows where another run began in the same second.
    """
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    first = Path("runs") / f"{path_name(suite)}-{Path(planner.partition(':')[0]).stem}-{stamp}"
    return free_name(first)
