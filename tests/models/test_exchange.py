"""The deadline of an exchange before there is any HTTP, and proxies of the environment."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.failures import Unreachable
from peephole.models.served_model import ModelEndpoint

from .conftest import ASK
from .habit_server import Asked, HabitServer

#: The beginning of a TLS record of 16 KiB, the rest of which comes a byte at a time.
_RECORD = b"\x16\x03\x03\x40\x00\x02"


@pytest.fixture
def dripping_port() -> Iterator[int]:
    """A port whose TLS handshake never ends."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(_RECORD)
                try:
                    for _ in range(100):
                        time.sleep(0.05)
                        connection.sendall(b"\0")
                except OSError:
                    pass

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


def test_a_handshake_that_drips_ends_with_the_deadline(dripping_port: int) -> None:
    access = ModelEndpoint(f"https://127.0.0.1:{dripping_port}/v1", "m")
    config = ModelConfig("m", timeout_s=0.4, patience_s=0)
    began = time.perf_counter()
    with ModelConnection(config, access) as connection:
        model = connection.for_episode("planner", lambda event: None)
        with pytest.raises(Unreachable, match=r"did not answer within 0\.4 s"):
            model.complete(ASK)
    assert time.perf_counter() - began < 2


@pytest.mark.parametrize(
    ("host", "no_proxy", "proxied"),
    [
        ("model.example", "", True),
        ("model.example", "other.example, 127.0.0.0/8", True),
        ("model.example", "example", False),
        ("127.0.0.2:9", "10.0.0.0/8,127.0.0.0/8", False),
    ],
)
def test_a_proxy_of_the_environment_is_asked(
    monkeypatch: pytest.MonkeyPatch, host: str, no_proxy: str, proxied: bool
) -> None:
    paths: list[str] = []

    def serve(request: Asked) -> None:
        paths.append(request.path)
        request.says("Yes.")

    with HabitServer({"": serve}) as server:
        address = f"http://me:secret@127.0.0.1:{server.server_address[1]}"
        monkeypatch.setenv("http_proxy", address)
        monkeypatch.setenv("no_proxy", no_proxy)
        access = ModelEndpoint(f"http://{host}/v1", "m")
        with ModelConnection(ModelConfig("m", patience_s=0), access) as connection:
            model = connection.for_episode("planner", lambda event: None)
            if proxied:
                assert model.complete(ASK) == "Yes."
            else:
                with pytest.raises(Unreachable, match="cannot be reached"):
                    model.complete(ASK)
    assert paths == [f"http://{host}/v1/chat/completions"] * proxied
