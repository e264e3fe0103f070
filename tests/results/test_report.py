"""The report page: all that a reader wants of a run, in one file that fetches nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import peephole
from peephole.episodes.events import (
    Decided,
    Ended,
    Started,
    Stepped,
    TextRefused,
)
from peephole.episodes.recording import episode_path, read_events
from peephole.episodes.resolve import resolve
from peephole.episodes.result import EpisodeResult
from peephole.episodes.run_file import RunConfig, read_run
from peephole.episodes.runner import play, start_run
from peephole.errors import BadInput
from peephole.models.events import ModelHttpError, ModelReplied, RecordedMessages
from peephole.models.usage import Usage
from peephole.planners.contract import Act, GiveUp, Note, Think
from peephole.results.report.page import write_report
from peephole.results.report.trajectory import trajectory
from peephole.skills import actions
from peephole.skills.outcomes import Attempt, Failure, Outcome, Reason

from ..opened_page import OpenedPage, strings


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
    page = OpenedPage(tmp_path / "page.html")
    assert page.fetched == []
    assert len(page.ids) == len(set(page.ids))
    keys = {row["key"] for row in page.index["episodes"]}
    for link in page.links:
        address = link.removeprefix("#").partition("?")[0]
        assert address in page.ids or "/".join(address.split("/")[:2]) in keys, link
    assert "http" not in page.path.read_text().replace("http://www.w3.org/2000/svg", "")


def test_runs_with_the_same_stand_ins_share_one_warning(tmp_path):
    for suite in ("houses", "robothow"):
        peephole.run("react", suite, tasks=1, model="scripted", out=tmp_path / suite)
    write_report([tmp_path / "houses", tmp_path / "robothow"], tmp_path / "page.html")
    assert OpenedPage(tmp_path / "page.html").text.count("a mechanism check") == 1


def test_runs_of_the_same_planner_are_told_apart(runs, tmp_path):
    write_report([runs[0], runs[0], runs[1]], tmp_path / "page.html")
    text = OpenedPage(tmp_path / "page.html").text
    assert f"explore ({runs[0]})" in text
    assert f"random ({runs[1]})" not in text


def test_every_step_of_every_episode_can_be_read(runs, tmp_path):
    write_report(runs[:1], tmp_path / "page.html")
    page = OpenedPage(tmp_path / "page.html")
    seen = 0
    for number, task in enumerate(read_run(runs[0]).config.tasks, start=1):
        told = [*strings(page.episode(f"run1/{number}"))]
        for event in read_events(episode_path(runs[0], number, task)):
            if isinstance(event, Started | Stepped):
                assert event.observation in told
            if isinstance(event, Started):
                assert event.instruction in told
            elif isinstance(event, Stepped):
                assert event.wording in told
                seen += 1
            elif isinstance(event, Decided) and isinstance(event.decision, Think | Note):
                assert event.decision.text in told
    assert seen > 10
    assert "view, goal" in page.text


def test_several_runs_are_compared_task_by_task_and_open_episodes_are_told(runs, tmp_path):
    write_report(runs, tmp_path / "page.html")
    page = OpenedPage(tmp_path / "page.html")
    assert "Task by task" in page.text
    verdicts = [row["verdict"] for row in page.index["episodes"]]
    assert verdicts[4:] == ["not finished", "not begun"]
    assert re.search(r"1\s*of 3", page.text), "one of the three episodes of random has ended"


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
