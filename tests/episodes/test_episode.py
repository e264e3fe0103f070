"""What happens in an episode, what is recorded of it, and that a cut recording is continued."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.episode import MAX_STARTS, EpisodeContext, run_episode
from peephole.episodes.events import Ended, Started, Stepped, TextRefused, Voided
from peephole.episodes.recording import EpisodeLog, read_events, without_times
from peephole.episodes.result import EpisodeResult
from peephole.planners.contract import (
    Act,
    Brief,
    Decision,
    Decisions,
    Done,
    GiveUp,
    Grant,
    Note,
    Percept,
    Think,
)
from peephole.scene_graph.goals import EventOccurred
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Relation, State
from peephole.scene_graph.rules import Budgets, Ends
from peephole.scene_graph.task import Task
from peephole.skills import actions
from peephole.skills.actions import Action
from peephole.skills.executor import SimulatorDied
from peephole.skills.outcomes import RawResult, Reason

MakeContext = Callable[..., EpisodeContext]

APPLE_TO_TABLE: list[Decision] = [
    Think("The apple may be in the fridge."),
    Act(actions.go_to(2)),
    Act(actions.open_(2)),
    Note("belief", "the apple was in the fridge", {"where": (1, 2)}),
    Act(actions.pick_up(1)),
    Act(actions.close(2)),
    Act("go to living room 2"),
    Act("go to living room 1"),
    Act(actions.go_to(3)),
    Act(actions.put(1, Relation.ON, 3)),
]


def script(decisions: Iterable[Decision]) -> Callable[[Brief, Percept], Decisions]:
    def plan(brief: Brief, percept: Percept) -> Decisions:
        for decision in decisions:
            yield decision

    return plan


def play(context: EpisodeContext, task: Task, path: Path) -> EpisodeResult:
    with EpisodeLog(path) as log:
        return run_episode(context, task, log)


def kinds(path: Path) -> Counter[type]:
    """How many events of each class a recording holds."""
    return Counter(type(event) for event in read_events(path))


def test_an_episode_ends_when_its_goal_is_reached(
    make_context: MakeContext, task: Task, tmp_path: Path
) -> None:
    result = play(make_context(script(APPLE_TO_TABLE)), task, tmp_path / "e.jsonl")
    assert result.success
    assert result.ended == "goal_reached"
    assert result.steps == 7  # the text that names no room was refused and cost no step
    assert result.decisions == 9
    assert result.progress == 1.0
    assert [part.done for part in result.subgoals] == [True, True]


def test_the_recording_tells_every_step(
    make_context: MakeContext, task: Task, tmp_path: Path
) -> None:
    path = tmp_path / "e.jsonl"
    play(make_context(script(APPLE_TO_TABLE)), task, path)
    events = read_events(path)
    start, *_, end = events
    assert isinstance(start, Started)
    assert start.instruction == "Put apple 1 on table 1 and leave fridge 1 closed."
    steps = [event for event in events if isinstance(event, Stepped)]
    assert [step.progress for step in steps] == [0.5, 0.0, 0.0, 0.5, 0.5, 0.5, 1.0]
    assert [step.action for step in steps][:2] == [actions.go_to(2), actions.open_(2)]
    assert [(step.said, step.wording) for step in steps[4:6]] == [
        ("go to living room 1", "go to living room 1"),
        (None, "go to table 1"),
    ]
    assert all(len(step.outcome.attempts) == 1 for step in steps)
    (refused,) = [event for event in events if isinstance(event, TextRefused)]
    assert (refused.said, refused.step) == ("go to living room 2", 4)
    assert isinstance(end, Ended)
    assert "apple" not in start.observation
    views = [event.view for event in (start, *steps) if event.view is not None]
    assert views
    assert all(view.perceived is None for view in views), "the true state has it already"


def test_unperceived_things_never_reach_the_simulator(
    make_context: MakeContext, task: Task, tmp_path: Path
) -> None:
    told: list[Percept] = []

    def plan(brief: Brief, percept: Percept) -> Decisions:
        told.append((yield Act(actions.pick_up(1))))  # in the closed fridge
        told.append((yield Act(actions.pick_up(99))))  # nowhere

    path = tmp_path / "e.jsonl"
    play(make_context(plan), task, path)
    hidden, nowhere = told
    assert hidden.text == nowhere.text
    assert hidden.outcome is not None
    assert hidden.outcome.failure is not None
    assert hidden.outcome.failure.reason is Reason.UNKNOWN
    assert hidden.outcome.attempts == ()
    assert hidden.truth is None


def test_a_planner_gets_exactly_what_it_was_granted(
    make_context: MakeContext, task: Task, tmp_path: Path
) -> None:
    seen: dict[str, tuple[Brief, Percept]] = {}

    def asking(name: str) -> Callable[[Brief, Percept], Decisions]:
        def plan(brief: Brief, percept: Percept) -> Decisions:
            seen[name] = (brief, percept)
            yield Done()

        return plan

    play(make_context(asking("nothing")), task, tmp_path / "a.jsonl")
    play(
        make_context(asking("all"), grants=frozenset(Grant)),
        task,
        tmp_path / "b.jsonl",
    )
    brief, percept = seen["nothing"]
    assert brief.goal is brief.goal_things is brief.inventory is brief.map is percept.truth is None
    assert [room.name for room in brief.rooms] == ["kitchen 1", "living room 1"]
    assert 1 not in percept.view.graph
    assert 1 not in percept.names
    brief, percept = seen["all"]
    assert brief.goal == task.goal
    assert brief.goal_things is not None
    assert brief.goal_things[1].name == "apple 1"
    assert brief.inventory is not None
    assert [thing.name for thing in brief.inventory] == ["apple 1"]
    assert brief.map is not None
    assert percept.truth is not None
    assert 1 in percept.truth


@pytest.mark.parametrize(
    ("decisions", "budgets", "ended"),
    [
        ([Done("looks fine")], Budgets(), "done"),
        ([GiveUp("no idea")], Budgets(), "gave_up"),
        ([], Budgets(), "done"),
        ([Act(actions.wait())] * 5, Budgets(steps=3), "steps"),
        ([Think("hm")] * 5, Budgets(decisions=3), "decisions"),
    ],
)
def test_an_episode_ends_for_a_stated_reason(
    make_context: MakeContext,
    task: Task,
    tmp_path: Path,
    decisions: list[Decision],
    budgets: Budgets,
    ended: str,
) -> None:
    result = play(make_context(script(decisions), budgets=budgets), task, tmp_path / "e.jsonl")
    assert result.ended == ended
    assert not result.success
    assert result.steps <= budgets.steps


@pytest.mark.parametrize(("ends", "turns"), [(Ends.GOAL_REACHED, 3), (Ends.PLANNER_DONE, 4)])
def test_after_the_last_step_only_a_planner_that_may_still_say_done_is_asked(
    make_context: MakeContext, task: Task, tmp_path: Path, ends: Ends, turns: int
) -> None:
    asked: list[int] = []

    def plan(brief: Brief, percept: Percept) -> Decisions:
        while True:
            asked.append(percept.step)
            percept = yield Done() if percept.ended else Act(actions.wait())

    context = make_context(plan, budgets=Budgets(steps=3), ends=ends)
    result = play(context, task, tmp_path / "e.jsonl")
    assert len(asked) == turns
    assert result.ended == ("steps" if ends is Ends.GOAL_REACHED else "done")


def test_a_planner_that_fails_ends_its_episode_only(
    make_context: MakeContext, task: Task, tmp_path: Path
) -> None:
    def plan(brief: Brief, percept: Percept) -> Decisions:
        yield Act(actions.go_to(2))
        raise RuntimeError("lost my mind")

    result = play(make_context(plan), task, tmp_path / "e.jsonl")
    assert result.ended == "planner_error"
    assert "RuntimeError: lost my mind" in result.detail


def test_where_the_planner_decides_the_end_a_reached_goal_goes_on(
    make_context: MakeContext, task: Task, tmp_path: Path
) -> None:
    context = make_context(script([*APPLE_TO_TABLE, Act(actions.wait())]), ends=Ends.PLANNER_DONE)
    result = play(context, task, tmp_path / "e.jsonl")
    assert (result.ended, result.success, result.steps) == ("done", True, 8)


def test_an_episode_cut_anywhere_is_continued_to_the_same_end(
    make_context: MakeContext, task: Task, tmp_path: Path
) -> None:
    """Cut at every line and in the middle of every line, as a killed process would leave it."""
    whole = tmp_path / "whole.jsonl"
    expected = play(make_context(script(APPLE_TO_TABLE)), task, whole)
    content = whole.read_bytes()
    ends = [i + 1 for i, byte in enumerate(content) if byte == ord("\n")][:-1]
    cuts = sorted({0, 1, *ends, *(end + 25 for end in ends), len(content) - 2})
    for cut in cuts:
        path = tmp_path / f"cut-{cut}.jsonl"
        path.write_bytes(content[:cut])
        result = play(make_context(script(APPLE_TO_TABLE)), task, path)
        assert result.success
        assert result.steps == expected.steps
        assert without_times(read_events(path)) == without_times(read_events(whole)), (
            f"cut at {cut}"
        )
        kept = content[: content[:cut].rfind(b"\n") + 1]
        assert path.read_bytes().startswith(kept), "a finished step was lost"


def test_a_planner_that_decides_otherwise_when_continued_begins_anew(
    make_context: MakeContext, task: Task, tmp_path: Path
) -> None:
    path = tmp_path / "e.jsonl"
    with EpisodeLog(path) as log, pytest.raises(KeyboardInterrupt):
        run_episode(make_context(interrupted_after(2)), task, log)
    other = [Act(actions.go_to(3)), *APPLE_TO_TABLE]
    result = play(make_context(script(other)), task, path)
    assert result.success
    assert result.voided == 1
    assert kinds(path)[Started] == 2


@pytest.mark.parametrize("cut", [1, 4])
def test_what_a_planner_says_is_compared_as_what_it_does_is(
    make_context: MakeContext, task: Task, tmp_path: Path, cut: int
) -> None:
    """A thought or a note that comes out otherwise moves nothing in the world."""
    path = tmp_path / "e.jsonl"
    with EpisodeLog(path) as log, pytest.raises(KeyboardInterrupt):
        run_episode(make_context(interrupted_after(cut)), task, log)
    other = [*APPLE_TO_TABLE]
    other[cut - 1] = replace(other[cut - 1], text="Something else came to my mind.")
    result = play(make_context(script(other)), task, path)
    assert result.success
    assert voided_for(path) == [
        f"At step {0 if cut == 1 else 2} 'decision' of 'decided' differs from the recording."
    ]


class Rearranged(SymbolicAdapter):
    """The built-in world, in which somebody else does something after the first action."""

    def __init__(self, rearrange: Callable[[SceneGraph], None]) -> None:
        super().__init__()
        self.rearrange: Callable[[SceneGraph], None] | None = rearrange

    def attempt(self, action: Action, variation: int) -> RawResult:
        result = super().attempt(action, variation)
        if self.rearrange is not None:
            graph = self.graph()
            self.rearrange(graph)
            self.restore(graph)
            self.rearrange = None
        return result


def opened(house: SceneGraph) -> None:
    house.set_state(2, State.OPEN)


def carried_off(house: SceneGraph) -> None:
    """Out of the closed fridge to the table in the other room, where nobody sees it."""
    house.detach(1)
    house.add_edge(1, Relation.ON, 3)


@pytest.mark.parametrize(
    ("rearrange", "field"), [(opened, "observation"), (carried_off, "progress")]
)
def test_a_world_that_comes_out_otherwise_when_continued_begins_anew(
    make_context: MakeContext,
    task: Task,
    tmp_path: Path,
    rearrange: Callable[[SceneGraph], None],
    field: str,
) -> None:
    path = tmp_path / "e.jsonl"
    with EpisodeLog(path) as log, pytest.raises(KeyboardInterrupt):
        run_episode(make_context(interrupted_after(2)), task, log)
    result = play(make_context(script(APPLE_TO_TABLE), adapter=Rearranged(rearrange)), task, path)
    assert (result.success, result.steps) == (True, 7)
    assert voided_for(path) == [f"At step 1 '{field}' of 'stepped' differs from the recording."]


def voided_for(path: Path) -> list[str]:
    """Why starts of an episode were voided."""
    return [event.reason for event in read_events(path) if isinstance(event, Voided)]


def interrupted_after(decisions: int) -> Callable[[Brief, Percept], Decisions]:
    def plan(brief: Brief, percept: Percept) -> Decisions:
        for decision in APPLE_TO_TABLE[:decisions]:
            yield decision
        raise KeyboardInterrupt

    return plan


class FragileAdapter(SymbolicAdapter):
    """The built-in world behind a simulator that dies instead of answering certain tries.

    comes_back_as: the scene that it holds after its first restart, where it is not the task's.
    """

    def __init__(self, dies_at: Iterable[int], comes_back_as: str = "") -> None:
        super().__init__()
        self.dies_at = frozenset(dies_at)
        self.comes_back_as = comes_back_as
        self.tries = 0
        self.resets = 0

    def reset(self, task: Task, seed: int) -> None:
        self.resets += 1
        if self.comes_back_as and self.resets % 2 == 0:
            task = replace(task, scene=self.comes_back_as)
        super().reset(task, seed)

    def attempt(self, action: Action, variation: int) -> RawResult:
        self.tries += 1
        if self.tries in self.dies_at:
            raise SimulatorDied("connection closed")
        return super().attempt(action, variation)


def test_a_simulator_that_dies_is_restored_and_counts_not_against_the_planner(
    make_context: MakeContext, task: Task, tmp_path: Path
) -> None:
    adapter = FragileAdapter(dies_at={4, 9})
    result = play(make_context(script(APPLE_TO_TABLE), adapter=adapter), task, tmp_path / "e.jsonl")
    steady = play(make_context(script(APPLE_TO_TABLE)), task, tmp_path / "f.jsonl")
    assert adapter.resets == 3
    assert (result.success, result.steps, result.failures) == (True, steady.steps, {})
    assert result.retries == 2
    assert result.voided == 0


def test_an_episode_that_cannot_be_restored_is_voided_and_run_again(
    make_context: MakeContext, task: Task, house: SceneGraph, tmp_path: Path
) -> None:
    house.set_state(1, State.DIRTY)
    write_graph(house, tmp_path / "other.json")
    adapter = FragileAdapter(dies_at={4}, comes_back_as=f"json:{tmp_path / 'other.json'}")
    path = tmp_path / "e.jsonl"
    result = play(make_context(script(APPLE_TO_TABLE), adapter=adapter), task, path)
    assert result.success
    assert result.voided == 1
    assert kinds(path)[Voided] == 1
    assert kinds(path)[Started] == 2


def test_an_episode_whose_simulator_always_dies_ends_voided(
    make_context: MakeContext, task: Task, tmp_path: Path
) -> None:
    adapter = FragileAdapter(dies_at=range(3, 100))
    path = tmp_path / "e.jsonl"
    result = play(make_context(script(APPLE_TO_TABLE), adapter=adapter), task, path)
    assert result.ended == "voided"
    assert (result.success, result.progress, result.changed_nodes) == (None, None, None)
    assert result.voided == MAX_STARTS
    assert kinds(path)[Voided] == MAX_STARTS


def test_an_episode_that_is_lost_after_its_goal_was_reached_is_no_success(
    make_context: MakeContext, task: Task, tmp_path: Path
) -> None:
    class DiesOfWaiting(SymbolicAdapter):
        def attempt(self, action: Action, variation: int) -> RawResult:
            if action == actions.wait():
                raise SimulatorDied("connection closed")
            return super().attempt(action, variation)

    decisions = [*APPLE_TO_TABLE, Act(actions.wait())]
    context = make_context(script(decisions), adapter=DiesOfWaiting(), ends=Ends.PLANNER_DONE)
    opened = replace(task, required_evidence=EventOccurred(("open",), (2,)))
    result = play(context, opened, tmp_path / "e.jsonl")
    assert (result.ended, result.steps) == ("voided", 8)
    assert result.success is result.progress is result.informed is None
