"""The HTTP side: chat completions on the loopback interface."""

from __future__ import annotations

import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from . import MODEL, chat
from .chat import BadRequest
from .faults import ReplyFaults
from .table import Table

_MOST_BYTES = 32 * 1024 * 1024


class ScriptedServer(ThreadingHTTPServer):
    """Answers until it is shut down.

    port: 0 for any that is free. slow_s: how long a slow reply takes. retry_after_s: what a reply
    of status 429 asks for. Raises OSError where the port cannot be had.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self,
        table: Table,
        faults: ReplyFaults,
        port: int = 0,
        slow_s: float = 2.0,
        retry_after_s: float = 1.0,
    ) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.table = table
        self.faults = faults
        self.slow_s = slow_s
        self.retry_after_s = retry_after_s

    @property
    def url(self) -> str:
        """What a client takes as its base URL."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is no error of ours."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ScriptedServer

    def do_GET(self) -> None:
        path = self.path.partition("?")[0].rstrip("/")
        if path == "/v1/models":
            self._send(200, chat.models())
        elif path.startswith("/v1/models/"):
            name = path.removeprefix("/v1/models/")
            if name == MODEL:
                self._send(200, chat.model())
            else:
                self._refuse(chat.unknown_model(name))
        else:
            self._refuse(BadRequest(404, f"There is nothing at {path}."))

    def do_POST(self) -> None:
        try:
            body = self._body()
            if self.path.partition("?")[0].rstrip("/") != "/v1/chat/completions":
                raise BadRequest(404, f"There is nothing at {self.path}.")
            try:
                data = json.loads(body)
            except (ValueError, RecursionError) as error:
                raise BadRequest(400, f"The body is no JSON ({error}).") from None
            self._send(200, self._complete(data))
        except BadRequest as refused:
            self._refuse(refused)

    def _complete(self, data: Any) -> dict[str, Any]:
        request = chat.parse_request(data)
        drawn = self.server.faults.draw(request.messages)
        if drawn.slow:
            time.sleep(self.server.slow_s)
        if drawn.status == 429:
            raise BadRequest(429, "Too many requests (a fault on purpose).", "rate_limit_exceeded")
        if drawn.status:
            raise BadRequest(drawn.status, "The server failed (a fault on purpose).")
        return chat.completion(request, chat.answer(request, self.server.table, drawn.reply))

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > _MOST_BYTES:
            self.close_connection = True
            raise BadRequest(400, "The request's Content-Length is missing or too large.")
        return self.rfile.read(int(length))

    def _refuse(self, refused: BadRequest) -> None:
        headers = {}
        if refused.status == 429:
            headers["Retry-After"] = f"{self.server.retry_after_s:g}"
        self._send(refused.status, chat.error_body(refused), headers)

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
