"""Failures that are put into a simulator, by the rates of a file: `peephole run --faults FILE`.

Of every action that could be done as the world is, a draw decides whether it fails. The draw is by
the episode's seed, the task and the number of the action, so that it comes out the same again,
whoever acts. What fails either never reaches the simulator, or is done by it and reported as
failed, as a file says (`FaultRate.done_anyway`). A planner is told it as the simulator's own
failures are. A file is YAML or JSON, see `FaultFile`; `peephole compare --calibrate` writes it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..errors import BadInput
from ..scene_graph.graph import SceneGraph
from ..skills.actions import Action, Verb
from ..skills.dynamics import check
from ..skills.embodiment import Embodiment
from ..skills.executor import Executor
from ..skills.outcomes import Attempt, Failure, FailureClass, Injection, Outcome, Reason

#: The version of files of faults that this peephole writes and reads.
VERSION: Final = 1
#: Why an action fails that could be done as the world is; all other reasons are of preconditions,
#: of the simulator's survival or of a person.
OF_EXECUTION = frozenset(
    reason
    for reason in Reason
    if Failure(reason).kind in (FailureClass.GEOMETRY, FailureClass.TRANSIENT)
) | {Reason.MISPLACED, Reason.IMMOVABLE}


@dataclass(frozen=True)
class FaultRate:
    """How often a skill fails for a reason, besides the simulator's own failures.

    rate: of the actions that could be done. done_anyway: of these failures, the share in which the
    simulator does the action nevertheless. words: the record's, never a planner's.
    """

    skill: Verb
    reason: Reason
    rate: float
    done_anyway: float = 0.0
    words: str = ""


@dataclass(frozen=True)
class Faults:
    """The failures that a run injects. file: what they were read from, for whoever reads results.

    made_from: the runs that rates were counted in.
    """

    rates: tuple[FaultRate, ...]
    file: str = ""
    made_from: str = ""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Counted(_Strict):
    """Failures among the actions that could be done."""

    failures: int = Field(ge=0)
    tries: int = Field(ge=0)


class FileRate(_Strict):
    """A rate in a file. low, high: its 95 % interval; real, sim: the counts behind it."""

    skill: Verb
    reason: Reason
    rate: float = Field(ge=0, le=1)
    low: float | None = None
    high: float | None = None
    done_anyway: float = Field(0.0, ge=0, le=1)
    words: str = ""
    real: Counted | None = None
    sim: Counted | None = None

    @model_validator(mode="after")
    def _of_execution(self) -> FileRate:
        if self.reason not in OF_EXECUTION:
            known = ", ".join(sorted(OF_EXECUTION))
            raise ValueError(f"{self.reason} is no failure of carrying out; known are {known}")
        return self


class FaultFile(_Strict):
    """A file of rates. note: for readers."""

    version: Literal[1] = VERSION
    note: str = ""
    made_from: str = ""
    faults: list[FileRate]

    @model_validator(mode="after")
    def _no_more_than_all(self) -> FaultFile:
        keys = [(each.skill, each.reason) for each in self.faults]
        if len(set(keys)) < len(keys):
            skill, reason = next(key for key in keys if keys.count(key) > 1)
            raise ValueError(f"{skill} has two rates of {reason}; leave one out")
        for verb in {skill for skill, _ in keys}:
            if sum(each.rate for each in self.faults if each.skill is verb) > 1 + 1e-9:
                raise ValueError(f"the rates of {verb} sum to more than 1; lower them")
        return self


def read_faults(path: Path) -> Faults:
    """The rates of a file. Raises BadInput naming what is wrong with it."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"The faults {path} cannot be read: {error.strerror}.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        told = " ".join(str(error).split())
        raise BadInput(f"The faults {path} are no YAML or JSON ({told}); correct them.") from None
    if isinstance(data, dict) and data.get("version") != VERSION:
        raise BadInput(
            f"The faults {path} have the version {data.get('version')!r}; this peephole reads "
            f"version {VERSION}; write them anew with `peephole compare --calibrate`."
        )
    try:
        file = FaultFile.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        told = first["msg"].removeprefix("Value error, ")
        told = told[:1].lower() + told[1:]
        raise BadInput(f"The faults {path}: '{where}' is wrong: {told}; correct it.") from None
    rates = tuple(
        FaultRate(each.skill, each.reason, each.rate, each.done_anyway, each.words)
        for each in file.faults
        if each.rate > 0
    )
    return Faults(rates, path.name, file.made_from)


def write_faults(path: Path, file: FaultFile) -> None:
    """Write a file: JSON where its name ends so, else YAML. Raises BadInput."""
    data: Mapping[str, Any] = file.model_dump(mode="json", exclude_none=True)
    if path.suffix == ".json":
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    else:
        text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100)
    draft = path.with_name(f"{path.name}.new")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise BadInput(f"{path} cannot be written: {error.strerror}; choose another.") from None


class FaultyExecution:
    """The actions of one episode, some of which fail by a draw. Every call counts as an action."""

    def __init__(
        self,
        faults: Faults,
        task: str,
        seed: int,
        body: Embodiment,
        *,
        is_arm: bool,
    ) -> None:
        """seed: of the episode. is_arm: it has the actions of an arm, not those of a household."""
        self._faults = faults
        self._task = task
        self._seed = seed
        self._body = body
        self._is_arm = is_arm
        self._actions = 0

    def skip(self) -> None:
        """Count an action that is not drawn for."""
        self._actions += 1

    def execute(self, executor: Executor, action: Action, graph: SceneGraph) -> Outcome:
        """Do an action, or fail it. graph: the world before it. Raises as `Executor.execute`."""
        self._actions += 1
        chance = random.Random(f"{self._seed} {self._task} {self._actions}")
        fault = _drawn(self._faults.rates, action.verb, chance.random())
        if fault is None or not self._is_feasible(graph, action):
            return executor.execute(action)
        failure = Failure(fault.reason, _thing(graph, action, fault.reason))
        words = fault.words or f"injected: {fault.reason}"
        if chance.random() >= fault.done_anyway:
            tries = 1
            if failure.kind in (FailureClass.GEOMETRY, FailureClass.TRANSIENT):
                tries = executor.policy.attempts if executor.replayable else 1
            attempts = tuple(Attempt(number, failure, words, 0.0) for number in range(tries))
            return Outcome(failure, attempts, injected=Injection.INSTEAD)
        done = executor.execute(action)
        if not done.success:
            return done
        return replace(done, failure=failure, injected=Injection.AFTERWARDS)

    def _is_feasible(self, graph: SceneGraph, action: Action) -> bool:
        """Whether an action's preconditions hold, as far as they can be told without physics."""
        if any(thing not in graph for thing in action.things):
            return False
        if self._is_arm:
            holds = bool(graph.held(graph.agent().id))
            return {Verb.PICK_UP: not holds, Verb.PLACE: holds}.get(action.verb, True)
        return check(graph, action, self._body) is None


def without_times(outcome: Outcome) -> Outcome:
    """An outcome whose times do not tell which failures were put in."""
    attempts = tuple(replace(attempt, duration_s=0.0) for attempt in outcome.attempts)
    return replace(outcome, attempts=attempts, duration_s=0.0, sim_time_s=0.0)


def _drawn(rates: Sequence[FaultRate], verb: Verb, share: float) -> FaultRate | None:
    """The fault of a skill that a number from 0 to 1 stands for, or none."""
    for rate in rates:
        if rate.skill is verb:
            share -= rate.rate
            if share < 0:
                return rate
    return None


def _thing(graph: SceneGraph, action: Action, reason: Reason) -> int | None:
    """What a failure is about: the place without a spot, what is handled, or what is held."""
    if reason is Reason.BLOCKED:  # by what is not told
        return None
    if reason is Reason.NO_FREE_SPOT and action.place is not None:
        return action.place
    if action.target is not None:
        return action.target
    return next(iter(graph.held(graph.agent().id)), None)
