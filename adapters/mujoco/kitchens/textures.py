"""Textures of floors, worktops, tiles and wood, drawn by numpy: ours, and always the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ...kitchens.furnished.parts import Paint

#: Pixels of a side.
SIZE = 256
_Plane = NDArray[np.float64]


@cache
def texture(paint: Paint) -> bytes:
    """RGB bytes, SIZE x SIZE x 3, of a paint with a pattern."""
    rng = np.random.default_rng(len(paint.pattern))
    mix, shade = _PATTERNS[paint.pattern](rng)
    first, second = np.array(paint.color), np.array(paint.second)
    image = first + mix[..., None] * (second - first)
    return np.clip(image * shade[..., None] * 255, 0, 255).astype(np.uint8).tobytes()


def _grid() -> tuple[_Plane, _Plane]:
    y, x = np.mgrid[0:SIZE, 0:SIZE].astype(float)
    return x, y


def _noise(rng: Generator, cells_y: int, cells_x: int) -> _Plane:
    """Smooth noise that repeats at the edges, about -1 to 1."""
    coarse = rng.uniform(-1, 1, (cells_y, cells_x))
    at_y = np.arange(SIZE) * cells_y / SIZE
    at_x = np.arange(SIZE) * cells_x / SIZE
    y0, x0 = at_y.astype(int), at_x.astype(int)
    fy, fx = (at_y - y0)[:, None], (at_x - x0)[None]
    fy, fx = fy * fy * (3 - 2 * fy), fx * fx * (3 - 2 * fx)
    y1, x1 = (y0 + 1) % cells_y, (x0 + 1) % cells_x
    top = coarse[np.ix_(y0, x0)] * (1 - fx) + coarse[np.ix_(y0, x1)] * fx
    bottom = coarse[np.ix_(y1, x0)] * (1 - fx) + coarse[np.ix_(y1, x1)] * fx
    smooth: _Plane = top * (1 - fy) + bottom * fy
    return smooth


def _boards(rng: Generator, rows: int, columns: int) -> tuple[_Plane, _Plane]:
    """Boards in rows that are shifted against each other: grain, and gaps between them."""
    x, y = _grid()
    high, wide = SIZE // rows, SIZE // columns
    row = (y // high).astype(int)
    shifted = (x + row * (wide * 5 // 8)) % SIZE
    column = (shifted // wide).astype(int)
    tone = rng.uniform(0, 0.7, (rows, columns))[row, column]
    grain = 0.5 + 0.5 * np.sin((y % high) * 0.9 + 3 * _noise(rng, 8, 4) + 6 * tone)
    mix = np.clip(tone + 0.22 * grain + 0.12 * _noise(rng, 64, 8), 0, 1)
    gap = ((y % high) < 1.5) | ((shifted % wide) < 1.5)
    return mix, np.where(gap, 0.62, 1.0)


def _planks(rng: Generator) -> tuple[_Plane, _Plane]:
    return _boards(rng, 8, 2)


def _staves(rng: Generator) -> tuple[_Plane, _Plane]:
    mix, shade = _boards(rng, 16, 4)
    return mix, np.where(shade < 1, 0.88, 1.0)


def _grain(rng: Generator) -> tuple[_Plane, _Plane]:
    x, y = _grid()
    rings = 0.5 + 0.5 * np.sin(x / SIZE * 2 * np.pi * 14 + 3.5 * _noise(rng, 4, 6))
    mix = np.clip(0.55 * rings + 0.25 * _noise(rng, 8, 64), 0, 1)
    return mix, np.ones_like(x)


def _marble(rng: Generator) -> tuple[_Plane, _Plane]:
    veins = np.abs(_noise(rng, 4, 4) + 0.5 * _noise(rng, 8, 8) + 0.25 * _noise(rng, 16, 16))
    mix = np.clip(1 - veins * 5, 0, 1) ** 2 * 0.7 + 0.08 * (1 + _noise(rng, 6, 6))
    return mix, np.ones_like(mix)


def _speckle(rng: Generator) -> tuple[_Plane, _Plane]:
    spots = rng.random((SIZE, SIZE))
    mix = np.where(spots > 0.86, 0.9, 0.15 + 0.2 * spots)
    return mix, 1 + 0.05 * _noise(rng, 32, 32)


def _tiles(rng: Generator) -> tuple[_Plane, _Plane]:
    x, y = _grid()
    tone = rng.uniform(-0.03, 0.03, (2, 2))[(y // 128).astype(int), (x // 128).astype(int)]
    gap = ((x % 128) < 2.5) | ((y % 128) < 2.5)
    return gap.astype(float), 1 + tone + 0.02 * _noise(rng, 32, 32)


def _checks(rng: Generator) -> tuple[_Plane, _Plane]:
    x, y = _grid()
    mix = ((x // 64 + y // 64) % 2).astype(float)
    gap = ((x % 64) < 1.5) | ((y % 64) < 1.5)
    return mix, np.where(gap, 0.8, 1.0) + 0.02 * _noise(rng, 32, 32)


def _metro(rng: Generator) -> tuple[_Plane, _Plane]:
    x, y = _grid()
    row = (y // 32).astype(int)
    shifted = (x + (row % 2) * 32) % SIZE
    gap = ((y % 32) < 2) | ((shifted % 64) < 2)
    tone = rng.uniform(-0.03, 0.03, (8, 4))[row, (shifted // 64).astype(int)]
    return gap.astype(float), 1 + tone


def _squares(rng: Generator) -> tuple[_Plane, _Plane]:
    x, y = _grid()
    gap = ((x % 42.67) < 2) | ((y % 42.67) < 2)
    return gap.astype(float), 1 + 0.02 * _noise(rng, 16, 16)


def _brushed(rng: Generator) -> tuple[_Plane, _Plane]:
    lines = rng.standard_normal((SIZE, 1)) * 0.02
    return np.zeros((SIZE, SIZE)), 1 + lines + 0.015 * _noise(rng, 64, 4)


def _plaster(rng: Generator) -> tuple[_Plane, _Plane]:
    return np.zeros((SIZE, SIZE)), 1 + 0.012 * _noise(rng, 16, 16) + 0.008 * _noise(rng, 64, 64)


def _view(rng: Generator) -> tuple[_Plane, _Plane]:
    """A pale sky with clouds, brighter at the bottom."""
    _, y = _grid()
    clouds = np.clip(_noise(rng, 4, 3) + 0.5 * _noise(rng, 8, 6), 0, 1)
    return np.clip(0.15 + 0.7 * clouds + 0.4 * y / SIZE, 0, 1), np.ones((SIZE, SIZE))


_PATTERNS: dict[str, Callable[[Generator], tuple[_Plane, _Plane]]] = {
    "planks": _planks,
    "staves": _staves,
    "grain": _grain,
    "marble": _marble,
    "speckle": _speckle,
    "tiles": _tiles,
    "checks": _checks,
    "metro": _metro,
    "squares": _squares,
    "brushed": _brushed,
    "plaster": _plaster,
    "view": _view,
}
