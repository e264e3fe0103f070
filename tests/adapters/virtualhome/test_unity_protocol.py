"""VirtualHome's own client against the stand-in, ours beside it, and lost connections."""

from __future__ import annotations

import importlib
import importlib.util
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from peephole.adapters.virtualhome.unity import process as unity_process
from peephole.adapters.virtualhome.unity.adapter import UnityAdapter
from peephole.adapters.virtualhome.unity.client import UnityClient
from peephole.errors import BadInput
from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import go_to, open_, pick_up, put
from peephole.skills.executor import SimulatorDied
from peephole.skills.outcomes import Reason

CUPBOARD, MICROWAVE, KNIFE = 229, 297, 2014
SCENE = "virtualhome-eval:1004_2"


@pytest.fixture
def shipped(stand_in: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`UnityCommunication` of the package virtualhome 2.3.0, unchanged, at the stand-in."""
    module = shipped_module(monkeypatch)
    port = stand_in.rsplit(":", 1)[1]
    return module.UnityCommunication(port=port, timeout_wait=20)


def shipped_module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.find_spec("virtualhome")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("get the package virtualhome by: make setup")
    # The package itself cannot be imported, for it wants an interpreter of a certain layout. Its
    # client decodes pictures by OpenCV, in a way that NumPy 2 has not: pictures are left out here.
    monkeypatch.syspath_prepend(str(Path(spec.submodule_search_locations[0], "simulation")))
    try:
        importlib.import_module("cv2")
    except ImportError:
        monkeypatch.setitem(sys.modules, "cv2", ModuleType("cv2"))
    return importlib.import_module("unity_simulator.comm_unity")


def state_of(graph: dict[str, Any], node_id: int) -> list[str]:
    return next(node["states"] for node in graph["nodes"] if node["id"] == node_id)


# --- the shipped client --------------------------------------------------------------------------


def test_the_shipped_client_plays_a_chain(shipped):
    assert shipped.check_connection()
    assert shipped.reset(0)
    success, graph = shipped.environment_graph()
    assert success
    assert not [node for node in graph["nodes"] if node["class_name"] == "character"]
    scenes = shipped.camera_count()[1]
    assert shipped.render_script(["<char0> [walk] <cupboard> (229)"]) == (
        False,
        "No character added yet!",
    )
    assert shipped.add_character(initial_room="bathroom")
    success, cameras = shipped.camera_count()
    assert success
    assert cameras == scenes + 6

    chain = [
        ("[walk] <cupboard> (229)", True),
        ("[grab] <knife> (2014)", False),
        ("[open] <cupboard> (229)", True),
        ("[grab] <knife> (2014)", True),
        ("[walk] <microwave> (297)", True),
        ("[putin] <knife> (2014) <microwave> (297)", False),
        ("[open] <microwave> (297)", True),
        ("[putin] <knife> (2014) <microwave> (297)", True),
        ("[close] <microwave> (297)", True),
    ]
    for line, expected in chain:
        success, message = shipped.render_script([f"<char0> {line}"])
        assert success is expected, line
        if expected:
            assert message == {"0": {"message": "Success"}}
        else:
            assert "Script is impossible to execute" in message["0"]["message"]
    _, graph = shipped.environment_graph()
    assert "CLOSED" in state_of(graph, MICROWAVE)
    assert "OPEN" in state_of(graph, CUPBOARD)
    assert {"from_id": KNIFE, "relation_type": "INSIDE", "to_id": MICROWAVE} in graph["edges"]


def test_the_shipped_client_hears_of_what_does_not_exist(shipped):
    assert not shipped.reset(99)
    assert shipped.reset(0)
    assert shipped.add_character()
    success, message = shipped.render_script(["<char0> [fly] <cupboard> (229)"])
    assert not success
    assert "Error parsing script" in message
    success, message = shipped.render_script(["<char0> [walk] <cupboard> (99999)"])
    assert not success
    success, message = shipped.expand_scene({"nodes": [], "edges": [{}]})
    assert not success
    assert message.startswith("Error processing input graph: ")
    answer = shipped.post_command({"id": "1", "action": "dance"})
    assert not answer["success"]
    assert answer["message"] == "Unknown action dance"


def test_the_shipped_client_raises_what_it_raises_at_an_executable(
    shipped, monkeypatch, run_stand_in
):
    module = shipped_module(monkeypatch)
    with run_stand_in("--faults", "http500=1") as url:
        failing = module.UnityCommunication(port=url.rsplit(":", 1)[1])
        with pytest.raises(module.UnityEngineException):
            failing.environment_graph()
    gone = module.UnityCommunication(port=url.rsplit(":", 1)[1])
    with pytest.raises(module.UnityCommunicationException):
        gone.environment_graph()


def test_both_clients_hear_the_same(shipped, stand_in):
    ours = UnityClient(stand_in)
    assert ours.reset(0)
    assert ours.add_character("Chars/Male1", "bathroom")
    for line in ("[walk] <cupboard> (229)", "[open] <cupboard> (229)", "[open] <cupboard> (229)"):
        ours.render_script([f"<char0> {line}"])
        assert shipped.environment_graph() == (True, ours.environment_graph())
    assert shipped.camera_count()[1] == ours.camera_count()
    ours.close()


# --- through the adapter -------------------------------------------------------------------------


def outcomes(adapter: UnityAdapter) -> list[Any]:
    found = []
    for action in (
        go_to(CUPBOARD),
        pick_up(KNIFE),
        open_(CUPBOARD),
        pick_up(KNIFE),
        go_to(MICROWAVE),
        put(KNIFE, Relation.INSIDE, MICROWAVE),
        open_(MICROWAVE),
        put(KNIFE, Relation.INSIDE, MICROWAVE),
    ):
        result = adapter.attempt(action, 0)
        found.append((result.failure, adapter.graph()))
    return found


def test_the_users_own_object_gives_the_same_as_our_client(shipped, at_stand_in, task):
    ours, theirs = UnityAdapter(), UnityAdapter(shipped)
    ours.reset(task(SCENE), 0)
    start, by_us = ours.graph(), outcomes(ours)
    ours.close()
    theirs.reset(task(SCENE), 0)
    assert theirs.graph() == start
    assert outcomes(theirs) == by_us
    assert [failure and failure.reason for failure, _ in by_us] == [
        *(None, Reason.ENCLOSED, None, None, None),
        *(Reason.CONTAINER_CLOSED, None, None),
    ]
    assert State.OPEN in by_us[-1][1][MICROWAVE].states
    picture = theirs.image()
    assert (picture == ours_at(at_stand_in)).all()


def ours_at(url: str) -> Any:
    client = UnityClient(url)
    picture = client.camera_image(client.camera_count() - 5, 640, 480)
    client.close()
    return picture


def test_what_the_users_object_raises_is_the_simulators_loss(shipped, task):
    shipped._address = "http://127.0.0.1:9"
    adapter = UnityAdapter(shipped)
    with pytest.raises(SimulatorDied, match=r"'reset' \(UnityCommunicationException: .+"):
        adapter.reset(task(SCENE), 0)


def test_an_object_that_is_none_is_refused(task):
    with pytest.raises(BadInput, match="has no method 'reset'; give one like VirtualHome's"):
        UnityAdapter(object()).reset(task(SCENE), 0)


# --- lost connections ----------------------------------------------------------------------------


@contextmanager
def answering(reply: bytes) -> Iterator[str]:
    """A server that answers every connection with some bytes and closes it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        done = threading.Event()

        def serve() -> None:
            while not done.is_set():
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    connection.sendall(reply)

        thread = threading.Thread(target=serve)
        thread.start()
        port = server.getsockname()[1]
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            done.set()
            with socket.create_connection(("127.0.0.1", port)):
                pass
            thread.join()


def http(status: str, body: bytes) -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (http("500 Oops", b'{"message": "out of memory"}'), "with HTTP 500 (out of memory)"),
        (http("200 OK", b"<html>"), "with what is no JSON answer (<html>)"),
        (http("200 OK", b'{"success": true, "message": 3}'), "with what is no JSON answer"),
        (http("200 OK", b"[" * 9999), "with what is no JSON answer"),
        (http("200 OK", b'{"success": true, "message": "{"}'), "cannot be read"),
        (http("200 OK", b'{"success": true, "message": "[]"}'), "cannot be read"),
        (http("200 OK", b"{}")[:-1] + b"", "closed the connection"),
        (b"SSH-2.0\r\n", "closed the connection"),
        (b"", "closed the connection"),
    ],
)
def test_what_is_no_answer_is_the_simulators_loss(reply, told):
    with answering(reply) as url:
        client = UnityClient(url)
        with pytest.raises(SimulatorDied) as error:
            client.environment_graph()
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_refused_connection_and_a_silent_server_are_losses():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(SimulatorDied, match=r"gave no answer to 'render_script' within 0\.2 s"):
            UnityClient(url, timeout_s=0.2).render_script([])
    with pytest.raises(SimulatorDied, match="refused the connection"):
        UnityClient(url).render_script([])


def test_an_answer_that_drips_in_has_no_longer_than_another():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.sendall(b"HTTP/1.1 200 OK\r\n")
                for number in range(60):
                    connection.sendall(f"X-{number}: a\r\n".encode())
                    time.sleep(0.05)

        threading.Thread(target=serve, daemon=True).start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        began = time.monotonic()
        with pytest.raises(SimulatorDied, match=r"gave no answer to 'render_script' within 0\.2 s"):
            UnityClient(url, timeout_s=0.2).render_script([])
        assert time.monotonic() - began < 2


def test_a_connection_that_the_server_closed_meanwhile_is_opened_anew(run_stand_in):
    with run_stand_in() as url:
        client = UnityClient(url)
        assert client.idle()
    with run_stand_in(port=int(url.rsplit(":", 1)[1])):
        assert client.reset(0), "a call that is not repeated"
    client.close()


# --- settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["8080", "https://127.0.0.1", "http://a:b", "http://x/path", ","])
def test_a_wrong_address_gets_one_sentence(url, monkeypatch):
    monkeypatch.setenv("PEEPHOLE_UNITY_URL", url)
    with pytest.raises(BadInput, match=r"such as http://127\.0\.0\.1:8080\."):
        unity_process.urls()


def test_where_nothing_answers_the_sentence_says_what_to_start(monkeypatch):
    monkeypatch.delenv("PEEPHOLE_UNITY_COMMAND", raising=False)
    monkeypatch.setenv("PEEPHOLE_UNITY_URL", "http://127.0.0.1:9")
    told = UnityAdapter.missing()
    assert told is not None
    assert "answers at http://127.0.0.1:9 (PEEPHOLE_UNITY_URL); start the Unity executable" in told
    assert told.endswith("python -m peephole.adapters.virtualhome.unity.stand_in --port 9")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--faults", "timeouts=1"], "There is no fault 'timeouts'. Did you mean timeout?"),
        (["--faults", "die=often"], "The fault 'die=often' has no rate; give one from 0 to 1"),
        (["--port", "70000"], "There is no port 70000; give one from 0 to 65535."),
    ],
)
def test_the_stand_in_refuses_odd_options_in_one_sentence(options, told):
    done = start(options)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_in_use_gets_one_sentence(stand_in):
    port = stand_in.rsplit(":", 1)[1]
    done = start(["--port", port])
    assert done.returncode == 2
    assert f"port {port} cannot be used (Address already in use); choose another" in done.stderr


def start(options: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "peephole.adapters.virtualhome.unity.stand_in", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_a_request_that_is_none_gets_http_400(stand_in):
    host, port = stand_in.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        body = json.dumps({"id": "1"}).encode()
        head = f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)
        assert connection.recv(4096).startswith(b"HTTP/1.1 400 ")
