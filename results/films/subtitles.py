"""Captions for a film of an episode that is played again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ...adapters.film import Film
from ...episodes.events import Decided, RecordedEvent, Stepped
from ...episodes.run_file import RunFile
from .caption import framed_pixels
from .moments import Caption, FilmStory, film_story
from .pen import check

#: Seconds for the start, the outcome of a step, and the result.
_START, _STEP, _END = 2.0, 0.6, 3.0


def mark_of(content: RunFile) -> str:
    """Planner and suite, as films name them; stand-ins are marked."""
    return f"{content.label} on {content.config.suite}"


class Subtitles:
    """Adds captions from the recording to the frames of a film."""

    def __init__(self, film: Film, events: Sequence[RecordedEvent], mark: str) -> None:
        """events: of the episode that is played again. Raises Missing without pillow."""
        check()
        self._film = film
        self._mark = mark
        story = film_story(events, ())
        self._start, self._last = story.moments[0].caption, story.moments[-1].caption
        self._steps = _captions_of_steps(events, story)
        self._begun = False
        self._show(self._start)

    def before(self, event: Decided) -> None:
        """Show the action; its outcome is not known yet."""
        if not self._begun:
            self._film.hold(_START)
            self._begun = True
        caption = self._steps.get(id(event))
        if caption is not None:
            self._show(replace(caption, outcome="", failed=None, progress=self._shown.progress))

    def after(self, event: Decided) -> None:
        """Show the outcome."""
        caption = self._steps.get(id(event))
        if caption is not None:
            self._show(caption)
            self._film.hold(_STEP)

    def end(self) -> None:
        """Show how the episode ended."""
        self._show(self._last)
        self._film.hold(_END)
        self._film.dress = None

    def _show(self, caption: Caption) -> None:
        self._shown = caption
        self._film.dress = lambda frame: framed_pixels(frame, caption, self._mark)


def _captions_of_steps(events: Sequence[RecordedEvent], story: FilmStory) -> dict[int, Caption]:
    """The caption of the step that each decision led to, by the decision's identity."""
    captions = {moment.caption.count: moment.caption for moment in story.moments}
    total = max((event.step for event in events if isinstance(event, Stepped)), default=0)
    chosen = [event for event in events if isinstance(event, Decided | Stepped)]
    return {
        id(decided): captions[f"step {stepped.step} of {total}"]
        for decided, stepped in pairwise(chosen)
        if isinstance(decided, Decided) and isinstance(stepped, Stepped)
    }
