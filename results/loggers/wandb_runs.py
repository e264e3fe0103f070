"""Weights & Biases: a run of Peephole is one run there. `--log wandb[=PROJECT]`.

Its own variables hold, such as WANDB_MODE=offline, WANDB_ENTITY and WANDB_DIR. See
https://docs.wandb.ai/ref/python/ for the functions used here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...errors import BadInput
from ...installed import Lack
from .contract import LoggedRun, RunLogger, Table


class WandbLogger(RunLogger):
    """Logs to Weights & Biases. place: the project; "peephole" by default."""

    _run: Any = None
    _logged: int = 0

    @classmethod
    def missing(cls) -> str | None:
        if find_spec("wandb") is None:
            return Lack("--log wandb needs wandb", "wandb")
        return None

    def begin(self, run: LoggedRun) -> str:
        import wandb

        try:
            self._run = self._started(run)
        except wandb.errors.UsageError as error:
            raise BadInput(
                f"--log wandb cannot start ({str(error).rstrip('. ')}); set WANDB_API_KEY, or "
                f"WANDB_MODE=offline to log into a folder."
            ) from None
        self._run.config.update(dict(run.settings), allow_val_change=True)
        self._logged = self._run.step  # of a run that goes on
        address = None if self._run.offline else self._run.url
        return f"Weights & Biases, {address or Path(self._run.dir).parent}"

    def _started(self, run: LoggedRun) -> Any:
        import wandb

        return wandb.init(
            project=self.place or os.environ.get("WANDB_PROJECT") or "peephole",
            id=run.key,
            name=run.name,
            group=run.suite,
            tags=list(run.tags),
            config=dict(run.settings),
            resume="allow",
            settings=wandb.Settings(silent=True, console="off"),
        )

    def episode(self, number: int, values: Mapping[str, float]) -> None:
        if number > self._logged:
            self._run.log(dict(values), step=number)

    def figures(self, values: Mapping[str, float]) -> None:
        self._run.summary.update({f"figures/{name}": value for name, value in values.items()})

    def table(self, table: Table) -> None:
        import wandb

        rows = [list(row) for row in table.rows]
        shown = wandb.Table(columns=list(table.columns), data=rows, allow_mixed_types=True)
        self._run.log({table.name: shown})

    def picture(self, name: str, path: Path) -> None:
        import wandb

        self._run.log({f"plots/{name}": wandb.Image(str(path))})

    def film(self, name: str, path: Path) -> None:
        import wandb

        self._run.log({f"films/{name}": wandb.Video(str(path), format="mp4")})

    def end(self, *, finished: bool) -> None:
        self._run.finish(exit_code=0 if finished else 1)
