"""A process's connection to a model of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from .config import ModelConfig
from .endpoint import ModelClient
from .episode_model import EpisodeModel
from .events import ModelEvent
from .pace import Paces
from .questions import Questions
from .record import ModelRecord
from .reply_cache import ReplyCache
from .served_model import ModelEndpoint
from .usage import ModelBudget


class ModelConnection:
    """An open connection to a model's endpoint, and the run's budget."""

    def __init__(
        self,
        config: ModelConfig,
        endpoint: ModelEndpoint | None,
        budget: ModelBudget | None = None,
        *,
        slot: int = 0,
        first_slot: int = 0,
        paces: Paces | None = None,
    ) -> None:
        """endpoint: None to answer from recordings alone. slot, first_slot: numbers of slots of
        the endpoint's prompt cache, see `slots.Slot`. paces: shared with other connections.

        A connection plays one episode after the other, so no two share the slot.
        """
        self.config = config
        self._client = None
        if endpoint is not None:
            pace = (paces or Paces()).of(endpoint)
            self._client = ModelClient(config, endpoint, slot, first_slot, pace)
        self._cache = None if endpoint is None else _reply_cache(config, endpoint)
        self._budget = budget or ModelBudget(config)

    def for_episode(
        self,
        role: str,
        record: Callable[[ModelEvent], None],
        recorded: Iterable[ModelEvent] = (),
        *,
        seed: int = 0,
        is_recorded: Callable[[], bool] = lambda: False,
    ) -> EpisodeModel:
        """The model of one role in one episode; see `EpisodeModel`.

        seed: for sampled replies. is_recorded: whether every question has to have a recorded reply.
        """
        return EpisodeModel(
            ModelRecord(role, self.config.name, record, recorded),
            self.config,
            self._client,
            self._budget,
            Questions(self.config, seed),
            self._cache,
            is_recorded,
        )

    @property
    def shares(self) -> bool:
        """Whether several episodes may use it at the same time: its endpoint has no slots."""
        return self._client is None or not self._client.endpoint.slots

    def stop(self, *, at_once: bool) -> None:
        """See `ModelClient.stop`."""
        if self._client is not None:
            self._client.stop(at_once=at_once)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()

    def __enter__(self) -> ModelConnection:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _reply_cache(config: ModelConfig, endpoint: ModelEndpoint) -> ReplyCache | None:
    """The reply cache of one model, where the user wants one; none for stand-ins."""
    if not config.reply_cache or config.stand_in:
        return None
    model = {
        "endpoint": endpoint.base_url if config.host else "",  # a served model has a random port
        "model": config.name,
        "version": endpoint.version,
        "reasoning": [config.reasoning_effort, config.reasoning_tokens],
    }
    return ReplyCache(Path(config.reply_cache), model)
