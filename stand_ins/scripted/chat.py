"""The chat-completions protocol: what a request must be, and what is answered.

https://platform.openai.com/docs/api-reference/chat
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from . import MODEL
from .mind import decide
from .table import Table
from .transcript import Choice
from .voices import voice_of

_ROLES = ("system", "developer", "user", "assistant")
#: An action that no planner offers.
_ILLEGAL = "fly to the moon 1"


class BadRequest(Exception):
    """A request that is answered by an error. status: of HTTP. code: as OpenAI has it."""

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


@dataclass(frozen=True)
class ChatRequest:
    """A request as far as it matters. schema: of the reply, empty where none was sent."""

    messages: tuple[dict[str, str], ...]
    schema: Mapping[str, Any]
    max_tokens: int | None


@dataclass(frozen=True)
class ChatReply:
    """What is said. cut: it ended because there was no room for more."""

    text: str
    cut: bool = False


def parse_request(data: Any) -> ChatRequest:
    """Read the body of a request. Raises Refused."""
    if not isinstance(data, dict):
        raise BadRequest(400, "The body of a request is a JSON object.")
    model = data.get("model")
    if not isinstance(model, str):
        raise BadRequest(400, "The request has no 'model'.")
    if model != MODEL:
        raise unknown_model(model)
    messages = data.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest(400, "'messages' is no list of at least one message.")
    if data.get("stream"):
        raise BadRequest(400, "This model does not stream; leave 'stream' out.")
    if data.get("n") not in (None, 1):
        raise BadRequest(400, "This model gives one reply a request; leave 'n' out.")
    limit = data.get("max_completion_tokens", data.get("max_tokens"))
    if limit is not None and (not isinstance(limit, int) or limit is True or limit < 1):
        raise BadRequest(400, "'max_tokens' is no number from 1.")
    return ChatRequest(
        tuple(_message(i, message) for i, message in enumerate(messages)),
        _schema(data.get("response_format")),
        limit,
    )


def answer(request: ChatRequest, table: Table, fault: str = "") -> ChatReply:
    """What the mind says to a request, spoilt by a fault if one is given. Raises Refused."""
    voice = voice_of(request.messages, request.schema)
    if voice is None:
        raise BadRequest(
            400, "The stand-in 'scripted' does not know the planner that wrote these messages."
        )
    heard = voice.hear(request.messages, request.schema)
    choice = heard if isinstance(heard, Choice) else decide(heard, table)
    text = voice.say(choice)
    match fault:
        case "empty":
            return ChatReply("")
        case "illegal":
            text = voice.say(replace(choice, action=_ILLEGAL))
        case "malformed":
            text = text.replace('"', "'", 3)
        case "truncated":
            return ChatReply(text[: len(text) // 2], cut=True)
    room = None if request.max_tokens is None else 4 * request.max_tokens
    if room is not None and len(text) > room:
        return ChatReply(text[:room], cut=True)
    return ChatReply(text)


def completion(request: ChatRequest, reply: ChatReply) -> dict[str, Any]:
    """The body of a successful response. Its id depends on the request and the reply alone."""
    said = json.dumps([request.messages, reply.text])
    prompt = sum(tokens(message["content"]) for message in request.messages)
    return {
        "id": f"chatcmpl-{hashlib.sha256(said.encode()).hexdigest()[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": reply.text, "refusal": None},
                "logprobs": None,
                "finish_reason": "length" if reply.cut else "stop",
            }
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": tokens(reply.text),
            "total_tokens": prompt + tokens(reply.text),
        },
    }


def models() -> dict[str, Any]:
    """The body of the list of models."""
    return {"object": "list", "data": [model()]}


def model() -> dict[str, Any]:
    return {"id": MODEL, "object": "model", "created": 0, "owned_by": "peephole"}


def unknown_model(name: str) -> BadRequest:
    return BadRequest(
        404, f"The model '{name}' does not exist; there is {MODEL}.", "model_not_found"
    )


def tokens(text: str) -> int:
    """A count of tokens: one for every four characters begun."""
    return -(-len(text) // 4)


def error_body(refused: BadRequest) -> dict[str, Any]:
    kind = "server_error" if refused.status >= 500 else "invalid_request_error"
    return {"error": {"message": str(refused), "type": kind, "param": None, "code": refused.code}}


def _message(index: int, message: Any) -> dict[str, str]:
    where = f"'messages[{index}]'"
    if not isinstance(message, dict) or message.get("role") not in _ROLES:
        raise BadRequest(400, f"{where} has no 'role' of {', '.join(_ROLES)}.")
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(_texts(where, content))
    if not isinstance(content, str):
        raise BadRequest(400, f"{where} has no 'content'.")
    role = "system" if message["role"] == "developer" else message["role"]
    return {"role": role, "content": content}


def _texts(where: str, parts: Sequence[Any]) -> list[str]:
    """The text of a message in parts; this model looks at no image."""
    for part in parts:
        if not isinstance(part, dict) or part.get("type") not in ("text", "image_url"):
            raise BadRequest(400, f"{where} has a part that is neither text nor an image.")
        if part["type"] == "text" and not isinstance(part.get("text"), str):
            raise BadRequest(400, f"{where} has a part without its text.")
    return [part["text"] for part in parts if part["type"] == "text"]


def _schema(response_format: Any) -> Mapping[str, Any]:
    if response_format is None:
        return {}
    kind = response_format.get("type") if isinstance(response_format, dict) else None
    if kind in ("text", "json_object"):
        return {}
    if kind != "json_schema":
        raise BadRequest(400, "'response_format' is none of text, json_object and json_schema.")
    given = response_format.get("json_schema")
    schema = given.get("schema") if isinstance(given, dict) else None
    if not isinstance(schema, dict):
        raise BadRequest(400, "'response_format.json_schema' has no 'schema'.")
    properties = schema.get("properties", {})
    if not isinstance(properties, dict) or not all(
        isinstance(p, dict) for p in properties.values()
    ):
        raise BadRequest(400, "'response_format.json_schema.schema' has malformed 'properties'.")
    return schema
