"""A server of chat completions on the loopback interface, with replies from a function.

Requests and responses: https://platform.openai.com/docs/api-reference/chat
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_MOST_BYTES = 32 * 1024 * 1024
_ROLES = ("system", "developer", "user", "assistant", "tool")
#: Characters that count as one token.
_TOKEN = 4


class ErrorResponse(Exception):
    """An error response to a request.

    status: the HTTP status. code: OpenAI's error code. retry_after_s: the header Retry-After, or
    None.
    """

    def __init__(
        self, status: int, message: str, code: str | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after_s = retry_after_s


@dataclass(frozen=True)
class ChatRequest:
    """The fields of a request that matter here."""

    messages: tuple[dict[str, str], ...]
    schema: Mapping[str, Any]
    """The JSON schema of the reply; empty if the request has none."""
    max_tokens: int | None
    seed: int | None = None
    """The seed of a sampled reply; None without sampling."""
    images: tuple[str, ...] = ()
    """The URLs of all images in the messages."""
    aside: Mapping[str, Any] = field(default_factory=dict)
    """The content of the question as data (`models.contract.About`); empty if there is none."""
    tools: bool = False
    """Whether the reply may call tools."""


@dataclass(frozen=True)
class ChatReply:
    """A reply's text. cut: whether it ended at the token limit.

    To a request with tools the text may be JSON: {"tool_calls": [{"name": …, "arguments": …}, …]},
    with a "content" beside the calls.
    """

    text: str
    cut: bool = False

    def message(self, request: ChatRequest) -> dict[str, Any]:
        """The reply as a message."""
        said = {"role": "assistant", "content": self.text, "refusal": None}
        try:
            data = json.loads(self.text) if request.tools else None
        except ValueError:
            return said
        if not isinstance(data, dict) or not isinstance(data.get("tool_calls"), list):
            return said
        asked = sum(message["role"] == "assistant" for message in request.messages)
        calls = [
            {
                "id": f"call_{asked + 1}_{number}",
                "type": "function",
                "function": {"name": call["name"], "arguments": _written(call["arguments"])},
            }
            for number, call in enumerate(data["tool_calls"], start=1)
        ]
        return {**said, "content": data.get("content") or None, "tool_calls": calls}

    def within(self, max_tokens: int | None) -> ChatReply:
        """The reply, cut at the token limit."""
        if max_tokens is None or len(self.text) <= _TOKEN * max_tokens:
            return self
        return ChatReply(self.text[: _TOKEN * max_tokens], cut=True)


def _written(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


class ChatServer(ThreadingHTTPServer):
    """A server that answers until it is shut down.

    model: its name in requests. reply: makes the reply to a request, in several threads; raises
    ErrorResponse.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, model: str, reply: Callable[[ChatRequest], ChatReply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model
        self.reply = reply
        self.root = f"/{secrets.token_urlsafe(16)}/v1"

    @property
    def url(self) -> str:
        """The base URL for clients; its random part is a key, which no web page knows."""
        return f"http://127.0.0.1:{self.server_address[1]}{self.root}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore the error, since a client may disconnect."""


@contextmanager
def serving(model: str, reply: Callable[[ChatRequest], ChatReply]) -> Iterator[str]:
    """Answer requests from threads of this process until the context ends. Yields the base URL."""
    with ChatServer(model, reply) as server:
        # A daemon: a process that forgets to close it still ends.
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server.url
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ChatServer

    def do_POST(self) -> None:
        try:
            body = self._body()
            if self.path.partition("?")[0].rstrip("/") != f"{self.server.root}/chat/completions":
                raise ErrorResponse(404, f"There is nothing at {self.path}.")
            try:
                data = json.loads(body)
            except (ValueError, RecursionError) as error:
                raise ErrorResponse(400, f"The body is not JSON ({error}).") from None
            request = parse_request(data, self.server.model)
            only = _only_answer(request.schema)
            reply = ChatReply(only) if only is not None else self._reply(request)
            completion = _completion(self.server.model, request, reply.within(request.max_tokens))
            self._send(200, completion)
        except ErrorResponse as refused:
            kind = "server_error" if refused.status >= 500 else "invalid_request_error"
            problem = {"message": str(refused), "type": kind, "param": None, "code": refused.code}
            self._send(refused.status, {"error": problem}, refused.retry_after_s)

    def _reply(self, request: ChatRequest) -> ChatReply:
        """The stand-in's reply. If it fails, an error response, which ends the run."""
        try:
            return self.server.reply(request)
        except ErrorResponse:
            raise
        except Exception as error:
            at = traceback.extract_tb(error.__traceback__)[-1]
            raise ErrorResponse(
                400,
                f"The stand-in broke over this question: {type(error).__name__}: {error} "
                f"({at.filename}, line {at.lineno}).",
            ) from error

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > _MOST_BYTES:
            self.close_connection = True
            raise ErrorResponse(400, "The request's Content-Length is missing or too large.")
        return self.rfile.read(int(length))

    def _send(self, status: int, data: Any, retry_after_s: float | None = None) -> None:
        body = json.dumps(data, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if retry_after_s is not None:
            self.send_header("Retry-After", f"{retry_after_s:g}")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log nothing, since the client records every request."""


def parse_request(data: Any, model: str) -> ChatRequest:
    """Read the body of a request. Raises ErrorResponse, also for another model."""
    if not isinstance(data, dict) or not isinstance(data.get("model"), str):
        raise ErrorResponse(400, "The body of a request is a JSON object with a 'model'.")
    if data["model"] != model:
        problem = f"The model '{data['model']}' does not exist; there is {model}."
        raise ErrorResponse(404, problem, "model_not_found")
    messages, aside = data.get("messages"), data.get("aside", {})
    if not isinstance(messages, list) or not messages or not isinstance(aside, dict):
        raise ErrorResponse(400, "'messages' is no list of at least one message.")
    if data.get("stream") or data.get("n") not in (None, 1):
        raise ErrorResponse(400, "This model gives one reply, and all of it at once.")
    limit = data.get("max_completion_tokens", data.get("max_tokens"))
    if limit is not None and (not isinstance(limit, int) or limit is True or limit < 1):
        raise ErrorResponse(400, "'max_tokens' is no number from 1.")
    images: list[str] = []
    return ChatRequest(
        tuple(_message(i, message, images) for i, message in enumerate(messages)),
        _schema(data.get("response_format")),
        limit,
        data.get("seed") if data.get("temperature") else None,
        tuple(images),
        aside,
        bool(data.get("tools")),
    )


def _message(index: int, message: Any, images: list[str]) -> dict[str, str]:
    """A message with its text only. Adds the URLs of its images to `images`."""
    where = f"'messages[{index}]'"
    if not isinstance(message, dict) or message.get("role") not in _ROLES:
        raise ErrorResponse(400, f"{where} has no 'role' of {', '.join(_ROLES)}.")
    content = message.get("content")
    if isinstance(content, list):
        try:
            images += [p["image_url"]["url"] for p in content if p["type"] == "image_url"]
            content = "\n".join(p["text"] for p in content if p["type"] != "image_url")
        except (KeyError, TypeError):
            problem = f"{where} has a part that is neither text nor an image."
            raise ErrorResponse(400, problem) from None
    if content is None and message.get("tool_calls"):
        content = json.dumps(message["tool_calls"], ensure_ascii=False)
    if not isinstance(content, str):
        raise ErrorResponse(400, f"{where} has no 'content'.")
    role = "system" if message["role"] == "developer" else message["role"]
    return {"role": role, "content": content}


def _schema(response_format: Any) -> Mapping[str, Any]:
    kind = response_format.get("type") if isinstance(response_format, dict) else response_format
    if kind in (None, "text", "json_object"):
        return {}
    given = response_format.get("json_schema") if kind == "json_schema" else None
    schema = given.get("schema") if isinstance(given, dict) else None
    if not isinstance(schema, dict):
        raise ErrorResponse(400, "'response_format' has no JSON schema, and is no text.")
    return schema


def _only_answer(schema: Mapping[str, Any]) -> str | None:
    """The answer of a schema with a single permitted choice, as a test for schema support."""
    properties = schema.get("properties", {})
    choice = properties.get("choice", {})
    permitted = choice.get("enum", [choice["const"]] if "const" in choice else [])
    if len(properties) != 1 or len(permitted) != 1:
        return None
    return json.dumps({"choice": permitted[0]})


def _completion(model: str, request: ChatRequest, reply: ChatReply) -> dict[str, Any]:
    """The body of a successful response. Its id depends only on request and reply."""
    said = json.dumps([request.messages, reply.text])
    message = reply.message(request)
    ends = "tool_calls" if "tool_calls" in message else "stop"
    prompt, answer = (
        sum(-(-len(text) // _TOKEN) for text in texts)
        for texts in ([message["content"] for message in request.messages], [reply.text])
    )
    return {
        "id": f"chatcmpl-{hashlib.sha256(said.encode()).hexdigest()[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": message,
                "logprobs": None,
                "finish_reason": "length" if reply.cut else ends,
            }
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": answer,
            "total_tokens": prompt + answer,
        },
    }
