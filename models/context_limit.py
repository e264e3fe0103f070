"""When an endpoint refuses a conversation because it is too long for the model.

There is no common error for it. Providers are known by their words. Where the words are not known,
a refusal of a conversation longer than all that the endpoint has taken counts as one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .contract import Message

#: The words of providers and servers, a pattern each; the names behind are where they were seen.
_WORDS = (
    "context_length_exceeded",  # OpenAI, Azure, Groq
    "maximum context length",  # OpenAI, DeepSeek, OpenRouter, Mistral, vLLM
    "context length",  # Ollama, LM Studio, SGLang
    "context window",  # OpenAI, MiniMax, Cloudflare
    "contextwindowexceeded",  # LiteLLM
    "context size",  # llama.cpp
    "exceed_context_size",  # llama.cpp
    "exceeds? (?:the )?context limit",  # Anthropic
    "prompt (?:is )?too long",  # Anthropic, Fireworks, Ollama
    r"input token count\b.{0,40}\bexceeds",  # Gemini
    r"input token count is .{0,80}\bonly supports up to",  # Vertex AI
    "input is too long",  # Bedrock, Replicate
    "too many input tokens",  # Bedrock
    "too many tokens: ",  # Cohere; "too many tokens, please wait" is a limit of the rate
    "too large for model with",  # Mistral
    "reduce the length of the (?:messages|prompt|input)",  # Groq, Cerebras
    "maximum prompt length",  # xAI
    r"inputs`? (?:tokens )?\+ `?max_new_tokens`?",  # TGI, Together
    "range of input length should be",  # DashScope
    "exceeded model token limit",  # Moonshot
    "length of all messages is too long",  # Perplexity
    r"token count of \d+ exceeds the limit",  # GitHub Copilot
    "tokens_limit_reached",  # GitHub Models
    "cannot exceed the total tokens limit",  # watsonx
    "longer than the maximum model length",  # vLLM
    "too long to fit into the model",  # vLLM
    "greater than max_seq_len",  # TabbyAPI
    "string_above_max_length",  # OpenAI
    "request[_ ]too[_ ]large",  # Anthropic, Groq, OpenAI: more tokens than are ever allowed
    "prompt 超长",  # Zhipu
)
_KNOWN = re.compile("|".join(_WORDS), re.IGNORECASE | re.DOTALL)
#: A limit a minute and what was requested: "Limit 10000, Used 9000, Requested 1200".
_LIMIT = re.compile(r"\blimit:? ([\d,]+)\b.{0,80}?\brequested:? ~?([\d,]+)", re.IGNORECASE)


def is_context_full(words: str) -> bool:
    """Whether the words of an error say that the request can never be taken, for its length."""
    found = _LIMIT.search(words)
    if found is not None:
        limit, requested = (int(number.replace(",", "")[:18] or 0) for number in found.groups())
        return requested > limit
    return _KNOWN.search(words) is not None


class Taken:
    """The length of the longest conversation that an endpoint has taken, in characters."""

    def __init__(self) -> None:
        self._longest = 0

    def add(self, messages: Sequence[Message]) -> None:
        """Note a conversation that was answered."""
        self._longest = max(self._longest, length(messages))

    def is_longer(self, messages: Sequence[Message]) -> bool:
        """Whether a conversation is longer than all that were answered, if any was."""
        return 0 < self._longest < length(messages)


def length(messages: Sequence[Message]) -> int:
    """The characters of messages."""
    return sum(
        len(message["content"])
        if isinstance(message["content"], str)
        else sum(len(str(part)) for part in message["content"])
        for message in messages
    )
