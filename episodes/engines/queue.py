"""The episodes that are still to be played, and which worker plays what next."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence

from .contract import PlayedRun, Ticket

#: Episodes that a worker plays in one simulator before it may change to another.
TURN = 16


class EpisodeQueue:
    """Episodes in the order to be played, shared fairly over simulators.

    A worker keeps its simulator, which takes time to start, for at least `TURN` episodes. Then it
    takes the simulator with the smallest share of episodes begun.

    left: number of episodes of each run that have not begun.
    """

    def __init__(self, tickets: Iterable[Ticket], runs: Sequence[PlayedRun]) -> None:
        self._runs = runs
        self._waiting: dict[str, deque[Ticket]] = {}
        for ticket in tickets:
            self._waiting.setdefault(runs[ticket.run].simulator, deque()).append(ticket)
        self._total = {name: len(tickets) for name, tickets in self._waiting.items()}
        self.left: Counter[int] = Counter(t.run for ts in self._waiting.values() for t in ts)
        self._begun: Counter[str] = Counter()
        self._turns: dict[int, tuple[str, int]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def take(self, worker: int) -> Ticket | None:
        """The next episode for a worker; None where none is left."""
        simulator, played = self._turns.get(worker, ("", 0))
        if not self._waiting.get(simulator) or played >= TURN:
            left = [name for name, tickets in self._waiting.items() if tickets]
            if not left:
                return None
            now = min(left, key=self._part_begun)
            simulator, played = now, played if now == simulator else 0
        self._turns[worker] = (simulator, played + 1)
        self._begun[simulator] += 1
        ticket = self._waiting[simulator].popleft()
        self.left[ticket.run] -= 1
        return ticket

    def _part_begun(self, simulator: str) -> float:
        return self._begun[simulator] / self._total[simulator]

    def put_back(self, ticket: Ticket) -> None:
        """Play an episode next whose worker was killed."""
        simulator = self._runs[ticket.run].simulator
        self._begun[simulator] -= 1
        self._waiting[simulator].appendleft(ticket)
        self.left[ticket.run] += 1

    def drop(self, unwanted: Callable[[Ticket], bool]) -> list[Ticket]:
        """Remove the episodes that are no longer wanted; returns them."""
        dropped = []
        for name, tickets in self._waiting.items():
            gone = [ticket for ticket in tickets if unwanted(ticket)]
            if gone:
                dropped += gone
                left = set(tickets).difference(gone)
                self._waiting[name] = deque(ticket for ticket in tickets if ticket in left)
        self.left.subtract(ticket.run for ticket in dropped)
        return dropped
