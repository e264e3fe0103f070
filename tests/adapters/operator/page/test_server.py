"""The page's server: whom it refuses, and that each question gets one answer."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from peephole.adapters.operator.page.server import MOST_BYTES, page_files
from peephole.errors import BadInput

from .conftest import Served

QUESTION = {"say": "open the fridge"}


def refuse_long(data: Any, photos: Any) -> Any:
    if data == "nonsense":
        raise BadInput("This is no answer; tap one of the buttons.")
    return data


def asked(served: Served, question: Any = QUESTION) -> Callable[[], Any]:
    """Ask a question in another thread. Returns what waits for its answer."""
    got: list[Any] = []
    before = served.server.exchange.state(-1, 0)["version"]
    thread = threading.Thread(
        target=lambda: got.append(served.server.exchange.ask(question, refuse_long)), daemon=True
    )
    thread.start()
    served.server.exchange.state(before, 5)

    def answer() -> Any:
        thread.join(5)
        assert not thread.is_alive()
        return got[0]

    return answer


def test_a_question_is_shown_and_its_answer_goes_back(served: Served) -> None:
    served.open()
    answer = asked(served)
    state = served.state()
    assert (state["state"], state["question"]) == ("question", QUESTION)
    sent = {"number": state["number"], "answer": {"done": True}}
    assert served.request("POST", "/answer", sent)[0] == 200
    assert answer() == {"done": True}
    assert served.state()["state"] == "waiting"


def test_the_same_answer_sent_again_is_taken_once_and_another_is_refused(served: Served) -> None:
    """A phone that loses the connection while it sends cannot know whether it arrived."""
    served.open()
    first = asked(served)
    number = served.state()["number"]
    for _ in range(2):
        sent = {"number": number, "answer": "done"}
        assert served.request("POST", "/answer", sent)[0] == 200
    assert first() == "done"
    second = asked(served)
    assert served.request("POST", "/answer", {"number": number, "answer": "done"})[0] == 200
    status, _, data = served.request("POST", "/answer", {"number": number, "answer": "failed"})
    assert (status, data["problem"]) == (
        409,
        "This question was answered before; this answer was not used.",
    )
    number = served.state()["number"]
    assert served.request("POST", "/answer", {"number": number, "answer": "failed"})[0] == 200
    assert second() == "failed"


def test_an_answer_that_is_not_understood_leaves_the_question_open(served: Served) -> None:
    served.open()
    answer = asked(served)
    number = served.state()["number"]
    status, _, data = served.request("POST", "/answer", {"number": number, "answer": "nonsense"})
    assert (status, data["problem"]) == (422, "This is no answer; tap one of the buttons.")
    assert served.state()["state"] == "question"
    served.request("POST", "/answer", {"number": number, "answer": "done"})
    assert answer() == "done"


def test_an_answer_after_the_end_gets_one_sentence(served: Served) -> None:
    served.open()
    answer = asked(served)
    number = served.state()["number"]
    served.request("POST", "/answer", {"number": number, "answer": "done"})
    answer()
    served.server.exchange.end("The run has ended; thank you.")
    assert served.state() | {"version": 0} == {
        "version": 0,
        "kept": 0,
        "state": "ended",
        "words": "The run has ended; thank you.",
    }
    status, _, data = served.request("POST", "/answer", {"number": number, "answer": "failed"})
    assert (status, data["problem"]) == (410, "The run has ended; this answer was not used.")


def test_a_page_that_waits_hears_at_once_that_another_one_was_opened(served: Served) -> None:
    served.open()
    served.server.poll_s = 5
    known, heard = served.state()["version"], []
    page = threading.Thread(
        target=lambda: heard.append(served.request("GET", f"/state?known={known}"))
    )
    page.start()
    time.sleep(0.1)
    served.server.gate.renew()
    Served(served.server).open()
    page.join(3)
    assert [status for status, _, _ in heard] == [401]


def test_a_page_waits_for_news_and_gets_them_at_once(served: Served) -> None:
    served.open()
    served.server.poll_s = 5
    known = served.state()["version"]
    threading.Timer(0.1, lambda: asked(served)).start()
    began = time.monotonic()
    assert served.state(known)["state"] == "question"
    assert time.monotonic() - began < 3


@pytest.mark.parametrize("key", ["", "Bearer wrong", "Bearer ", "Basic x", "Bearer \xe4"])
@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/state"), ("POST", "/answer"), ("POST", "/photo?number=1")]
)
def test_nothing_of_a_run_is_given_without_the_key(
    served: Served, key: str, method: str, path: str
) -> None:
    asked(served)
    sent = {"Authorization": key} if key else {}
    for opened in (False, True):
        if opened:
            served.open()
            served.key = ""
        status, _, data = served.request(method, path, {"number": 1, "answer": "x"}, **sent)
        assert status == 401
        assert "open the fridge" not in str(data)
    assert served.server.exchange.state(-1, 0)["state"] == "question"


def test_a_link_opens_one_page_once(served: Served) -> None:
    token = served.server.gate.token
    for wrong in ("", "x", token[:-1], token + "x", "\udcff"):
        status, _, data = served.request("POST", "/open", {"token": wrong})
        assert (status, data["problem"]) == (
            403,
            "This link is not of this run; open the link that the terminal shows.",
        )
    assert not served.used_links
    served.open()
    first = served.key
    assert served.state()
    status, _, data = served.request("POST", "/open", {"token": token})
    assert (status, data["problem"]) == (
        403,
        "This link was used before; open the new link that the terminal shows.",
    )
    assert served.used_links == ["used"]
    served.server.gate.renew()
    served.open()
    assert served.key != first
    assert served.state()
    served.key = first
    assert served.request("GET", "/state")[0] == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "evil.example:80", "127.0.0.2", "[::1]"]
)
def test_a_foreign_host_name_is_refused_everywhere(served: Served, host: str) -> None:
    served.open()
    for method, path in [("GET", "/"), ("GET", "/state"), ("POST", "/open"), ("POST", "/answer")]:
        assert served.request(method, path, {}, Host=host)[0] == 421, path


@pytest.mark.parametrize("host", ["localhost:9000", "127.0.0.1", "LOCALHOST"])
def test_another_port_of_this_machine_may_lead_here(served: Served, host: str) -> None:
    """`ssh -L` and `adb reverse` may use a port of their own at the other end."""
    served.open()
    origin = f"http://{host.lower()}"
    assert served.request("GET", "/state", Host=host, Origin=origin)[0] == 200


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost", "file://"]
)
def test_another_origin_is_refused_everywhere(served: Served, origin: str) -> None:
    token = served.server.gate.token
    assert served.request("POST", "/open", {"token": token}, Origin=origin)[0] == 403
    served.open()
    for method, path in [("GET", "/"), ("GET", "/state"), ("POST", "/answer"), ("POST", "/photo")]:
        status, fields, _ = served.request(method, path, {}, Origin=origin)
        assert status == 403, path
        assert not [name for name in fields if name.startswith("Access-Control")]


def test_a_request_that_another_site_made_is_refused(served: Served) -> None:
    served.open()
    for site in ("cross-site", "same-site"):
        assert served.request("GET", "/state", **{"Sec-Fetch-Site": site})[0] == 403
    # A link in a message opens the page.
    assert served.request("GET", "/", **{"Sec-Fetch-Site": "cross-site"})[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/../server.py",
        "/%2e%2e/server.py",
        "/page_script/../../gate.py",
        "//etc/passwd",
        "/page.css/../gate.py",
        "/..%2f..%2fpyproject.toml",
        "/page.css%00",
        "/main.js/",
        "/__init__.py",
        "/PAGE.CSS",
        "/answer",
        "/" + "a" * 3000,
    ],
)
def test_nothing_but_the_page_is_served(served: Served, path: str) -> None:
    served.open()
    status, _, data = served.request("GET", path)
    assert (status, data["problem"]) == (404, "There is nothing at this address.")


def test_the_page_fetches_nothing_from_elsewhere_and_is_framed_by_nobody(served: Served) -> None:
    for path in page_files():
        status, fields, content = served.request("GET", path)
        assert status == 200
        assert b"//cdn" not in content
        assert fields["Cache-Control"] == "no-store"
        policy = fields["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert fields["Referrer-Policy"] == "no-referrer"
        assert "Python" not in fields["Server"]


def raw(served: Served, sent: bytes, then: bytes = b"", pause: float = 0.0) -> bytes:
    """What the server answers to bytes; `then` is sent byte by byte with pauses."""
    with socket.create_connection(("127.0.0.1", served.server.port), timeout=10) as client:
        client.sendall(sent)
        try:
            for byte in then:
                time.sleep(pause)
                client.sendall(bytes([byte]))
            answer = b""
            while more := client.recv(65536):
                answer += more
        except (BrokenPipeError, ConnectionResetError):
            return b""
        return answer


@pytest.mark.parametrize("length", [str(MOST_BYTES + 1), "9" * 400, "-1", "1e3", ""])
def test_a_body_of_another_length_is_refused_before_it_is_read(served: Served, length: str) -> None:
    served.open()
    head = f"POST /answer HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {served.key}\r\n"
    answer = raw(served, f"{head}Content-Length: {length}\r\n\r\n".encode()).split(b"\r\n")[0]
    assert answer.split()[1] in (b"411", b"413"), answer


def test_a_body_in_chunks_is_refused(served: Served) -> None:
    served.open()
    head = f"POST /answer HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {served.key}\r\n"
    both = "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    assert b" 411 " in raw(served, f"{head}{both}".encode()).split(b"\r\n")[0]


def test_a_slow_request_is_cut_off_however_steadily_it_comes(served: Served) -> None:
    served.open()
    served.server.read_s = 0.3
    head = f"POST /answer HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {served.key}\r\n"
    began = time.monotonic()
    answer = raw(served, f"{head}Content-Length: 99\r\n\r\n".encode(), b"x" * 99, 0.05)
    assert b" 408 " in answer.split(b"\r\n")[0] or not answer
    raw(served, b"GET / HTTP/1.1\r\n", b"X-Header: " + b"x" * 99, 0.05)
    assert time.monotonic() - began < 3
    assert served.state()["state"] == "waiting"


def test_many_open_connections_do_not_stop_the_page(served: Served) -> None:
    served.open()
    served.server.read_s = 0.5
    before = threading.active_count()
    held = [
        socket.create_connection(("127.0.0.1", served.server.port), timeout=10) for _ in range(60)
    ]
    time.sleep(0.3)
    assert threading.active_count() - before <= 24
    ends = time.monotonic() + 8
    while True:
        try:
            assert served.state()["state"] == "waiting"
            break
        except ConnectionError:  # dropped: the others are still being waited for
            assert time.monotonic() < ends
            time.sleep(0.1)
    for each in held:
        each.close()


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"[" * 100_000, b'{"number": "1"}', b'{"number": true, "answer": 1}']
)
def test_a_body_that_is_no_answer_is_refused(served: Served, body: bytes) -> None:
    served.open()
    answer = asked(served)
    status, _, data = served.request("POST", "/answer", body)
    assert status == 400
    assert data["problem"].endswith(".")
    served.request("POST", "/answer", {"number": 1, "answer": "done"})
    assert answer() == "done"


def test_it_listens_on_this_machine_only(served: Served) -> None:
    assert served.server.socket.getsockname()[0] == "127.0.0.1"
