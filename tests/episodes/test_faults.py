"""Failures that are put into a simulator: drawn by seed, recorded, and hidden from planners."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import peephole
from peephole.adapters.contract import Adapter
from peephole.episodes.environment import Environment
from peephole.episodes.events import Stepped
from peephole.episodes.faults import (
    FaultFile,
    FaultRate,
    Faults,
    FileRate,
    read_faults,
    write_faults,
)
from peephole.episodes.recording import episode_files, read_episode, without_times
from peephole.episodes.resolve import load_dialect
from peephole.episodes.run_file import read_run
from peephole.errors import BadInput
from peephole.planners.contract import Percept
from peephole.results.replay import replay_run
from peephole.skills.actions import Verb, go_to, open_, pick_up
from peephole.skills.outcomes import Injection, Reason
from peephole.suites.registry import load_suite

SLIPS = "{skill: pick_up, reason: slipped, rate: 0.5}"
TASKS = 6


def written(folder: Path, *faults: str) -> Path:
    path = folder / "faults.yaml"
    path.write_text("version: 1\nfaults:\n" + "".join(f"- {each}\n" for each in faults))
    return path


def steps(run: Path) -> Iterator[Stepped]:
    for path in episode_files(run):
        yield from (event for event in read_episode(path) if isinstance(event, Stepped))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tasks of robothow with every second pick slipping."""
    folder = tmp_path_factory.mktemp("faults")
    faults = written(folder, SLIPS)
    peephole.run("expert", "robothow", tasks=TASKS, faults=faults, seed=1, out=folder / "run")
    return folder / "run"


def test_failures_are_put_in_and_recorded_as_such(run: Path) -> None:
    picks = [s for s in steps(run) if s.action is not None and s.action.verb is Verb.PICK_UP]
    injected = [step for step in picks if step.outcome.injected is Injection.INSTEAD]
    assert 0 < len(injected) < len(picks)
    for step in injected:
        assert step.outcome.failure is not None
        assert step.outcome.failure.reason is Reason.SLIPPED
        assert step.outcome.retries == 2, "a real slip is tried again as well"
        assert step.world is None, "nothing was done"
    others = [s for s in steps(run) if s.action is not None and s.action.verb is not Verb.PICK_UP]
    assert all(step.outcome.injected is None for step in others)
    content = read_run(run)
    assert content.label == "expert, injected faults"
    assert content.mark == "faults"
    assert content.stand_ins[0].text == (
        "Failures are put into the simulator, by the rates of faults.yaml."
    )


def test_a_run_that_was_cut_off_goes_on_with_the_same_draws(run: Path, tmp_path: Path) -> None:
    faults = written(tmp_path, SLIPS)
    again = tmp_path / "again"
    peephole.run("expert", "robothow", tasks=TASKS, faults=faults, seed=1, out=again)
    for path in list(episode_files(again))[1::2]:
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[: len(lines) // 2]) + lines[-1][:20])
    faults.unlink()  # the rates are in the run
    peephole.resume(again)
    for one, other in zip(episode_files(run), episode_files(again), strict=True):
        assert without_times(read_episode(one)) == without_times(read_episode(other))


def test_a_run_with_failures_can_be_replayed(run: Path) -> None:
    assert [each.difference for each in replay_run(run)] == [None] * TASKS


def played(faults: Faults | None, seed: int = 0) -> Environment:
    suite = load_suite("robothow")
    adapter: Adapter = peephole.adapters.registry.connect("symbolic")
    environment = Environment(
        adapter, suite.tasks[1], load_dialect("reactree"), seed=seed, faults=faults
    )
    environment.reset()
    return environment


def offered(environment: Environment, verb: Verb) -> list[Percept]:
    """What came of every action of a verb that is on offer at the start."""
    percept = environment.reset()
    actions = [action for _, action in percept.menu() if action.verb is verb]
    return [environment.step(action) for action in actions[:10]]


def test_who_acts_is_told_what_a_real_failure_would_be() -> None:
    rate = FaultRate(Verb.GO_TO, Reason.UNREACHABLE, 1.0, words="made up")
    percepts = offered(played(Faults((rate,))), Verb.GO_TO)
    for percept in percepts:
        outcome = percept.outcome
        assert outcome is not None
        assert outcome.failure is not None
        assert outcome.failure.reason is Reason.UNREACHABLE
        assert outcome.injected is None
        assert {attempt.message for attempt in outcome.attempts} == {""}
        assert "cannot be reached" in percept.text
        assert (outcome.duration_s, outcome.sim_time_s) == (0, 0)


@pytest.mark.parametrize("reason", [Reason.UNREACHABLE, Reason.MISPLACED])
def test_what_was_done_anyway_is_not_told(reason: Reason) -> None:
    """Nor is it by how often it was tried."""
    instead, afterwards = (
        offered(played(Faults((FaultRate(Verb.GO_TO, reason, 1.0, done),))), Verb.GO_TO)[0].outcome
        for done in (0.0, 1.0)
    )
    assert instead is not None
    assert instead.failure is not None
    assert instead == afterwards


def test_what_cannot_be_done_fails_by_itself() -> None:
    rates = tuple(FaultRate(verb, Reason.REFUSED, 1.0) for verb in (Verb.OPEN, Verb.PICK_UP))
    environment = played(Faults(rates))
    percept = environment.reset()
    far = [i for i in percept.view.graph.by_id if percept.view.graph[i].kind == "fixture"]
    for action in (open_(far[0]), pick_up(far[0])):
        outcome = environment.step(action).outcome
        assert outcome is not None
        assert outcome.failure is not None
        assert outcome.failure.reason is not Reason.REFUSED


def test_a_failure_may_come_after_the_action_was_done() -> None:
    rate = FaultRate(Verb.GO_TO, Reason.NOT_CONFIRMED, 1.0, done_anyway=1.0)
    environment = played(Faults((rate,)))
    before = environment.reset()
    place = next(a for _, a in before.menu() if a.verb is Verb.GO_TO)
    after = environment.step(go_to(place.target or 0))
    assert after.outcome is not None
    assert not after.outcome.success
    assert after.view.graph != before.view.graph


def test_draws_are_by_seed_task_and_number_of_the_action() -> None:
    rate = FaultRate(Verb.GO_TO, Reason.UNREACHABLE, 0.5)

    def failed(seed: int) -> list[bool]:
        told = offered(played(Faults((rate,)), seed), Verb.GO_TO)
        return [percept.outcome is not None and not percept.outcome.success for percept in told]

    assert failed(3) == failed(3)
    assert {True, False} <= {one for seed in range(6) for one in failed(seed)}
    assert failed(3) != failed(4)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("faults: []", "has the version None; this peephole reads version 1"),
        ("version: 2\nfaults: []", "has the version 2"),
        ("version: 1", "'faults' is wrong: field required"),
        ("- 1", "has no fields; write each as NAME: VALUE."),
        ("version: 1\nfaults: [{skill: fly, reason: slipped, rate: 0.1}]", "faults.0.skill"),
        ("version: 1\nfaults: [{skill: put, reason: sulks, rate: 0.1}]", "faults.0.reason"),
        ("version: 1\nfaults: [{skill: put, reason: slipped, rate: 2}]", "faults.0.rate"),
        (
            "version: 1\nfaults: [{skill: put, reason: not_held, rate: 0.1}]",
            "not_held is no failure of carrying out",
        ),
        (
            "version: 1\nfaults: [{skill: put, reason: slipped, rate: 0.7},"
            " {skill: put, reason: blocked, rate: 0.7}]",
            "the rates of put sum to more than 1",
        ),
        (
            "version: 1\nfaults: [{skill: put, reason: slipped, rate: 0.1},"
            " {skill: put, reason: slipped, rate: 0.2}]",
            "put has two rates of slipped",
        ),
        ("version: 1\nfaults: [", "is neither YAML nor JSON"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "faults.yaml"
    path.write_text(text)
    with pytest.raises(BadInput) as refused:
        read_faults(path)
    assert told in str(refused.value)


@pytest.mark.parametrize("name", ["faults.yaml", "faults.json"])
def test_what_is_written_is_read_back(tmp_path: Path, name: str) -> None:
    rate = FileRate(skill=Verb.PUT, reason=Reason.MISPLACED, rate=0.25, done_anyway=0.5)
    write_faults(tmp_path / name, FaultFile(version=1, faults=[rate], made_from="here"))
    found = read_faults(tmp_path / name)
    assert found == Faults((FaultRate(Verb.PUT, Reason.MISPLACED, 0.25, 0.5),), name, "here")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        read_faults(tmp_path / "none.yaml")
