"""A page's server with one open question, and a client that sends what a browser would not."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from peephole.adapters.operator.page.exchange import Exchange
from peephole.adapters.operator.page.gate import Gate
from peephole.adapters.operator.page.server import PageServer


@dataclass
class Served:
    """A running server and what it was asked."""

    server: PageServer
    used_links: list[str] = field(default_factory=list)
    key: str = ""

    def request(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, dict[str, str], Any]:
        """Status, headers and content of a response. headers: `Origin`, `Host` and others."""
        client = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=10)
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        if self.key:
            headers.setdefault("Authorization", f"Bearer {self.key}")
        try:
            client.request(method, path, content, headers)
            response = client.getresponse()
            data = response.read()
            fields = dict(response.getheaders())
            if fields["Content-Type"].startswith("application/json"):
                data = json.loads(data)
            return response.status, fields, data
        finally:
            client.close()

    def open(self) -> None:
        """Open the page by its link."""
        status, _, data = self.request("POST", "/open", {"token": self.server.gate.token})
        assert status == 200
        self.key = data["key"]

    def state(self, known: int = -1) -> Any:
        status, _, data = self.request("GET", f"/state?known={known}")
        assert status == 200, data
        return data


@pytest.fixture
def served() -> Iterator[Served]:
    links: list[str] = []
    server = PageServer(0, Gate(), Exchange(), lambda: links.append("used"))
    server.poll_s = 0.2
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield Served(server, links)
    server.exchange.end("The test has ended.")
    server.shutdown()
    server.server_close()
    thread.join()
