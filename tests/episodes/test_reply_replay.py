"""Recorded runs played again without their models."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.episodes.reply_replay import NotReplayed
from peephole.errors import BadInput
from peephole.models.config import ModelConfig
from peephole.models.contract import ContextFull, NoAnswer, Request
from peephole.planners.contract import (
    Act,
    Brief,
    Decisions,
    Done,
    Note,
    Percept,
    Planner,
    Preparation,
    Think,
)

from ..commands import command

Replayed = Callable[..., list[bytes]]


def say(text: str) -> list[dict[str, Any]]:
    return [{"role": "system", "content": "You are a robot."}, {"role": "user", "content": text}]


def prepare(given: Preparation) -> Mapping[str, Any]:
    return {"rule": given.models["planner"].complete(say("Give a rule."))}


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Everything that can be asked: at once, in samples, in vain, embeddings, too much."""
    model = brief.model
    yield Think(model.choose(say(f"{brief.prepared} {percept.text}"), ["yes", "no"]))
    places = Request(say("Where?"), permitted=("table", "fridge", "shelf"), temperature=1.0)
    yield Note("search", "places", {"votes": model.samples(places, 5)})
    requests = [Request(say(f"{i}?"), permitted=(f"{i}", "none")) for i in range(12)]
    yield Note("search", "numbers", {"answers": [str(a) for a in model.many(requests)]})
    yield Note("belief", "near", {"vector": model.embed(["milk", "a fridge"]).tolist()})
    try:
        model.complete(say("TOO LONG"))
    except ContextFull as full:
        yield Note("memory", str(full))
    try:
        model.choose(say("NONSENSE"), ["a", "b"])
    except NoAnswer as excuse:
        yield Note("memory", str(excuse))
    for _ in range(3):
        percept = yield Act(percept.menu()[0][1])
        yield Think(model.complete(say(percept.text)))
    yield Done()


EVERYTHING = Planner("everything", "asks all there is", plan, models=("planner",), prepare=prepare)
TASKS = 2


@pytest.fixture
def source(endpoint: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of that planner, with faults of the endpoint, which cannot be asked afterwards."""
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)

    def fault(body: dict[str, Any]) -> str | None:
        text = str(body.get("messages", ""))
        if "TOO LONG" in text:
            return "context"
        return "free_text" if "NONSENSE" in text else None

    endpoint.always = fault
    endpoint.faults.extend(["ok", "500", "wrong_enum", "ok", "empty", "500"])
    folder = tmp_path / "source"
    peephole.run(
        EVERYTHING, "robothow", tasks=TASKS, model=ModelConfig("m", price_in=1.0), out=folder
    )
    monkeypatch.delenv("OPENAI_BASE_URL")
    endpoint.requests.clear()
    return folder


def recorded(run: Path) -> dict[str, bytes]:
    files = [*run.glob("*.jsonl"), *run.glob("episodes/*")]
    return {str(path.relative_to(run)): path.read_bytes() for path in files}


def test_a_run_is_played_again_byte_for_byte_and_nobody_is_asked(
    source: Path, tmp_path: Path, endpoint: Any
) -> None:
    seen = []
    again = peephole.replay_replies(
        source, planner=EVERYTHING, out=tmp_path / "again", watch=seen.append
    )
    assert endpoint.requests == []
    assert recorded(again.folder) == recorded(source)
    assert len(recorded(source)) == TASKS + 1
    assert len(again.results) == TASKS
    assert len(seen) == sum(
        text.count(b"\n") for name, text in recorded(source).items() if "episodes" in name
    )
    third = peephole.replay_replies(
        again.folder, planner=EVERYTHING, out=tmp_path / "third", tasks=[again.results[1].task]
    )
    assert third.results == again.results[1:]


def changed(line: Callable[[dict[str, Any]], None], path: Path) -> None:
    """Change the events of a file."""
    events = [json.loads(text) for text in path.read_text().splitlines()]
    for event in events:
        line(event)
    path.write_text("".join(json.dumps(event) + "\n" for event in events))


def test_another_prompt_names_episode_call_and_message(source: Path, tmp_path: Path) -> None:
    def other_plan(brief: Brief, percept: Percept) -> Decisions:
        decisions = plan(brief, percept)
        decision = next(decisions)
        while not isinstance(decision, Act):
            yield decision
            decision = next(decisions)
        yield decision
        brief.model.complete(say("You see nothing else."))

    planner = Planner("everything", "", other_plan, models=("planner",), prepare=prepare)
    with pytest.raises(NotReplayed) as caught:
        peephole.replay_replies(source, planner=planner, out=tmp_path / "again")
    told = str(caught.value)
    assert told.startswith("Episode 1 (")
    assert "Call 22 of the role planner" in told
    assert "message 2 of user says 'You see nothing else.' where it said '" in told
    assert "recorded with Peephole" in told
    assert not list((tmp_path / "again" / "episodes").glob("*"))


def ends_early(brief: Brief, percept: Percept) -> Decisions:
    yield Think(brief.model.choose(say(f"{brief.prepared} {percept.text}"), ["yes", "no"]))
    yield Done()


def asks_less(brief: Brief, percept: Percept) -> Decisions:
    """Knows what the model would say at last."""
    decisions, acts = plan(brief, percept), 0
    decision = next(decisions)
    while acts < 3:
        percept = yield decision
        acts += isinstance(decision, Act)
        decision = decisions.send(percept) if acts < 3 else Think("All right.")
    yield decision
    yield Done()


def asks_more(brief: Brief, percept: Percept) -> Decisions:
    decisions = plan(brief, percept)
    decision = next(decisions)
    while not isinstance(decision, Done):
        decision = decisions.send((yield decision))
    brief.model.complete(say("One more."))


def asks_elsewhere(brief: Brief, percept: Percept) -> Decisions:
    brief.model.embed(["milk"])
    yield Done()


def asks_hotter(brief: Brief, percept: Percept) -> Decisions:
    text = f"{brief.prepared} {percept.text}"
    yield Think(brief.model.choose(say(text), ["yes", "no"], temperature=0.7))


def asks_other_options(brief: Brief, percept: Percept) -> Decisions:
    yield Think(brief.model.choose(say(f"{brief.prepared} {percept.text}"), ["yes", "never"]))


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (ends_early, "'decision' of 'decided' differs"),
        (asks_less, "Call 24 of the role planner is no longer made"),
        (asks_more, "Call 25 .* the recording has no reply to it"),
        (asks_elsewhere, "the recording has 'model_replied'"),
        (asks_hotter, "its sampling is another one"),
        (asks_other_options, "its JSON schema is another one"),
    ],
)
def test_what_a_planner_does_otherwise_is_told(
    source: Path, tmp_path: Path, other: Callable[[Brief, Percept], Decisions], words: str
) -> None:
    planner = Planner("everything", "", other, models=("planner",), prepare=prepare)
    with pytest.raises(NotReplayed, match=words) as caught:
        peephole.replay_replies(source, planner=planner, out=tmp_path / "again")
    assert "\n" not in str(caught.value)


def test_a_preparation_that_comes_out_otherwise_is_told(source: Path, tmp_path: Path) -> None:
    for other, words in (
        (lambda given: {"rule": given.models["planner"].complete(say("A law."))}, "says 'A law.'"),
        (lambda given: {**prepare(given), "more": 1}, "other data from the replies"),
        (lambda given: {"rule": ""}, "is no longer made"),
    ):
        planner = Planner("everything", "", plan, models=("planner",), prepare=other)
        with pytest.raises(NotReplayed, match=words):
            peephole.replay_replies(source, planner=planner, out=tmp_path / words[-9:].strip("'"))


def test_a_reply_that_is_taken_otherwise_now_is_told(source: Path, tmp_path: Path) -> None:
    """The words to the model were changed since."""

    def reword(event: dict[str, Any]) -> None:
        if event.get("problem"):
            event["problem"] = "Nonsense!"

    changed(reword, next((source / "episodes").glob("0001*")))
    with pytest.raises(NotReplayed, match="where it was 'Nonsense!'"):
        peephole.replay_replies(source, planner=EVERYTHING, out=tmp_path / "again")


def test_another_world_is_told(source: Path, tmp_path: Path) -> None:
    def elsewhere(event: dict[str, Any]) -> None:
        if event["event"] == "stepped":
            event["observation"] += " It rains."

    changed(elsewhere, next((source / "episodes").glob("0002*")))
    with pytest.raises(NotReplayed, match=r"Episode 2 .*'observation' of 'stepped' differs"):
        peephole.replay_replies(source, planner=EVERYTHING, out=tmp_path / "again")


def test_only_what_has_ended_is_played_again(source: Path, tmp_path: Path) -> None:
    first, second = sorted((source / "episodes").glob("*"))
    second.write_bytes(b"".join(second.read_bytes().splitlines(keepends=True)[:-1]))
    again = peephole.replay_replies(source, planner=EVERYTHING, out=tmp_path / "again")
    assert len(again.results) == 1
    unfinished = json.loads((source / "run.json").read_text())["config"]["tasks"][1]
    with pytest.raises(BadInput, match="no ended episode of the task"):
        peephole.replay_replies(source, planner=EVERYTHING, tasks=[unfinished])
    first.unlink()
    with pytest.raises(BadInput, match=r"No episode of .* has ended"):
        peephole.replay_replies(source, planner=EVERYTHING)


@pytest.mark.parametrize(
    ("suite", "planner"), [("robothow", "react"), ("blocks", "llm_pop"), ("behavior", "react")]
)
def test_real_planners_with_faulty_replies_are_played_again(
    tmp_path: Path, suite: str, planner: str
) -> None:
    model = "scripted:malformed=0.1,empty=0.05"
    run = peephole.run(planner, suite, tasks=2, model=model, out=tmp_path / "run")
    again = peephole.replay_replies(run.folder, out=tmp_path / "again")
    assert recorded(again.folder) == recorded(run.folder)
    assert again.figures == run.figures
    assert sum(result.calls for result in again.results) > 0


@pytest.mark.slow
def test_two_workers_play_again_are_cut_off_and_go_on(source: Path, tmp_path: Path) -> None:
    run = peephole.run("react", "robothow", tasks=3, model="scripted", out=tmp_path / "run")
    one, two = str(run.folder), str(tmp_path / "two")
    again = command("run", "--replay-replies", one, "--out", two, "--workers", "2", "--json")
    assert again.returncode == 0, again.stderr
    assert recorded(Path(two)) == recorded(run.folder)
    assert f"The replies come from the recording {one}" in again.stderr
    next(Path(two).glob("episodes/0002*")).unlink()
    assert command("run", "--resume", "--out", two).returncode == 0
    assert recorded(Path(two)) == recorded(run.folder)


@pytest.mark.parametrize(
    "option", [("--model", "local"), ("--temperature", "1"), ("--seed", "3"), ("--suite", "houses")]
)
def test_what_a_recording_settles_may_not_be_another(source: Path, option: tuple[str, str]) -> None:
    done = command("run", "--replay-replies", str(source), *option)
    assert done.returncode == 2
    assert "leave" in done.stderr
    assert len(done.stderr.splitlines()) == 1
