"""A server of chat completions on the loopback interface; a function gives the replies."""

from __future__ import annotations

import json
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .chat_completions import (
    ChatReply,
    ChatRequest,
    ErrorResponse,
    completion,
    error_data,
    model_data,
    only_answer,
    parse_request,
    unknown_model,
)

_MOST_BYTES = 32 * 1024 * 1024


class ChatServer(ThreadingHTTPServer):
    """Answers until it is shut down.

    model: its name over the wire. reply: makes the reply to a request, in threads at once; raises
    ErrorResponse. port: 0 for any that is free. Raises OSError where the port cannot be had.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self,
        model: str,
        reply: Callable[[ChatRequest], ChatReply],
        port: int = 0,
    ) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.model = model
        self.reply = reply

    @property
    def url(self) -> str:
        """What a client takes as its base URL."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is no error of ours."""


@contextmanager
def serving(model: str, reply: Callable[[ChatRequest], ChatReply]) -> Iterator[str]:
    """Answer from threads of this process for as long as the context lasts; the base URL."""
    with ChatServer(model, reply) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
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

    def do_GET(self) -> None:
        path = self.path.partition("?")[0].rstrip("/")
        known = model_data(self.server.model)
        if path == "/v1/models":
            self._send(200, {"object": "list", "data": [known]})
        elif path == f"/v1/models/{self.server.model}":
            self._send(200, known)
        elif path.startswith("/v1/models/"):
            self._refuse(unknown_model(path.removeprefix("/v1/models/"), self.server.model))
        else:
            self._refuse(ErrorResponse(404, f"There is nothing at {path}."))

    def do_POST(self) -> None:
        try:
            body = self._body()
            if self.path.partition("?")[0].rstrip("/") != "/v1/chat/completions":
                raise ErrorResponse(404, f"There is nothing at {self.path}.")
            try:
                data = json.loads(body)
            except (ValueError, RecursionError) as error:
                raise ErrorResponse(400, f"The body is no JSON ({error}).") from None
            request = parse_request(data, self.server.model)
            only = only_answer(request.schema)
            reply = ChatReply(only) if only is not None else self._reply(request)
            reply = reply.within(request.max_tokens)
            self._send(200, completion(self.server.model, request, reply))
        except ErrorResponse as refused:
            self._refuse(refused)

    def _reply(self, request: ChatRequest) -> ChatReply:
        """The stand-in's reply; where it breaks, a refusal, which ends the run in its words."""
        try:
            return self.server.reply(request)
        except ErrorResponse:
            raise
        except Exception as error:
            at = traceback.extract_tb(error.__traceback__)[-1]
            raise ErrorResponse(
                400,
                f"The stand-in broke over these messages: {type(error).__name__}: {error} "
                f"({at.filename}, line {at.lineno}).",
            ) from error

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > _MOST_BYTES:
            self.close_connection = True
            raise ErrorResponse(400, "The request's Content-Length is missing or too large.")
        return self.rfile.read(int(length))

    def _refuse(self, refused: ErrorResponse) -> None:
        headers = {}
        if refused.retry_after_s is not None:
            headers["Retry-After"] = f"{refused.retry_after_s:g}"
        self._send(refused.status, error_data(refused), headers)

    def _send(self, status: int, data: Any, headers: dict[str, str] | None = None) -> None:
        body = json.dumps(data, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Every request is recorded by the one who asks."""
