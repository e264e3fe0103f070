"""Whether planning, perception or contact made an episode fail."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import peephole
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes import resolve
from peephole.episodes.recording import episode_files, read_events
from peephole.observation_text.view import View
from peephole.results.failures.causes import blame
from peephole.results.failures.played import Attribution, Cause
from peephole.scene_graph.node import Kind, Relation
from peephole.scene_graph.rules import Budgets
from peephole.skills.actions import Verb
from peephole.skills.outcomes import Failure, RawResult, Reason
from peephole.suites.registry import load_suite

#: An episode that fails goes on to its last step, and 60 are as good as 200.
STEPS, TASKS = 60, 1


def blames(planner: str, folder: Path, **options) -> list[Attribution | None]:
    suite = replace(load_suite("wah:lived_in"), budgets=Budgets(steps=STEPS))
    peephole.run(planner, suite, tasks=TASKS, out=folder, **options)
    return [blame(read_events(path)) for path in episode_files(folder)]


def causes(planner: str, folder: Path, **options) -> list[Cause | None]:
    return [each and each.cause for each in blames(planner, folder, **options)]


def world_of(monkeypatch: pytest.MonkeyPatch, adapter: type[SymbolicAdapter]) -> None:
    monkeypatch.setattr(resolve, "connect", lambda name, isolated=False: adapter())


def test_an_episode_that_succeeded_has_none(tmp_path):
    assert causes("expert", tmp_path / "run") == [None] * TASKS


def test_a_plan_that_would_fail_with_perfect_skills_is_planning(tmp_path):
    assert causes("random", tmp_path / "run") == [Cause.PLANNING] * TASKS


def test_a_skill_that_fails_is_contact(tmp_path):
    faults = tmp_path / "faults.json"
    clumsy = {"skill": "put", "reason": "misplaced", "rate": 1.0, "words": "it fell"}
    faults.write_text(json.dumps({"version": 1, "faults": [clumsy]}))
    found = blames("expert", tmp_path / "run", faults=faults)
    assert [each.cause for each in found] == [Cause.CONTACT] * TASKS
    for each, path in zip(found, episode_files(tmp_path / "run"), strict=True):
        failed = [e for e in read_events(path) if e.event == "stepped" and not e.outcome.success]
        assert each.step in [event.step for event in failed]


def test_the_deciding_skill_is_one_on_what_was_asked_for(tmp_path, monkeypatch):
    """A walk that failed before, and did not matter, does not decide."""

    class Clumsy(SymbolicAdapter):
        """The first walk is blocked, and nothing can be put down."""

        tries = 0

        def attempt(self, action, variation):
            self.tries += 1
            first_walk = action.verb is Verb.GO_TO and self.tries <= 3
            if first_walk or action.verb is Verb.PUT:
                return RawResult(Failure(Reason.BLOCKED))
            return super().attempt(action, variation)

    world_of(monkeypatch, Clumsy)
    peephole.run("expert", "kitchen_physics", tasks=1, adapter="symbolic", out=tmp_path / "run")
    events = read_events(next(iter(episode_files(tmp_path / "run"))))
    failed = [e for e in events if e.event == "stepped" and not e.outcome.success]
    assert failed[0].action.verb is Verb.GO_TO
    put = next(event for event in failed if event.action.verb is Verb.PUT)
    assert blame(events) == Attribution(Cause.CONTACT, put.step)


def test_a_thing_that_is_knocked_away_is_contact(tmp_path, monkeypatch):
    class Clumsy(SymbolicAdapter):
        """Nothing that is picked up stays in the hand."""

        def attempt(self, action, variation):
            result = super().attempt(action, variation)
            state = self._state()
            if action.verb is Verb.PICK_UP and result.success:
                me, room = state.agent().id, state.room_of(state.agent().id)
                state.remove_edge(me, Relation.HOLDS, action.target)
                state.add_edge(action.target, Relation.INSIDE, room)
                return RawResult(Failure(Reason.SLIPPED, action.target))
            return result

    world_of(monkeypatch, Clumsy)
    assert causes("expert", tmp_path / "run") == [Cause.CONTACT] * TASKS


def test_a_place_that_was_said_to_be_empty_is_perception(tmp_path, monkeypatch):
    class Blind(SymbolicAdapter):
        """It looks into places, and sees no object."""

        def view(self):
            view = super().view()
            kept = [node.id for node in view.graph.nodes() if node.kind is not Kind.OBJECT]
            covered = {place: whole for place, whole in view.covered.items() if place in kept}
            return View(view.graph.part(kept), covered)

    world_of(monkeypatch, Blind)
    assert causes("explore", tmp_path / "run") == [Cause.PERCEPTION] * TASKS
