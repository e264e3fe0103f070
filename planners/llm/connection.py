"""What one process holds to ask a run's model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any

from ...served_model import ModelEndpoint
from .config import ModelConfig
from .endpoint import ModelClient
from .episode_model import EpisodeModel
from .usage import ModelBudget


class ModelConnection:
    """An open connection to the model's endpoint, and the run's purse."""

    def __init__(
        self, config: ModelConfig, access: ModelEndpoint, purse: ModelBudget | None = None
    ) -> None:
        self.config = config
        self._endpoint = ModelClient(config, access)
        self._purse = purse or ModelBudget(config)

    def for_episode(
        self, record: Callable[[dict[str, Any]], None], recorded: Iterable[Mapping[str, Any]] = ()
    ) -> EpisodeModel:
        """The model of one episode; see `EpisodeModel` for the arguments."""
        return EpisodeModel(self.config, self._endpoint, self._purse, record, recorded)

    def close(self) -> None:
        self._endpoint.close()

    def __enter__(self) -> ModelConnection:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
