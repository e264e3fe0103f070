"""Whatever goes wrong on the way: nothing is done twice, and nobody waits for ever."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.rosbridge.adapter import RosbridgeAdapter
from peephole.adapters.rosbridge.order_book import OrderBook
from peephole.adapters.rosbridge.stand_in.faults import Fault, Faults, parse
from peephole.errors import BadInput
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, go_to, open_
from peephole.skills.executor import SimulatorDied
from peephole.skills.outcomes import Failure, Reason

Drive = Callable[..., tuple[RosbridgeAdapter, Any]]

#: Of the kitchen in conftest.py.
FRIDGE, TABLE = 3, 4
BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


def hurry(data: dict[str, Any]) -> None:
    """Short deadlines."""
    data["check_rules"] = False
    data["watchdog"]["silence_s"] = 0.3
    for skill in data["skills"].values():
        skill["deadline_s"] = 0.5


#: By one action, what each fault leads to: a failure, "" for success, or words of the lost run.
ENDS: list[tuple[Fault, Reason | str]] = [
    (Fault.DUPLICATE, ""),
    (Fault.FOREIGN, ""),
    (Fault.BLIND, ""),
    (Fault.FAILED, Reason.SLIPPED),
    (Fault.LATE, ""),
    (Fault.STUCK, Reason.STOPPED),
    (Fault.SILENT, Reason.STOPPED),
    (Fault.NEVER, "the robot does not answer: no result within 0.5 s of /fake_robot/go_to"),
    (Fault.LOST, "the robot does not answer"),
    (Fault.GARBLED, "the robot does not answer"),
    (Fault.MALFORMED, "the robot does not answer"),
    (Fault.LONG_LATE, "the robot does not answer"),
    (Fault.DROP_BEFORE, "closed the connection while the robot was acting"),
    (Fault.DROP_DURING, "closed the connection while the robot was acting"),
    (Fault.DROP_AFTER, "closed the connection while the robot was acting"),
]


@pytest.mark.parametrize(("fault", "end"), ENDS, ids=[str(fault) for fault, _ in ENDS])
def test_each_fault_ends_in_time_and_as_it_should(
    drive: Drive, fault: Fault, end: Reason | str
) -> None:
    adapter, server = drive(fault, change=hurry, late_s=0.5 if fault is Fault.LATE else 1.5)
    began = time.monotonic()
    if not isinstance(end, Reason) and end:
        with pytest.raises(SimulatorDied, match=end):
            adapter.attempt(go_to(FRIDGE), 0)
        time.sleep(0.1)
        assert len(server.cancels) == 1, "the robot is told to stop, also over a new connection"
    else:
        result = adapter.attempt(go_to(FRIDGE), 0)
        assert result.failure == (Failure(end, FRIDGE) if end else None)
    assert time.monotonic() - began < adapter.spec.attempt_s
    assert len(server.received) == 1
    if fault is Fault.SILENT:
        assert "no sign of life within 0.3 s" in result.message
    if fault is Fault.DUPLICATE:
        time.sleep(0.1)
        assert "duplicate" in adapter.attempt(go_to(TABLE), 0).message


def test_a_result_of_an_earlier_order_is_not_taken_for_that_of_the_next(drive: Drive) -> None:
    adapter, server = drive(Fault.DUPLICATE, Fault.FAILED, change=hurry)
    assert adapter.attempt(go_to(FRIDGE), 0).success
    assert adapter.attempt(go_to(TABLE), 0).failure == Failure(Reason.SLIPPED, TABLE)
    assert len(set(server.received)) == 2


def test_nothing_is_sent_later_over_a_lost_connection(drive: Drive) -> None:
    adapter, server = drive(change=hurry)
    server.drop_all()
    time.sleep(0.1)
    with pytest.raises(SimulatorDied, match="closed the connection"):
        adapter.attempt(go_to(FRIDGE), 0)
    time.sleep(1.2)  # roslibpy connects again after a second
    assert not server.received
    assert not server.clients


def test_an_interrupted_wait_cancels(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    from peephole.skills.executor import DeadlineExceeded, deadline

    adapter, server = drive(Fault.STUCK)
    with pytest.raises(DeadlineExceeded), deadline(0.2):
        adapter.attempt(go_to(FRIDGE), 0)
    time.sleep(0.1)
    assert server.cancels == server.received


# --- going on after an interruption --------------------------------------------------------------


def go_on(task: Task, folder: Path, *recorded: Action) -> RosbridgeAdapter:
    """A new adapter that goes on after the recorded tries."""
    adapter = RosbridgeAdapter()
    adapter.keep(folder)
    adapter.resume(task, 0)
    for action in recorded:
        adapter.recall(task, action)
    return adapter


@pytest.mark.parametrize("fault", [Fault.DROP_AFTER, Fault.NEVER, Fault.LOST])
def test_an_order_whose_end_was_lost_is_not_given_again(
    drive: Drive, apple_to_table: Task, tmp_path: Path, fault: Fault
) -> None:
    adapter, server = drive(None, fault, change=hurry)
    adapter.keep(tmp_path / "kept")
    adapter.reset(apple_to_table, 0)
    assert adapter.attempt(go_to(FRIDGE), 0).success
    with pytest.raises(SimulatorDied):
        adapter.attempt(open_(FRIDGE), 0)
    adapter.close()
    again = go_on(apple_to_table, tmp_path / "kept", go_to(FRIDGE))
    assert FRIDGE in again.view().graph
    result = again.attempt(open_(FRIDGE), 0)
    assert result.failure == Failure(Reason.NOT_CONFIRMED, FRIDGE)
    assert len(server.received) == 2
    assert again.attempt(go_to(TABLE), 0).success, "and the robot goes on"
    assert len(server.received) == 3
    again.close()


def test_a_result_that_was_not_recorded_is_told_after_all(
    drive: Drive, apple_to_table: Task, tmp_path: Path
) -> None:
    adapter, server = drive(change=hurry)
    adapter.keep(tmp_path / "kept")
    adapter.reset(apple_to_table, 0)
    for action in (go_to(FRIDGE), open_(FRIDGE)):
        assert adapter.attempt(action, 0).success
    adapter.close()  # killed before the last try was recorded
    for _ in range(2):
        again = go_on(apple_to_table, tmp_path / "kept", go_to(FRIDGE))
        assert again.attempt(open_(FRIDGE), 0).success
        assert len(server.received) == 2
        again.close()
    again = go_on(apple_to_table, tmp_path / "kept")  # after a power cut two may be missing
    for action in (go_to(FRIDGE), open_(FRIDGE)):
        assert again.attempt(action, 0).success
    assert len(server.received) == 2
    again.close()
    again = go_on(apple_to_table, tmp_path / "kept", go_to(FRIDGE))
    assert again.attempt(go_to(TABLE), 0).success, "another action is another order"
    assert len(server.received) == 3
    again.close()
    third = go_on(apple_to_table, tmp_path / "kept", go_to(FRIDGE), go_to(TABLE))
    assert third.attempt(open_(FRIDGE), 0).failure is not None
    assert len(server.received) == 4, "the fridge stands open, which the robot says"
    third.close()


def test_a_torn_line_of_the_book_was_never_sent(
    drive: Drive, apple_to_table: Task, tmp_path: Path
) -> None:
    adapter, _ = drive(change=hurry)
    adapter.keep(tmp_path)
    adapter.reset(apple_to_table, 0)
    assert adapter.attempt(go_to(FRIDGE), 0).success
    path = tmp_path / OrderBook.FILE
    whole = path.read_text()
    torn = '{"event": "order", "try": 1, "order": "Küche'.encode()
    path.write_bytes(whole.encode() + torn[: torn.index(b"che") - 1])  # amid a character
    assert len(OrderBook(tmp_path).entries) == 1
    assert path.read_text() == whole
    path.write_text("nonsense\n" + whole)
    with pytest.raises(BadInput, match="Line 1 of"):
        OrderBook(tmp_path)


def test_faults_are_drawn_by_rates() -> None:
    rates = parse("late=0.5,lost=0.25")
    drawn = [Faults(rates=rates, seed=3).of(i) for i in range(400)]
    assert 150 < drawn.count(Fault.LATE) < 250
    assert drawn == [Faults(rates=rates, seed=3).of(i) for i in range(400)]
    for wrong in ("late=2", "lte=0.1", "late=0.9,lost=0.9"):
        with pytest.raises(BadInput):
            parse(wrong)


@pytest.mark.slow
def test_a_campaign_of_faults_does_nothing_twice() -> None:
    """A sample of `benchmarks/rosbridge_faults.py`, through whole episodes that are continued."""
    command = [sys.executable, str(BENCHMARKS / "rosbridge_faults.py"), "--faults", "15"]
    with suppress(subprocess.TimeoutExpired):
        played = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert played.returncode == 0, played.stdout + played.stderr
    assert "0 mistakes" in played.stdout
