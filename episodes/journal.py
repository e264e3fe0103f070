"""The journal of an episode: records what happens, or compares it with a recording.

An episode that was cut off is played again from its start: as long as the journal has recorded
events left, each new one is compared with the recorded one instead of being written. So the same
code plays an episode for the first time, continues it and restores it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from ..planners.llm.events import ModelEvent
from ..skills.executor import EpisodeVoided
from .events import RecordedEvent, WorldEvent, same
from .recording import EpisodeLog, RecordingFailed

_Event = TypeVar("_Event", bound=WorldEvent)


class Diverged(EpisodeVoided):
    """A continued episode did not come out as recorded."""


class Journal:
    """What happened in one start of an episode, in order.

    step: the actions so far; every event is of the step that it finds here. failed: why something
    could not be written, kept because a planner may catch what befalls its models.
    """

    def __init__(
        self,
        log: EpisodeLog | None = None,
        watch: Callable[[RecordedEvent], None] | None = None,
    ) -> None:
        """log: the recording to write, and to continue; None keeps nothing. watch: is called with
        every event that is written.
        """
        self.step = 0
        self.failed: RecordingFailed | None = None
        self._log = log
        self._watch = watch
        past = [] if log is None else log.events
        self._past = deque(event for event in past if not isinstance(event, ModelEvent))
        self.model_events = [event for event in past if isinstance(event, ModelEvent)]

    @property
    def records(self) -> bool:
        """Whether anything comes of what is written."""
        return self._log is not None or self._watch is not None

    @property
    def continuing(self) -> bool:
        """Whether recorded events are left to compare with."""
        return bool(self._past)

    def now(self) -> float:
        """Seconds since the episode began."""
        return 0.0 if self._log is None else self._log.now()

    def expect(self, kind: type[_Event]) -> _Event | None:
        """Take the next recorded event; None at the recording's end.

        Raises Diverged where another event was recorded than one of this kind at this step.
        """
        if not self._past:
            return None
        event = self._past.popleft()
        if not isinstance(event, kind) or event.step != self.step:
            raise Diverged(
                f"The recording has '{event.event}' at step {event.step} where "
                f"'{kind.__name__}' of step {self.step} came now."
            )
        return event

    def write(self, event: WorldEvent) -> None:
        """Record an event."""
        if self._log is not None:
            with self._noting_failure():
                self._log.write(event)
        if self._watch is not None:
            self._watch(event)

    def write_model_event(self, event: ModelEvent) -> None:
        """Record what came of a question to a model."""
        if self._log is not None:
            with self._noting_failure():
                self._log.write_model_event(event, self.step)
        if self._watch is not None:
            self._watch(event)

    @contextmanager
    def _noting_failure(self) -> Iterator[None]:
        try:
            yield
        except RecordingFailed as error:
            self.failed = error
            raise

    def write_or_match(self, event: _Event) -> _Event:
        """Record an event, or compare it with the recorded one, which is given back."""
        recorded = self.expect(type(event))
        self.settle(recorded, event)
        return event if recorded is None else recorded

    def settle(self, recorded: _Event | None, event: _Event) -> None:
        """Write an event, or compare it with what was recorded. Raises Diverged."""
        if recorded is None:
            self.write(event)
            return
        field = same(recorded, event)
        if field is not None:
            raise Diverged(
                f"At step {self.step} '{field}' of '{event.event}' differs from the recording."
            )
