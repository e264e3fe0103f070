"""How long a call of an agent over MCP takes, with the client of the package `mcp`.

    .venv/bin/python benchmarks/mcp_calls.py [--calls N] [--json]

One episode is played over the standard streams and one over HTTP, each in the protocol's newest
version and in the last one with a handshake: the calls `task`, `menu`, `look`, `act` and `status`
by turns. The server is a process of its own. Printed are milliseconds a call: the median and the
slowest of twenty.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

SERVER = ("-m", "peephole", "mcp", "--suite", "household", "--adapter", "symbolic")
CALLS: tuple[tuple[str, dict[str, str]], ...] = (
    ("task", {}),
    ("menu", {}),
    ("act", {"action": "look around"}),
    ("look", {}),
    ("status", {}),
)
PIPES: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
MODES = {"auto": "newest", "legacy": "with a handshake"}


@asynccontextmanager
async def on_streams(out: Path, mode: str) -> AsyncIterator[Client]:
    arguments = [*SERVER, "--out", str(out)]
    server = StdioServerParameters(command=sys.executable, args=arguments)
    with open(os.devnull, "w") as nowhere:
        async with Client(stdio_client(server, errlog=nowhere), mode=mode) as client:
            yield client


@asynccontextmanager
async def over_http(out: Path, mode: str) -> AsyncIterator[Client]:
    command = [sys.executable, *SERVER, "--out", str(out), "--http"]
    with subprocess.Popen(command, **PIPES) as process:
        try:
            assert process.stdout is not None
            lines: list[str] = []
            while not lines or lines[-1] != "}\n":
                lines.append(process.stdout.readline())
            entry = json.loads("".join(lines))["mcpServers"]["peephole"]
            async with httpx2.AsyncClient(headers=entry["headers"]) as http:
                transport = streamable_http_client(entry["url"], http_client=http)
                async with Client(transport, mode=mode) as client:
                    yield client
        finally:
            process.terminate()


async def times(client: Client, calls: int) -> list[float]:
    """Milliseconds of each call; the first ones, in which the episode begins, are left out."""
    await client.call_tool("task", {})
    found = []
    for name, arguments in islice(cycle(CALLS), calls):
        began = time.perf_counter()
        answer = await client.call_tool(name, arguments)
        found.append((time.perf_counter() - began) * 1000)
        assert not answer.is_error, answer
    await client.call_tool("done", {})
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for transport, opened in (("standard streams", on_streams), ("HTTP", over_http)):
            for mode, version in MODES.items():

                async def play(
                    opened: Any = opened,
                    out: Path = Path(folder, f"{transport} {mode}"),
                    mode: str = mode,
                ) -> list[float]:
                    async with opened(out, mode) as client:
                        return await times(client, given.calls)

                found = sorted(asyncio.run(play()))
                slow = found[int(len(found) * 0.95)]
                median = statistics.median(found)
                rows.append({"over": transport, "version": version, "median": median, "slow": slow})
    if given.json:
        print(json.dumps(rows))
        return
    print(f"{'over':18} {'version':18} {'median ms':>10} {'1 in 20 ms':>11}")
    for row in rows:
        print(f"{row['over']:18} {row['version']:18} {row['median']:10.1f} {row['slow']:11.1f}")


if __name__ == "__main__":
    main()
