"""The tools of a seat over MCP: on the standard streams, or over HTTP on this machine.

The package `mcp` speaks the protocol, in its newest version and in those with a handshake. A server
answers calls of tools and no more: it offers no files, prompts or logs, and every error that a tool
can explain is an answer with `isError`.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from ...errors import Missing
from ...installed import Lack
from ...version import __version__
from ..kits import tools

if TYPE_CHECKING:
    from mcp.server import Server

    from .seat import Reply

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Scope]]
_Send = Callable[[_Scope], Awaitable[None]]

_INSTRUCTIONS = (
    "You control a household robot by these tools. Call task first. Then call act until the task "
    "is fulfilled, and call done."
)
#: The longest message of a client, in bytes.
_LONGEST = 1 << 18
#: Messages of a client on the standard streams that wait for their turn.
_MOST_LINES = 32
#: Seconds in which a server that ends answers what it has begun to answer.
_ENDING_S = 2


class Answering(Protocol):
    """What answers calls, such as a seat."""

    def call(self, name: str, argument: str = "") -> Reply: ...


def check_installed() -> None:
    """Raise Missing where the package `mcp` is not installed."""
    if find_spec("mcp") is None:
        raise Missing(Lack("Playing over MCP needs the package mcp", "mcp"))


def server_of(seat: Answering) -> Server[Any]:
    """The MCP server of a seat."""
    check_installed()
    import anyio
    from mcp.server import Server
    from mcp.types import (
        CallToolRequestParams,
        CallToolResult,
        ListToolsResult,
        TextContent,
        Tool,
        ToolAnnotations,
    )

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        return ListToolsResult(
            tools=[
                Tool(
                    name=tool.name,
                    description=tool.description,
                    input_schema=tool.schema,
                    annotations=ToolAnnotations(read_only_hint=tool.only_tells),
                )
                for tool in tools.TOOLS
            ]
        )

    async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
        try:
            argument = tools.argument_of(params.name, params.arguments)
        except ValueError as error:
            return CallToolResult(content=[TextContent(text=str(error))], is_error=True)
        reply = await anyio.to_thread.run_sync(
            seat.call, params.name, argument, abandon_on_cancel=True
        )
        return CallToolResult(content=[TextContent(text=reply.text)], is_error=not reply.ok)

    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # habits of clients are no news here
    return Server(
        "peephole",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


# --- standard streams ----------------------------------------------------------------------------


def serve_stdio(seat: Answering) -> None:
    """Serve one client on the standard streams until it closes them.

    Meanwhile what others print goes to standard error, and they read nothing.
    """
    from mcp.server.stdio import stdio_server

    server = server_of(seat)
    reader, writer = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)

    async def serve() -> None:
        lines: Any = _Lines(reader)  # has all that the transport uses of a file
        out: Any = _Out(writer)
        async with stdio_server(lines, out) as (received, sent):
            await server.run(received, sent, server.create_initialization_options())

    asyncio.run(serve())


class _Lines:
    """The lines of a file, read in a thread that keeps no process alive; some at most wait."""

    def __init__(self, descriptor: int) -> None:
        self._file = os.fdopen(descriptor, "rb")
        self._places = threading.Semaphore(_MOST_LINES)

    async def __aiter__(self) -> AsyncIterator[str]:
        loop, found = asyncio.get_running_loop(), asyncio.Queue[str | None]()

        def read() -> None:
            try:
                while line := self._file.readline(_LONGEST):
                    whole = line.endswith(b"\n") or len(line) < _LONGEST
                    while not (line.endswith(b"\n") or len(line) < _LONGEST):
                        line = self._file.readline(_LONGEST)
                    text = line.decode("utf-8", "replace") if whole else "too long"
                    self._places.acquire()
                    loop.call_soon_threadsafe(found.put_nowait, text)
                loop.call_soon_threadsafe(found.put_nowait, None)
            except (OSError, RuntimeError):  # the loop has ended
                return

        threading.Thread(target=read, name="standard input", daemon=True).start()
        while (line := await found.get()) is not None:
            self._places.release()
            yield line


class _Out:
    def __init__(self, descriptor: int) -> None:
        self._file = os.fdopen(descriptor, "w", encoding="utf-8")

    async def write(self, text: str) -> None:
        try:
            self._file.write(text)
        except OSError:  # the client has gone
            return

    async def flush(self) -> None:
        try:
            self._file.flush()
        except OSError:
            return


# --- HTTP ----------------------------------------------------------------------------------------


class HttpServer:
    """An MCP server over streamable HTTP on 127.0.0.1, in a thread, for those with its token.

    with HttpServer(seat) as server:
        print(server.url, server.token)
    """

    def __init__(self, seat: Answering, port: int = 0, token: str = "") -> None:
        """port: 0 for any free one. token: a new one by default. Raises OSError."""
        import uvicorn

        from .connections import Connection

        self.token = token or secrets.token_urlsafe(24)
        # Named TCP, so that asyncio sends each part of an answer at once.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port))
        self._socket.listen()  # a client that comes before the server waits
        app = server_of(seat).streamable_http_app(max_request_body_size=_LONGEST)
        self._server = uvicorn.Server(
            uvicorn.Config(
                _WithToken(app, self.token),
                http=Connection,
                log_level="critical",
                access_log=False,
                ws="none",
                timeout_graceful_shutdown=_ENDING_S,
            )
        )
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="MCP server", daemon=True
        )

    @property
    def url(self) -> str:
        """Where clients find it."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/mcp"

    @property
    def config(self) -> dict[str, Any]:
        """The entry of a client's configuration, as most clients read it."""
        headers = {"Authorization": f"Bearer {self.token}"}
        entry = {"type": "http", "url": self.url, "headers": headers}
        return {"mcpServers": {"peephole": entry}}

    def __enter__(self) -> HttpServer:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.should_exit = True
        self._thread.join(2 * _ENDING_S)
        self._socket.close()


class _WithToken:
    """An application for those who send the token; others learn no more than that."""

    def __init__(self, app: Any, token: str) -> None:
        self._app = app
        self._wanted = f"Bearer {token}".encode()

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, self._wanted):
                body = b'{"error": "Send the header Authorization: Bearer TOKEN."}'
                headers = [(b"content-type", b"application/json")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": body})
                return
        await self._app(scope, receive, send)
