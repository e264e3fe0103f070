"""An agent plays by commands of a shell, which reach the episode by a socket."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from peephole.cli import shell
from peephole.cli.seat_options import SeatOptions
from peephole.episodes.runner import results_of
from peephole.errors import BadInput, PeepholeError
from peephole.interfaces.shell import held_episode
from peephole.interfaces.shell.client import call
from peephole.interfaces.shell.held_episode import HeldEpisode
from peephole.interfaces.shell.sessions import VARIABLE, Session, find_session
from peephole.scene_graph.task import Task

from ..seats import WORDS, Held


@pytest.fixture(autouse=True)
def runtime_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.delenv(VARIABLE, raising=False)
    return tmp_path / "peephole"


@pytest.fixture
def held(task: Task, tmp_path: Path) -> Held:
    return Held(task, tmp_path / "run")


@pytest.fixture
def session(held: Held) -> Iterator[Session]:
    with HeldEpisode(held.seat):
        yield find_session()
        held.seat.leave()
        held.result()


def sent(session: Session, line: bytes) -> bytes:
    """The answer to what some other program sends."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(session.socket)
        client.sendall(line)
        client.shutdown(socket.SHUT_WR)
        return client.makefile("rb").readline()


def test_an_episode_is_played_to_its_goal(held: Held, session: Session) -> None:
    assert "Put apple 1 on table 1" in call(session, "task")[0]
    answers = [call(session, "act", words) for words in WORDS]
    assert all(ok for _, ok in answers)
    assert answers[-1][0].endswith("The episode is over: the task is fulfilled.")
    assert call(session, "status") == ("The episode is over: the task is fulfilled.", False)
    assert held.result().success


def test_after_the_holder_has_gone_a_call_says_how_it_ended(
    held: Held, runtime_folder: Path
) -> None:
    with HeldEpisode(held.seat):
        call(find_session(), "give_up")
        held.result()
    assert call(find_session(), "act", "wait") == ("The episode is over: you gave up.", False)
    assert [path.suffix for path in runtime_folder.iterdir()] == [".json"]


def test_only_the_user_reaches_the_episode(session: Session, runtime_folder: Path) -> None:
    assert runtime_folder.stat().st_mode & 0o777 == 0o700
    (file,) = runtime_folder.glob("*.json")
    assert file.stat().st_mode & 0o777 == 0o600
    wrong = replace(session, token="x")
    assert call(wrong, "look") == ("The token is not that of the session.", False)
    runtime_folder.chmod(0o755)
    with pytest.raises(PeepholeError, match="Others can enter the folder"):
        find_session()


@pytest.mark.parametrize(
    "line",
    [
        *(b"", b"\n", b"look\n", b"[]\n", b"null\n", b"{}\n", b"\xff\xfe\x00\n"),
        *(b"[" * 60_000, b"x" * 200_000 + b"\n", b'{"token": 1, "tool": "look"}\n'),
    ],
)
def test_what_is_no_call_gets_a_sentence(session: Session, line: bytes) -> None:
    answer = json.loads(sent(session, line))
    assert answer == {"text": "This is no call of `peephole`, or it is too long.", "ok": False}
    assert call(session, "status")[0].startswith("You have used 0 of")


def test_arguments_are_checked_as_everywhere(session: Session) -> None:
    for tool, argument, part in [("fly", "", "There is no tool"), ("act", 3, "is no text")]:
        asked = {"token": session.token, "tool": tool, "argument": argument}
        assert part in json.loads(sent(session, json.dumps(asked).encode() + b"\n"))["text"]
    assert call(session, "act", "go " * 2_000)[0].startswith("That is too long")


def test_clients_that_break_off_or_come_in_crowds_do_no_harm(session: Session) -> None:
    for _ in range(10):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(session.socket)
            client.send(b'{"token"')
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda _: call(session, "look"), range(50)))
    assert {ok for _, ok in answers} <= {True, False}
    assert call(session, "look")[1]


def test_the_session_is_found_or_asked_for(
    held: Held, session: Session, monkeypatch: pytest.MonkeyPatch, runtime_folder: Path
) -> None:
    (file,) = runtime_folder.glob("*.json")
    with HeldEpisode(held.seat) as other:
        with pytest.raises(BadInput, match=r"Several sessions are open \(\w+, \w+\); name one"):
            find_session()
        assert find_session(file.stem) == find_session(str(file)) == session
        monkeypatch.setenv(VARIABLE, str(other.session.path))
        assert find_session().token == other.session.token
    with pytest.raises(BadInput, match="There is no session nowhere; start one"):
        find_session("nowhere")


@pytest.mark.parametrize(
    "content", ["", "[]", "[" * 100_000, '{"token": 4, "over": ""}', '{"token": "x", "over": 7}']
)
def test_a_file_that_is_no_session_is_one_sentence(tmp_path: Path, content: str) -> None:
    (tmp_path / "s.json").write_text(content)
    with pytest.raises(BadInput, match=r"There is no session .*s\.json; start one"):
        find_session(str(tmp_path / "s.json"))


@pytest.mark.parametrize("line", [b"", b"[]", b"[" * 100_000, b'{"text": "x"}'])
def test_an_answer_that_is_none_is_one_sentence(tmp_path: Path, line: bytes) -> None:
    path = str(tmp_path / "s.sock")
    with socket.socket(socket.AF_UNIX) as server, ThreadPoolExecutor(1) as pool:
        server.bind(path)
        server.listen()
        answer = pool.submit(call, Session(path, "x"), "look")
        client, _ = server.accept()
        with client:
            client.recv(1000)
            client.sendall(line)
        with pytest.raises(PeepholeError, match="Nobody holds the episode of this session"):
            answer.result()


def test_a_session_whose_holder_was_killed_is_no_longer_open(
    held: Held, session: Session, runtime_folder: Path
) -> None:
    stale = runtime_folder / "stale.json"
    stale.write_text('{"token": "x", "over": ""}')
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(stale.with_suffix(".sock")))
        server.listen()
        with pytest.raises(BadInput, match="Several sessions are open"):
            find_session()
    assert find_session() == session


def test_a_session_that_cannot_be_made_leaves_no_run_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    with pytest.raises(BadInput, match="set XDG_RUNTIME_DIR to a folder of yours with a short"):
        shell.play(**vars(SeatOptions("household", adapter="symbolic", out=tmp_path / "run")))
    assert not (tmp_path / "run").exists()


def test_clients_that_are_slow_hold_nobody_up(held: Held, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_episode, "_LINE_S", 0.3)
    monkeypatch.setattr(held_episode, "_MOST_CLIENTS", 2)
    began = time.monotonic()
    with HeldEpisode(held.seat), ExitStack() as stack:
        session = find_session()
        slow = []
        for _ in range(4):
            slow.append(stack.enter_context(socket.socket(socket.AF_UNIX)))
            slow[-1].connect(session.socket)
        ended = threading.Event()

        def drip() -> None:
            while not ended.wait(0.1):
                for client in slow:
                    with suppress(OSError):
                        client.send(b"x")

        dripping = threading.Thread(target=drip)
        dripping.start()
        assert call(session, "look")[1]
        held.seat.leave()
        held.result()
        ended.set()
        dripping.join()
    assert time.monotonic() - began < 8


def test_without_a_session_a_command_says_how_to_start_one(peephole: Any) -> None:
    done = peephole("act", "open fridge 1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "peephole: No session is open; start one with: peephole play --suite NAME\n"
    )


# --- the commands --------------------------------------------------------------------------------


def holder(folder: Path, *more: str) -> subprocess.Popen[str]:
    """`peephole play`, once it waits for the agent."""
    process = subprocess.Popen(
        [sys.executable, "-m", "peephole", "play", "--out", str(folder), *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert "The episode waits." in process.stdout.readline()
    return process


@pytest.mark.slow
def test_the_commands_play_an_episode_that_is_killed_and_resumed(
    peephole: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    process = holder(folder, "--suite", "household", "--adapter", "symbolic")
    assert "Turn off the light in the bedroom." in peephole("task").stdout
    assert peephole("act", "go to bedroom 1").returncode == 0
    assert "light 2 [on]" in peephole("look").stdout
    process.kill()
    process.communicate()
    gone = peephole("act", "wait")
    assert gone.returncode in (1, 2)
    assert len(gone.stderr.splitlines()) == 1
    process = holder(folder, "--resume")
    assert re.match("You have used 1 of", peephole("status").stdout)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert f"Continue with: peephole play --resume --out {folder}" in said
    process = holder(folder, "--resume")
    assert peephole("act", "go to light 2").returncode == 0
    done = peephole("act", "turn off light 2")
    assert done.stdout.endswith("The episode is over: the task is fulfilled.\n")
    printed, _ = process.communicate(timeout=60)
    assert f"Recorded in {folder}" in printed
    assert process.returncode == 0
    late = peephole("act", "wait")
    assert (late.returncode, late.stdout) == (1, "The episode is over: the task is fulfilled.\n")
    (result,) = results_of(folder)
    assert (result.success, result.steps) == (True, 3)
    assert os.environ["XDG_RUNTIME_DIR"] == str(tmp_path)
