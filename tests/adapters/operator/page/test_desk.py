"""The desk on a page, as an adapter uses it, with a client in the browser's place."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image

from peephole.adapters.operator import settings
from peephole.adapters.operator.page.desk import PageDesk
from peephole.adapters.operator.photo_reader import PhotoReader
from peephole.adapters.operator.questions import (
    Done,
    Failed,
    Look,
    PhotoReading,
    Question,
    Seen,
    Sighting,
)
from peephole.adapters.operator.settings import PageSettings
from peephole.errors import BadInput
from peephole.scene_graph.node import Relation
from peephole.skills.executor import SimulatorDied
from peephole.skills.outcomes import Reason

from ....scripted_desk import EXAMPLES
from ..photographed import photographed
from .conftest import Served

PREPARE, DO, LOOK, CONFIRM = EXAMPLES


class Asking:
    """A desk that asks in another thread."""

    def __init__(self, reader: PhotoReader | None = None) -> None:
        self.shown: list[str] = []
        self.desk = PageDesk(PageSettings(port=0), self.shown.append, reader)
        self.client: Served | None = None

    def ask(self, question: Question) -> Callable[[], Any]:
        """Ask; returns what waits for the answer and raises what the desk raises."""
        got: list[Any] = []

        def asks() -> None:
            try:
                got.append(self.desk.ask(question))
            except Exception as error:
                got.append(error)

        thread = threading.Thread(target=asks, daemon=True)
        thread.start()

        def answer() -> Any:
            thread.join(5)
            assert not thread.is_alive()
            if isinstance(got[0], Exception):
                raise got[0]
            return got[0]

        if self.client is None:
            while self.desk._server is None or not self.shown:
                thread.join(0.01)
            self.client = Served(self.desk._server)
            self.client.open()
        return answer

    def post(self, path: str, data: Any) -> tuple[int, Any]:
        assert self.client is not None
        status, _, said = self.client.request("POST", path, data)
        return status, said

    def say(self, **answer: Any) -> tuple[int, Any]:
        """Answer the open question."""
        return self.post("/answer", {"number": self.number(), "answer": answer})

    def number(self) -> int:
        assert self.client is not None
        known = -1
        while (state := self.client.state(known))["state"] == "waiting":
            known = state["version"]
        return int(state["number"])


@pytest.fixture
def asking() -> Iterator[Asking]:
    made = Asking()
    yield made
    made.desk.close()


def test_a_question_reaches_the_page_whole_and_its_answer_the_adapter(asking: Asking) -> None:
    answer = asking.ask(DO)
    number = asking.number()
    assert asking.client is not None
    shown = asking.client.state()["question"]
    assert shown == DO.model_dump(mode="json") | {"digest": DO.digest}
    assert asking.say(kind="failed", reason="slipped", criteria=[False])[0] == 200
    assert answer() == Failed(criteria=(False,), reason=Reason.SLIPPED)
    assert asking.client.state()["kept"] == 0
    asking.desk.kept(DO)
    assert asking.client.state()["kept"] == number


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"kind": "ready", "criteria": [False]}, "This question takes done or failed or refused"),
        ({"kind": "done", "criteria": []}, "The answer judges 0 criteria of 1"),
        ({"kind": "failed", "reason": "crashed", "criteria": [False]}, "is not on offer here"),
        ({"kind": "sung"}, "The answer: "),
        ({"kind": "done", "criteria": [False], "photo": "x.jpg"}, "The photo did not arrive"),
        ([1], "The answer: "),
        (None, "The answer: "),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_with_the_reason(
    asking: Asking, answer: Any, words: str
) -> None:
    wait = asking.ask(DO)
    status, said = asking.post("/answer", {"number": asking.number(), "answer": answer})
    assert status == 422
    assert words in said["problem"]
    asking.say(kind="done", criteria=[True])
    assert wait() == Done(criteria=(True,))


def test_a_photo_comes_with_the_answer(asking: Asking) -> None:
    wait = asking.ask(LOOK)
    content = io.BytesIO()
    Image.fromarray(np.full((30, 40, 3), 200, np.uint8)).save(content, "PNG")
    assert asking.client is not None
    path = f"/photo?number={asking.number()}"
    status, _, said = asking.client.request("POST", path, content.getvalue())
    assert (status, said["width"], said["height"]) == (200, 40, 30)
    assert asking.say(kind="seen", criteria=[False], photo=said["photo"])[0] == 200
    seen = wait()
    assert isinstance(seen, Seen)
    assert seen.photo is not None
    with Image.open(io.BytesIO(seen.photo)) as image:
        assert image.size == (40, 30)
    wait = asking.ask(LOOK.model_copy(update={"number": 9}))
    status, said = asking.say(kind="seen", criteria=[False], photo=said["photo"])
    assert (status, said["problem"]) == (
        422,
        "The photo did not arrive; take it again, or remove it.",
    )
    asking.say(kind="seen", criteria=[False])
    wait()


def test_a_question_keeps_a_bounded_number_of_photos(asking: Asking) -> None:
    wait = asking.ask(LOOK)
    assert asking.client is not None
    path, answers = f"/photo?number={asking.number()}", []
    for shade in range(14):
        content = io.BytesIO()
        Image.new("L", (8, 8), shade * 10).save(content, "PNG")
        answers.append(asking.client.request("POST", path, content.getvalue())[0])
    assert answers == [200] * 12 + [413] * 2
    asking.say(kind="seen", criteria=[False])
    wait()


def test_a_person_who_stops_for_now_ends_the_run_and_not_the_question(asking: Asking) -> None:
    wait = asking.ask(DO)
    asking.number()
    assert asking.post("/leave", {})[0] == 200
    with pytest.raises(SimulatorDied, match="the person left"):
        wait()
    wait = asking.ask(DO)
    asking.say(kind="done", criteria=[False])
    wait()
    assert asking.post("/leave", {})[0] == 200  # while the planner thinks
    with pytest.raises(SimulatorDied, match="the person left"):
        asking.ask(DO)()
    assert asking.client is not None
    asking.desk._exchange.end(asking.desk._last_words)
    assert asking.client.state()["words"] == (
        "The run has stopped for now. With --resume it goes on at the same question."
    )


def test_the_link_is_shown_once_and_anew_when_it_is_opened_again(asking: Asking) -> None:
    wait = asking.ask(DO)
    assert [line.partition("http")[0] for line in asking.shown] == [
        "Open the page of the operator: "
    ]
    first = asking.desk.link.rpartition("#")[2]
    for _ in range(3):
        assert asking.post("/open", {"token": first})[0] == 403
    assert len(asking.shown) == 2
    assert asking.shown[1].endswith(asking.desk.link)
    second = asking.desk.link.rpartition("#")[2]
    assert second != first
    assert asking.post("/open", {"token": second})[0] == 200
    assert asking.post("/answer", {"number": 1, "answer": {}})[0] == 401
    assert asking.client is not None
    asking.client.key = asking.client.request("POST", "/open", {"token": second})[2].get("key", "")
    assert asking.shown[2].endswith(asking.desk.link)
    asking.client.open()
    asking.say(kind="done", criteria=[False])
    wait()


def test_the_end_is_told_and_frees_the_port(asking: Asking) -> None:
    wait = asking.ask(DO)
    asking.say(kind="done", criteria=[False])
    wait()
    assert asking.client is not None
    known, port = asking.client.state()["version"], asking.client.server.port
    told: list[Any] = []
    asking.client.server.poll_s = 5
    page = threading.Thread(target=lambda: told.append(asking.client.state(known)))
    page.start()
    while asking.desk._exchange._waiting == 0:
        page.join(0.01)
    asking.desk.close()
    asking.desk.close()
    page.join(5)
    assert (told[0]["state"], told[0]["words"]) == (
        "ended",
        "The run has ended. You may close this page.",
    )
    again = PageDesk(PageSettings(port=port), lambda line: None)
    again._serve()
    try:
        with pytest.raises(BadInput, match=f"The operator's page cannot use port {port} .*; set"):
            PageDesk(PageSettings(port=port)).ask(DO)
    finally:
        again.close()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("page", PageSettings()),
        ("page port=9000", PageSettings(9000)),
        ("page port=0, host=room-1.example", PageSettings(0, "room-1.example")),
    ],
)
def test_the_page_is_chosen_by_one_variable(
    monkeypatch: pytest.MonkeyPatch, value: str, expected: PageSettings
) -> None:
    monkeypatch.setenv(settings.VARIABLE, value)
    assert (settings.chosen(), settings.page_settings()) == ("page", expected)
    assert isinstance(settings.open_desk(), PageDesk)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("phone", "PEEPHOLE_OPERATOR is 'phone'; set it to terminal or page or stand_in."),
        (
            "page color=1",
            "There is no setting in PEEPHOLE_OPERATOR 'color'. "
            "Choose one of: detector, host, port.",
        ),
        (
            "page port=70000",
            "In PEEPHOLE_OPERATOR, port is '70000'; give a number from 0 to 65535.",
        ),
        (
            "page host=http://x/",
            "In PEEPHOLE_OPERATOR, host is 'http://x/'; give a name such as room.example.",
        ),
        (
            "terminal port=1",
            "There is no setting in PEEPHOLE_OPERATOR 'port'. Choose one of: detector.",
        ),
    ],
)
def test_a_wrong_setting_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, value: str, words: str
) -> None:
    monkeypatch.setenv(settings.VARIABLE, value)
    with pytest.raises(BadInput) as caught:
        settings.open_desk()
    assert str(caught.value) == words


def test_a_tunnel_with_a_name_of_its_own_leads_here() -> None:
    shown: list[str] = []
    desk = PageDesk(PageSettings(port=0, host="room.example"), shown.append)
    desk._serve()
    try:
        assert desk._server is not None
        client = Served(desk._server)
        assert shown[1].startswith("By the tunnel: https://room.example/#")
        where = {"Host": "room.example", "Origin": "https://room.example"}
        token = {"token": desk.link.rpartition("#")[2]}
        assert client.request("POST", "/open", token, **where)[0] == 200
        assert client.request("GET", "/", Host="other.example")[0] == 421
    finally:
        desk.close()


class Reader:
    """Reads a photo when it is told to."""

    def __init__(self) -> None:
        self.goes_on = threading.Event()

    def read(self, photo: bytes, question: Look) -> PhotoReading:
        self.goes_on.wait(5)
        return PhotoReading(
            model="eyes",
            photo="photo-1",
            sightings=(Sighting(thing="apple", relation=Relation.INSIDE, place="fridge"),),
        )

    def close(self) -> None:
        """There is nothing to close."""


def test_a_photo_is_read_while_the_person_goes_on() -> None:
    reader = Reader()
    asking = Asking(reader)
    try:
        wait = asking.ask(LOOK)
        number = asking.number()
        assert asking.client is not None
        _, _, said = asking.client.request("POST", f"/photo?number={number}", photographed()[0])
        name = said["photo"]
        state = asking.client.state()
        assert state["readings"] == {name: None}
        reader.goes_on.set()
        while (state := asking.client.state(state["version"]))["readings"][name] is None:
            pass
        told = state["readings"][name]
        assert told["sightings"][0]["thing"] == "apple"
        assert told["words"].startswith("Proposed from the photo.")
        assert asking.post("/read", {"number": number, "photo": name})[0] == 200
        assert asking.post("/read", {"number": number, "photo": "none"})[0] == 422
        assert asking.post("/read", {"number": number})[0] == 400
        forged = [{"model": "none", "photo": "none"}]
        asking.say(kind="seen", criteria=[False], readings=forged)
        seen = wait()
        assert seen.sightings == (), "a proposal is nothing that the person said"
        assert [reading.model for reading in seen.readings] in (["eyes"], ["eyes"] * 2)
    finally:
        asking.desk.close()
