"""Failures injected into a simulator by the rates of a file: `peephole run --faults FILE`.

A draw decides whether an action that is possible in the world fails. The draw depends on the
episode's seed, the task and the number of the action, so it is the same for every planner. An
injected failure either keeps the action from the simulator, or lets it happen and reports it as
failed (`FaultRate.done_anyway`). The planner sees it like the simulator's own failures. The file is
YAML or JSON, see `FaultFile`; `peephole compare --calibrate` writes one.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..data_files import checked, draft_of, read_yaml
from ..errors import BadInput
from ..scene_graph.graph import SceneGraph
from ..skills.actions import Action, Verb
from ..skills.dynamics import check
from ..skills.embodiment import Embodiment
from ..skills.executor import Executor
from ..skills.outcomes import Attempt, Failure, FailureClass, Injection, Outcome, Reason

#: The version of files of faults that this peephole writes and reads.
VERSION: Final = 1
#: Why an action fails although its preconditions hold. All other reasons are preconditions, the
#: loss of the simulator, or a person.
OF_EXECUTION = frozenset(
    reason
    for reason in Reason
    if Failure(reason).kind in (FailureClass.GEOMETRY, FailureClass.TRANSIENT)
) | {Reason.MISPLACED, Reason.IMMOVABLE}


@dataclass(frozen=True)
class FaultRate:
    """How often a skill fails for a reason, besides the simulator's own failures."""

    skill: Verb
    """The verb that fails."""
    reason: Reason
    """Why it fails."""
    rate: float
    """Share of the possible actions that fail, in [0, 1]."""
    done_anyway: float = 0.0
    """Share of these failures in which the simulator does the action nevertheless."""
    words: str = ""
    """The message in the recording; planners never see it."""


@dataclass(frozen=True)
class Faults:
    """The failures that a run injects.

    file: name of the file of rates, for readers of results. made_from: the runs that the rates were
    counted in.
    """

    rates: tuple[FaultRate, ...]
    file: str = ""
    made_from: str = ""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Counted(_Strict):
    """Failures among the possible actions."""

    failures: int = Field(ge=0)
    tries: int = Field(ge=0)


class FileRate(_Strict):
    """A rate in a file."""

    skill: Verb
    """The verb that fails."""
    reason: Reason
    """Why it fails."""
    rate: float = Field(ge=0, le=1)
    """Share of the possible actions that fail."""
    low: float | None = None
    """Lower end of the 95 % interval."""
    high: float | None = None
    """Upper end of the 95 % interval."""
    done_anyway: float = Field(0.0, ge=0, le=1)
    """Share of these failures in which the action happens nevertheless."""
    words: str = ""
    """The message in the recording."""
    real: Counted | None = None
    """Counts behind the rate on the real side."""
    sim: Counted | None = None
    """Counts behind the rate in simulation."""

    @model_validator(mode="after")
    def _of_execution(self) -> FileRate:
        if self.reason not in OF_EXECUTION:
            known = ", ".join(sorted(OF_EXECUTION))
            raise ValueError(f"{self.reason} is no failure of carrying out; known are {known}")
        return self


class FaultFile(_Strict):
    """A file of rates. note: a comment for readers."""

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
        data = read_yaml(path)
    except OSError as error:
        raise BadInput(f"The fault file {path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise BadInput(
            f"The fault file {path} is neither YAML nor JSON ({error}); correct it."
        ) from None
    if isinstance(data, dict) and data.get("version") != VERSION:
        raise BadInput(
            f"The fault file {path} has the version {data.get('version')!r}; this peephole reads "
            f"version {VERSION}; write the file again with `peephole compare --calibrate`."
        )
    file = checked(data, FaultFile, f"The fault file {path}")
    rates = tuple(
        FaultRate(each.skill, each.reason, each.rate, each.done_anyway, each.words)
        for each in file.faults
        if each.rate > 0
    )
    return Faults(rates, path.name, file.made_from)


def write_faults(path: Path, file: FaultFile) -> None:
    """Write a file: JSON if its name ends in .json, else YAML. Raises BadInput."""
    data: Mapping[str, Any] = file.model_dump(mode="json", exclude_none=True)
    if path.suffix == ".json":
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    else:
        text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100)
    try:
        with draft_of(path) as draft:
            draft.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}; choose another.") from None


class FaultyExecution:
    """The actions of one episode, some of which fail by a draw. Every call counts as an action."""

    def __init__(
        self, faults: Faults, task: str, seed: int, body: Embodiment, *, is_arm: bool
    ) -> None:
        """seed: of the episode. is_arm: whether the agent has the actions of an arm."""
        self._faults = faults
        self._task = task
        self._seed = seed
        self._body = body
        self._is_arm = is_arm
        self._actions = 0

    def skip(self) -> None:
        """Count an action without a draw."""
        self._actions += 1

    def execute(self, executor: Executor, action: Action, graph: SceneGraph) -> Outcome:
        """Do an action, or fail it. graph: the true state before it.

        Raises as `Executor.execute`.
        """
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
        """Whether an action's preconditions hold, as far as can be known without physics."""
        if any(thing not in graph for thing in action.things):
            return False
        if self._is_arm:
            holds = bool(graph.held(graph.agent().id))
            return {Verb.PICK_UP: not holds, Verb.PLACE: holds}.get(action.verb, True)
        return check(graph, action, self._body) is None


def without_traces(outcome: Outcome) -> Outcome:
    """The outcome as if of one attempt without times, which would show how a failure was
    injected.
    """
    attempts = (Attempt(0, outcome.failure, "", 0.0),) if outcome.attempts else ()
    return replace(outcome, attempts=attempts, duration_s=0.0, sim_time_s=0.0)


def _drawn(rates: Sequence[FaultRate], verb: Verb, share: float) -> FaultRate | None:
    """The fault of a skill for a number drawn from [0, 1); None for none."""
    for rate in rates:
        if rate.skill is verb:
            share -= rate.rate
            if share < 0:
                return rate
    return None


def _thing(graph: SceneGraph, action: Action, reason: Reason) -> int | None:
    """The node of a failure: the place without a free spot, the target, or what is held."""
    if reason is Reason.BLOCKED:  # by what is unknown
        return None
    if reason is Reason.NO_FREE_SPOT and action.place is not None:
        return action.place
    if action.target is not None:
        return action.target
    return next(iter(graph.held(graph.agent().id)), None)
