"""The executor: what is retried, how a lost simulator is brought back, what is recorded."""

from __future__ import annotations

import threading
import time
from collections import deque

import pytest

from peephole.errors import BadInput
from peephole.scene_graph.node import Relation
from peephole.skills.actions import go_to, open_, pick_up, put
from peephole.skills.dynamics import step
from peephole.skills.embodiment import Embodiment
from peephole.skills.executor import (
    ConnectionLost,
    DeadlineExceeded,
    EpisodeVoided,
    Executor,
    RetryPolicy,
    SimulatorDied,
    deadline,
)
from peephole.skills.outcomes import Failure, FailureClass, RawResult, Reason

WORKS, LIES, LATE, DIES, HANGS = "works", "lies", "late", "dies", "hangs"
SHORT = RetryPolicy(attempt_s=0.2)


class World:
    """A simulator that does as its script says, one entry a try (a replayed one too), and works
    after its end.

    LIES: reports success, does nothing. LATE: shows what it did only in the second reading.
    DIES, HANGS: as a process would. A Reason: fails so.
    """

    def __init__(self, graph):
        self.begin = graph
        self.script = deque()
        self.calls = []
        self.restarts = 0
        self.restart()
        self.restarts = 0

    def restart(self):
        self.restarts += 1
        self.now = self.begin.copy()
        self.shown = self.now
        self.dead_reading = False

    def attempt(self, action, variation):
        self.calls.append((action, variation))
        entry = self.script.popleft() if self.script else WORKS
        if isinstance(entry, Reason):
            return RawResult(Failure(entry), f"simulator says {entry}", 0.5)
        if entry == DIES:
            raise SimulatorDied("connection closed")
        if entry == HANGS:
            time.sleep(30)
        self.shown = self.now
        if entry == LIES:
            return RawResult(message="done")
        if entry == LATE:
            self.shown = self.now.copy()
        return RawResult(step(self.now, action, Embodiment()), "done", 0.25)

    def graph(self):
        if self.dead_reading:
            raise SimulatorDied("connection closed while reading")
        shown, self.shown = self.shown, self.now
        return shown.copy()


@pytest.fixture
def world(kitchen):
    return World(kitchen.graph)


@pytest.fixture
def executor(world):
    return Executor(world, world.restart)


def reasons(outcome):
    return [a.failure.reason if a.failure else None for a in outcome.attempts]


def variations(outcome):
    return [a.variation for a in outcome.attempts]


# --- one action --------------------------------------------------------------------------------


def test_what_works_at_once_is_tried_once(world, executor, kitchen):
    outcome = executor.execute(go_to(kitchen.fridge))
    assert outcome.success
    assert outcome.retries == 0
    assert world.calls == [(go_to(kitchen.fridge), 0)]


@pytest.mark.parametrize("reason", [r for r in Reason if Failure(r).kind == "precondition"])
def test_a_precondition_is_never_retried(world, executor, kitchen, reason):
    world.script.append(reason)
    outcome = executor.execute(pick_up(kitchen.cup))
    assert outcome.failure == Failure(reason)
    assert len(world.calls) == len(outcome.attempts) == 1
    assert world.restarts == 0


def test_what_a_person_denies_is_never_retried(world, executor, kitchen):
    world.script.append(Reason.DENIED)
    outcome = executor.execute(pick_up(kitchen.cup))
    assert outcome.failure == Failure(Reason.DENIED)
    assert outcome.failure.kind is FailureClass.DENIED
    assert (len(world.calls), world.restarts) == (1, 0)


@pytest.mark.parametrize(
    "reason", [Reason.NO_FREE_SPOT, Reason.UNREACHABLE, Reason.REFUSED, Reason.NOT_CONFIRMED]
)
def test_geometry_and_transient_failures_are_retried_with_new_variations(
    world, executor, kitchen, reason
):
    assert Failure(reason).kind in (FailureClass.GEOMETRY, FailureClass.TRANSIENT)
    world.script += [reason, reason]
    outcome = executor.execute(pick_up(kitchen.cup))
    assert outcome.success
    assert outcome.retries == 2
    assert variations(outcome) == [0, 1, 2]
    assert reasons(outcome) == [reason, reason, None]


def test_three_tries_and_no_more(world, executor, kitchen):
    world.script += [Reason.NO_FREE_SPOT, Reason.REFUSED, Reason.UNREACHABLE]
    outcome = executor.execute(pick_up(kitchen.cup))
    assert outcome.failure == Failure(Reason.UNREACHABLE)
    assert variations(outcome) == [0, 1, 2]


def test_a_retry_ends_at_a_precondition(world, executor, kitchen):
    world.script += [Reason.REFUSED, Reason.NOT_CLOSE]
    outcome = executor.execute(pick_up(kitchen.cup))
    assert outcome.failure == Failure(Reason.NOT_CLOSE)
    assert variations(outcome) == [0, 1]


def test_the_number_of_tries_is_the_policys(world, kitchen):
    world.script += [Reason.REFUSED] * 9
    outcome = Executor(world, world.restart, RetryPolicy(attempts=5)).execute(open_(kitchen.fridge))
    assert variations(outcome) == [0, 1, 2, 3, 4]


def test_no_new_try_begins_after_the_actions_deadline(world, kitchen):
    world.script += [Reason.REFUSED] * 9
    outcome = Executor(world, world.restart, RetryPolicy(action_s=0)).execute(open_(kitchen.fridge))
    assert variations(outcome) == [0]


def test_success_that_the_state_does_not_show_is_retried_and_in_the_end_no_success(
    world, executor, kitchen
):
    world.script += [LIES, WORKS, LIES, LIES, LIES]
    outcome = executor.execute(pick_up(kitchen.cup))
    assert outcome.success
    assert reasons(outcome) == [Reason.NOT_CONFIRMED, None]
    outcome = executor.execute(pick_up(kitchen.apple))
    assert outcome.failure == Failure(Reason.NOT_CONFIRMED)
    assert len(outcome.attempts) == 3
    assert {attempt.message for attempt in outcome.attempts} == {
        f"done; afterwards the agent does not hold apple ({kitchen.apple})"
    }


@pytest.mark.parametrize("attempts", [1, 3])
def test_a_state_that_shows_late_is_found_without_another_try(world, kitchen, attempts):
    world.script.append(LATE)
    policy = RetryPolicy(attempts=attempts)
    outcome = Executor(world, world.restart, policy).execute(pick_up(kitchen.cup))
    assert outcome.success
    assert reasons(outcome) == [Reason.NOT_CONFIRMED]
    assert len(world.calls) == 1


def test_a_world_without_a_true_state_is_believed(world, kitchen, monkeypatch):
    monkeypatch.setattr(world, "graph", lambda: None)
    world.script.append(LIES)
    assert Executor(world, world.restart).execute(pick_up(kitchen.cup)).success


def test_every_attempt_is_recorded_in_the_simulators_words(world, executor, kitchen):
    world.script += [Reason.REFUSED, DIES, Reason.REFUSED]  # the last is the replay of the first
    outcome = executor.execute(pick_up(kitchen.cup))
    assert [a.message for a in outcome.attempts] == [
        "simulator says refused",
        "connection closed",
        "done",
    ]
    assert [a.restored for a in outcome.attempts] == [False, False, True]
    assert outcome.sim_time_s == 0.75
    assert sum(a.duration_s for a in outcome.attempts) <= outcome.duration_s


# --- a simulator that is lost --------------------------------------------------------------------


def test_a_crash_is_mended_by_restart_replay_and_another_try(world, executor, kitchen):
    k = kitchen
    world.script += [WORKS, Reason.NO_FREE_SPOT, WORKS, DIES]
    executor.execute(pick_up(k.cup))
    executor.execute(pick_up(k.apple))
    before = world.graph()
    world.calls.clear()
    outcome = executor.execute(go_to(k.fridge))
    assert outcome.success
    assert reasons(outcome) == [Reason.CRASHED, None]
    assert variations(outcome) == [0, 0], "a crash is not held against the variation"
    assert world.restarts == 1
    assert world.calls == [
        (go_to(k.fridge), 0),
        (pick_up(k.cup), 0),  # replayed, with the variations that were used
        (pick_up(k.apple), 0),
        (pick_up(k.apple), 1),
        (go_to(k.fridge), 0),
    ]
    step(before, go_to(k.fridge), Embodiment())
    assert world.graph() == before


def test_a_crash_amid_retries_goes_on_with_the_same_variation(world, executor, kitchen):
    world.script += [Reason.REFUSED, DIES, Reason.REFUSED]  # the last is the replay of the first
    outcome = executor.execute(pick_up(kitchen.cup))
    assert outcome.success
    assert variations(outcome) == [0, 1, 1]


def test_only_the_try_right_after_a_restart_is_marked_as_restored(world, executor, kitchen):
    world.script += [DIES, Reason.REFUSED, WORKS]
    outcome = executor.execute(pick_up(kitchen.cup))
    assert [a.restored for a in outcome.attempts] == [False, True, False]


def test_a_crash_while_the_state_is_read_counts_as_a_crash(world, executor, kitchen):
    world.dead_reading = True
    outcome = executor.execute(pick_up(kitchen.cup))
    assert outcome.success
    assert reasons(outcome) == [Reason.CRASHED, None]
    assert executor.tried == [(pick_up(kitchen.cup), 0)], "done once, as far as the episode knows"


def test_a_hanging_try_is_cut_off_and_mended(world, kitchen):
    executor = Executor(world, world.restart, SHORT)
    executor.execute(pick_up(kitchen.cup))
    world.script.append(HANGS)
    outcome = executor.execute(pick_up(kitchen.apple))
    assert outcome.success
    assert reasons(outcome) == [Reason.TIMEOUT, None]
    assert outcome.duration_s < 10, "the script would have slept for 30 s"
    assert world.graph().held(kitchen.agent) == [kitchen.cup, kitchen.apple]


def test_a_simulator_that_keeps_failing_voids_the_episode(world, executor, kitchen):
    world.script += [DIES, DIES, DIES]
    with pytest.raises(EpisodeVoided, match="failed 3 times on one action"):
        executor.execute(pick_up(kitchen.cup))
    assert world.restarts == 2


def test_an_infrastructure_failure_that_is_reported_is_handled_like_a_crash(
    world, executor, kitchen
):
    world.script.append(Reason.TIMEOUT)
    outcome = executor.execute(pick_up(kitchen.cup))
    assert outcome.success
    assert world.restarts == 1


def test_another_state_after_the_replay_voids_the_episode(world, executor, kitchen):
    executor.execute(pick_up(kitchen.cup))
    world.begin.remove_edge(kitchen.juice, Relation.INSIDE, kitchen.box)
    world.script.append(DIES)
    with pytest.raises(EpisodeVoided, match="different state"):
        executor.execute(pick_up(kitchen.apple))


@pytest.mark.parametrize("trouble", [DIES, HANGS])
def test_trouble_during_the_replay_voids_the_episode(world, kitchen, trouble):
    executor = Executor(world, world.restart, SHORT)
    executor.execute(pick_up(kitchen.cup))
    world.script += [DIES, trouble, trouble]
    with pytest.raises(EpisodeVoided, match="did not survive its restart"):
        executor.execute(pick_up(kitchen.apple))


@pytest.mark.parametrize("trouble", [DIES, HANGS])
def test_trouble_during_the_replay_is_mended_by_another_restart(world, kitchen, trouble):
    executor = Executor(world, world.restart, SHORT)
    executor.execute(pick_up(kitchen.cup))
    world.script += [DIES, trouble]
    assert executor.execute(pick_up(kitchen.apple)).success
    assert world.restarts == 2
    assert world.graph().held(kitchen.agent) == [kitchen.cup, kitchen.apple]


@pytest.mark.parametrize("trouble", [SimulatorDied, DeadlineExceeded])
def test_trouble_while_reading_is_mended_by_a_restart(world, executor, kitchen, trouble):
    executor.execute(pick_up(kitchen.cup))
    troubles = [trouble("connection closed"), trouble("connection closed")]

    def reading():
        if troubles:
            raise troubles.pop()
        return world.graph()

    assert executor.read(reading).held(kitchen.agent) == [kitchen.cup]
    assert world.restarts == 2


def test_a_simulator_that_cannot_be_restarted_voids_the_episode(world, kitchen):
    def restart():
        raise SimulatorDied("nothing answers on port 8080")

    world.script.append(DIES)
    with pytest.raises(EpisodeVoided, match="nothing answers on port 8080"):
        Executor(world, restart).execute(pick_up(kitchen.cup))


def test_recorded_tries_can_be_done_again_to_continue_an_episode(world, executor, kitchen):
    k = kitchen
    world.script += [Reason.REFUSED, WORKS, WORKS, Reason.NOT_CLOSE]
    for action in (pick_up(k.cup), go_to(k.fridge), open_(k.microwave)):
        executor.execute(action)
    tried, reached = list(executor.tried), world.graph()
    world.restart()
    continued = Executor(world, world.restart)
    continued.replay(tried)
    assert world.graph() == reached
    assert continued.tried == tried
    world.script.append(DIES)
    assert continued.execute(put(k.cup, Relation.ON, k.table)).failure.reason is Reason.NOT_CLOSE
    assert len(continued.tried) == len(tried) + 1


# --- a world that cannot be replayed -------------------------------------------------------------


@pytest.fixture
def room(world):
    """An executor that may replay nothing."""
    return Executor(world, world.restart, SHORT, replayable=False)


@pytest.mark.parametrize("reason", [Reason.NO_FREE_SPOT, Reason.REFUSED, Reason.DENIED])
def test_in_a_world_that_cannot_be_replayed_every_action_is_tried_once(
    world, room, kitchen, reason
):
    world.script.append(reason)
    outcome = room.execute(pick_up(kitchen.cup))
    assert outcome.failure == Failure(reason)
    assert world.calls == [(pick_up(kitchen.cup), 0)]
    world.script.append(LIES)
    assert room.execute(pick_up(kitchen.cup)).failure == Failure(Reason.NOT_CONFIRMED)
    assert len(world.calls) == 2


def test_a_state_that_shows_late_is_found_there_too(world, room, kitchen):
    world.script.append(LATE)
    assert room.execute(pick_up(kitchen.cup)).success
    assert len(world.calls) == 1


@pytest.mark.parametrize("trouble", [DIES, HANGS, Reason.TIMEOUT])
def test_a_lost_world_that_cannot_be_replayed_is_neither_restarted_nor_replayed(
    world, room, kitchen, trouble
):
    room.execute(pick_up(kitchen.cup))
    world.script.append(trouble)
    with pytest.raises(ConnectionLost, match="continue the run with --resume once that is over"):
        room.execute(pick_up(kitchen.apple))
    assert world.restarts == 0
    assert world.calls == [(pick_up(kitchen.cup), 0), (pick_up(kitchen.apple), 0)]
    assert room.tried == [(pick_up(kitchen.cup), 0)]


@pytest.mark.parametrize("trouble", [SimulatorDied, DeadlineExceeded])
def test_a_lost_world_that_cannot_be_replayed_is_read_once(world, room, trouble):
    readings = []

    def reading():
        readings.append(1)
        raise trouble("the robot does not answer")

    with pytest.raises(ConnectionLost, match="the robot does not answer"):
        room.read(reading)
    assert (len(readings), world.restarts) == (1, 0)


# --- the deadline ------------------------------------------------------------------------------


def test_a_deadline_leaves_no_alarm_behind():
    with deadline(0.05):
        pass
    time.sleep(0.1)


def test_a_deadline_interrupts_a_busy_loop():
    def forever():
        with deadline(0.05):
            while True:
                pass

    with pytest.raises(DeadlineExceeded, match=r"no answer within 0\.05 s"):
        forever()


def in_a_thread(body):
    """What a body raises in a thread, or None."""
    raised = []

    def caught():
        try:
            body()
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=caught)
    thread.start()
    thread.join()
    return raised[0] if raised else None


def test_a_deadline_that_cannot_be_kept_is_refused():
    done = []

    def body():
        with deadline(0.01):
            done.append(True)

    error = in_a_thread(body)
    assert isinstance(error, BadInput)
    assert "main thread" in str(error)
    assert done == []


def test_only_what_ends_by_itself_is_tried_where_it_cannot_be_interrupted(kitchen, world):
    unbounded = Executor(world, world.restart, SHORT)
    assert isinstance(in_a_thread(lambda: unbounded.execute(open_(kitchen.fridge))), BadInput)
    assert unbounded.tried == []
    bounded = Executor(world, world.restart, SHORT, bounded=True)
    assert in_a_thread(lambda: bounded.execute(open_(kitchen.fridge))) is None
    assert len(bounded.tried) == 1
