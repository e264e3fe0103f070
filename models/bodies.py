"""The bodies of replies: chat completions, embeddings, and errors with status 200.

A body comes from a stranger: what is missing, of another type or out of range is no reply, or 0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..data_files import json_data
from .answers import QUOTED, well_formed
from .protocol import EmbeddingReply, ModelReply
from .tools import message_text
from .usage import Usage

#: Reasons of a reply's end at its limit: "length", and the words of gateways to other APIs.
_CUT = ("length", "max_tokens", "MAX_TOKENS")
#: The fields of a message with the thoughts before its content: of DeepSeek, vLLM and llama.cpp; of
#: OpenRouter; of Ollama.
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")


def body_data(text: str) -> dict[str, Any]:
    """The JSON object of a body; empty where the body is none."""
    try:
        data = json_data(text, finite=False)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def read_completion(text: str, *, tools: bool = False) -> ModelReply | None:
    """The reply in a body; None where the body is no chat completion.

    tools: the reply is the message as JSON text, with its calls (`tools.message_text`).

    A list of choices that is empty is a reply without a text.
    """
    data = body_data(text)
    if "choices" not in data or _error(data) is not None:
        return None
    try:
        choice = data["choices"][0] if data["choices"] else {}
        reason = choice.get("finish_reason")
        message = choice.get("message") or {}
        said = _text(message.get("content")) or message.get("refusal") or ""
        withheld = reason == "content_filter" and not said
        if tools:
            said = message_text(message)
        elif isinstance(said, str) and not said.strip() and not withheld:
            said = _elsewhere(message, reason in _CUT) or said
    except (KeyError, IndexError, TypeError, AttributeError):
        return None
    if not isinstance(said, str):
        return None
    return ModelReply(
        well_formed(said),
        _usage(data),
        cut=reason in _CUT,
        withheld=withheld,
        served_model=name_in(data, "model"),
        fingerprint=name_in(data, "system_fingerprint"),
    )


def _elsewhere(message: Mapping[str, Any], cut: bool) -> Any:
    """What a message without a content says in its other fields.

    A server that takes thoughts out of replies may take out the whole of one. Thoughts that were
    cut off hold no answer yet.
    """
    for call in message.get("tool_calls") or [{"function": message.get("function_call") or {}}]:
        said = call["function"].get("arguments")
        if said:
            return said if isinstance(said, str) else json.dumps(said)
    thoughts = next((message[name] for name in _THOUGHTS if message.get(name)), "")
    return f"<think>{thoughts}" if cut and thoughts else thoughts


def _text(content: Any) -> Any:
    """The text of a message, which some endpoints split into parts; without thoughts."""
    if not isinstance(content, list):
        return content
    return "".join(part["text"] for part in content if part.get("type") in ("text", "output_text"))


def read_embeddings(text: str, count: int) -> EmbeddingReply | None:
    """The vectors in a body; None unless they are a usable vector for each of `count` texts."""
    import numpy as np

    data = body_data(text)
    try:
        listed = sorted(data["data"], key=lambda entry: int(entry["index"]))
        vectors = np.array([entry["embedding"] for entry in listed], dtype=np.float32)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return None
    if vectors.ndim != 2 or len(vectors) != count or not np.isfinite(vectors).all():
        return None
    return EmbeddingReply(vectors, _usage(data), served_model=name_in(data, "model"))


class BodyError(NamedTuple):
    """The error in a body with status 200: its message, and the status it has instead."""

    message: str
    status: int | None


def body_error(text: str) -> BodyError | None:
    """The error in a body with status 200; None if there is none."""
    error = _error(body_data(text))
    if error is None:
        return None
    said = error.get("message") if isinstance(error, dict) else error
    code = error.get("code") if isinstance(error, dict) else None
    is_status = type(code) is int and 400 <= code < 600
    message = well_formed(said if isinstance(said, str) else json.dumps(error))
    return BodyError(" ".join(message.split()), code if is_status else None)


def _error(data: Mapping[str, Any]) -> Any:
    """The error of a body, or of its first choice; None for none."""
    if data.get("error"):
        return data["error"]
    if data.get("object") == "error":  # of vLLM
        return data
    choices = data.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return (first.get("error") or None) if isinstance(first, dict) else None


def field_of(data: Any, *path: str) -> Any:
    """The value under names in nested JSON objects; None where there is none."""
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def name_in(data: Mapping[str, Any], field: str) -> str:
    """The text of a field that names something, in a length to be recorded."""
    return well_formed(str(data.get(field) or ""))[:QUOTED]


def _usage(data: Mapping[str, Any]) -> Usage:
    counted = data.get("usage")
    return Usage.counted(
        field_of(counted, "prompt_tokens"),
        field_of(counted, "completion_tokens"),
        field_of(counted, "prompt_tokens_details", "cached_tokens")
        or field_of(counted, "prompt_cache_hit_tokens")  # DeepSeek's word for it
        or field_of(data, "timings", "cache_n"),  # of llama.cpp
    )
