"""Playing episodes one after the other, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ...models.usage import Counter, LocalCounter
from ..events import RecordedEvent
from ..resolve import Run
from .contract import Bounds, Played, PlayedRun, Ticket
from .memory import Growth
from .player import Player
from .queue import EpisodeQueue


class SerialEngine:
    """The engine of one process: this one."""

    def __init__(
        self,
        watch: Callable[[RecordedEvent], None] | None = None,
        bounds: Bounds | None = None,
    ) -> None:
        """watch: called with every event. bounds: when the simulator is restarted."""
        self.workers = 1
        self.running: Sequence[Ticket] = ()
        self._watch = watch
        self._bounds = bounds or Bounds()

    def counter(self, value: float) -> Counter:
        return LocalCounter(value)

    def play(
        self,
        runs: Sequence[PlayedRun],
        queue: EpisodeQueue,
        resolved: Mapping[int, Run],
    ) -> Iterator[Played]:
        """See `Engine.play`."""
        growth = Growth(self._bounds)
        with Player(runs, watch=self._watch, resolved=resolved) as player:
            while (ticket := queue.take(0)) is not None:
                self.running = (ticket,)
                played = player.play(ticket)
                self.running = ()
                if growth.is_due():
                    player.close_simulator()
                    growth = Growth(self._bounds)
                yield played
