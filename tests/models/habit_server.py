"""A stand-in for an endpoint with habits: real HTTP on 127.0.0.1, one server for all of them.

The first part of a path names the habit, a function that answers a request. So habits do not
meddle with one another, and no test waits for a server to start.
"""

from __future__ import annotations

import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]
CHOICE = '{"choice": "fridge"}'


class Asked:
    """A request to a habit, and the ways to answer it."""

    def __init__(self, handler: BaseHTTPRequestHandler, body: Body, count: int, key: str) -> None:
        """count: how many requests the habit has had, from 1. key: what it was sent as."""
        self.handler = handler
        self.body = body
        self.count = count
        self.key = key
        self.path = handler.path
        self.characters = len(json.dumps(body.get("messages", "")))

    @property
    def roles(self) -> list[str]:
        """The roles of its messages."""
        return [message["role"] for message in self.body.get("messages", [])]

    def raw(self, text: bytes, *, close: bool = True) -> None:
        """Send bytes as they are."""
        self.handler.wfile.write(text)
        self.handler.close_connection = close

    def body_of(
        self, content: bytes, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        """A reply with this body."""
        told = {"Content-Type": "application/json", "Content-Length": str(len(content))}
        self.handler.send_response(status)
        for name, value in (told | dict(headers or {})).items():
            self.handler.send_header(name, value)
        self.handler.end_headers()
        self.handler.wfile.write(content)

    def data(self, data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """A reply with this JSON."""
        self.body_of(json.dumps(data).encode(), status, headers)

    def error(
        self,
        status: int,
        message: str = "Something is wrong.",
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        """An error as OpenAI has it."""
        self.data({"error": {"message": message, **more}}, status, headers)

    def says(self, text: Any = CHOICE, reason: str = "stop", **more: Any) -> None:
        """A completion with a text, or with another content."""
        self.data(completion({"content": text}, reason, **more))

    def message(self, reason: str = "stop", **fields: Any) -> None:
        """A completion with a message of these fields."""
        self.data(completion(fields, reason))

    def drips(self, beginning: bytes, part: bytes, every_s: float = 0.05) -> None:
        """Send parts until the client has gone, or for longer than any deadline of a test."""
        end = time.monotonic() + 10
        try:
            self.raw(beginning)
            while not STOPPED.is_set() and time.monotonic() < end:
                self.handler.wfile.write(part)
                self.handler.wfile.flush()
                time.sleep(every_s)
        except OSError:
            self.handler.close_connection = True


#: Set when the tests are over, for answers without end.
STOPPED = threading.Event()


def completion(message: Body, reason: str = "stop", **more: Any) -> Body:
    """The body of a chat completion."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "stand-in-2026",
        "choices": [
            {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
        ],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3},
        **more,
    }


Serve = Callable[[Asked], None]


class HabitServer(ThreadingHTTPServer):
    """The server. habits: by name. requests: the bodies that each has had."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, habits: Mapping[str, Serve]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.habits = habits
        self.requests: dict[str, list[Body]] = defaultdict(list)

    def url(self, habit: str) -> str:
        """The OPENAI_BASE_URL of a habit."""
        return f"http://127.0.0.1:{self.server_address[1]}/{habit}/v1"

    def __enter__(self) -> HabitServer:
        STOPPED.clear()
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        STOPPED.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: HabitServer

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _answer(self, body: Body) -> None:
        name = self.path.split("/")[1]
        self.server.requests[name].append(body)
        count = len(self.server.requests[name])
        key = str(self.headers["Authorization"]).removeprefix("Bearer ")
        self.server.habits[name](Asked(self, body, count, key))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass
