"""Every way in which a simulator process can fail, really failed by one, and what is left of it."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from peephole.adapters.process import serving
from peephole.adapters.process.supervisor import Supervisor
from peephole.errors import BadInput, Missing
from peephole.skills.executor import DeadlineExceeded, SimulatorDied, deadline

SHORT_S = 0.4
LONG_S = 20.0

#: A simulator with the calls that it takes to fail in every way. It is told where to write its
#: process group, and how to fail at its start.
SIMULATOR = """
import os, subprocess, sys, time
from pathlib import Path
from peephole.adapters.process import serving

group, at_start = Path(sys.argv[1]), sys.argv[2]
group.write_text(str(os.getpid()))
if at_start == "exits":
    sys.exit("no display")
if at_start == "hangs":
    time.sleep(60)
if at_start == "prints":
    print("Welcome to Simulator 2000!", flush=True)
if at_start == "speaks another version":
    serving.PROTOCOL = 99
channel = serving.Channel()
facts = dict

def write(content, header=None):
    channel.answers.write(serving._HEADER.pack(header or len(content)) + content)
    channel.answers.flush()

def message(**other):
    return serving.pack({"token": channel.token, "seq": 2, "value": 1, **other})[4:]

def echo(value):
    return value

def fault(kind):
    if kind == "exits":
        sys.stderr.write("loading\\nout of memory\\n\\n")
        os._exit(3)
    if kind == "is killed":
        os.kill(os.getpid(), 9)
    if kind == "half a frame":
        write(b'{"token', header=100)
        os._exit(0)
    if kind == "closes":
        channel.answers.close()
        time.sleep(60)
    if kind == "half a frame and hangs":
        write(b'{"token', header=100)
        time.sleep(60)
    if kind == "hangs":
        time.sleep(60)
    if kind == "chats without end":
        while True:
            sys.stderr.write("still loading\\n" * 100)
    if kind == "late":
        time.sleep(1)
    if kind == "too long":
        write(b"{}", header=2**32 - 1)
    if kind == "garbled":
        write(bytes(range(256)))
    if kind == "an empty frame":
        write(b"")
    if kind == "no object":
        write(b"[1, 2]")
    if kind == "out of order":
        write(message(seq=1))
    if kind == "from a stranger":
        write(message(token="guessed"))
    if kind == "without a token":
        write(b'{"seq": 2, "value": 1}')
    if kind == "neither":
        write(serving.pack({"token": channel.token, "seq": 2})[4:])
    if kind == "an error that is none":
        write(serving.pack({"token": channel.token, "seq": 2, "error": "bad"})[4:])
    if kind == "twice":
        write(message(value="first"))
    return "second"

def stumble():
    raise RuntimeError("the arm\\nis stuck")

def refuse(kind):
    raise serving.CallError(kind, "There is no scene 7; choose 1 to 6.")

def chat(lines):
    sys.stderr.write("progress\\n" * lines)

def deaf(closing):
    "Answers, and reads no further request."
    write(message())
    if closing:
        channel.requests.close()
    time.sleep(60)

def with_child():
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid

def environment():
    return dict(os.environ)

def close():
    group.with_suffix(".closed").touch()

calls = [echo, fault, stumble, refuse, chat, deaf, with_child, environment, close]
serving.serve(channel, {call.__name__: call for call in calls})
"""


@pytest.fixture
def group(tmp_path: Path) -> Path:
    """The file that holds the number of the process group."""
    return tmp_path / "group"


@pytest.fixture
def supervised(tmp_path: Path, group: Path) -> Iterator[Callable[..., Supervisor]]:
    """Makes supervisors of the simulator; one that fails `at_start` in a certain way."""
    made = []
    script = tmp_path / "simulator.py"
    script.write_text(SIMULATOR)

    def make(at_start: str = "", start_s: float = LONG_S) -> Supervisor:
        made.append(Supervisor("toy", [sys.executable, str(script), str(group), at_start], start_s))
        return made[-1]

    yield make
    for supervisor in made:
        supervisor.kill()


@pytest.fixture
def toy(supervised: Callable[..., Supervisor]) -> Supervisor:
    supervisor = supervised()
    supervisor.start()
    return supervisor


@pytest.fixture
def nothing_left(group: Path, processes_of: Callable[[int], list[int]]) -> Callable[[], bool]:
    """Whether nothing is left of the process group: no zombie, and soon no process of it."""

    def gone() -> bool:
        leader = int(group.read_text())
        ends = time.monotonic() + 10
        while processes_of(leader) and time.monotonic() < ends:
            time.sleep(0.02)
        return not processes_of(leader) and not Path(f"/proc/{leader}").exists()

    return gone


# --- what works ----------------------------------------------------------------------------------


def test_calls_are_answered(toy: Supervisor) -> None:
    assert toy.call("echo", {"value": [1, "ä", None]}, LONG_S) == [1, "ä", None]
    assert toy.call("echo", {"value": {}}, LONG_S) == {}
    assert toy.running


def test_it_inherits_the_environment_but_for_secrets(
    supervised: Callable[..., Supervisor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISAAC_PATH", "/opt/isaac")
    for name in ("OPENAI_API_KEY", "HF_TOKEN", "AWS_SECRET", "lower_case_token"):
        monkeypatch.setenv(name, "hush")
    supervisor = supervised()
    supervisor.start()
    inherited = supervisor.call("environment", {}, LONG_S)
    assert inherited["ISAAC_PATH"] == "/opt/isaac"
    assert "hush" not in inherited.values()


def test_large_frames_go_both_ways(toy: Supervisor) -> None:
    text = "house " * 1_000_000
    assert toy.call("echo", {"value": text}, LONG_S) == text


def test_a_simulator_that_writes_a_lot_to_its_log_blocks_nobody(toy: Supervisor) -> None:
    toy.call("chat", {"lines": 200_000}, LONG_S)
    assert toy.call("echo", {"value": 1}, LONG_S) == 1


@pytest.mark.parametrize(
    ("kind", "error"), [(serving.BAD_INPUT, BadInput), (serving.MISSING, Missing)]
)
def test_what_a_user_can_fix_is_reported_as_such_and_the_simulator_goes_on(
    toy: Supervisor, kind: str, error: type[Exception]
) -> None:
    with pytest.raises(error, match=r"^There is no scene 7; choose 1 to 6\.$"):
        toy.call("refuse", {"kind": kind}, LONG_S)
    assert toy.call("echo", {"value": 1}, LONG_S) == 1


def test_what_cannot_be_sent_is_refused_and_the_simulator_goes_on(toy: Supervisor) -> None:
    with pytest.raises(BadInput, match="'echo' of the simulator toy cannot be sent"):
        toy.call("echo", {"value": float("inf")}, LONG_S)
    with pytest.raises(BadInput, match="over the limit"):
        toy.call("echo", {"value": "x" * serving.MAX_FRAME}, LONG_S)
    assert toy.call("echo", {"value": 1}, LONG_S) == 1


def test_a_stopped_simulator_cleans_up_and_is_gone(
    toy: Supervisor, group: Path, nothing_left: Callable[[], bool]
) -> None:
    toy.stop()
    toy.stop()
    assert group.with_suffix(".closed").exists()
    assert not toy.running
    assert nothing_left()


# --- what fails ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("exits", "exited with code 3 during 'fault' (it said last: out of memory)."),
        ("is killed", "was ended by signal 9 during 'fault'."),
        ("half a frame", "exited with code 0 during 'fault'."),
        ("closes", "closed its connection during 'fault'."),
        ("hangs", "gave no answer to 'fault' within 0.4 s."),
        ("half a frame and hangs", "gave no answer to 'fault' within 0.4 s."),
        ("chats without end", "gave no answer to 'fault' within 0.4 s."),
        ("late", "gave no answer to 'fault' within 0.4 s."),
        ("too long", "sent a frame of 4294967295 bytes, over the limit of 67108864."),
        ("garbled", "sent a frame that is not JSON."),
        ("an empty frame", "sent a frame that is not JSON."),
        ("no object", "sent a frame that is no JSON object."),
        ("out of order", "answered out of order: 1 where 2 was due."),
        ("from a stranger", "sent a frame without this session's token, as from a stranger."),
        ("without a token", "sent a frame without this session's token, as from a stranger."),
        ("neither", "sent an answer with neither a value nor an error."),
        ("an error that is none", "sent an answer with neither a value nor an error."),
    ],
)
def test_a_fault_is_reported_in_one_sentence_and_nothing_is_left_of_its_process(
    toy: Supervisor, nothing_left: Callable[[], bool], kind: str, sentence: str
) -> None:
    deadline_s = SHORT_S if "no answer" in sentence else LONG_S
    with pytest.raises(SimulatorDied) as error:
        toy.call("fault", {"kind": kind}, deadline_s)
    assert str(error.value) == f"The simulator toy {sentence}"
    assert nothing_left()
    with pytest.raises(SimulatorDied, match="toy is not running; reset"):
        toy.call("echo", {"value": 1}, LONG_S)
    toy.start()
    assert toy.call("echo", {"value": 1}, LONG_S) == 1


def test_an_answer_too_many_is_not_taken_for_that_of_the_next_call(toy: Supervisor) -> None:
    assert toy.call("fault", {"kind": "twice"}, LONG_S) == "first"
    with pytest.raises(SimulatorDied, match="out of order: 2 where 3 was due"):
        toy.call("echo", {"value": 1}, LONG_S)


def test_an_exception_of_the_simulator_is_the_end_of_it(
    toy: Supervisor, nothing_left: Callable[[], bool]
) -> None:
    sentence = r"^The simulator toy failed in 'stumble' \(RuntimeError: the arm is stuck\)\.$"
    with pytest.raises(SimulatorDied, match=sentence):
        toy.call("stumble", {}, LONG_S)
    assert nothing_left()


@pytest.mark.parametrize("closing", [False, True])
@pytest.mark.parametrize("size", [1, 10_000_000])
def test_a_simulator_that_does_not_read_blocks_nobody(
    toy: Supervisor, nothing_left: Callable[[], bool], closing: bool, size: int
) -> None:
    assert toy.call("deaf", {"closing": closing}, LONG_S) == 1
    with pytest.raises(SimulatorDied, match=r"no answer to 'echo' within 0\.4 s"):
        toy.call("echo", {"value": "x" * size}, SHORT_S)
    assert nothing_left()


def test_what_a_simulator_started_ends_with_it(
    toy: Supervisor,
    group: Path,
    processes_of: Callable[[int], list[int]],
    nothing_left: Callable[[], bool],
) -> None:
    child = toy.call("with_child", {}, LONG_S)
    assert child in processes_of(int(group.read_text()))
    with pytest.raises(SimulatorDied, match="exited with code 3"):
        toy.call("fault", {"kind": "exits"}, LONG_S)
    assert nothing_left()


def test_a_call_that_is_interrupted_leaves_no_answer_to_the_next_one(
    toy: Supervisor, nothing_left: Callable[[], bool]
) -> None:
    with pytest.raises(DeadlineExceeded), deadline(SHORT_S):
        toy.call("fault", {"kind": "late"}, LONG_S)
    assert not toy.running
    assert nothing_left()
    toy.start()
    assert toy.call("echo", {"value": 1}, LONG_S) == 1


# --- what does not start -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at_start", "sentence"),
    [
        ("exits", "did not start: it exited with code 1 (it said last: no display)."),
        ("hangs", "gave no answer to 'hello' within 1 s."),
        ("prints", "sent a frame of 1466264675 bytes, over the limit of 67108864."),
        (
            "speaks another version",
            f"speaks version 99 of the protocol, not {serving.PROTOCOL}; "
            f"run a server file of the same peephole.",
        ),
    ],
)
def test_a_simulator_that_does_not_start_is_reported_in_one_sentence(
    supervised: Callable[..., Supervisor],
    nothing_left: Callable[[], bool],
    at_start: str,
    sentence: str,
) -> None:
    toy = supervised(at_start, 1.0 if at_start == "hangs" else LONG_S)
    with pytest.raises(SimulatorDied, match=f"^{re.escape(f'The simulator toy {sentence}')}$"):
        toy.start()
    assert not toy.running
    assert nothing_left()


def test_a_program_that_is_not_there_is_named() -> None:
    sentence = (
        r"^The simulator toy did not start: /nowhere/python cannot be run "
        r"\(No such file or directory\)\.$"
    )
    with pytest.raises(SimulatorDied, match=sentence):
        Supervisor("toy", ["/nowhere/python", "server.py"]).start()


def test_starting_again_ends_the_process_before(
    toy: Supervisor, group: Path, nothing_left: Callable[[], bool]
) -> None:
    first = group.read_text()
    toy.start()
    second = group.read_text()
    assert first != second
    group.write_text(first)
    assert nothing_left()
    assert toy.call("echo", {"value": 1}, LONG_S) == 1
