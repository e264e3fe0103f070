"""Draws a task by rules: what is asked for, where that may be put, and where everything lies.

What is asked for, and whatever else would do, is hidden: it lies in a closed area, never in one
that it may be put at. Of three such things one lies where things of its class belong and two
anywhere. That is about the share in the published examples, where 8 of 12 hidden things lie where
nobody would put them. Of nine other things five lie where they belong, two on some open area, and
two anywhere.

Where a class of things belongs is a table that we wrote ourselves (`objects.yaml`); no rule asks a
prior that planners search by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from ...adapters.kitchens.layouts import HUMAN_HAND, Layout
from ...adapters.random_draws import RandomDraws
from .knowledge import Family, Need, areas_for, families, homes, persons, phrases_of

#: Objects in a kitchen, those asked for among them.
OBJECTS = 20
#: The most areas that a thing may be put at, and the most goals that are acceptable.
MAX_AREAS, MAX_GOALS = 4, 700
#: The most objects that are there to be chosen from.
_MAX_TARGETS = 8
#: How often things lie where: what is asked for, always in a closed area, and all else.
_WANTED_LIE = {"home": 1, "anywhere": 2}
_OTHERS_LIE = {"home": 5, "open": 2, "anywhere": 2}


@dataclass(frozen=True)
class Drawn:
    """A task but for its form.

    objects: the area of each object, by names such as "tea_box_7". at: an area within reach.
    goals: the objects and areas of each acceptable goal, as the objects of one goal combine freely
    with their areas: a combination of objects, each with all its areas. hints: where the
    instruction is ambiguous, all objects that each of its hints could mean, with their areas.
    """

    family: str
    instruction: str
    objects: dict[str, str]
    at: str
    goals: tuple[dict[str, tuple[str, ...]], ...]
    hints: tuple[dict[str, tuple[str, ...]], ...] = ()


def offered(layout: Layout, needs: int) -> list[Family]:
    """The families of which a kitchen can have a task with so many needs."""
    return [family for family in families() if len(possible(family, layout)) >= needs]


def draw(family: Family, layout: Layout, needs: int, chance: RandomDraws) -> Drawn:
    """A task of a family in a kitchen."""
    chosen = chance.shuffled(possible(family, layout))[:needs]
    kinds = kinds_for(chosen, _MAX_TARGETS, chance)
    areas = _fitted([areas_for(layout, need.to)[:MAX_AREAS] for need in chosen], kinds)
    names = {kind: named(kind, chance) for of_need in kinds for kind in of_need}
    acceptable = {
        names[kind]: places
        for of_need, places in zip(kinds, areas, strict=True)
        for kind in of_need
    }
    objects = placed_with_others(names, acceptable, family, layout, chance)
    at = chance.pick([area for area in layout.areas if area != HUMAN_HAND])
    told = instruction(family, [need.hint for need in chosen], chance)
    goals = combinations([tuple(names[kind] for kind in of_need) for of_need in kinds], acceptable)
    return Drawn(family.name, told, objects, at, goals)


def combinations(
    choices: Sequence[Sequence[str]], acceptable: Mapping[str, tuple[str, ...]]
) -> tuple[dict[str, tuple[str, ...]], ...]:
    """One object of each choice, in every way, with the areas of each."""
    return tuple({name: acceptable[name] for name in chosen} for chosen in product(*choices))


def possible(family: Family, layout: Layout) -> list[Need]:
    """The needs that a kitchen has areas for."""
    return [need for need in family.needs if areas_for(layout, need.to)]


def kinds_for(needs: Sequence[Need], most: int, chance: RandomDraws) -> list[tuple[str, ...]]:
    """The kinds that are there for each need, of which any will do; so many in all at most."""
    found: list[tuple[str, ...]] = [(chance.pick(need.kinds),) for need in needs]
    spare = most - len(needs)
    for i, need in enumerate(needs):
        more = [kind for kind in need.kinds if kind not in found[i]]
        if more and spare and chance.one_in(2):
            found[i] = (*found[i], chance.pick(more))
            spare -= 1
    return found


def _fitted(areas: list[tuple[str, ...]], kinds: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Areas for each need, the longest lists cut until there are not too many goals."""
    fitted = list(areas)
    while True:
        count = 1
        for places, of_need in zip(fitted, kinds, strict=True):
            count *= len(places) * len(of_need)
        if count <= MAX_GOALS or all(len(places) == 1 for places in fitted):
            return fitted
        longest = max(range(len(fitted)), key=lambda i: len(fitted[i]))
        fitted[longest] = fitted[longest][:-1]


def named(kind: str, chance: RandomDraws) -> str:
    return f"{kind.replace(' ', '_')}_{chance.between(1, 20)}"


def placed_with_others(
    names: dict[str, str],
    acceptable: dict[str, tuple[str, ...]],
    family: Family,
    layout: Layout,
    chance: RandomDraws,
) -> dict[str, str]:
    """Where each object lies before, with others that meet no need of the family."""
    others = [kind for kind in homes() if kind not in family.kinds]
    distractors = chance.shuffled(others)[: OBJECTS - len(names)]
    more = {kind: named(kind, chance) for kind in distractors}
    return _placed(names | more, acceptable, layout, chance)


def _placed(
    names: dict[str, str],
    acceptable: dict[str, tuple[str, ...]],
    layout: Layout,
    chance: RandomDraws,
) -> dict[str, str]:
    """Where each object lies before."""
    everywhere = tuple(area for area in layout.areas if area != HUMAN_HAND)
    in_sight = tuple(area for area in layout.open if area != HUMAN_HAND)
    placed: dict[str, str] = {}
    for kind, name in names.items():
        wanted = name in acceptable
        allowed = layout.closed if wanted else everywhere
        free = [area for area in allowed if area not in acceptable.get(name, ())]
        where = chance.weighted(_WANTED_LIE if wanted else _OTHERS_LIE)
        choice = {"home": areas_for(layout, homes()[kind]), "open": in_sight}
        chosen = [area for area in choice.get(where, everywhere) if area in free]
        placed[name] = chance.pick(chosen or free)
    return placed


def instruction(family: Family, hints: Sequence[str], chance: RandomDraws) -> str:
    """What is told: a time of the day, a person, and the hints."""
    time = chance.pick(phrases_of(chance.pick(family.times)))
    told = hints[0] if len(hints) == 1 else f"{', '.join(hints[:-1])} and {hints[-1]}"
    ask = chance.pick(family.asks).format(needs=told, Needs=told[0].upper() + told[1:])
    return f"{time}, and {chance.pick(persons())}. {ask}"
