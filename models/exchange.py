"""HTTP exchanges within bounds: one deadline for the whole of each, and a limit of its bytes.

The time-outs of an HTTP client are for one read from the socket each, so it waits without end for
an endpoint that sends a header or a blank every few seconds. Here the time-out `read` of a request
is the deadline of all of it: connection, handshake, headers and body. A body is read up to a limit,
which counts what is unpacked too.
"""

from __future__ import annotations

import ipaddress
import math
import socket
import ssl
import threading
import time
import urllib.request
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit
from weakref import WeakSet

import httpcore2
import httpx2

#: The most bytes of a body, where the request does not say otherwise.
MOST_BYTES = 8 * 1024 * 1024
#: The extension of a request with another limit of bytes.
MOST_BYTES_FIELD = "peephole.most_bytes"
#: The encodings of a body that requests ask for.
ENCODINGS = "gzip, deflate"
#: For `zlib`: the header of the data says whether it is gzip or zlib.
_GZIP_OR_ZLIB = 47
#: Bytes given to the socket at once.
_PIECE = 65_536
_POOL: Mapping[str, Any] = {
    "max_connections": 1,
    "max_keepalive_connections": 1,
    "keepalive_expiry": 5.0,
}


class TooManyBytes(Exception):
    """A body longer than its limit, of which the rest was not read; the text says how long."""

    def __init__(self, most: int) -> None:
        super().__init__(f"more than {most / 2**20:.0f} MiB in one reply")


class Redirected(Exception):
    """A redirection that is not followed; the text is the address."""


#: The exceptions for replies that are not read, which no HTTP client knows.
REFUSED = (TooManyBytes, Redirected)


def check_redirect(response: httpx2.Response) -> None:
    """Raise Redirected for a reply that sends its request to another host or port.

    A conversation goes to no server that the user has not named. A request whose method would
    change loses its body, so it is not followed either.
    """
    request = response.request
    there = request.url.join(response.headers["location"])
    kept = response.status_code in (307, 308) or request.method == "GET"
    same = (there.host, there.port) == (request.url.host, request.url.port)
    if not (same and kept):
        raise Redirected(str(there))


class Exchanges(httpx2.BaseTransport):
    """The exchanges with the endpoint at a URL, over connections that are kept."""

    def __init__(self, base_url: str) -> None:
        self._network = _Network()
        self._new_pool = _pools(base_url, self._network)
        # A pool looks at all its connections for each request, so each has one exchange at a time.
        self._idle: list[httpcore2.ConnectionPool] = []

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """One exchange, with its whole body. Raises TooManyBytes too."""
        within_s = request.extensions.get("timeout", {}).get("read")
        most = request.extensions.get(MOST_BYTES_FIELD, MOST_BYTES)
        url = request.url
        asked = httpcore2.Request(
            request.method,
            httpcore2.URL(
                scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
            ),
            headers=request.headers.raw,
            content=request.read(),
            extensions=request.extensions,
        )
        _DEADLINE.at_s = math.inf if within_s is None else time.perf_counter() + within_s
        with _as_errors_of_the_client(request), self._pool() as pool:
            reply = pool.handle_request(asked)
            try:
                headers = httpx2.Headers(reply.headers)
                encoding = headers.pop("content-encoding", "").lower()
                content = _unpacked(reply.iter_stream(), encoding, most)
            finally:
                reply.close()
        for name in ("content-length", "transfer-encoding"):
            headers.pop(name, None)
        return httpx2.Response(reply.status, headers=headers, content=content, request=request)

    @contextmanager
    def _pool(self) -> Iterator[httpcore2.ConnectionPool]:
        """A pool that no other exchange uses, preferably the one that was used last."""
        try:
            pool = self._idle.pop()
        except IndexError:
            pool = self._new_pool()
        try:
            yield pool
        finally:
            self._idle.append(pool)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def break_off(self) -> None:
        """End the exchanges of all threads, with an error there."""
        self._network.break_off()


@contextmanager
def _as_errors_of_the_client(request: httpx2.Request) -> Iterator[None]:
    try:
        yield
    except httpcore2.TimeoutException as error:
        raise httpx2.ReadTimeout(str(error), request=request) from None
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError) as error:
        if _DEADLINE.at_s <= time.perf_counter():
            raise httpx2.ReadTimeout(str(error), request=request) from None
        kind = httpx2.ConnectError if isinstance(error, _NEVER_SENT) else httpx2.ReadError
        raise kind(str(error), request=request) from None
    except zlib.error as error:
        raise httpx2.ReadError(f"its body is no {ENCODINGS}: {error}", request=request) from None


_NEVER_SENT = (httpcore2.ConnectError, httpcore2.ProxyError)


def _unpacked(parts: Iterator[bytes], encoding: str, most: int) -> bytes:
    """A body without its encoding; in an encoding that nobody asked for it stays as it is."""
    packed = zlib.decompressobj(_GZIP_OR_ZLIB) if encoding in ENCODINGS.split(", ") else None
    content, received = bytearray(), 0
    for part in parts:
        received += len(part)
        content += part if packed is None else packed.decompress(part, most + 1 - len(content))
        if max(received, len(content)) > most:
            raise TooManyBytes(most)
    return bytes(content)


# --- connections that know the deadline ----------------------------------------------------------


class _Deadline(threading.local):
    """When the exchange of this thread ends, by `time.perf_counter()`."""

    at_s = math.inf

    def left_s(self, timeout_s: float | None) -> float | None:
        """The time that is left, at most `timeout_s`. Raises ReadTimeout where there is none."""
        left = self.at_s - time.perf_counter()
        if left <= 0:
            raise httpcore2.ReadTimeout("the whole reply took too long")
        least = left if timeout_s is None else min(left, timeout_s)
        return None if least == math.inf else least


_DEADLINE = _Deadline()


class _Stream(httpcore2.NetworkStream):
    """A connection whose reads and writes end with the deadline."""

    def __init__(
        self,
        stream: httpcore2.NetworkStream,
        kept: Callable[[httpcore2.NetworkStream], _Stream],
    ) -> None:
        """kept: makes the stream of a connection that is kept."""
        self._stream = stream
        self._kept = kept

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _DEADLINE.left_s(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            self._stream.write(buffer[start : start + _PIECE], _DEADLINE.left_s(timeout))

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        left_s = _DEADLINE.left_s(timeout)  # of the handshake as a whole, by Python's ssl
        return self._kept(self._stream.start_tls(ssl_context, server_hostname, left_s))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def close(self) -> None:
        self._stream.close()


class _Network(httpcore2.SyncBackend):
    """The network, with connections that know the deadline."""

    def __init__(self) -> None:
        self._sockets: WeakSet[socket.socket] = WeakSet()

    def break_off(self) -> None:
        """End all connections, whatever waits for them."""
        for connection in list(self._sockets):
            with suppress(OSError):
                # Not the method of a TLS socket, which would take its keys from its reader.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *args: Any, **options: Any
    ) -> httpcore2.NetworkStream:
        left_s = _DEADLINE.left_s(timeout)
        stream = super().connect_tcp(host, port, left_s, *args, **options)
        return self._kept(stream)

    def _kept(self, stream: httpcore2.NetworkStream) -> _Stream:
        self._sockets.add(stream.get_extra_info("socket"))
        return _Stream(stream, self._kept)


def _pools(base_url: str, network: _Network) -> Callable[[], httpcore2.ConnectionPool]:
    """Makes pools of connections to an endpoint, through the proxy that the environment names."""
    url = urlsplit(base_url)
    proxy = urlsplit(_proxy(url.scheme, url.hostname or ""))
    settings = {**_POOL, "network_backend": network}
    if "https" in (url.scheme, proxy.scheme):
        settings["ssl_context"] = httpx2.create_ssl_context()
    if not proxy.hostname:
        return partial(httpcore2.ConnectionPool, **settings)
    if proxy.username:
        settings["proxy_auth"] = (unquote(proxy.username), unquote(proxy.password or ""))
    kind = httpcore2.SOCKSProxy if proxy.scheme.startswith("socks") else httpcore2.HTTPProxy
    return partial(kind, f"{proxy.scheme}://{proxy.netloc.rpartition('@')[2]}", **settings)


def _proxy(scheme: str, host: str) -> str:
    """The URL of the proxy for a host; "" for none, and for this machine itself."""
    proxies = urllib.request.getproxies()
    direct = host in ("127.0.0.1", "localhost", "::1") or urllib.request.proxy_bypass(host)
    if direct or any(_is_in(host, network) for network in proxies.get("no", "").split(",")):
        return ""
    proxy = proxies.get(scheme) or proxies.get("all") or ""
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


def _is_in(host: str, network: str) -> bool:
    """Whether a host is an address of a network such as 10.0.0.0/8."""
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network.strip(), strict=False)
    except ValueError:
        return False
