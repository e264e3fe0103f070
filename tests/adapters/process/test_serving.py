"""The serving side, spoken to in raw frames, under this interpreter and under Python 3.8."""

from __future__ import annotations

import ast
import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.process import serving
from peephole.adapters.virtualhome import server

FOLDER = str(Path(serving.__file__).parent)

SIMULATOR = f"""
import os, sys, time
sys.path.insert(0, {FOLDER!r})
import serving

channel = serving.Channel()
serving.GRACE_S = 0.2

def add(a, b):
    return a + b

def chat():
    print("printed by Python")
    sys.stdout.flush()
    os.system("echo printed by a program")
    os.write(1, b"printed by a library")
    return sys.stdin.read()

def secrets():
    return [os.environ.get(serving.TOKEN_VARIABLE), sys.argv]

def refuse(kind):
    raise serving.CallError(kind, "of kind " + kind)

def stumble():
    return 1 // 0

def nothing_that_json_has():
    return float("nan")

def hang():
    while True:
        time.sleep(60)

def close():
    sys.stderr.write("cleaned up")

calls = [add, chat, secrets, refuse, stumble, nothing_that_json_has, hang, close]
serving.serve(channel, {{c.__name__: c for c in calls}}, lambda: {{"engine": "toy 7"}})
sys.stderr.write(" and went on")
"""


class Client:
    """Speaks the protocol as it is written down, with no code of its own side."""

    def __init__(self, python: str) -> None:
        self.process = subprocess.Popen(
            [python, "-c", SIMULATOR],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, serving.TOKEN_VARIABLE: "s3cret"},
            start_new_session=True,
        )

    def send(self, content: bytes, length: int | None = None) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(struct.pack(">I", length or len(content)) + content)
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        (length,) = struct.unpack(">I", self.process.stdout.read(4))
        answer = json.loads(self.process.stdout.read(length))
        assert isinstance(answer, dict)
        return answer

    def ask(self, call: str, seq: int = 1, **arguments: Any) -> dict[str, Any]:
        request = {"token": "s3cret", "seq": seq, "call": call, "arguments": arguments}
        self.send(json.dumps(request).encode())
        return self.receive()

    def end(self) -> tuple[int, str]:
        """Close its input: its exit code, and what it wrote to standard error."""
        _, errors = self.process.communicate(timeout=20)
        return self.process.returncode, errors.decode()


@pytest.fixture(params=["this interpreter", "Python 3.8"])
def python(request: pytest.FixtureRequest) -> str:
    if request.param == "this interpreter":
        return sys.executable
    found = request.getfixturevalue("python38")
    assert isinstance(found, str)
    return found


@pytest.fixture
def client(python: str) -> Any:
    started = Client(python)
    yield started
    started.process.kill()
    started.process.communicate()


@pytest.mark.parametrize("module", [serving, server])
def test_what_simulators_interpreters_run_is_python_3_8(module: Any) -> None:
    source = Path(module.__file__).read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 8))


def test_a_call_is_answered_with_its_number_and_the_token(client: Client) -> None:
    assert client.ask("add", seq=7, a=2, b=3) == {"token": "s3cret", "seq": 7, "value": 5}
    assert client.ask("add", seq=8, a=[1], b=["ä"])["value"] == [1, "ä"]


def test_hello_tells_versions_and_facts(client: Client) -> None:
    told = client.ask("hello")["value"]
    assert told["protocol"] == serving.PROTOCOL
    assert told["facts"] == {"engine": "toy 7"}
    assert told["python"].startswith("3.")


def test_what_a_simulator_prints_is_no_frame_and_it_reads_none(client: Client) -> None:
    assert client.ask("chat", seq=1)["value"] == ""
    assert client.ask("add", seq=2, a=1, b=1)["value"] == 2
    code, errors = client.end()
    assert code == 0
    for words in ("by Python", "by a program", "by a library"):
        assert f"printed {words}" in errors


def test_the_token_is_not_left_to_the_simulator_nor_to_the_command_line(client: Client) -> None:
    token, arguments = client.ask("secrets")["value"]
    assert token is None
    assert "s3cret" not in arguments


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"", "not JSON"),
        (b"[1]", "no JSON object"),
        (b'{"seq": 1, "call": "add", "arguments": {"a": 1, "b": 1}}', "session's token"),
        (b'{"token": "", "seq": 1, "call": "close", "arguments": {}}', "session's token"),
        (b'{"token": "s3cret", "call": "add", "arguments": {}}', "'seq'"),
        (b'{"token": "s3cret", "seq": true, "call": "add", "arguments": {}}', "'seq'"),
        (b'{"token": "s3cret", "seq": 1, "arguments": {}}', "'call'"),
        (b'{"token": "s3cret", "seq": 1, "call": "add", "arguments": [1, 2]}', "'arguments'"),
        (b'{"token": "s3cret", "seq": 1, "call": "__del__", "arguments": {}}', "no call '__del__'"),
        (b'{"token": "s3cret", "seq": 1, "call": "add", "arguments": {"a": 1}}', "arguments of"),
        (b'{"token": "s3cret", "seq": 1, "call": "add", "arguments": {"c": 1}}', "arguments of"),
    ],
)
def test_what_is_no_request_is_refused_and_the_session_goes_on(
    client: Client, content: bytes, told: str
) -> None:
    client.send(content)
    answer = client.receive()
    assert answer["error"]["kind"] == serving.REFUSED
    assert told in answer["error"]["message"]
    assert client.ask("add", seq=2, a=1, b=1)["value"] == 2


def test_a_frame_over_the_limit_is_refused_and_the_session_goes_on(client: Client) -> None:
    client.send(bytes(serving.MAX_FRAME + 1))
    answer = client.receive()
    assert answer["seq"] is None
    assert "over the limit" in answer["error"]["message"]
    assert client.ask("add", a=1, b=1)["value"] == 2


def test_what_a_call_raises_is_reported_by_kind(client: Client) -> None:
    for kind in (serving.BAD_INPUT, serving.MISSING):
        error = client.ask("refuse", kind=kind)["error"]
        assert error == {"kind": kind, "message": f"of kind {kind}"}
    failed = client.ask("stumble")["error"]
    assert failed["kind"] == serving.FAILED
    assert failed["message"].startswith("ZeroDivisionError")
    assert client.ask("nothing_that_json_has")["error"]["kind"] == serving.FAILED
    assert client.ask("add", a=1, b=1)["value"] == 2


def test_a_session_is_closed_by_its_call(client: Client) -> None:
    assert client.ask("close", seq=3) == {"token": "s3cret", "seq": 3, "value": None}
    code, errors = client.end()
    assert code == 0
    assert errors.endswith("cleaned up and went on")


def test_a_session_ends_with_its_parent(client: Client) -> None:
    assert client.ask("add", a=1, b=1)["value"] == 2
    code, errors = client.end()
    assert code == 0
    assert errors.endswith(" and went on")


def test_a_frame_cut_off_ends_the_session(client: Client) -> None:
    client.send(b"{", length=100)
    assert client.end()[0] == 0


def test_a_simulator_that_hangs_ends_with_its_parent(client: Client) -> None:
    request = {"token": "s3cret", "seq": 1, "call": "hang", "arguments": {}}
    client.send(json.dumps(request).encode())
    assert client.end()[0] == -9
