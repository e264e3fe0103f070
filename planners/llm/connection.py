"""What one process holds to ask a model of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType

from ...served_model import ModelEndpoint
from .config import ModelConfig
from .endpoint import ModelClient
from .episode_model import EpisodeModel
from .events import ModelEvent
from .usage import ModelBudget


class ModelConnection:
    """An open connection to a model's endpoint, and the run's budget."""

    def __init__(
        self, config: ModelConfig, endpoint: ModelEndpoint, budget: ModelBudget | None = None
    ) -> None:
        self.config = config
        self._client = ModelClient(config, endpoint)
        self._budget = budget or ModelBudget(config)

    def for_episode(
        self,
        role: str,
        record: Callable[[ModelEvent], None],
        recorded: Iterable[ModelEvent] = (),
    ) -> EpisodeModel:
        """The model of one role in one episode; see `EpisodeModel` for the arguments."""
        return EpisodeModel(role, self.config, self._client, self._budget, record, recorded)

    def close(self) -> None:
        self._client.close()

    def __enter__(self) -> ModelConnection:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
