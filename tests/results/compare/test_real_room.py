"""A simulation against a room without a true state, whose failures a person judges."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

import peephole
from peephole.episodes import resolve
from peephole.planners.contract import Act, Brief, Decisions, Percept, Planner
from peephole.results.compare.comparison import Comparison, compare, comparison_document
from peephole.results.compare.page import cause_lines, comparison_view
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, Verb
from peephole.skills.outcomes import Failure, RawResult, Reason
from peephole.suites.contract import Suite
from tests.results.failures.real_room import RealRoom

WORDS = (
    "go to fridge 1",
    "open fridge 1",
    "pick up apple 1",
    "close fridge 1",
    "go to living room 1",
    "go to table 1",
    "put down apple 1 on table 1",
)
APPLE = 1


class Clumsy(RealRoom):
    """The apple slips in every second episode, and is not seen in every third one."""

    def __init__(self) -> None:
        super().__init__()
        self.episode = 0

    def reset(self, task: Task, seed: int) -> None:
        super().reset(task, seed)
        self.episode += 1
        self.hidden = frozenset({APPLE} if self.episode % 3 == 0 else ())

    def attempt(self, action: Action, variation: int) -> RawResult:
        if action.verb is Verb.PICK_UP and self.episode % 2 == 0:
            return RawResult(Failure(Reason.SLIPPED, action.target))
        return super().attempt(action, variation)


@pytest.fixture
def found(task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Comparison:
    def plan(brief: Brief, percept: Percept) -> Decisions:
        for text in WORDS:
            yield Act(text)

    planner, suite = Planner("scripted", "follows a script", plan), Suite("one", "", (task,), "")
    sim, real = tmp_path / "sim", tmp_path / "real"
    peephole.run(planner, suite, adapter="symbolic", repeats=4, out=sim)
    monkeypatch.setattr(resolve, "connect", lambda name, isolated=False: Clumsy())
    peephole.run(planner, suite, adapter="room", repeats=4, out=real)
    return compare([sim], [real])


def test_a_room_without_a_true_state_is_compared(found: Comparison) -> None:
    """Its causes are found with the help of the simulated twin."""
    assert found.sim.has_truth
    assert not found.real.has_truth
    assert not any("no real robot" in note for note in found.notes)
    assert (found.outcomes.both, found.outcomes.only_first) == (1, 3)
    causes = [(each.seed, each.cause, each.step) for each in found.failed[1]]
    assert causes == [(1, "contact", 3), (2, "perception", 2), (3, "contact", 3)]
    assert next(iter(cause_lines(found))).startswith("3 episodes failed on the real side: ")
    document = comparison_document(found)
    assert document["real"]["is_simulated"] is False
    assert [each["cause"] for each in document["failures"]["real"]] == [c for _, c, _ in causes]
    page = StringIO()
    Console(file=page, width=100).print(comparison_view(found))
    pairs = [line.split() for line in page.getvalue().splitlines() if "success" in line]
    assert ["apple", "scripted", "success", "contact,", "3"] in pairs
