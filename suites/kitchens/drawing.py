"""Draw a task by rules: objects to fetch, their goal areas, and where everything lies.

The objects that a task asks for, and their alternatives, are hidden. They lie in a closed area,
never in a goal area of theirs. One of three lies where its class belongs, and two lie anywhere.
That is about the share in the published examples, where 8 of 12 hidden things lie in unusual
places. Of nine other objects five lie where they belong, two on some open area, and two anywhere.

Our own table says where a class belongs (`objects.yaml`). No rule uses a prior that planners search
by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from ...adapters.kitchens.layouts import HUMAN_HAND, Layout
from ...adapters.random_draws import RandomDraws
from .knowledge import Family, Need, areas_for, families, homes, persons, phrases_of

#: Objects in a kitchen, with those of the task.
OBJECTS = 20
#: Most goal areas of an object, and most acceptable goals.
MAX_AREAS, MAX_GOALS = 4, 700
#: Most objects to choose from.
_MAX_TARGETS = 8
#: Weights of the places of objects: of hidden ones, always in a closed area, and of the others.
_WANTED_LIE = {"home": 1, "anywhere": 2}
_OTHERS_LIE = {"home": 5, "open": 2, "anywhere": 2}


@dataclass(frozen=True)
class Drawn:
    """A drawn task."""

    family: str
    """Name of the family."""
    instruction: str
    """The instruction."""
    objects: dict[str, str]
    """Start area of each object, by names such as "tea_box_7"."""
    at: str
    """Area where the robot stands."""
    goals: tuple[dict[str, tuple[str, ...]], ...]
    """Acceptable combinations of objects, each object with its goal areas, which combine freely."""
    hints: tuple[dict[str, tuple[str, ...]], ...] = ()
    """In ambiguous tasks, for each hint the objects that it could mean, with their areas."""


def offered(layout: Layout, needs: int) -> list[Family]:
    """The families with at least `needs` needs in a kitchen."""
    return [family for family in families() if len(possible(family, layout)) >= needs]


def draw(family: Family, layout: Layout, needs: int, chance: RandomDraws) -> Drawn:
    """Draw a task of a family in a kitchen."""
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
    text = instruction(family, [need.hint for need in chosen], chance)
    goals = combinations([tuple(names[kind] for kind in of_need) for of_need in kinds], acceptable)
    return Drawn(family.name, text, objects, at, goals)


def combinations(
    choices: Sequence[Sequence[str]], acceptable: Mapping[str, tuple[str, ...]]
) -> tuple[dict[str, tuple[str, ...]], ...]:
    """Every combination of one object for each need, with their areas."""
    return tuple({name: acceptable[name] for name in chosen} for chosen in product(*choices))


def possible(family: Family, layout: Layout) -> list[Need]:
    """The needs for which a kitchen has areas."""
    return [need for need in family.needs if areas_for(layout, need.to)]


def kinds_for(needs: Sequence[Need], most: int, chance: RandomDraws) -> list[tuple[str, ...]]:
    """The kinds of objects present for each need, of which any will do; `most` in all."""
    found: list[tuple[str, ...]] = [(chance.pick(need.kinds),) for need in needs]
    spare = most - len(needs)
    for i, need in enumerate(needs):
        more = [kind for kind in need.kinds if kind not in found[i]]
        if more and spare and chance.one_in(2):
            found[i] = (*found[i], chance.pick(more))
            spare -= 1
    return found


def _fitted(areas: list[tuple[str, ...]], kinds: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Areas for each need. The longest lists are cut until there are few enough goals."""
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
    """The start area of each object, with others that meet no need of the family."""
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
    """The start area of each object."""
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
    """The instruction: a time of day, a person, and the hints."""
    time = chance.pick(phrases_of(chance.pick(family.times)))
    needs = hints[0] if len(hints) == 1 else f"{', '.join(hints[:-1])} and {hints[-1]}"
    ask = chance.pick(family.asks).format(needs=needs, Needs=needs[0].upper() + needs[1:])
    return f"{time}, and {chance.pick(persons())}. {ask}"
