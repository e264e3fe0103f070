"""Conversations that are too long: the words of providers, and a run that goes on later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.contract import ContextFull
from peephole.models.events import ModelContextFull, ModelEvent
from peephole.models.failures import RequestRefused, Unreachable
from peephole.models.served_model import ModelEndpoint

from .conftest import ASK
from .habit_server import Asked, HabitServer

#: The messages of providers, as issues and documentation quote them.
FULL = {
    "OpenAI": "This model's maximum context length is 8192 tokens. However, your messages",
    "OpenAI's responses": "Your input exceeds the context window of this model.",
    "Anthropic": "prompt is too long: 213462 tokens > 200000 maximum",
    "Anthropic's sum": "input length and `max_tokens` exceed context limit: 190000 + 20000 > "
    "200000",
    "Gemini": "The input token count (1196265) exceeds the maximum number of tokens allowed "
    "(1048575).",
    "Gemini 2.5": "The input token count exceeds the maximum number of tokens allowed (1048576).",
    "Vertex": "the input token count is 40000 but the model only supports up to 32768",
    "Bedrock": "Input is too long for requested model.",
    "Bedrock's tokens": "Too many input tokens. Max input tokens: 8192",
    "Cohere": "too many tokens: size limit exceeded by 19296 tokens.",
    "Mistral": "Prompt contains 40007 tokens and 0 draft tokens, too large for model with 32768",
    "Groq": "Please reduce the length of the messages or completion.",
    "Groq's rate": "Request too large for model `m` on tokens per minute (TPM): Limit 6000, "
    "Requested 7411, please reduce your message size and try again.",
    "xAI": "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
    "Together": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193.",
    "DashScope": "Range of input length should be [1, 30720]",
    "Moonshot": "Invalid request: Your request exceeded model token limit: 8192",
    "Perplexity": "The total length of all messages is too long.",
    "MiniMax": "invalid params, context window exceeds limit",
    "Zhipu": "Prompt 超长",
    "Copilot": "prompt token count of 130432 exceeds the limit of 128000",
    "GitHub Models": "Request body too large for gpt-4o model. Max size: 8000 tokens. "
    "tokens_limit_reached",
    "watsonx": "the number of input tokens 5000 cannot exceed the total tokens limit 4096",
    "vLLM": "The decoder prompt (length 5011) is longer than the maximum model length of 4096.",
    "SGLang": "The input (5011 tokens) is longer than the model's context length (4096 tokens).",
    "Ollama": "prompt too long; exceeded max context length by 400 tokens",
    "LM Studio": "The number of tokens to keep from the initial prompt is greater than the context "
    "length",
    "llama.cpp": "the request exceeds the available context size, try increasing it",
    "TabbyAPI": "Prompt length 5011 is greater than max_seq_len 4096",
    "LiteLLM": "litellm.ContextWindowExceededError: something of theirs",
}
#: Messages of the same providers on other matters.
PASSING = {
    "OpenAI's rate": "Rate limit reached for m on tokens per min (TPM): Limit 10,000, Used 9,900, "
    "Requested 1,200. Please try again in 6s.",
    "Bedrock's rate": "Too many tokens, please wait before trying again.",
    "Anthropic's rate": "This request would exceed your organization's rate limit of 40,000 input "
    "tokens per minute.",
    "Gemini's quota": "You exceeded your current quota, please check your plan.",
}


def asked_for(asked: Asked) -> None:
    """The error that the question names."""
    words = {**FULL, **PASSING}[asked.body["messages"][0]["content"]]
    asked.error(429 if "rate" in words or "Limit" in words else 400, words)


def known_to_fail(asked: Asked) -> None:
    if asked.characters > 200:
        asked.error(400, "Payload rejected.")
    else:
        asked.says("Yes.")


@pytest.fixture(scope="module")
def server() -> Iterator[HabitServer]:
    with HabitServer({"words": asked_for, "unknown": known_to_fail}) as server:
        yield server


def open_at(server: HabitServer, habit: str) -> ModelConnection:
    access = ModelEndpoint(server.url(habit), "stand-in")
    return ModelConnection(ModelConfig("stand-in", patience_s=0), access)


def question(text: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text}]


def test_the_words_of_providers_for_a_full_context_are_known(server: HabitServer) -> None:
    with open_at(server, "words") as connection:
        model = connection.for_episode("planner", lambda event: None)
        for name in FULL:
            before = len(server.requests["words"])
            with pytest.raises(ContextFull):
                model.complete(question(name))
            assert len(server.requests["words"]) == before + 1, name


@pytest.mark.parametrize("name", PASSING)
def test_a_limit_of_the_rate_is_none_of_the_context(server: HabitServer, name: str) -> None:
    with open_at(server, "words") as connection:
        model = connection.for_episode("planner", lambda event: None)
        with pytest.raises((Unreachable, RequestRefused)):
            model.complete(question(name))


def test_a_run_that_goes_on_knows_what_the_endpoint_took_before(server: HabitServer) -> None:
    """The first question to the endpoint is then the long one, which it refuses."""
    long = [*ASK, {"role": "user", "content": "milk " * 100}]
    events: list[ModelEvent] = []
    with open_at(server, "unknown") as connection:
        model = connection.for_episode("planner", events.append)
        model.complete(ASK)
        with pytest.raises(ContextFull, match=r"Payload rejected.*larger context window"):
            model.complete(long)
    for kept in (1, len(events)):  # cut off before and after the refusal
        with open_at(server, "unknown") as connection:
            more: list[ModelEvent] = []
            model = connection.for_episode("planner", more.append, events[:kept])
            model.complete(ASK)
            with pytest.raises(ContextFull, match="Payload rejected"):
                model.complete(long)
            assert model.trouble is None
            assert [event.call for event in more if isinstance(event, ModelContextFull)] == (
                [2] if kept == 1 else []
            )


def test_a_refusal_of_the_first_question_is_no_full_context(server: HabitServer) -> None:
    with open_at(server, "unknown") as connection:
        model = connection.for_episode("planner", lambda event: None)
        with pytest.raises(RequestRefused, match="Payload rejected"):
            model.complete(question("milk " * 100))
