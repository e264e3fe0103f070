"""An agent plays over MCP with the client of the package `mcp`."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from peephole.api import run
from peephole.episodes.run_file import read_run
from peephole.episodes.runner import results_of
from peephole.errors import BadInput
from peephole.interfaces.seat_run import continued_run
from peephole.planners.external.mcp_server import HttpServer, server_of
from peephole.planners.external.seat import Seat
from peephole.scene_graph.task import Task

from ..seats import WORDS, Held

pytest.importorskip("mcp")

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from peephole.planners.external import connections

TOOLS = ["task", "look", "menu", "act", "status", "done", "give_up"]


@pytest.fixture
def held(task: Task, tmp_path: Path) -> Held:
    return Held(task, tmp_path / "run")


async def told(client: Client, name: str, **arguments: Any) -> tuple[str, bool]:
    """The text of an answer, and whether it is an error."""
    answer = await client.call_tool(name, arguments)
    (content,) = answer.content
    return content.text, answer.is_error


async def whole_episode(client: Client) -> list[str]:
    texts = [(await told(client, "task"))[0], (await told(client, "menu"))[0]]
    for words in WORDS:
        texts.append((await told(client, "act", action=words))[0])
    return texts


def with_client(server: Any, play: Callable[[Client], Awaitable[Any]], mode: str = "auto") -> Any:
    async def main() -> Any:
        async with Client(server, mode=mode) as client:
            return await play(client)

    return asyncio.run(main())


@asynccontextmanager
async def over_http(server: HttpServer, mode: str = "auto") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {server.token}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        transport = streamable_http_client(server.url, http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


# --- what is offered, and how it is played -------------------------------------------------------


def test_the_tools_are_those_of_a_seat_and_nothing_else_is_offered(held: Held) -> None:
    async def play(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS
        assert tools[3].input_schema["required"] == ["action"]
        assert [tool.annotations.read_only_hint for tool in tools] == [
            tool.name in ("task", "look", "menu", "status") for tool in tools
        ]
        for ask in (client.list_resources, client.list_prompts):
            with pytest.raises(MCPError):
                await ask()

    with_client(server_of(held.seat), play)
    held.seat.leave()
    held.result()


def test_an_episode_is_played_over_http_fast(held: Held) -> None:
    async def play() -> float:
        async with over_http(server) as client:
            await told(client, "task")
            began = time.process_time()  # of both sides
            texts = await whole_episode(client)
            assert texts[-1].endswith("The episode is over: the task is fulfilled.")
            assert await told(client, "status") == (texts[-1].splitlines()[-1], True)
            return (time.process_time() - began) / (len(texts) + 1)

    with HttpServer(held.seat) as server:
        assert asyncio.run(play()) < 0.03
    assert held.result().success


def test_only_the_token_opens_the_door(held: Held) -> None:
    def status(**headers: str) -> int:
        try:
            request = urllib.request.Request(server.url, b"{}", headers)
            with urllib.request.urlopen(request, timeout=5) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code

    with HttpServer(held.seat) as server:
        assert server.url.startswith("http://127.0.0.1:")
        assert status() == status(Authorization="Bearer x") == status(Authorization="") == 401
        known = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
        assert status(**known, Host="evil.example") == 421  # no page in a browser gets in
        assert status(**known) == 406  # it is no message of MCP, but the token is known
        entry = server.config["mcpServers"]["peephole"]
        assert entry["headers"]["Authorization"] == f"Bearer {server.token}"
    held.seat.leave()
    held.result()


# --- habits of agents ----------------------------------------------------------------------------

#: Calls that cost nothing, with a part of the sentence that answers them.
HABITS = (
    ("fly", {}, "There is no tool 'fly'"),
    ("x" * 5000, {}, "There is no tool"),
    ("act", {}, '"action" of act is missing'),
    ("act", {"action": None}, "is missing"),
    ("act", {"action": 3}, "is no text"),
    ("act", {"action": ["go to fridge 1"]}, "is no text"),
    ("act", {"action": {"verb": "open"}}, "is no text"),
    ("act", {"command": "go to fridge 1"}, "is missing"),
    ("act", {"action": ""}, "Give an action"),
    ("act", {"action": "go " * 50_000}, "too long"),
    ("done", {"reason": 7}, "is no text"),
)


def test_calls_that_make_no_sense_get_a_sentence_and_cost_nothing(held: Held) -> None:
    async def play(client: Client) -> None:
        for name, arguments, part in HABITS:
            text, is_error = await told(client, name, **arguments)
            assert is_error
            assert part in text
            assert len(text) < 250
        assert (await told(client, "look", where="kitchen"))[1] is False  # more than is needed
        assert (await told(client, "status"))[0].startswith("You have used 0 of")
        assert not (await told(client, "act", action="go to fridge 1", why="because"))[1]
        await told(client, "done")
        assert (await told(client, "done"))[1]

    with_client(server_of(held.seat), play, "legacy")
    result = held.result()
    assert (result.ended, result.steps, result.decisions) == ("done", 1, 2)


def test_two_clients_play_one_episode_between_them(held: Held) -> None:
    async def play() -> None:
        async with over_http(server) as one, over_http(server, "legacy") as other:
            for number, words in enumerate(WORDS):
                text, _ = await told(other if number % 2 else one, "act", action=words)
            assert text.endswith("The episode is over: the task is fulfilled.")
            assert (await told(other, "look"))[1]

    with HttpServer(held.seat) as server:
        asyncio.run(play())
    assert held.result().steps == len(WORDS)


def test_a_client_that_breaks_off_and_one_that_cancels_leave_the_episode_to_the_next(
    held: Held,
) -> None:
    async def play() -> None:
        async with over_http(server) as client:
            call = asyncio.create_task(told(client, "act", action=WORDS[0]))
            await asyncio.sleep(0)
            call.cancel()
        async with over_http(server, "legacy") as client:
            await told(client, "task")
        async with over_http(server) as client:
            used = int((await told(client, "status"))[0].split()[3])
            for words in WORDS[used:]:
                text, _ = await told(client, "act", action=words)
            assert text.endswith("the task is fulfilled.")

    with HttpServer(held.seat) as server:
        asyncio.run(play())
    assert held.result().success


def test_a_flood_over_http_costs_its_episode_only(task: Task, tmp_path: Path) -> None:
    held = Held(task, tmp_path / "run", calls=10)

    async def play() -> None:
        async with over_http(server) as client:
            await asyncio.gather(*(told(client, "look") for _ in range(20)))
            assert await told(client, "look") == ("The episode is over: you gave up.", True)

    with HttpServer(held.seat) as server:
        asyncio.run(play())
    assert held.result().detail == "The agent made more than 10 calls."


def test_connections_are_few_and_none_is_held_without_a_request(
    held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST", 6)
    monkeypatch.setattr(connections, "IDLE_S", 0.2)

    async def play() -> None:
        async with over_http(server) as client:
            assert (await told(client, "status"))[0].startswith("You have used 0 of")

    with HttpServer(held.seat) as server, ExitStack() as stack:
        address = ("127.0.0.1", int(server.url.split(":")[2].partition("/")[0]))
        clients = [stack.enter_context(socket.create_connection(address)) for _ in range(20)]
        for client in clients:
            client.settimeout(5)
            with suppress(ConnectionError):
                client.sendall(b"POST /mcp HTTP/1.1\r\nAuthor")
        for client in clients:
            with suppress(ConnectionError):
                assert client.recv(1) == b""  # closed: the first ones too, once they were slow
        asyncio.run(play())
    held.seat.leave()
    held.result()


# --- the command ---------------------------------------------------------------------------------


#: A task of the suite household, and how it is done.
TASK = ("--suite", "household", "--task", "1", "--adapter", "symbolic")
DONE = ("go to bedroom 1", "go to light 2", "turn off light 2")


def arguments(folder: Path, *more: str) -> list[str]:
    return ["-m", "peephole", "mcp", "--out", str(folder), *more]


@pytest.mark.slow
def test_the_command_serves_one_episode_on_the_standard_streams(tmp_path: Path) -> None:
    async def play(client: Client) -> None:
        assert "Turn off the light in the bedroom." in (await told(client, "task"))[0]
        for words in DONE:
            text, _ = await told(client, "act", action=words)
        assert text.endswith("The episode is over: the task is fulfilled.")
        assert (await told(client, "act", action="wait"))[1]

    parameters = StdioServerParameters(
        command=sys.executable, args=arguments(tmp_path / "run", *TASK, "--set", "agent=mine")
    )
    with_client(parameters, play)
    (result,) = results_of(tmp_path / "run")
    assert (result.success, result.steps) == (True, 3)
    assert read_run(tmp_path / "run").label == "external(agent=mine)"


class Wire:
    """A client that writes what it likes."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._number = 0
        self._ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=_ME)
        self.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def _ask(self, method: str, **params: Any) -> Any:
        assert self.process.stdout is not None
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.write(json.dumps(message).encode())
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._number:
                return answer["result"]
        raise AssertionError("no answer")

    def call(self, name: str, **arguments: Any) -> str:
        answer = self._ask("tools/call", name=name, arguments=arguments)
        return str(answer["content"][0]["text"])

    def end(self) -> str:
        """What it printed on standard error, once it has ended."""
        return self.process.communicate(timeout=60)[1].decode()


_ME = {"name": "wire", "version": "1"}


@pytest.mark.slow
def test_a_killed_server_is_resumed_and_one_that_is_left_is_not(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first = Wire(*arguments(folder, *TASK))
    for line in (b"{", b"[]", b'"x"', b"\xff\xfe", b"x" * 3_000_000, b"null"):
        first.write(line)
    at = first.call("act", action=DONE[0])
    first.process.kill()
    first.end()
    second = Wire(*arguments(folder, "--resume"))
    assert second.call("status").startswith("You have used 1 of")
    assert "light 2 [on]" in at
    assert "light 2 [on]" in second.call("look")
    assert "Traceback" not in second.end()  # it closes the streams
    (result,) = results_of(folder)
    assert (result.ended, result.detail) == ("gave_up", "The agent has left.")
    third = Wire(*arguments(folder, "--resume"))
    assert third.call("act", action=DONE[1]) == "The episode is over: you gave up."
    third.end()


@pytest.mark.slow
def test_a_client_that_writes_and_never_reads_fills_no_memory(tmp_path: Path) -> None:
    wire = Wire(*arguments(tmp_path / "run", *TASK))
    assert wire.process.stdin is not None
    pipe = wire.process.stdin.fileno()
    os.set_blocking(pipe, False)
    line = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "x" * 4000}).encode() + b"\n"
    taken, until = 0, time.monotonic() + 5
    while time.monotonic() < until and taken < 50_000_000:
        try:
            taken += os.write(pipe, line)
        except BlockingIOError:
            time.sleep(0.01)
    wire.process.kill()
    wire.end()
    assert taken < 10_000_000


@pytest.mark.slow
def test_an_interrupted_server_says_how_to_go_on(tmp_path: Path) -> None:
    wire = Wire(*arguments(tmp_path / "run", *TASK))
    wire.call("act", action=DONE[0])
    wire.process.send_signal(signal.SIGINT)
    said = wire.end()
    assert wire.process.returncode == 1
    advice = f"Continue with: peephole mcp --resume --out {tmp_path / 'run'}"
    assert said.splitlines() == [f"peephole: Interrupted. {advice}"]


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ([], "An episode needs --suite; see `peephole suites`."),
        (["--suite", "household", "--port", "80"], "--port is for --http"),
        (["--suite", "household", "--task", "0"], "--tasks 0-0 is no part of household"),
        (["--suite", "household", "--set", "calls=0"], "The option calls of external cannot be"),
        (["--resume"], "--resume needs the run's folder: --out DIR."),
        (["--resume", "--out", ".", "--task", "2"], "leave --task out."),
    ],
)
def test_what_cannot_be_played_is_one_sentence(
    peephole: Any, more: list[str], sentence: str
) -> None:
    done = peephole("mcp", *more)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_runs_of_other_planners_are_continued_elsewhere(tmp_path: Path) -> None:
    run("random", "household", tasks=1, out=tmp_path / "run")
    with pytest.raises(BadInput, match="continue it with: peephole run --resume --out"):
        continued_run(tmp_path / "run", Seat())
