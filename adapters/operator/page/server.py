"""The page's server: HTTP on the loopback interface, for one page at a time.

It serves the page's own files, which hold nothing of a run, to anybody on this machine. Everything
else takes the key of `Gate`. A connection carries one request, read within a deadline.
"""

from __future__ import annotations

import io
import json
import socket
import threading
from collections.abc import Callable, Mapping
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ....errors import PeepholeError
from . import photo
from .exchange import Exchange
from .gate import Gate, Refused, UsedLink
from .timed_stream import TimedStream

#: Seconds within which a whole request has arrived, and an answer is taken.
READ_S, WRITE_S = 30.0, 30.0
#: Seconds after which a page that waits for news gets an answer without any.
POLL_S = 25.0
#: The most bytes of an answer.
MOST_BYTES = 256 * 1024
#: The most connections at a time. A browser opens six.
_CONNECTIONS = 24
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}


@cache
def page_files() -> Mapping[str, tuple[str, bytes]]:
    """The files of the page by their paths in the server: media type and content."""
    here = files(__package__)
    found = [("/", here / "page.html"), ("/page.css", here / "page.css")]
    found += [
        (f"/{script.name}", script)
        for script in (here / "page_script").iterdir()
        if script.name.endswith(".js")
    ]
    return {
        path: (f"{_KINDS['.' + file.name.rpartition('.')[2]]}; charset=utf-8", file.read_bytes())
        for path, file in found
    }


class PageServer(ThreadingHTTPServer):
    """The server. used_link: called when somebody opens a link that was used."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(
        self, port: int, gate: Gate, exchange: Exchange, used_link: Callable[[], None]
    ) -> None:
        """port: 0 for any that is free. Raises OSError for one that is taken."""
        self.read_s, self.write_s, self.poll_s = READ_S, WRITE_S, POLL_S
        self.gate = gate
        self.exchange = exchange
        self.used_link = used_link
        self.lock = threading.Lock()  # of the gate
        self._free = threading.BoundedSemaphore(_CONNECTIONS)
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own, or drop it where there are too many."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore the error, since a client may disconnect."""


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    connection: socket.socket

    def setup(self) -> None:
        super().setup()
        self.rfile = io.BufferedReader(TimedStream(self.connection, self.server.read_s))

    def do_GET(self) -> None:
        self._answer({"/state": self._state}, body=False)

    def do_POST(self) -> None:
        calls = {"/open": self._open, "/answer": self._take, "/photo": self._photo}
        calls |= {"/read": self._read, "/leave": self._leave}
        self._answer(calls, body=True)

    def _answer(self, calls: Mapping[str, Callable[[], Any]], *, body: bool) -> None:
        """Answer a request by one of the calls, or with a file of the page."""
        path = self.path.partition("?")[0]
        try:
            sender = {
                name: self.headers.get_all(name, [])
                for name in ("Host", "Origin", "Sec-Fetch-Site")
            }
            self.server.gate.check_sender(sender)
            if path in calls:
                self.server.gate.check_same_site(sender)
                if path != "/open":
                    self._check_key()
                data = calls[path]()
                self._send_json(200, data)
                if data.get("state") == "ended":
                    self.server.exchange.tell_end()
            elif not body and path in page_files():
                self._send(200, *page_files()[path])
            else:
                raise Refused(404, "There is nothing at this address.")
        except Refused as refused:
            self._send_json(refused.status, {"problem": str(refused)})
        except TimeoutError:
            self._send_json(408, {"problem": "The request took too long; send it again."})
        except OSError:
            raise  # the client is gone
        except Exception as error:  # otherwise the page would send it again for ever
            why = f"{type(error).__name__}: {error}"
            self._send_json(500, {"problem": f"The page's server failed ({why}); report it."})

    def _check_key(self) -> None:
        with self.server.lock:
            self.server.gate.check_key(self.headers.get("Authorization", ""))

    def _state(self) -> dict[str, Any]:
        known = parse_qs(urlsplit(self.path).query).get("known", ["-1"])[0]
        if not known.removeprefix("-").isdecimal() or len(known) > 12:
            raise Refused(400, "'known' is no number of a version.")
        state = self.server.exchange.state(int(known), self.server.poll_s)
        self._check_key()  # the page may have been opened elsewhere meanwhile
        return state

    def _open(self) -> dict[str, Any]:
        token = self._json(4096).get("token")
        if not isinstance(token, str):
            raise Refused(400, "The link has no token; open the link that the terminal shows.")
        with self.server.lock:
            try:
                key = self.server.gate.exchange(token)
            except UsedLink:
                self.server.used_link()
                raise
        self.server.exchange.wake()
        return {"key": key}

    def _take(self) -> dict[str, Any]:
        said = self._json(MOST_BYTES)
        number = said.get("number")
        if type(number) is not int or "answer" not in said:
            raise Refused(400, "An answer has a 'number' and an 'answer'.")
        self.server.exchange.answer(number, said["answer"])
        return {}

    def _leave(self) -> dict[str, Any]:
        self._json(64)
        self.server.exchange.leave()
        return {}

    def _photo(self) -> dict[str, Any]:
        number = parse_qs(urlsplit(self.path).query).get("number", [""])[0]
        if not number.isdecimal() or len(number) > 12:
            raise Refused(400, "A photo has the 'number' of its question.")
        try:
            taken = photo.Photo.read(self._body(photo.MOST_BYTES))
        except (ValueError, PeepholeError) as error:
            raise Refused(422, str(error)) from None
        self.server.exchange.add_photo(int(number), taken)
        return {"photo": taken.name, "width": taken.width, "height": taken.height}

    def _read(self) -> dict[str, Any]:
        said = self._json(4096)
        number, name = said.get("number"), said.get("photo")
        if type(number) is not int or not isinstance(name, str):
            raise Refused(400, "A photo to read has a 'number' and a name, 'photo'.")
        self.server.exchange.read_again(number, name)
        return {}

    def _json(self, most: int) -> dict[str, Any]:
        try:
            data = json.loads(self._body(most))
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            raise Refused(400, "The body is no JSON object.")
        return data

    def _body(self, most: int) -> bytes:
        length = self.headers.get_all("Content-Length", [])
        if len(length) != 1 or not length[0].isdecimal() or "Transfer-Encoding" in self.headers:
            raise Refused(411, "A request says how long it is in one header Content-Length.")
        if len(length[0]) > 12 or int(length[0]) > most:
            raise Refused(413, f"A request here has {most // 1024} kB at most.")
        content = self.rfile.read(int(length[0]))
        if len(content) < int(length[0]):
            raise Refused(400, "The request ended early; send it again.")
        return content

    def _send_json(self, status: int, data: Any) -> None:
        content = json.dumps(data, ensure_ascii=False).encode(errors="replace")
        self._send(status, "application/json; charset=utf-8", content)

    def _send(self, status: int, kind: str, content: bytes) -> None:
        self.connection.settimeout(self.server.write_s)
        self.send_response(status)
        for name, value in (_HEADERS | {"Content-Type": kind}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def version_string(self) -> str:
        return "Peephole"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log nothing: the terminal belongs to the run."""
