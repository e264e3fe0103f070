"""A pen for pillow's pictures, with pillow's own font."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from typing import Any

from ...errors import Missing
from ...installed import Lack

Colour = tuple[int, int, int]
Box = tuple[float, float, float, float]


def check() -> None:
    """Raise Missing without pillow."""
    try:
        import PIL  # noqa: F401
    except ImportError:
        raise Missing(Lack("Films need pillow", "video")) from None


class Pen:
    """Draws on a picture. All sizes and places are multiplied by its scale."""

    def __init__(self, image: Any, scale: float = 1.0) -> None:
        from PIL import ImageDraw

        self._draw = ImageDraw.Draw(image)
        self._scale = scale

    def length(self, text: str, size: int) -> float:
        """The width of a text."""
        return float(self._font(size).getlength(text)) / self._scale

    def write(
        self, x: float, y: float, text: str, size: int, colour: Colour, anchor: str = "la"
    ) -> None:
        at = x * self._scale, y * self._scale
        self._draw.text(at, text, colour, font=self._font(size), anchor=anchor)

    def rectangle(
        self,
        box: Box,
        radius: float,
        fill: Colour | None = None,
        edge: Colour | None = None,
        thick: float = 1.0,
    ) -> None:
        """A rectangle with round corners."""
        pixels = max(1, round(thick * self._scale)) if edge else 0
        self._draw.rounded_rectangle(self._scaled(box), radius * self._scale, fill, edge, pixels)

    def dashed(self, box: Box, colour: Colour) -> None:
        """A dashed rectangle."""
        left, top, right, bottom = box
        for x in map(float, range(round(left), round(right), 8)):
            for y in (top, bottom):
                self.line(x, y, min(x + 4, right), y, colour)
        for y in map(float, range(round(top), round(bottom), 8)):
            for x in (left, right):
                self.line(x, y, x, min(y + 4, bottom), colour)

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: Colour) -> None:
        self._draw.line(self._scaled((x1, y1, x2, y2)), colour, max(1, round(self._scale)))

    def polygon(self, corners: Sequence[tuple[float, float]], colour: Colour) -> None:
        self._draw.polygon([(x * self._scale, y * self._scale) for x, y in corners], colour)

    def disc(
        self, x: float, y: float, radius: float, colour: Colour, edge: Colour | None = None
    ) -> None:
        box = self._scaled((x - radius, y - radius, x + radius, y + radius))
        self._draw.ellipse(box, colour, edge, max(1, round(2 * self._scale)) if edge else 0)

    def half_disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """The upper half of a disc."""
        box = self._scaled((x - radius, y - radius, x + radius, y + radius))
        self._draw.pieslice(box, 180, 360, colour)

    def fitted(self, text: str, size: int, width: float) -> str:
        """The text on one line, cut off where it is wider than `width`."""
        text = " ".join(text.split())
        if self.length(text, size) <= width:
            return text
        fits = bisect_right(
            range(len(text) + 1), width, key=lambda count: self.length(f"{text[:count]}…", size)
        )
        return f"{text[: max(0, fits - 1)].rstrip()}…"

    def folded(self, text: str, size: int, width: float, lines: int) -> list[str]:
        """The text in at most `lines` lines, the last one cut off if needed."""
        words, found, line = text.split(), list[str](), ""
        for number, word in enumerate(words):
            longer = f"{line} {word}".strip()
            if self.length(longer, size) <= width or not line:
                line = longer
                continue
            if len(found) == lines - 1:
                return [*found, self.fitted(" ".join([line, *words[number:]]), size, width)]
            found.append(line)
            line = word
        return [*found, self.fitted(line, size, width)] if line else found

    def _scaled(self, box: Box) -> list[float]:
        return [each * self._scale for each in box]

    def _font(self, size: int) -> Any:
        return _font(max(1, round(size * self._scale)))


@cache
def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)
