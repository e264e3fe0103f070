"""The report page: all that a reader wants of a run, in one file that fetches nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import peephole
from peephole.episodes.events import (
    Decided,
    Ended,
    Started,
    Stepped,
    TextRefused,
    from_line,
    to_line,
)
from peephole.episodes.recording import episode_path, read_events
from peephole.episodes.report.page import write_report
from peephole.episodes.report.trajectory import trajectory
from peephole.episodes.resolve import resolve
from peephole.episodes.result import EpisodeResult
from peephole.episodes.run_file import RunConfig, read_run
from peephole.episodes.runner import play, start_run
from peephole.errors import BadInput
from peephole.planners.contract import Act, GiveUp, Note, Think
from peephole.planners.llm.events import ModelHttpError, ModelReplied, RecordedMessages
from peephole.planners.llm.usage import Usage
from peephole.skills import actions
from peephole.skills.outcomes import Attempt, Failure, Outcome, Reason

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
    folders = [tmp_path_factory.mktemp("report") / name for name in ("explore", "random")]
    peephole.run("explore", "houses", tasks=3, out=folders[0])
    run = resolve(RunConfig("houses", "random"), "3")
    start_run(run, folders[1])
    results = play(run, folders[1])
    next(results)
    results.close()
    first, second = (
        episode_path(folders[1], i, task) for i, task in enumerate(run.config.tasks[:2], start=1)
    )
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


def test_runs_with_the_same_stand_ins_share_one_warning(tmp_path):
    for suite in ("houses", "robothow"):
        peephole.run("react", suite, tasks=1, model="scripted", out=tmp_path / suite)
    write_report([tmp_path / "houses", tmp_path / "robothow"], tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text().count('<p class="warning">') == 1


def test_runs_of_the_same_planner_are_told_apart(runs, tmp_path):
    write_report([runs[0], runs[0], runs[1]], tmp_path / "page.html")
    text = Page(tmp_path / "page.html").text
    assert f"explore ({runs[0]})" in text
    assert f"random ({runs[1]})" not in text


def test_every_step_of_every_episode_can_be_read(runs, tmp_path):
    write_report(runs[:1], tmp_path / "page.html")
    text = " ".join(Page(tmp_path / "page.html").text.split())
    seen = 0
    for number, task in enumerate(read_run(runs[0]).config.tasks, start=1):
        for event in read_events(episode_path(runs[0], number, task)):
            if isinstance(event, Started | Stepped):
                assert " ".join(event.observation.split()) in text
            if isinstance(event, Started):
                assert event.instruction in text
            elif isinstance(event, Stepped):
                assert event.wording in text
                seen += 1
            elif isinstance(event, Decided) and isinstance(event.decision, Think | Note):
                assert " ".join(event.decision.text.split()) in text
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
    task = read_run(runs[0]).config.tasks[0]
    path = episode_path(runs[0], 1, task)
    before = path.read_bytes()
    evil = "<script>alert(1)</script> & </div>"
    events = [
        replace(event, observation=evil) if isinstance(event, Started | Stepped) else event
        for event in map(from_line, before.splitlines())
    ]
    try:
        path.write_bytes(b"".join(map(to_line, events)))
        write_report(runs[:1], tmp_path / "page.html")
    finally:
        path.write_bytes(before)
    page = Page(tmp_path / "page.html")
    assert evil in page.text
    assert "<script>alert" not in (tmp_path / "page.html").read_text()


def test_a_folder_that_is_no_run_and_a_page_that_cannot_be_written(runs, tmp_path):
    with pytest.raises(BadInput, match="is no run folder"):
        write_report([tmp_path], tmp_path / "page.html")
    with pytest.raises(BadInput, match="cannot be written"):
        write_report(runs[:1], tmp_path)


def test_the_first_question_is_shown_whole_and_later_ones_by_their_beginning():
    def asked(call: int, *texts: str) -> ModelReplied:
        messages = [{"role": "user", "content": text} for text in texts]
        return ModelReplied(
            role="planner",
            call=call,
            attempt=1,
            digest="",
            request=RecordedMessages(base=0, shared=0, messages=messages),
            reply="{}",
            usage=Usage(10, 2),
            latency_s=0.5,
        )

    long = "x" * 801
    found = trajectory([asked(1, long, "what now?"), asked(2, long, "x" * 800), asked(3, long)])
    shown = [item.call.asked for item in found.after if item.call is not None]
    assert shown == [
        [("user", long), ("user", "what now?")],
        [("user", "x" * 800)],
        [("user", f"{'x' * 800}… (1 more characters in the recording)")],
    ]


def test_what_leads_to_an_action_stands_before_it():
    not_close = Failure(Reason.NOT_CLOSE, 1)
    attempts = (
        Attempt(0, None, "", 0.0, restored=True),
        Attempt(1, not_close, "too far", 0.0),
    )
    asked = RecordedMessages(base=0, shared=0, messages=[{"role": "user", "content": "Task: tea"}])
    reply = ModelReplied(
        role="planner",
        call=1,
        attempt=1,
        digest="",
        request=asked,
        reply="nonsense",
        usage=Usage(10, 2),
        problem="It is no JSON.",
        latency_s=0.5,
    )

    def decided(decision):
        return Decided(decision=decision, planning_s=0.0, step=0)

    found = trajectory(
        [
            Started(
                task="t",
                instruction="tea",
                scene="",
                state=None,
                observation="a kitchen",
                progress=0.0,
            ),
            ModelHttpError(
                role="planner", call=1, attempt=1, digest="", status=429, reply="slow down"
            ),
            reply,
            replace(reply, attempt=2, request=None, reply="{}", usage=Usage(14, 1), problem=None),
            decided(Think("I need a kettle.")),
            decided(Act("fetch kettle")),
            TextRefused(said="fetch kettle", reason="There is no kettle.", step=0),
            decided(Act("pick up kettle 1", thought="There it is.")),
            Stepped(
                action=actions.pick_up(1),
                said="pick up kettle 1",
                wording="pick up kettle 1",
                outcome=Outcome(not_close, attempts),
                observation="no",
                progress=0.0,
                step=1,
            ),
            decided(Act("dance")),
            TextRefused(said="dance", reason="Nobody can.", step=1),
            decided(GiveUp("I cannot.")),
            Ended(
                step=1,
                result=EpisodeResult(
                    task="t",
                    success=False,
                    progress=0.0,
                    ended="gave_up",
                    steps=1,
                    decisions=4,
                    planning_s=0.0,
                    duration_s=0.0,
                ),
            ),
        ]
    )
    (step,) = found.steps
    assert [item.kind for item in step.before] == [
        "note",
        "call",
        "call",
        "thought",
        "refused",
        "thought",
    ]
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
    assert found.ending == "gave_up"
