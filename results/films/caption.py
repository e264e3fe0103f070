"""The frame around a picture of a film (task above, outcome below), and captions for replays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ...adapters.film import Film
from ...episodes.events import Decided, RecordedEvent, Stepped
from ...episodes.run_file import RunFile
from .moments import Caption, FilmStory, film_story
from .pen import Colour, Pen, check

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Pixels above and below the picture.
ABOVE, BELOW = 72, 84
INK: Colour = (34, 36, 42)
SOFT: Colour = (104, 108, 116)
_BAR, _LINE, _EMPTY = (255, 255, 255), (210, 204, 194), (232, 228, 220)
_GOOD: Colour = (18, 122, 70)
_BAD: Colour = (190, 44, 36)
_MARGIN = 16


def framed(picture: Any, caption: Caption, mark: str = "") -> Any:
    """The picture (pillow) with its caption, as wide as before and ABOVE + BELOW higher.

    mark: who acts, and stand-ins.
    """
    from PIL import Image

    width, height = picture.size
    whole = Image.new("RGB", (width, ABOVE + height + BELOW), _BAR)
    whole.paste(picture, (0, ABOVE))
    pen = Pen(whole)
    _write_task(pen, caption, mark, width)
    _write_step(pen, caption, width, ABOVE + height)
    for y in (ABOVE - 1, ABOVE + height):
        pen.line(0, y, width, y, _LINE)
    return whole


class Bars:
    """A caption above and below pictures of one size, drawn once for all frames that have it."""

    def __init__(self, caption: Caption, mark: str) -> None:
        self._caption, self._mark = caption, mark
        self._drawn: NDArray[np.uint8] | None = None

    def __call__(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The picture with its caption: pixels, shape (height, width, 3)."""
        import numpy as np
        from PIL import Image

        height, width = picture.shape[:2]
        if self._drawn is None:
            blank = Image.new("RGB", (width, height), _BAR)
            self._drawn = np.asarray(framed(blank, self._caption, self._mark))
        whole = self._drawn.copy()
        whole[ABOVE : ABOVE + height] = picture
        return whole


def _write_task(pen: Pen, caption: Caption, mark: str, width: int) -> None:
    room = width - 2 * _MARGIN
    pen.write(width - _MARGIN, 10, pen.fitted(mark, 14, room * 0.6), 14, SOFT, anchor="ra")
    pen.write(_MARGIN, 10, caption.count, 14, SOFT)
    lines = pen.folded(caption.task, 17, room, 2)
    for number, line in enumerate(lines):
        y = (36 if len(lines) == 1 else 28) + 20 * number
        pen.write(_MARGIN, y, line, 17, INK)


def _write_step(pen: Pen, caption: Caption, width: int, top: int) -> None:
    left, right = _MARGIN + 24, width - _MARGIN
    if caption.progress is not None:
        right -= 150
        _draw_progress(pen, caption.progress, right + 20, top + 20)
    colour = SOFT if caption.failed is None else _BAD if caption.failed else _GOOD
    if caption.action:
        pen.rectangle((_MARGIN, top + 16, _MARGIN + 14, top + 30), 4, colour)
    outcome = f"  ({caption.outcome})" if caption.outcome else ""
    action = pen.fitted(caption.action, 22, right - left - pen.length(outcome, 18))
    pen.write(left, top + 8, action, 22, INK)
    pen.write(left + pen.length(action, 22), top + 12, outcome, 18, colour)
    for number, line in enumerate(pen.folded(caption.thought, 14, right - left, 2)):
        pen.write(left, top + 40 + 18 * number, line, 14, SOFT)


def _draw_progress(pen: Pen, progress: float, x: int, top: int) -> None:
    """A bar of the goal's progress."""
    pen.rectangle((x, top, x + 130, top + 12), 6, _EMPTY)
    if progress > 0:
        pen.rectangle((x, top, x + 12 + round(118 * progress), top + 12), 6, _GOOD)
    pen.write(x, top + 20, f"{100 * progress:.0f} % of the goal", 14, SOFT)


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
        self._mark = mark if film.speed == 1 else f"{mark}, {film.speed:g} times as fast"
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
        self._film.dress = Bars(caption, self._mark)


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
