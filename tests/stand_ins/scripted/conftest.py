"""The stand-in as a run serves it, with a small table, asked by the real client."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
#: In a kitchen with a table, nothing of which was looked at.
EPISODE = {
    "instruction": FETCH,
    "dialect": "reactree_plain",
    "hands": 2,
    "hand_to_open": False,
    "rooms": ["hall 1", "kitchen 1"],
    "room": "kitchen 1",
    "here": None,
    "things": {},
    "reach": [],
    "held": [],
    "worn": [],
    "own": {},
    "posture": "",
    "visited": ["kitchen 1"],
    "looked": [],
    "left": [],
    "log": [],
}


@contextmanager
def _client(
    faults: str = "", seed: int = 0, more: Mapping[str, float] | None = None
) -> Iterator[openai.OpenAI]:
    with (
        serve(ServeOptions(faults, seed, instruction_table=TABLE), **(more or {})) as endpoint,
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
    """The messages of a question, which it does not read."""
    return [
        {"role": "system", "content": "You are a household robot."},
        {"role": "user", "content": "What next?"},
    ]


@pytest.fixture(scope="session")
def choice_of() -> Callable[[list[str]], dict[str, Any]]:
    """What a question for a thought and one of some actions is sent with."""

    def more(actions: list[str]) -> dict[str, Any]:
        properties = {"thought": {"type": "string"}, "action": {"type": "string", "enum": actions}}
        schema = {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
        aside = {
            "about": {"kind": "turn"},
            "choices": {"action": actions},
            "episode": {**EPISODE, "menu": {action: action for action in actions}},
        }
        return {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": schema},
            },
            "extra_body": {"aside": aside},
        }

    return more
