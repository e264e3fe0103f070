"""The report page: all that a reader wants of a run, in one file that fetches nothing."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from peephole.episodes.recording import episode_path, read_events
from peephole.episodes.report.page import write_report
from peephole.episodes.report.trajectory import trajectory
from peephole.episodes.runner import (
    RunConfig,
    check_config,
    load_suite,
    run,
    select_tasks,
    start_run,
    stored_config,
)
from peephole.errors import BadInput

_VOID = {"meta", "link", "br", "hr", "img", "input", "rect"}


class Page(HTMLParser):
    """The elements and the text of a page; unbalanced ones are a mistake."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if tag == "a" else []
        self.fetched += [found[key] for key in ("src", "data") if key in found]
        self.fetched += [found.get("href", "")] if tag == "link" else []
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        if tag in _VOID:
            return
        opened = self._open.pop()
        # A list item and the like may be closed by their parent's end; ours never are.
        assert opened == tag, (opened, tag, self.getpos())

    def handle_data(self, data):
        if self._open and self._open[-1] not in ("style", "script"):
            self.text += data


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """explore and random on three tasks; random is stopped in its second."""
    folders = []
    for planner in ("explore", "random"):
        folder = tmp_path_factory.mktemp("report") / planner
        tasks = select_tasks(load_suite("houses"), "3")
        start_run(check_config(RunConfig("houses", planner, tasks)), folder)
        folders.append(folder)
    list(run(folders[0]))
    results = run(folders[1])
    next(results)
    results.close()
    second = episode_path(folders[1], 2, stored_config(folders[1]).tasks[1])
    first = episode_path(folders[1], 1, stored_config(folders[1]).tasks[0])
    lines = first.read_text().splitlines()[:5]
    second.write_text("\n".join(lines) + "\n")
    return folders


def test_the_page_stands_alone_and_is_well_formed(runs, tmp_path):
    write_report(runs, tmp_path / "page.html")
    page = Page(tmp_path / "page.html")
    assert page.fetched == []
    assert len(page.ids) == len(set(page.ids))
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert "http" not in re.sub(r"<svg.*?</svg>", "", (tmp_path / "page.html").read_text())


def test_runs_of_the_same_planner_are_told_apart(runs, tmp_path):
    write_report([runs[0], runs[0], runs[1]], tmp_path / "page.html")
    text = Page(tmp_path / "page.html").text
    assert f"explore ({runs[0]})" in text
    assert f"random ({runs[1]})" not in text


def test_every_step_of_every_episode_can_be_read(runs, tmp_path):
    write_report(runs[:1], tmp_path / "page.html")
    text = " ".join(Page(tmp_path / "page.html").text.split())
    seen = 0
    for number, task in enumerate(stored_config(runs[0]).tasks, start=1):
        for event in read_events(episode_path(runs[0], number, task)):
            if event["event"] in ("start", "step"):
                assert " ".join(event["observation"].split()) in text
            if event["event"] == "start":
                assert event["instruction"] in text
            elif event["event"] == "step":
                assert event["action"] in text
                seen += 1
            elif event["event"] == "decision" and event["kind"] in ("think", "note"):
                assert " ".join(event["text"].split()) in text
    assert seen > 10
    assert "granted" in text
    assert "view, goal" in text


def test_several_runs_are_compared_task_by_task_and_open_episodes_are_told(runs, tmp_path):
    write_report(runs, tmp_path / "page.html")
    page = Page(tmp_path / "page.html")
    assert "Task by task" in page.text
    assert "not finished" in page.text
    assert "not begun" in page.text
    assert re.search(r"1\s*of 3", page.text), "one of the three episodes of random has ended"


def test_what_was_recorded_cannot_break_out_of_the_page(runs, tmp_path):
    task = stored_config(runs[0]).tasks[0]
    path = episode_path(runs[0], 1, task)
    before = path.read_text()
    events = [json.loads(line) for line in before.splitlines()]
    evil = "<script>alert(1)</script> & </div>"
    for event in events:
        if event["event"] in ("start", "step"):
            event["observation"] = evil
    try:
        path.write_text("".join(json.dumps(event) + "\n" for event in events))
        write_report(runs[:1], tmp_path / "page.html")
    finally:
        path.write_text(before)
    page = Page(tmp_path / "page.html")
    assert evil in page.text
    assert "<script>alert" not in (tmp_path / "page.html").read_text()


def test_a_folder_that_is_no_run_and_a_page_that_cannot_be_written(runs, tmp_path):
    with pytest.raises(BadInput, match="is no run folder"):
        write_report([tmp_path], tmp_path / "page.html")
    with pytest.raises(BadInput, match="cannot be written"):
        write_report(runs[:1], tmp_path)


def test_what_leads_to_an_action_stands_before_it():
    def event(name, **data):
        return {"event": name, "step": 0, **data}

    outcome = {
        "failure": {"reason": "not_close", "thing": 1},
        "attempts": [
            {"variation": 0, "failure": None, "message": "", "duration_s": 0, "restored": True},
            {
                "variation": 1,
                "failure": {"reason": "not_close", "thing": 1},
                "message": "too far",
                "duration_s": 0,
                "restored": False,
            },
        ],
    }
    asked = {"base": 0, "shared": 0, "messages": [{"role": "user", "content": "Task: tea"}]}
    found = trajectory(
        [
            event("start", instruction="tea", observation="a kitchen"),
            event("model", call=1, attempt=1, status=429, reply="slow down"),
            event(
                "model",
                call=1,
                attempt=1,
                request=asked,
                reply="nonsense",
                usage={"in": 10, "out": 2},
                problem="It is no JSON.",
                latency_s=0.5,
            ),
            event("model", call=1, attempt=2, reply="{}", usage={"in": 14, "out": 1}),
            event("decision", kind="think", text="I need a kettle."),
            event("decision", kind="act", text="fetch kettle"),
            event("decision", kind="act", text="pick up kettle 1"),
            event(
                "step", action="pick up kettle 1", observation="no", progress=0.0, outcome=outcome
            ),
            event("decision", kind="act", text="dance"),
            event("decision", kind="give_up", text="I cannot."),
            event("end", ended="gave_up"),
        ]
    )
    (step,) = found.steps
    assert [item.kind for item in step.before] == ["note", "call", "call", "thought", "refused"]
    first, second = step.before[1].call, step.before[2].call
    assert first is not None
    assert second is not None
    assert first.asked == [("user", "Task: tea")]
    assert first.problem == "It is no JSON."
    assert (first.attempt, second.attempt) == (1, 2)
    assert step.tokens == 27
    assert step.failure == "not close"
    assert step.attempts == ["done; the simulator was restarted", "not close (too far)"]
    assert [item.text for item in found.after] == ["dance", "I cannot."]
