"""What a planner asks once a run, before the first episode, and its recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import PeepholeError
from ..models.connection import ModelConnection
from ..models.episode_model import EpisodeModel
from ..models.failures import ModelFailure
from ..planners.contract import Planner, Preparation
from .events import PlannerFailed, Prepared, from_line, to_line
from .planner_faults import fault, full_traceback
from .planner_turn import take_turn
from .recording import EpisodeLog, Log, read_events


def preparation_path(run: Path) -> Path:
    """The recording of what was asked once for a run."""
    return run / "prepared.jsonl"


def models_for(
    planner: Planner, connections: Mapping[str, ModelConnection], log: Log, seed: int
) -> dict[str, EpisodeModel]:
    """The models that a planner asks once for a run, recorded in a log."""
    record, past = partial(log.write_model_event, step=0), log.models
    return {
        role: connections[role].for_episode(role, record, past, seed=seed)
        for role in planner.models
    }


def prepare(
    planner: Planner, given: Preparation, connections: Mapping[str, ModelConnection], run: Path
) -> Mapping[str, Any] | None:
    """The result of the planner's `prepare`, asked now or read from the run's recording.

    given: without its models. Raises PeepholeError where the planner's code fails.
    """
    if planner.prepare is None:
        return None
    path = preparation_path(run)
    for event in read_events(path) if path.exists() else ():
        if isinstance(event, Prepared):
            return event.data
    with EpisodeLog(path) as log:
        models = models_for(planner, connections, log, given.seed)
        try:
            data = take_turn(partial(planner.prepare, replace(given, models=models)))
            line = to_line(Prepared(data=data, t=log.now()))
        except (PeepholeError, ModelFailure):
            raise
        except (Exception, SystemExit) as error:  # a planner is anybody's code
            error_line = fault(planner.prepare, error)
            trace = full_traceback(error)
            log.write(PlannerFailed(error=error_line, traceback=trace, step=0, t=log.now()))
            raise PeepholeError(
                f"The planner {planner.name} failed to prepare the run: {error_line}; correct it, "
                f"then continue with --resume."
            ) from error
        prepared = from_line(line)  # as it will be read back, with lists for tuples
        assert isinstance(prepared, Prepared)
        log.write(prepared)
    return prepared.data
