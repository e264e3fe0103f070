"""Why episodes without a true state failed: by what was seen and said, and by the twin."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.events import Ended
from peephole.results.failures.causes import blame
from peephole.results.failures.played import Attribution, Cause
from peephole.scene_graph.goals import Domain, ForAll, Or, Related
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Relation
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, Verb
from peephole.skills.outcomes import Failure, RawResult, Reason
from tests.results.failures.real_room import RealRoom, recorded

WORDS = (
    "go to fridge 1",
    "open fridge 1",
    "pick up apple 1",
    "close fridge 1",
    "go to living room 1",
    "go to table 1",
    "put down apple 1 on table 1",
)
CONTACT, PERCEPTION, PLANNING = Cause.CONTACT, Cause.PERCEPTION, Cause.PLANNING
APPLE, FRIDGE, TABLE = 1, 2, 3


@pytest.fixture
def twin(task: Task) -> SceneGraph:
    """The room as its file has it."""
    world = SymbolicAdapter()
    world.reset(task, 0)
    return world.graph()


def test_a_success_has_no_cause(task: Task, twin: SceneGraph, tmp_path: Path) -> None:
    events = recorded(RealRoom(), task, WORDS, tmp_path)
    assert isinstance(events[-1], Ended)
    assert events[-1].result.success
    assert blame(events, twin) is None


@pytest.mark.parametrize(
    ("fails", "words", "found"),
    [
        # The hand fails, as the person says.
        ({Verb.PUT: Reason.MISPLACED}, WORDS, Attribution(CONTACT, 7)),
        ({Verb.PICK_UP: Reason.SLIPPED}, WORDS[:3], Attribution(CONTACT, 3)),
        ({Verb.OPEN: Reason.BLOCKED}, WORDS[:2], None),
        # The world says that it is not as it was seen.
        ({Verb.PICK_UP: Reason.NOT_HERE}, WORDS[:3], Attribution(PERCEPTION, 3)),
        ({Verb.PUT: Reason.FULL}, WORDS, Attribution(PERCEPTION, 7)),
        # The plan is wrong by all that was seen.
        ({}, (*WORDS[:3], *WORDS[4:6], "put down apple 1 in fridge 1"), Attribution(PLANNING, 6)),
        ({}, WORDS[:3], Attribution(PLANNING, 3)),
        ({}, (*WORDS[:3], WORDS[4]), Attribution(PLANNING, 4)),
        # Nobody knows whether there was an apple.
        ({}, WORDS[:1], None),
        ({}, (), None),
    ],
)
def test_what_was_seen_and_said_tells_the_cause(
    task: Task,
    tmp_path: Path,
    fails: dict[Verb, Reason],
    words: tuple[str, ...],
    found: Attribution | None,
) -> None:
    assert blame(recorded(RealRoom(fails), task, words, tmp_path)) == found


@pytest.mark.parametrize(
    ("room", "words", "found"),
    [
        (RealRoom(), WORDS[:1], Attribution(PLANNING, 1)),
        (RealRoom({Verb.PICK_UP: Reason.SLIPPED}), WORDS, Attribution(CONTACT, 3)),
        (RealRoom(hidden=frozenset({APPLE})), WORDS[:2], Attribution(PERCEPTION, 2)),
    ],
    ids=["planning", "contact", "perception"],
)
def test_the_twin_tells_what_sight_alone_cannot(
    task: Task,
    twin: SceneGraph,
    tmp_path: Path,
    room: RealRoom,
    words: tuple[str, ...],
    found: Attribution,
) -> None:
    events = recorded(room, task, words, tmp_path)
    assert blame(events, twin) == found
    assert blame(events) is None


def test_a_goal_that_holds_only_as_far_as_was_seen_is_perception(
    task: Task, tmp_path: Path
) -> None:
    class Fallen(RealRoom):
        """The person says that the apple does not lie on the table, which nobody saw."""

        def judge(self, task: Task):  # type: ignore[no-untyped-def]
            found = super().judge(task)
            return found and replace(found, value=min(found.value, 0.5))

    events = recorded(Fallen(), task, WORDS, tmp_path)
    assert blame(events) == Attribution(PERCEPTION, 7)


def test_a_view_that_a_later_one_contradicts_is_perception(task: Task, tmp_path: Path) -> None:
    class Blinking(RealRoom):
        """The apple is not seen in the open fridge at first."""

        def attempt(self, action: Action, variation: int) -> RawResult:
            result = super().attempt(action, variation)
            self.hidden = frozenset({APPLE} if action.verb is Verb.OPEN else ())
            return result

    words = (*WORDS[:2], "go to table 1", "go to fridge 1")
    events = recorded(Blinking(), task, words, tmp_path)
    assert blame(events) == Attribution(PERCEPTION, 2)


def test_without_a_goal_only_the_last_action_tells(task: Task, tmp_path: Path) -> None:
    class NeverDone(RealRoom):
        def judge(self, task: Task):  # type: ignore[no-untyped-def]
            found = super().judge(task)
            return found and replace(found, value=0.0)

    judged = replace(task, goal=Or(()))
    events = recorded(NeverDone({Verb.PUT: Reason.SLIPPED}), judged, WORDS, tmp_path)
    assert blame(events) == Attribution(CONTACT, 7)
    assert blame(recorded(NeverDone(), judged, WORDS, tmp_path)) is None


def test_what_is_denied_is_planning(task: Task, twin: SceneGraph, tmp_path: Path) -> None:
    """Perfect skills would not have done it either."""

    class Forbids(RealRoom):
        def attempt(self, action: Action, variation: int) -> RawResult:
            if action.verb is Verb.PUT:
                return RawResult(Failure(Reason.DENIED, action.target, "not there"))
            return super().attempt(action, variation)

    assert blame(recorded(Forbids(), task, WORDS, tmp_path), twin) == Attribution(PLANNING, 7)


def test_a_goal_about_all_of_a_kind_may_be_open_where_nobody_looked(
    task: Task, twin: SceneGraph, tmp_path: Path
) -> None:
    """No apple was seen, so that all that were seen are on the table."""
    body = Related("thing", Relation.ON, TABLE)
    every = replace(task, goal=ForAll("thing", Domain(frozenset({"apple"})), body))
    events = recorded(RealRoom(), every, WORDS[:1], tmp_path)
    assert blame(events) is None
    assert blame(events, twin) == Attribution(PLANNING, 1)
