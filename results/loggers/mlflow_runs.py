"""MLflow: a run of Peephole is one run there. `--log mlflow[=EXPERIMENT]`.

MLFLOW_TRACKING_URI names the server, or a folder as file:FOLDER. See
https://mlflow.org/docs/latest/api_reference/python_api/mlflow.client.html for the functions.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...data_files import csv_text
from ...errors import BadInput
from ...installed import Lack
from .contract import LoggedRun, RunLogger, Table

#: The tag that finds a run again, and the metric that every episode has.
_KEY, _EVERY = "peephole.key", "episode/steps"
#: Most parameters, tags and metrics in one request, by MLflow's own limits.
_MOST = 100
#: Most characters of a parameter's value.
_LONGEST = 6000


class MlflowLogger(RunLogger):
    """Logs to MLflow. place: the experiment; "peephole" by default."""

    _client: Any = None
    _run: str = ""
    _logged: int = 0

    @classmethod
    def missing(cls) -> str | None:
        if find_spec("mlflow") is None:
            return Lack("--log mlflow needs MLflow", "mlflow")
        return None

    def begin(self, run: LoggedRun) -> str:
        uri = _store()
        from mlflow.tracking import MlflowClient

        self._client = MlflowClient(uri)
        experiment = self._experiment()
        found = self._client.search_runs([experiment], f"tags.`{_KEY}` = '{run.key}'")
        if found:
            self._run = found[0].info.run_id
            self._client.update_run(self._run, status="RUNNING")
            history = self._client.get_metric_history(self._run, _EVERY)
            self._logged = max((metric.step for metric in history), default=0)
        else:
            tags = {_KEY: run.key, "suite": run.suite, "tags": ", ".join(run.tags)}
            begun = self._client.create_run(experiment, tags=tags, run_name=run.name)
            self._run = begun.info.run_id
            self._log_settings(run.settings)
        self._client.set_tag(self._run, "tasks", str(run.settings.get("tasks", "")))
        self._client.log_artifact(self._run, str(run.folder / "run.json"))
        return f"MLflow, {uri or self._client.tracking_uri}, run {self._run}"

    def _experiment(self) -> str:
        name = self.place or os.environ.get("MLFLOW_EXPERIMENT_NAME") or "peephole"
        found = self._client.get_experiment_by_name(name)
        return str(self._client.create_experiment(name) if found is None else found.experiment_id)

    def _log_settings(self, settings: Mapping[str, Any]) -> None:
        from mlflow.entities import Param

        params = [Param(name, str(value)[:_LONGEST]) for name, value in settings.items()]
        for part in _parts(params):
            self._client.log_batch(self._run, params=part)

    def episode(self, number: int, values: Mapping[str, float]) -> None:
        if number > self._logged:
            self._log(values, number)

    def _log(self, values: Mapping[str, float], step: int) -> None:
        from mlflow.entities import Metric

        now = int(time.time() * 1000)
        for part in _parts([Metric(name, value, now, step) for name, value in values.items()]):
            self._client.log_batch(self._run, metrics=part)

    def figures(self, values: Mapping[str, float]) -> None:
        self._log({f"figures/{name}": value for name, value in values.items()}, 0)

    def table(self, table: Table) -> None:
        text = csv_text([table.columns, *table.rows])
        self._client.log_text(self._run, text, f"{table.name}.csv")

    def picture(self, name: str, path: Path) -> None:
        self._client.log_artifact(self._run, str(path), "plots")

    def film(self, name: str, path: Path) -> None:
        self._client.log_artifact(self._run, str(path), "films")

    def end(self, *, finished: bool) -> None:
        self._client.set_terminated(self._run, "FINISHED" if finished else "KILLED")


def _store() -> str | None:
    """The address of MLflow's store; None for its own default. Raises BadInput without any.

    A folder is allowed where the user names one: MLflow wants a word for it since 3.x.
    """
    uri = os.environ.get("MLFLOW_TRACKING_URI", "").strip()
    if not uri and find_spec("sqlalchemy") is None:
        raise BadInput(
            "--log mlflow has no place to log to: set MLFLOW_TRACKING_URI to the address of a "
            "server, or to a folder such as file:mlruns."
        )
    if uri.startswith("file:") or (uri and "://" not in uri):
        os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")
    return uri or None


def _parts(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Items in parts of what one request may have."""
    for first in range(0, len(items), _MOST):
        yield items[first : first + _MOST]
