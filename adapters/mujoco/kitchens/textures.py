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
    first, second = (np.array(rgb, np.float32) for rgb in (paint.color, paint.second))
    image = mix.astype(np.float32)[..., None] * (second - first)
    image += first
    image *= (255 * shade).astype(np.float32)[..., None]
    return np.clip(image, 0, 255, out=image).astype(np.uint8).tobytes()


def _grid() -> tuple[_Plane, _Plane]:
    y, x = np.mgrid[0:SIZE, 0:SIZE].astype(float)
    return x, y


def _noise(rng: Generator, rows: int, columns: int) -> _Plane:
    """Smooth noise that repeats at the edges, about -1 to 1."""
    coarse = rng.uniform(-1, 1, (rows, columns))
    first, second, share = _blend(columns)
    wide = coarse[:, first] * (1 - share) + coarse[:, second] * share
    first, second, share = _blend(rows)
    noise: _Plane = wide[first] * (1 - share)[:, None] + wide[second] * share[:, None]
    return noise


@cache
def _blend(cells: int) -> tuple[NDArray[np.int_], NDArray[np.int_], _Plane]:
    """The two coarse cells beside each pixel, and the share of the second."""
    at = np.arange(SIZE) * cells / SIZE
    first = at.astype(int)
    share = at - first
    return first, (first + 1) % cells, share * share * (3 - 2 * share)


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
    x, _ = _grid()
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
    """What is seen from a window: sky with clouds over a hedge; the first row is at the top."""
    x, y = _grid()
    top = SIZE * (0.34 + 0.05 * np.sin(x / SIZE * 2 * np.pi * 1.5)) + 6 * _noise(rng, 2, 32)
    hedge = y > SIZE - top
    clouds = np.clip(_noise(rng, 5, 4) + 0.4 * _noise(rng, 10, 8), 0, 1)
    leaves = 0.85 + 0.2 * _noise(rng, 64, 64)
    return hedge.astype(float), np.where(hedge, leaves, 0.92 + 0.25 * clouds)


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
