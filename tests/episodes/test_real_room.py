"""A room without a true state to read: nothing in it is replayed, and somebody judges it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from peephole.adapters.contract import Adapter, Capability
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.api import run
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.events import Ended, RecordedEvent, Started, Stepped
from peephole.episodes.recording import EpisodeLog, read_events, without_times
from peephole.episodes.result import EpisodeResult
from peephole.errors import BadInput, PeepholeError
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.view import View
from peephole.planners.contract import (
    Act,
    Brief,
    Decision,
    Decisions,
    Grant,
    NewTrial,
    Note,
    Percept,
    Planner,
)
from peephole.scene_graph.goal_evaluation import Progress, progress
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Relation
from peephole.scene_graph.rules import Ends, Rewards, Rules
from peephole.scene_graph.task import Task
from peephole.skills import actions
from peephole.skills.actions import Action
from peephole.skills.executor import ConnectionLost, SimulatorDied
from peephole.skills.outcomes import Failure, RawResult, Reason
from peephole.suites.contract import Suite

#: By first sight: the fridge that the instruction names is seen at once, the other two are not.
FRIDGE, LIVING_ROOM, APPLE, TABLE = 1, 3, 5, 6

APPLE_TO_TABLE: list[Decision] = [
    Act(actions.go_to(FRIDGE)),
    Act(actions.pick_up(APPLE)),  # fails: the fridge is closed
    Act("open fridge 1"),
    Act(actions.pick_up(APPLE)),
    Note("memory", "the apple was in the fridge"),
    Act("close the fridge"),  # is refused
    Act(actions.close(FRIDGE)),
    Act(actions.go_to(LIVING_ROOM)),
    Act(actions.go_to(TABLE)),
    Act(actions.put(APPLE, Relation.ON, TABLE)),
]


class Room:
    """A real room: it stays as it is when everything that looks at it has gone.

    calls: what was asked of it. gone_at: the call at which the connection is lost.
    """

    def __init__(self) -> None:
        self.world = SymbolicAdapter()
        self.calls: list[str] = []
        self.gone_at = 0
        self.slips = 0

    def asked(self, call: str) -> None:
        self.calls.append(call)
        if len(self.calls) == self.gone_at:
            raise SimulatorDied("the robot does not answer")


class RoomAdapter(Adapter):
    """What stands between an episode and a room: it sees and acts, and a person judges."""

    spec = replace(SymbolicAdapter.spec, name="room", capabilities=frozenset({Capability.JUDGE}))

    def __init__(self, room: Room) -> None:
        self.room = room

    def reset(self, task: Task, seed: int) -> None:
        self.room.asked("reset")
        self.room.world.reset(task, seed)

    def resume(self, task: Task, seed: int) -> None:
        self.room.asked("resume")

    def attempt(self, action: Action, variation: int) -> RawResult:
        self.room.asked("attempt")
        if self.room.slips:
            self.room.slips -= 1
            return RawResult(Failure(Reason.SLIPPED, action.target))
        return self.room.world.attempt(action, variation)

    def graph(self) -> None:
        return None

    def view(self) -> View:
        self.room.asked("view")
        return self.room.world.view()

    def image(self) -> NDArray[np.uint8]:
        self.room.asked("image")
        return np.zeros((1, 1, 3), np.uint8)

    def judge(self, task: Task) -> Progress | None:
        self.room.asked("judge")
        return progress(task.goal, self.room.world.graph())


def script(decisions: Sequence[Decision]) -> Callable[[Brief, Percept], Decisions]:
    def plan(brief: Brief, percept: Percept) -> Decisions:
        for decision in decisions:
            yield decision

    return plan


def context_of(
    adapter: Adapter, decisions: Sequence[Decision], rules: Rules | None = None
) -> EpisodeContext:
    planner = Planner("scripted", "follows a script", script(decisions))
    return EpisodeContext(adapter, planner, DIALECT, rules=rules or Rules())


def play(context: EpisodeContext, task: Task, path: Path) -> EpisodeResult:
    with EpisodeLog(path) as log:
        return run_episode(context, task, log)


def test_an_episode_in_a_room_is_judged_by_whoever_is_there(task: Task, tmp_path: Path) -> None:
    room = Room()
    path = tmp_path / "e.jsonl"
    result = play(context_of(RoomAdapter(room), APPLE_TO_TABLE), task, path)
    assert (result.success, result.progress, result.ended) == (True, 1.0, "goal_reached")
    assert (result.steps, result.voided, result.reward) == (8, 0, 1.0)
    assert all(subgoal.done for subgoal in result.subgoals)
    events = read_events(path)
    assert all(event.world is None for event in events if isinstance(event, Started | Stepped))
    started = events[0]
    assert isinstance(started, Started)
    assert started.state is None
    assert started.view is not None
    assert started.view.perceived is not None
    assert room.calls.count("reset") == 1


def test_where_nobody_judges_an_episode_is_not_scored(task: Task, tmp_path: Path) -> None:
    class NobodyJudges(RoomAdapter):
        def judge(self, task: Task) -> Progress | None:
            return None

    result = play(context_of(NobodyJudges(Room()), APPLE_TO_TABLE), task, tmp_path / "e.jsonl")
    assert (result.success, result.progress, result.ended) == (None, None, "done")
    assert (result.subgoals, result.reward, result.voided) == ((), 0.0, 0)


def test_nothing_is_tried_again_in_a_room(task: Task, tmp_path: Path) -> None:
    room = Room()
    room.slips = 1
    path = tmp_path / "e.jsonl"
    result = play(context_of(RoomAdapter(room), APPLE_TO_TABLE[:1]), task, path)
    assert (result.retries, result.failures, result.steps) == (0, {"slipped": 1}, 1)
    assert room.calls.count("attempt") == 1


TRIALS: list[Decision] = [*APPLE_TO_TABLE[:5], NewTrial("the door was closed"), *APPLE_TO_TABLE]
RULES = Rules(ends=Ends.PLANNER_DONE, trials=2, rewards=Rewards(step=-0.5, progress=1.0))


class KnownRoomAdapter(RoomAdapter):
    """A simulator whose state can be read, and not be brought about again."""

    def graph(self) -> SceneGraph:
        return self.room.world.graph()


IN_WORDS: list[Decision] = [
    Act("go to fridge 1"),
    Act("open fridge 1"),
    Act("pick up apple 1"),
    Act("close fridge 1"),
    Act("go to living room 1"),
    Act("go to table 1"),
    Act("put down apple 1 on table 1"),
]


@pytest.mark.parametrize(
    ("adapter_of", "decisions"),
    [(RoomAdapter, APPLE_TO_TABLE), (RoomAdapter, TRIALS), (KnownRoomAdapter, IN_WORDS)],
    ids=["one trial", "two trials", "with a true state"],
)
def test_an_episode_in_a_room_is_continued_from_its_recording_alone(
    task: Task, tmp_path: Path, decisions: list[Decision], adapter_of: type[RoomAdapter]
) -> None:
    """It is cut after every line; the room is as it was left at that line."""
    whole = tmp_path / "whole.jsonl"
    result = play(context_of(adapter_of(Room()), decisions, RULES), task, whole)
    assert result.success
    lines = whole.read_bytes().splitlines(keepends=True)
    for kept in range(1, len(lines)):
        path = tmp_path / f"{kept}.jsonl"
        path.write_bytes(b"".join(lines[:kept]))
        room = as_left(task, read_events(path))
        continued = play(context_of(adapter_of(room), decisions, RULES), task, path)
        told = without_times(read_events(path))
        assert told == without_times(read_events(whole)), f"cut after line {kept}"
        assert continued.voided == 0
        steps = sum(isinstance(event, Stepped) for event in read_events(path)[kept:])
        assert room.calls.count("attempt") <= steps, "something was done again"
        assert room.calls.count("resume") == 1
        assert room.calls[0] == "resume"


def as_left(task: Task, events: Sequence[RecordedEvent]) -> Room:
    """A room as it is after the recorded actions."""
    room = Room()
    room.world.reset(task, 0)
    for event in events:
        if event.event == "trial_started":
            room.world.reset(task, 0)
        elif isinstance(event, Stepped) and event.action is not None:
            room.world.attempt(event.action, 0)
    return room


@pytest.mark.parametrize("images", [False, True])
def test_a_lost_connection_leaves_the_episode_to_be_continued(
    task: Task, tmp_path: Path, images: bool
) -> None:
    save = (lambda rgb: "seen.png") if images else None

    def context(room: Room) -> EpisodeContext:
        return replace(context_of(RoomAdapter(room), APPLE_TO_TABLE), save_image=save)

    whole = tmp_path / "whole.jsonl"
    room = Room()
    play(context(room), task, whole)
    assert ("image" in room.calls) is images
    for gone_at in range(1, len(room.calls) + 1):
        path = tmp_path / f"{gone_at}.jsonl"
        lost = Room()
        lost.gone_at = gone_at
        with pytest.raises(ConnectionLost) as caught:
            play(context(lost), task, path)
        assert caught.value.exit_code == 1
        assert str(caught.value) == (
            "The episode was interrupted (the robot does not answer); continue the run with "
            "--resume once that is over."
        )
        events = read_events(path)
        assert not any(isinstance(event, Ended) or event.event == "voided" for event in events)
        # The person puts the room as it was after the last recorded action.
        again = as_left(task, events)
        play(context(again), task, path)
        assert without_times(read_events(path)) == without_times(read_events(whole))
        assert again.calls.count("resume" if events else "reset") == 1


def suite_of(task: Task) -> Suite:
    return Suite("rooms", "one task in a room", (task,), "room")


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Callable[[type[Adapter]], None]:
    """Registers an adapter's class as `room`."""
    from peephole import plugins

    def register(kind: type[Adapter]) -> None:
        load = plugins.load
        monkeypatch.setattr(
            plugins, "load", lambda what, name: kind if name == "room" else load(what, name)
        )

    return register


PLANNER = Planner("apple", "brings the apple", script(APPLE_TO_TABLE))


def test_what_nobody_can_score_is_refused_before_it_starts(
    task: Task, tmp_path: Path, registered: Callable[[type[Adapter]], None]
) -> None:
    resets: list[str] = []

    class Blind(RoomAdapter):
        spec = replace(RoomAdapter.spec, capabilities=frozenset())

        def __init__(self) -> None:
            super().__init__(Room())

        def reset(self, task: Task, seed: int) -> None:
            resets.append(task.id)

    registered(Blind)
    out = tmp_path / "run"
    with pytest.raises(PeepholeError) as caught:
        run(PLANNER, suite_of(task), out=out)
    assert caught.value.exit_code == 1
    assert str(caught.value) == (
        "Nothing can score this run: the adapter room gives no true state and does not judge "
        "itself; choose another --adapter."
    )
    assert not resets
    assert not out.exists()


def test_the_truth_of_a_room_cannot_be_granted(
    task: Task, tmp_path: Path, registered: Callable[[type[Adapter]], None]
) -> None:
    class Seen(RoomAdapter):
        def __init__(self) -> None:
            super().__init__(Room())

    registered(Seen)
    planner = replace(PLANNER, grants=frozenset({Grant.TRUTH}))
    with pytest.raises(BadInput, match="The adapter room does not offer graph"):
        run(planner, suite_of(task), out=tmp_path / "a")
    results = run(PLANNER, suite_of(task), out=tmp_path / "b").results
    assert [result.success for result in results] == [True]
    planner = replace(PLANNER, grants=frozenset({Grant.INVENTORY}))
    with pytest.raises(BadInput, match="granted 'inventory', which nobody knows of the task apple"):
        run(planner, suite_of(task), out=tmp_path / "c")
