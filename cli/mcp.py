"""The command that lets an agent play one episode over MCP."""

from __future__ import annotations

import dataclasses
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import BadInput
from .options import with_groups
from .output import print_json
from .seat_options import SeatOptions, seated

if TYPE_CHECKING:
    from ..planners.external.seat import Seat

#: Seconds after the last call for which others are answered when the episode is over, over HTTP;
#: and seconds after which none is.
_LINGER_S, _LONGEST_S = 10.0, 60.0


@dataclasses.dataclass(frozen=True)
class DoorOptions:
    """Where clients find the server."""

    http: Annotated[bool, typer.Option("--http", rich_help_panel="How clients connect")] = False
    """Serve on 127.0.0.1 over HTTP, and print the entry for the client's configuration, with its
    token. By default on the standard streams."""
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, rich_help_panel="How clients connect")
    ] = 0
    """Port for --http. By default a free one."""


@with_groups
def mcp(what: SeatOptions, door: DoorOptions) -> None:
    """Let an agent play one episode over MCP, and record it."""
    from ..interfaces.seat_run import play_from
    from ..planners.external.mcp_server import check_installed
    from ..planners.external.seat import Seat

    if door.port and not door.http:
        raise BadInput("--port is for --http; add it, or leave --port out.")
    check_installed()
    seat = Seat()
    if door.http:
        _over_http(what, door, seat)
        return
    served = threading.Thread(target=_serve, args=(seat,), name="MCP server", daemon=True)
    with seated("mcp", what, seat) as (run, folder):
        if run.adapter.spec.attended:
            raise BadInput(
                "A person answers in the terminal, which the client would use; add --http."
            )
        served.start()
        play_from(seat, run, folder)
        with suppress(KeyboardInterrupt):  # the episode is over
            served.join()  # the client may ask how it ended, until it closes the streams
    print(f"Recorded in {folder}; read it with: peephole show {folder}", file=sys.stderr)


def _serve(seat: Seat) -> None:
    from ..planners.external.mcp_server import serve_stdio

    try:
        serve_stdio(seat)
    finally:
        seat.leave()


def _over_http(what: SeatOptions, door: DoorOptions, seat: Seat) -> None:
    from ..interfaces.seat_run import play_from
    from ..planners.external.mcp_server import HttpServer
    from .playing import print_results

    with seated("mcp", what, seat) as (run, folder):
        try:
            server = HttpServer(seat, door.port)
        except OSError as error:
            raise BadInput(
                f"The port {door.port} cannot be used ({error.strerror}); choose another --port."
            ) from None
        with server:
            print_json(server.config)
            sys.stdout.flush()
            play_from(seat, run, folder)
            with suppress(KeyboardInterrupt):  # the episode is over
                seat.quiet(_LINGER_S, _LONGEST_S)
    print_results(run.config, folder, as_json=False)
