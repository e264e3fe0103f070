"""What one process holds to ask a model of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from .config import ModelConfig
from .endpoint import ModelClient
from .episode_model import EpisodeModel
from .events import ModelEvent
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
    ) -> None:
        """endpoint: None for a model that answers from recordings alone. slot, first_slot:
        of the endpoint's cache, where it has any, see `slots.Slot`.

        An episode has the slot to itself, for the connection plays one after the other.
        """
        self.config = config
        self._client = None if endpoint is None else ModelClient(config, endpoint, slot, first_slot)
        self._cache = None if endpoint is None else _reply_cache(config, endpoint)
        self._budget = budget or ModelBudget(config)

    def for_episode(
        self,
        role: str,
        record: Callable[[ModelEvent], None],
        recorded: Iterable[ModelEvent] = (),
        *,
        seed: int = 0,
    ) -> EpisodeModel:
        """The model of one role in one episode; see `EpisodeModel` for the other arguments.

        seed: of the episode, for replies that are sampled.
        """
        return EpisodeModel(
            ModelRecord(role, self.config.name, record, recorded),
            self.config,
            self._client,
            self._budget,
            Questions(self.config, seed),
            self._cache,
        )

    def close(self) -> None:
        if self._client is not None:
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


def _reply_cache(config: ModelConfig, endpoint: ModelEndpoint) -> ReplyCache | None:
    """The cache that is wanted, for the replies of one model; a stand-in's are never kept."""
    if not config.reply_cache or config.stand_in:
        return None
    model = {
        "endpoint": endpoint.base_url if config.host else "",  # elsewhere the port is by chance
        "model": config.name,
        "version": endpoint.version,
        "reasoning": [config.reasoning_effort, config.reasoning_tokens],
    }
    return ReplyCache(Path(config.reply_cache), model)
