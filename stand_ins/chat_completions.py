"""The chat-completions protocol: what a request must be, and what is answered.

https://platform.openai.com/docs/api-reference/chat
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_ROLES = ("system", "developer", "user", "assistant")
#: Characters that are counted as one token.
_TOKEN = 4


class ErrorResponse(Exception):
    """A request that is answered by an error.

    status: of HTTP. code: as OpenAI has it. retry_after_s: when to ask again, None for no word.
    """

    def __init__(
        self,
        status: int,
        message: str,
        code: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after_s = retry_after_s


@dataclass(frozen=True)
class ChatRequest:
    """A request as far as it matters.

    schema: of the reply, empty where none was sent. seed: of a reply that is sampled, None where
    the temperature is 0 or no seed was sent. images: the URLs of all images in the messages. aside:
    what the question is about as data, see `models.contract.About`; empty where none was sent.
    """

    messages: tuple[dict[str, str], ...]
    schema: Mapping[str, Any]
    max_tokens: int | None
    seed: int | None = None
    images: tuple[str, ...] = ()
    aside: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ChatReply:
    """A reply's text. cut: it ended because there was no room for more."""

    text: str
    cut: bool = False

    def within(self, max_tokens: int | None) -> ChatReply:
        """The reply as far as there is room for it."""
        if max_tokens is None or len(self.text) <= _TOKEN * max_tokens:
            return self
        return ChatReply(self.text[: _TOKEN * max_tokens], cut=True)


def parse_request(data: Any, model: str) -> ChatRequest:
    """Read the body of a request to the one model there is. Raises ErrorResponse."""
    if not isinstance(data, dict):
        raise ErrorResponse(400, "The body of a request is a JSON object.")
    asked = data.get("model")
    if not isinstance(asked, str):
        raise ErrorResponse(400, "The request has no 'model'.")
    if asked != model:
        raise unknown_model(asked, model)
    messages = data.get("messages")
    if not isinstance(messages, list) or not messages:
        raise ErrorResponse(400, "'messages' is no list of at least one message.")
    if data.get("stream"):
        raise ErrorResponse(400, "This model does not stream; leave 'stream' out.")
    if data.get("n") not in (None, 1):
        raise ErrorResponse(400, "This model gives one reply a request; leave 'n' out.")
    limit = data.get("max_completion_tokens", data.get("max_tokens"))
    if limit is not None and (not isinstance(limit, int) or limit is True or limit < 1):
        raise ErrorResponse(400, "'max_tokens' is no number from 1.")
    seed = data.get("seed") if data.get("temperature") else None
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
        raise ErrorResponse(400, "'seed' is no integer.")
    aside = data.get("aside", {})
    if not isinstance(aside, dict):
        raise ErrorResponse(400, "'aside' is no object.")
    return ChatRequest(
        tuple(_message(i, message) for i, message in enumerate(messages)),
        _schema(data.get("response_format")),
        limit,
        seed,
        tuple(url for message in messages for url in _image_urls(message["content"])),
        aside,
    )


def completion(model: str, request: ChatRequest, reply: ChatReply) -> dict[str, Any]:
    """The body of a successful response. Its id depends on the request and the reply alone."""
    said = json.dumps([request.messages, reply.text])
    prompt = sum(tokens(message["content"]) for message in request.messages)
    return {
        "id": f"chatcmpl-{hashlib.sha256(said.encode()).hexdigest()[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
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


def model_data(model: str) -> dict[str, Any]:
    """The entry of a model in the list of models."""
    return {"id": model, "object": "model", "created": 0, "owned_by": "peephole"}


def unknown_model(asked: str, model: str) -> ErrorResponse:
    return ErrorResponse(
        404, f"The model '{asked}' does not exist; there is {model}.", "model_not_found"
    )


def tokens(text: str) -> int:
    """A count of tokens: one for every four characters begun."""
    return -(-len(text) // _TOKEN)


def error_data(refused: ErrorResponse) -> dict[str, Any]:
    """The body of a response that is an error."""
    kind = "server_error" if refused.status >= 500 else "invalid_request_error"
    return {"error": {"message": str(refused), "type": kind, "param": None, "code": refused.code}}


def _message(index: int, message: Any) -> dict[str, str]:
    where = f"'messages[{index}]'"
    if not isinstance(message, dict) or message.get("role") not in _ROLES:
        raise ErrorResponse(400, f"{where} has no 'role' of {', '.join(_ROLES)}.")
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(_texts(where, content))
    if not isinstance(content, str):
        raise ErrorResponse(400, f"{where} has no 'content'.")
    role = "system" if message["role"] == "developer" else message["role"]
    return {"role": role, "content": content}


def _texts(where: str, parts: Sequence[Any]) -> list[str]:
    """The text of a message in parts; its images are told apart from it."""
    for part in parts:
        if not isinstance(part, dict) or part.get("type") not in ("text", "image_url"):
            raise ErrorResponse(400, f"{where} has a part that is neither text nor an image.")
        if part["type"] == "text" and not isinstance(part.get("text"), str):
            raise ErrorResponse(400, f"{where} has a part without its text.")
    return [part["text"] for part in parts if part["type"] == "text"]


def _image_urls(content: Any) -> list[str]:
    """The URLs of the images in a message's content. Raises ErrorResponse."""
    found = []
    for part in content if isinstance(content, list) else ():
        if part["type"] == "image_url":
            image = part.get("image_url")
            url = image.get("url") if isinstance(image, dict) else None
            if not isinstance(url, str):
                raise ErrorResponse(
                    400, "A part that is an image has no 'image_url' with its 'url'."
                )
            found.append(url)
    return found


def only_answer(schema: Mapping[str, Any]) -> str | None:
    """The answer of a schema that permits a single choice, as one asks whether schemas are kept."""
    properties = schema.get("properties", {})
    choice = properties.get("choice", {})
    permitted = choice.get("enum", [choice["const"]] if "const" in choice else [])
    if len(properties) != 1 or len(permitted) != 1:
        return None
    return json.dumps({"choice": permitted[0]})


def _schema(response_format: Any) -> Mapping[str, Any]:
    if response_format is None:
        return {}
    kind = response_format.get("type") if isinstance(response_format, dict) else None
    if kind in ("text", "json_object"):
        return {}
    if kind != "json_schema":
        raise ErrorResponse(400, "'response_format' is none of text, json_object and json_schema.")
    given = response_format.get("json_schema")
    schema = given.get("schema") if isinstance(given, dict) else None
    if not isinstance(schema, dict):
        raise ErrorResponse(400, "'response_format.json_schema' has no 'schema'.")
    properties = schema.get("properties", {})
    if not isinstance(properties, dict) or not all(
        isinstance(p, dict) for p in properties.values()
    ):
        raise ErrorResponse(400, "'response_format.json_schema.schema' has malformed 'properties'.")
    return schema
