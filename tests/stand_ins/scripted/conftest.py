"""The stand-in as a process, with a small table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import openai
import pytest

from peephole.models.served_model import ServeOptions
from peephole.stand_ins.scripted.model import serve

FETCH = "Put apple 1 on table 2."
TABLE = {
    FETCH: [
        {
            "relation": "on",
            "thing": "apple",
            "thing_named": 1,
            "place": "table",
            "place_named": 1,
        }
    ]
}
FIRST = (
    "You are in the house, and there are 2 rooms: hall (1), kitchen (1). You are in the middle of "
    "a kitchen (1). Looking quickly around the room, you see fridge (1), table (1, 2)."
)

Ask = Callable[..., Any]


@contextmanager
def _client(faults: str = "", seed: int = 0, more: Sequence[str] = ()) -> Iterator[openai.OpenAI]:
    with (
        serve(ServeOptions(faults, seed, instruction_table=TABLE), more) as endpoint,
        openai.OpenAI(
            base_url=endpoint.base_url, api_key="none", max_retries=0, timeout=10.0
        ) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def client_of() -> Callable[..., AbstractContextManager[openai.OpenAI]]:
    """Starts a stand-in and gives the real client of it."""
    return _client


@pytest.fixture(scope="module")
def client() -> Iterator[openai.OpenAI]:
    """The client of a stand-in without faults."""
    with _client() as client:
        yield client


@pytest.fixture(scope="session")
def first_messages() -> list[dict[str, str]]:
    """The first question of `react`."""
    return [
        {"role": "system", "content": 'Answer with {"thought": "…", "action": "…"}.'},
        {"role": "user", "content": f"Task: {FETCH}\n{FIRST}"},
    ]


@pytest.fixture(scope="session")
def choice_of() -> Callable[[list[str]], dict[str, Any]]:
    """The response_format of a thought and one of some actions."""

    def response_format(actions: list[str]) -> dict[str, Any]:
        properties = {"thought": {"type": "string"}, "action": {"type": "string", "enum": actions}}
        schema = {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
        return {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": schema},
        }

    return response_format
