"""Who plays what next."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from peephole.episodes.engines.contract import TURN, EpisodeQueue, PlayedRun, Ticket
from peephole.episodes.run_file import PlannedEpisode, RunConfig


def _queue(**episodes: int) -> EpisodeQueue:
    """A queue of one run a simulator with so many episodes."""
    runs = [PlayedRun(RunConfig("s", "p", adapter=name), Path(name)) for name in episodes]
    tickets = [
        Ticket(run, PlannedEpisode(n, f"t{n}", 0, 0))
        for run, count in enumerate(episodes.values())
        for n in range(count)
    ]
    return EpisodeQueue(tickets, runs)


def test_all_is_played_once_in_its_order() -> None:
    queue = _queue(thor=5)
    taken = [queue.take(n % 2) for n in range(6)]
    assert [ticket.episode.number for ticket in taken if ticket] == [0, 1, 2, 3, 4]
    assert taken[-1] is None
    assert not len(queue)


def test_a_worker_stays_with_its_simulator_for_a_turn() -> None:
    queue = _queue(thor=100, unity=100)
    taken = [queue.take(0) for _ in range(4 * TURN)]
    runs = [ticket.run for ticket in taken if ticket]
    assert runs == [0] * TURN + [1] * TURN + [0] * TURN + [1] * TURN


def test_workers_share_themselves_out_over_simulators() -> None:
    queue = _queue(thor=100, unity=100)
    first = [queue.take(worker) for worker in range(4)]
    assert Counter(ticket.run for ticket in first if ticket) == {0: 2, 1: 2}


def test_simulators_come_on_evenly_whatever_their_number_of_episodes() -> None:
    queue = _queue(thor=300, unity=100)
    for _ in range(200):
        queue.take(0)
    parts = [1 - queue.left[0] / 300, 1 - queue.left[1] / 100]
    assert abs(parts[0] - parts[1]) < 2 * TURN / 100


def test_a_worker_goes_on_with_another_simulator_once_its_own_is_done() -> None:
    queue = _queue(thor=2, unity=3)
    taken = [queue.take(0) for _ in range(5)]
    assert sorted(ticket.run for ticket in taken if ticket) == [0, 0, 1, 1, 1]


def test_what_is_put_back_comes_next_and_what_is_dropped_never() -> None:
    queue = _queue(thor=4)
    first = queue.take(0)
    assert first is not None
    queue.put_back(first)
    assert queue.left[0] == 4
    assert queue.take(1) == first
    dropped = queue.drop(lambda ticket: ticket.episode.number != 3)
    assert [ticket.episode.number for ticket in dropped] == [1, 2]
    assert queue.left[0] == 1
    last = queue.take(0)
    assert last is not None
    assert last.episode.number == 3
