"""The page in a browser of the size of a phone, tapped and typed on as a person does."""

from __future__ import annotations

import io
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PIL import Image

from peephole.adapters.operator.page.desk import PageDesk
from peephole.adapters.operator.photo_reader import ModelPhotoReader, PhotoReader
from peephole.adapters.operator.questions import (
    Answer,
    Confirmed,
    Done,
    Failed,
    Look,
    PhotoReading,
    Question,
    Ready,
    Refused,
    Seen,
    Sighting,
)
from peephole.adapters.operator.settings import PageSettings
from peephole.scene_graph.node import Relation, State
from peephole.skills.outcomes import Reason

from ....browser import CHROMIUM, Browser
from ....scripted_desk import EXAMPLES
from ..photographed import photographed

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

PREPARE, DO, LOOK, CONFIRM = EXAMPLES
IN = Relation.INSIDE


#: The second tap of a double tap, on what has come under the thumb meanwhile.
SECOND_TAP = """document.querySelector('#bar .main').dispatchEvent(
    new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }))"""


class Person:
    """A browser on the page of a desk that asks in turn."""

    def __init__(self, browser: Browser, reader: PhotoReader | None = None) -> None:
        self.browser = browser
        self.links: list[str] = []
        self.desk = PageDesk(PageSettings(port=0), self.links.append, reader)
        self.asked: queue.Queue[Question | None] = queue.Queue()
        self.answers: queue.Queue[Answer] = queue.Queue()
        self.thread = threading.Thread(target=self._ask, daemon=True)
        self.thread.start()

    def _ask(self) -> None:
        while (question := self.asked.get()) is not None:
            self.answers.put(self.desk.ask(question))
            self.desk.kept(question)

    def ask(self, question: Question, heading: str, undo: str = "0") -> None:
        """Ask a question and see it. undo: how the page sends, as its menu has it."""
        self.asked.put(question)
        if not self.links:
            while not self.links:
                time.sleep(0.01)
            self.browser.open(self.links[0].rpartition(" ")[2])
        self.browser.wait_for_text(heading)
        self.browser.run(f"document.querySelector('#menu-button') && setUndo('{undo}')")
        self.settle()

    def settle(self) -> None:
        """Wait until taps count again."""
        time.sleep(0.47)

    def answer(self) -> Answer:
        return self.answers.get(timeout=5)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    made = Browser()
    # The page's own preferences, as its menu stores them; a module reads them when it is loaded.
    made.call(
        "Page.addScriptToEvaluateOnNewDocument",
        source="window.setUndo = async (undo) => "
        "{ (await import('/preferences.js')).preferences.undo = undo; }",
    )
    yield made
    made.close()


@contextmanager
def asked_by(browser: Browser, reader: PhotoReader | None = None) -> Iterator[Person]:
    made = Person(browser, reader)
    browser.errors.clear()
    yield made
    made.asked.put(None)
    made.thread.join(5)
    made.desk.close()


@pytest.fixture
def person(browser: Browser) -> Iterator[Person]:
    with asked_by(browser) as made:
        yield made


def test_an_episode_is_answered_with_one_thumb(person: Person) -> None:
    browser = person.browser
    person.ask(PREPARE, "Prepare the room")
    browser.tap("Close the fridge.")  # a tick of the person's own
    browser.tap("The room is ready")
    assert person.answer() == Ready(criteria=(False,))

    person.ask(DO, "Pick up the apple.")
    assert "Keep your hand away from the hinge." in browser.text()
    assert "Step 1 of 30" in browser.text()
    browser.tap("The apple is in the fridge")
    browser.tap("Done")
    assert person.answer() == Done(criteria=(True,))

    person.ask(DO.model_copy(update={"number": 3, "repeated": True}), "before the interruption")
    browser.tap("It failed")
    browser.tap("It slipped out of the hand.")
    assert person.answer() == Failed(criteria=(False,), reason=Reason.SLIPPED)

    person.ask(DO.model_copy(update={"number": 4, "text": "Pick it up."}), "Pick it up.")
    browser.tap("Do not allow")
    browser.tap("Another reason")
    browser.type("the stove is on")
    browser.tap("Do not allow it")
    assert person.answer() == Refused(criteria=(False,), words="the stove is on")

    pending = {"pending": "Open the fridge."}
    person.ask(CONFIRM.model_copy(update=pending), "Is the room like this?")
    assert "If you have done this already, leave it so: Open the fridge." in browser.text()
    browser.tap("The room is like this")
    assert person.answer() == Confirmed(criteria=(False,))
    browser.wait_for_text("Wait for the next action.")
    assert "Saved: The room is like this" in browser.text()
    person.desk.close()
    browser.wait_for_text("The run has ended. You may close this page.")
    assert not [error for error in browser.errors if "Failed to load" not in error]


def test_what_is_seen_is_tapped_and_typed(person: Person, tmp_path: Path) -> None:
    browser = person.browser
    person.ask(LOOK, "Look into the fridge.")
    assert "1 thing, as expected" in browser.text()
    browser.tap("Remove milk")
    browser.tap("Put back: milk")
    browser.tap("Add things: fridge")
    browser.tap("cup 1")
    browser.tap("Another thing")
    for typed in ("tray", "Fridge", "CUP 1", "Apple"):
        browser.type(typed)
        if typed == "Fridge":
            browser.wait_for_text("This is a place of the room; choose another name.")
            browser.run("document.querySelector('dialog input').select()")
        else:
            browser.key("Enter")
    browser.tap("Close")
    browser.tap("tray")
    browser.tap("Add things on or in it")
    browser.tap("apple in fridge")
    browser.tap("Close")
    browser.tap("cup 1")
    browser.tap("dirty")
    browser.tap("clean")
    browser.tap("Close")
    browser.tap("open")
    photo = io.BytesIO()
    Image.new("RGB", (1800, 900), "teal").save(photo, "JPEG")
    upload(browser, tmp_path / "none.jpg", b"no photo")
    browser.wait_for_text("This file is no photo that can be read")
    upload(browser, tmp_path / "photo.jpg", photo.getvalue())
    browser.wait_for_text("Remove the photo")
    browser.tap("Send 5 things, with a photo")
    seen = person.answer()
    assert isinstance(seen, Seen)
    assert seen.photo is not None
    with Image.open(io.BytesIO(seen.photo)) as image:
        assert image.size == (1600, 800)
    assert seen.sightings == (
        Sighting(thing="milk", relation=IN, place="fridge"),
        Sighting(thing="cup 1", relation=IN, place="fridge", states=(State.CLEAN,)),
        Sighting(thing="tray", relation=IN, place="fridge"),
        Sighting(thing="apple", relation=Relation.ON, place="tray"),
        Sighting(thing="cup 2", relation=IN, place="fridge"),
        Sighting(thing="fridge", states=(State.OPEN,)),
    )
    person.ask(LOOK.model_copy(update={"number": 9, "text": "Look again."}), "Look again.")
    browser.tap("Cannot see: fridge")
    browser.tap("Send Nothing could be seen")
    assert person.answer() == Seen(criteria=(False,), unseen=("fridge",))


def upload(browser: Browser, path: Path, content: bytes) -> None:
    path.write_bytes(content)
    found = browser.call("Runtime.evaluate", expression="document.querySelector('[type=file]')")
    node = found["result"]["objectId"]
    browser.call("DOM.setFileInputFiles", files=[str(path)], objectId=node)


class Reader:
    """A detector that cannot read its first photo, and reads others as the stand-in does."""

    def __init__(self) -> None:
        self.model = ModelPhotoReader("scripted_detector")
        self.reads = threading.Semaphore(0)  # a reading waits for it
        self.problem = "the model cannot be reached."

    def read(self, photo: bytes, question: Look) -> PhotoReading:
        self.reads.acquire()
        found = self.model.read(photo, question)
        problem, self.problem = self.problem, ""
        return PhotoReading(model="m", photo="p", problem=problem) if problem else found

    def close(self) -> None:
        self.model.close()


def test_a_photo_is_read_corrected_and_sent(browser: Browser, tmp_path: Path) -> None:
    reader = Reader()
    photo, question = photographed("table")
    with asked_by(browser, reader) as person:
        person.ask(question, "Look around in the kitchen.")
        upload(browser, tmp_path / "table.jpg", photo)
        browser.wait_for_text("The photo is being read. You can enter things meanwhile.")
        browser.tap("Add things: counter")
        browser.tap("milk")
        reader.reads.release()
        browser.wait_for_text("The photo was not read: the model cannot be reached. The photo is")
        browser.tap("Close")
        browser.tap("Read the photo again")
        reader.reads.release()
        browser.wait_for_text("Proposed from the photo. Remove what is wrong, and add")
        assert "2 things, with a photo, 1 proposed" in browser.text()
        upload(browser, tmp_path / "counter.jpg", photographed("counter")[0])
        reader.reads.release()
        counter = "document.querySelector('[data-key=\"add counter\"]').closest('section')"
        browser.wait_for(f"{counter}.querySelector('.thing.proposed')")
        browser.wait_for_text("2 things, with a photo, 1 proposed")  # an earlier proposal ends
        browser.tap("Send 2 things, with a photo, 1 proposed")
        seen = person.answer()
    reader.close()
    assert isinstance(seen, Seen)
    placed = [(each.thing, each.place) for each in seen.sightings if each.place is not None]
    assert placed == [("milk", "counter"), ("cup 1", "counter")]
    assert [bool(each.problem) for each in seen.readings] == [True, False, False]
    assert [each.place for each in seen.readings[1].sightings] == ["table"]
    assert not browser.errors


def test_a_wrong_tap_is_taken_back_and_entries_outlive_a_reload(person: Person) -> None:
    browser = person.browser
    person.ask(LOOK, "Look into the fridge.", undo="8")
    browser.tap("Add things: fridge")
    browser.tap("apple")
    browser.tap("Close")
    browser.run(f"document.querySelector('#bar .main').click(); {SECOND_TAP}")
    browser.wait_for_text("is sent in 8 s.")
    person.settle()
    browser.tap("Undo")
    assert person.answers.empty()
    browser.run("window.before = true; location.reload()")
    browser.wait_for("!window.before")
    browser.wait_for_text("2 things")
    browser.run("setUndo('0')")
    person.settle()
    browser.tap("Send 2 things")
    answer = person.answer()
    assert isinstance(answer, Seen)
    assert [each.thing for each in answer.sightings] == ["milk", "apple"]


def test_keys_and_a_screen_reader_reach_everything(person: Person) -> None:
    browser = person.browser
    person.ask(DO, "Pick up the apple.", undo="8")
    assert browser.focused() == "Pick up the apple."
    described = [each for each in browser.accessibility() if each[0] == "heading"]
    assert described[0][1] == "Pick up the apple."
    for expected in ("The apple is in the fridge", "It failed", "Do not allow", "Done"):
        browser.key("Tab")
        assert browser.focused() == expected
    browser.run("document.querySelector('[data-key=failed]').focus()")
    browser.key("Enter")
    assert browser.focused() == "Why did it fail?"
    browser.key("Escape")
    browser.wait_for("!document.querySelector('dialog')")
    assert browser.focused() == "It failed"
    browser.key("Tab")
    browser.key("Tab")
    browser.key("Enter")
    assert browser.focused() == "Send now"
    browser.key("Enter")
    assert person.answer() == Done(criteria=(False,))
    person.ask(LOOK, "Look into the fridge.")
    nodes = browser.accessibility()
    for role, name, _ in nodes:
        if role in ("button", "switch", "checkbox", "textbox", "region", "group", "heading"):
            assert name, (role, nodes)
    found = {(role, name) for role, name, _ in nodes}
    assert {("switch", "The apple is in the fridge"), ("region", "fridge")} <= found
    assert [p["pressed"] for _, name, p in nodes if name == "Cannot see: fridge"] == ["false"]
    browser.run("document.querySelector('[data-key=\"add fridge\"]').focus()")
    browser.key("Enter")
    browser.key("Tab")
    assert browser.focused() == "milk"
    browser.key("Tab")
    assert browser.focused() == "apple"
    browser.key(" ")
    assert browser.focused() == "apple"
    browser.key("Escape")
    browser.wait_for("!document.querySelector('dialog')")
    assert browser.focused() == "Add things: fridge"  # which was drawn again meanwhile
    browser.run("document.querySelector('#bar .main').click()")
    person.answer()


@pytest.mark.parametrize("question", EXAMPLES, ids=lambda question: question.kind)
def test_everything_fits_a_phone_and_a_thumb(person: Person, question: Question) -> None:
    browser = person.browser
    person.ask(question, question.instruction)
    assert browser.run("document.documentElement.scrollWidth") <= 390
    small = browser.run(
        "[...document.querySelectorAll('main button, footer button, .switch, .line')]"
        ".filter((e) => e.getBoundingClientRect().height < 44).map((e) => e.innerText)"
    )
    assert small == []
    # The usual answer is at the lower edge, over the whole width.
    box = browser.run("document.querySelector('#bar .main').getBoundingClientRect().toJSON()")
    assert box["width"] > 340
    assert 760 < box["y"] + box["height"] / 2 < 844
    browser.run("document.querySelector('#bar .main').click()")
    person.answer()


def test_a_second_page_takes_over_and_the_first_says_so(person: Person) -> None:
    browser = person.browser
    person.ask(DO, "Pick up the apple.")
    person.desk._renew_link()
    other = person.desk.link.rpartition("#")[2]
    browser.run(f"fetch('/open', {{method: 'POST', body: JSON.stringify({{token: '{other}'}})}})")
    browser.wait_for_text("The page was opened again elsewhere, or the run was restarted")
    person.desk._renew_link()
    browser.open(person.desk.link)
    browser.wait_for_text("Pick up the apple.")
    browser.run("document.querySelector('#bar .main').click()")
    browser.wait_for("document.querySelector('#bar .main')?.innerText === 'Send now'")
    browser.run("document.querySelector('#bar .main').click()")
    person.answer()
