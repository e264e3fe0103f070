"""A model behind the endpoint stand-in, and its requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.episode_model import EpisodeModel
from peephole.models.events import (
    ModelEvent,
    ModelReplied,
)
from peephole.models.served_model import ModelEndpoint
from peephole.models.usage import ModelBudget

ASK = [{"role": "user", "content": "Where is the milk?"}]
PLACES = ["fridge", "oven", "bed"]
Made = tuple[EpisodeModel, list[ModelEvent]]
Make = Callable[..., Made]


class Guess(BaseModel):
    place: Literal["fridge", "oven"]
    weight: float = Field(ge=0, le=1)
    note: str = Field(default="", max_length=20)


@pytest.fixture
def make(endpoint: Any) -> Iterator[Make]:
    opened = []

    def made(url: str = "", **config: Any) -> Made:
        asked = ModelConfig("stand-in", **config)
        access = ModelEndpoint(url or endpoint.url, "stand-in", "sk-secret")
        opened.append(ModelConnection(asked, access, ModelBudget(asked)))
        events: list[ModelEvent] = []
        return opened[-1].for_episode("planner", events.append), events

    yield made
    for connection in opened:
        connection.close()


def replies(events: list[ModelEvent]) -> list[ModelReplied]:
    return [event for event in events if isinstance(event, ModelReplied)]
