"""Draw ambiguous tasks, in which a hint of the instruction has several meanings.

Kitchens, families, objects and rules of hiding are those of `drawing`. A hint names two or three
needs of the family as an either-or, and one of them is meant. No need is named twice, so the needs
that are left decide how many hints name three. All possible objects are present and hidden. The
meaning is drawn last, so nothing else depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ...adapters.kitchens.layouts import HUMAN_HAND, Layout
from ...adapters.random_draws import RandomDraws
from .drawing import (
    MAX_AREAS,
    MAX_GOALS,
    Drawn,
    combinations,
    instruction,
    kinds_for,
    named,
    placed_with_others,
    possible,
)
from .knowledge import Family, Need, areas_for

#: Most needs that a hint could mean: as many as combinations in the paper's prompt.
MAX_MEANINGS = 3
#: Most possible goals: an object with its area for each hint.
MAX_CANDIDATES = 2000
#: Most objects to choose from.
_MAX_WANTED = 12
_ONLY_ONE = "Of each either-or only one thing was asked for, and I no longer know which."


def draw_ambiguous(family: Family, layout: Layout, hints: int, chance: RandomDraws) -> Drawn:
    """Draw a task of a family in a kitchen. hints: fewer than the needs that are possible there."""
    meanings = _meanings(chance.shuffled(possible(family, layout)), hints, chance)
    needs = [need for of_hint in meanings for need in of_hint]
    kinds = kinds_for(needs, max(_MAX_WANTED, len(needs)), chance)
    names = {kind: named(kind, chance) for of_need in kinds for kind in of_need}
    things = {
        need.hint: tuple(names[kind] for kind in of_need)
        for need, of_need in zip(needs, kinds, strict=True)
    }
    areas = _fitted(meanings, things, layout)
    acceptable = {name: areas[hint] for hint, of_need in things.items() for name in of_need}
    objects = placed_with_others(names, acceptable, family, layout, chance)
    at = chance.pick([area for area in layout.areas if area != HUMAN_HAND])
    text = instruction(family, [_either(of_hint) for of_hint in meanings], chance)
    could_mean = [[name for need in of_hint for name in things[need.hint]] for of_hint in meanings]
    meant = [chance.pick(of_hint) for of_hint in meanings]
    return Drawn(
        family.name,
        f"{text} {_ONLY_ONE}",
        objects,
        at,
        goals=combinations([things[need.hint] for need in meant], acceptable),
        hints=tuple({name: acceptable[name] for name in of_hint} for of_hint in could_mean),
    )


def _meanings(needs: Sequence[Need], hints: int, chance: RandomDraws) -> list[list[Need]]:
    """The needs that each hint could mean: two for each while there are enough, then three."""
    meanings = [[need] for need in needs[:hints]]
    for number, need in enumerate(needs[hints:]):
        of_hint = meanings[number % hints]
        if len(of_hint) < MAX_MEANINGS and (number < hints or chance.one_in(2)):
            of_hint.append(need)
    return [chance.shuffled(of_hint) for of_hint in meanings]


def _fitted(
    meanings: Sequence[Sequence[Need]], things: dict[str, tuple[str, ...]], layout: Layout
) -> dict[str, tuple[str, ...]]:
    """Areas for each need, by hint. The longest lists are cut while there are too many goals."""
    areas = {
        need.hint: areas_for(layout, need.to)[:MAX_AREAS]
        for of_hint in meanings
        for need in of_hint
    }
    while True:
        counts = [
            [len(things[need.hint]) * len(areas[need.hint]) for need in of_hint]
            for of_hint in meanings
        ]
        few = prod(map(sum, counts)) <= MAX_CANDIDATES and prod(map(max, counts)) <= MAX_GOALS
        longest = max(areas, key=lambda hint: len(areas[hint]))
        if few or len(areas[longest]) == 1:
            return areas
        areas[longest] = areas[longest][:-1]


def _either(needs: Sequence[Need]) -> str:
    """ "either what to carry it in or the slices"; a single need unchanged."""
    hints = [need.hint for need in needs]
    return hints[0] if len(hints) == 1 else f"either {' or '.join(hints)}"
