"""The frame around a picture of a film: task above, action and outcome below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .moments import Caption
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


def framed_pixels(picture: NDArray[np.uint8], caption: Caption, mark: str) -> NDArray[np.uint8]:
    """The same for pixels, shape (height, width, 3). Raises Missing without pillow."""
    check()
    import numpy as np
    from PIL import Image

    return np.asarray(framed(Image.fromarray(picture), caption, mark))


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
