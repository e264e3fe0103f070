"""Schemes of colours and patterns of a kitchen, all of our own."""

from __future__ import annotations

from numpy.random import Generator

from .parts import Color, Paint, Style

#: By name: fronts, walls of the room, inside of cupboards.
_SCHEMES: dict[str, tuple[Color, Color, Color]] = {
    "white": ((0.93, 0.93, 0.91), (0.84, 0.80, 0.72), (0.93, 0.90, 0.84)),
    "sage": ((0.55, 0.64, 0.56), (0.93, 0.91, 0.86), (0.90, 0.85, 0.76)),
    "navy": ((0.19, 0.27, 0.40), (0.90, 0.90, 0.88), (0.88, 0.84, 0.76)),
    "oak": ((0.72, 0.54, 0.35), (0.93, 0.92, 0.89), (0.82, 0.68, 0.50)),
    "slate": ((0.36, 0.39, 0.42), (0.86, 0.86, 0.85), (0.85, 0.83, 0.79)),
    "cream": ((0.90, 0.85, 0.74), (0.76, 0.80, 0.77), (0.93, 0.90, 0.83)),
    "brick": ((0.58, 0.26, 0.20), (0.93, 0.90, 0.84), (0.88, 0.80, 0.68)),
    "walnut": ((0.40, 0.27, 0.19), (0.91, 0.89, 0.85), (0.66, 0.50, 0.36)),
    "sky": ((0.60, 0.72, 0.80), (0.96, 0.95, 0.92), (0.93, 0.90, 0.84)),
}
_TOPS: dict[str, Paint] = {
    "marble": Paint((0.93, 0.92, 0.90), 0.6, (0.68, 0.67, 0.66), "marble", 1.2),
    "granite": Paint((0.24, 0.25, 0.27), 0.6, (0.50, 0.50, 0.52), "speckle", 0.5),
    "beech": Paint((0.78, 0.60, 0.41), 0.3, (0.66, 0.48, 0.30), "staves", 1.0),
    "stone": Paint((0.70, 0.68, 0.66), 0.5, (0.50, 0.48, 0.46), "speckle", 0.5),
}
_FLOORS: dict[str, Paint] = {
    "planks": Paint((0.66, 0.49, 0.33), 0.15, (0.50, 0.35, 0.22), "planks", 1.4),
    "light planks": Paint((0.80, 0.69, 0.55), 0.15, (0.66, 0.55, 0.42), "planks", 1.4),
    "tiles": Paint((0.80, 0.79, 0.77), 0.3, (0.62, 0.61, 0.60), "tiles", 1.2),
    "checks": Paint((0.88, 0.87, 0.84), 0.3, (0.46, 0.50, 0.52), "checks", 1.2),
}
_TILES: dict[str, Paint] = {
    "metro": Paint((0.94, 0.94, 0.92), 0.7, (0.78, 0.78, 0.76), "metro", 0.6),
    "green metro": Paint((0.58, 0.72, 0.66), 0.7, (0.85, 0.87, 0.84), "metro", 0.6),
    "squares": Paint((0.90, 0.91, 0.92), 0.7, (0.74, 0.76, 0.78), "squares", 0.6),
    "blue squares": Paint((0.62, 0.72, 0.80), 0.7, (0.88, 0.90, 0.90), "squares", 0.6),
}
_PLAIN: dict[str, Paint] = {
    "steel": Paint((0.74, 0.75, 0.77), 0.5, (0.70, 0.71, 0.73), "brushed", 0.8),
    "metal": Paint((0.72, 0.73, 0.75), 0.9),
    "dark": Paint((0.12, 0.12, 0.14), 0.3),
    "toe": Paint((0.16, 0.15, 0.15), 0.1),
    "glass": Paint((0.07, 0.07, 0.09), 0.9),
    "ring": Paint((0.55, 0.22, 0.18), 0.4),
    "white": Paint((0.95, 0.96, 0.97), 0.4),
    "shelf glass": Paint((0.80, 0.90, 0.92), 0.8),
    "lamp": Paint((1.0, 0.96, 0.80), 0.0),
    "sky": Paint((0.55, 0.74, 0.92), 0.2, (0.36, 0.50, 0.26), "view", 1.0),
    "window frame": Paint((0.97, 0.97, 0.96), 0.3),
    "tray": Paint((0.20, 0.45, 0.50), 0.4),
}
_WOODEN = {"oak", "walnut"}


def style_of(rng: Generator) -> Style:
    """A random scheme."""
    scheme = _pick(rng, _SCHEMES)
    front, wall, inside = _SCHEMES[scheme]
    wooden = scheme in _WOODEN
    dark = tuple(0.72 * value for value in front)
    paints = {
        **_PLAIN,
        "front": Paint(front, 0.25, (dark[0], dark[1], dark[2]), "grain" if wooden else "", 0.8),
        "corpus": Paint(inside, 0.15),
        "drawer": Paint((0.84, 0.74, 0.60), 0.15),
        "wood": Paint((0.70, 0.52, 0.34), 0.25, (0.56, 0.40, 0.25), "grain", 0.8),
        "wall": Paint(wall, 0.0, wall, "plaster", 2.0),
        "counter": _TOPS[_pick(rng, _TOPS)],
        "floor": _FLOORS[_pick(rng, _FLOORS)],
        "tile": _TILES[_pick(rng, _TILES)],
        "handle": Paint(
            _pick_of(rng, [(0.72, 0.73, 0.75), (0.16, 0.16, 0.17), (0.72, 0.57, 0.32)]), 0.8
        ),
    }
    return Style(scheme, paints)


def _pick(rng: Generator, names: dict[str, Paint] | dict[str, tuple[Color, Color, Color]]) -> str:
    return list(names)[int(rng.integers(len(names)))]


def _pick_of(rng: Generator, colors: list[Color]) -> Color:
    return colors[int(rng.integers(len(colors)))]
