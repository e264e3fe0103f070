"""Draw a task by rules: objects to fetch, their goal areas, and where everything lies.

The objects that a task asks for, and their alternatives, are hidden. They lie in a closed area,
never in a goal area of theirs. One of three lies where its class belongs, and two lie anywhere.
That is about the share in the published examples, where 8 of 12 hidden things lie in unusual
places. `KEPT` has them as people keep them: of eight five lie where their class belongs, one
anywhere, and two in view on an open area; in the published examples 8 of 29 are in view. Of nine
other objects five lie where they belong, two on some open area, and two anywhere.

In an ambiguous task, a hint names two or three needs of the family as an either-or, and one of them
is meant. No need is named twice, so the needs that are left decide how many hints name three. All
possible objects are present and hidden. The meaning is drawn last, so nothing else depends on it.

Our own table says where a class belongs (`objects.yaml`). No rule uses a prior that planners search
by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from ...adapters.kitchens.layouts import HUMAN_HAND, Layout
from ...adapters.random_draws import RandomDraws
from ...scene_graph.goal_text import joined
from .knowledge import IntentFamily, Need, areas_for, families, homes, persons, phrases_of

#: Objects in a kitchen, with those of the task.
OBJECTS = 20
#: Most goal areas of an object, and most acceptable goals.
MAX_AREAS, MAX_GOALS = 4, 700
#: Most needs that a hint could mean: as many as combinations in the paper's prompt.
MAX_MEANINGS = 3
#: Most possible goals of an ambiguous task: an object with its area for each hint.
MAX_CANDIDATES = 2000
#: Most objects to choose from, in a task and in an ambiguous one.
_MAX_TARGETS, _MAX_POSSIBLE = 8, 12
#: Weights of the places of the objects that are asked for, by name: where their class belongs, on
#: an open area, or anywhere. At home and anywhere are closed areas.
Places = Mapping[str, int]
HIDDEN: Places = {"home": 1, "anywhere": 2}
KEPT: Places = {"home": 5, "open": 2, "anywhere": 1}
#: Weights of the places of other objects.
_OTHERS_LIE = {"home": 5, "open": 2, "anywhere": 2}
_ONLY_ONE = "Of each either-or only one thing was asked for, and I no longer know which."

_Areas = tuple[str, ...]
_Combinations = tuple[dict[str, _Areas], ...]


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
    goals: _Combinations
    """Acceptable combinations of objects, each object with its goal areas, which combine freely."""
    hints: _Combinations = ()
    """In ambiguous tasks, for each hint the objects that it could mean, with their areas."""


def offered(layout: Layout, needs: int) -> list[IntentFamily]:
    """The families with at least `needs` needs in a kitchen."""
    return [family for family in families() if len(_possible(family, layout)) >= needs]


def draw(
    family: IntentFamily,
    layout: Layout,
    needs: int,
    chance: RandomDraws,
    *,
    places: Places = HIDDEN,
) -> Drawn:
    """Draw a task of a family in a kitchen. places: where the objects asked for lie."""
    chosen = chance.shuffled(_possible(family, layout))[:needs]
    objects = _Objects(chosen, _MAX_TARGETS, chance)
    acceptable = objects.fit(layout, lambda counts: prod(counts.values()) <= MAX_GOALS)
    start = _placed_with_others(objects.names, acceptable, family, layout, chance, places)
    at = chance.pick([area for area in layout.areas if area != HUMAN_HAND])
    text = _instruction(family, [need.hint for need in chosen], chance)
    goals = _combinations(objects.by_hint.values(), acceptable)
    return Drawn(family.name, text, start, at, goals)


def draw_ambiguous(family: IntentFamily, layout: Layout, hints: int, chance: RandomDraws) -> Drawn:
    """Draw an ambiguous task. hints: fewer than the needs that are possible in the kitchen."""
    meanings = _meanings(chance.shuffled(_possible(family, layout)), hints, chance)
    needs = [need for of_hint in meanings for need in of_hint]
    objects = _Objects(needs, max(_MAX_POSSIBLE, len(needs)), chance)

    def few(counts: Mapping[str, int]) -> bool:
        of_hints = [[counts[need.hint] for need in of_hint] for of_hint in meanings]
        return prod(map(sum, of_hints)) <= MAX_CANDIDATES and prod(map(max, of_hints)) <= MAX_GOALS

    acceptable = objects.fit(layout, few)
    start = _placed_with_others(objects.names, acceptable, family, layout, chance)
    at = chance.pick([area for area in layout.areas if area != HUMAN_HAND])
    text = _instruction(family, [_either(of_hint) for of_hint in meanings], chance)
    could_mean = [
        [name for need in of_hint for name in objects.by_hint[need.hint]] for of_hint in meanings
    ]
    meant = [chance.pick(of_hint) for of_hint in meanings]
    return Drawn(
        family.name,
        f"{text} {_ONLY_ONE}",
        start,
        at,
        goals=_combinations([objects.by_hint[need.hint] for need in meant], acceptable),
        hints=tuple({name: acceptable[name] for name in of_hint} for of_hint in could_mean),
    )


def _possible(family: IntentFamily, layout: Layout) -> list[Need]:
    """The needs for which a kitchen has areas."""
    return [need for need in family.needs if areas_for(layout, need.to)]


def _meanings(needs: Sequence[Need], hints: int, chance: RandomDraws) -> list[list[Need]]:
    """The needs that each hint could mean: two for each while there are enough, then three."""
    meanings = [[need] for need in needs[:hints]]
    for number, need in enumerate(needs[hints:]):
        of_hint = meanings[number % hints]
        if len(of_hint) < MAX_MEANINGS and (number < hints or chance.one_in(2)):
            of_hint.append(need)
    return [chance.shuffled(of_hint) for of_hint in meanings]


class _Objects:
    """The objects for some needs, of which any will do.

    names: by kind. by_hint: the names for each need.
    """

    def __init__(self, needs: Sequence[Need], most: int, chance: RandomDraws) -> None:
        """most: how many objects in all."""
        self._needs = needs
        kinds = _kinds_for(needs, most, chance)
        self.names = {kind: _named(kind, chance) for of_need in kinds for kind in of_need}
        self.by_hint = {
            need.hint: tuple(self.names[kind] for kind in of_need)
            for need, of_need in zip(needs, kinds, strict=True)
        }

    def fit(self, layout: Layout, few: Callable[[Mapping[str, int]], bool]) -> dict[str, _Areas]:
        """The goal areas of each object. The longest lists are cut while there are too many goals.

        few: whether so many placements for each need are few enough.
        """
        areas = {need.hint: areas_for(layout, need.to)[:MAX_AREAS] for need in self._needs}
        while True:
            longest = max(areas, key=lambda hint: len(areas[hint]))
            counts = {hint: len(self.by_hint[hint]) * len(places) for hint, places in areas.items()}
            if few(counts) or len(areas[longest]) == 1:
                return {name: areas[hint] for hint, names in self.by_hint.items() for name in names}
            areas[longest] = areas[longest][:-1]


def _kinds_for(needs: Sequence[Need], most: int, chance: RandomDraws) -> list[tuple[str, ...]]:
    """The kinds of objects present for each need, of which any will do; `most` in all."""
    found: list[tuple[str, ...]] = [(chance.pick(need.kinds),) for need in needs]
    spare = most - len(needs)
    for i, need in enumerate(needs):
        more = [kind for kind in need.kinds if kind not in found[i]]
        if more and spare and chance.one_in(2):
            found[i] = (*found[i], chance.pick(more))
            spare -= 1
    return found


def _combinations(
    choices: Iterable[Sequence[str]], acceptable: Mapping[str, _Areas]
) -> _Combinations:
    """Every combination of one object for each need, with their areas."""
    return tuple({name: acceptable[name] for name in chosen} for chosen in product(*choices))


def _named(kind: str, chance: RandomDraws) -> str:
    return f"{kind.replace(' ', '_')}_{chance.between(1, 20)}"


def _placed_with_others(
    names: Mapping[str, str],
    acceptable: Mapping[str, _Areas],
    family: IntentFamily,
    layout: Layout,
    chance: RandomDraws,
    places: Places = HIDDEN,
) -> dict[str, str]:
    """The start area of each object, with others that meet no need of the family."""
    others = [kind for kind in homes() if kind not in family.kinds]
    distractors = chance.shuffled(others)[: OBJECTS - len(names)]
    named = {**names, **{kind: _named(kind, chance) for kind in distractors}}
    everywhere = tuple(area for area in layout.areas if area != HUMAN_HAND)
    in_sight = tuple(area for area in layout.open if area != HUMAN_HAND)
    placed: dict[str, str] = {}
    for kind, name in named.items():
        wanted = name in acceptable
        where = chance.weighted(places if wanted else _OTHERS_LIE)
        allowed = layout.closed if wanted and where != "open" else everywhere
        free = [area for area in allowed if area not in acceptable.get(name, ())]
        choice = {"home": areas_for(layout, homes()[kind]), "open": in_sight}
        chosen = [area for area in choice.get(where, everywhere) if area in free]
        placed[name] = chance.pick(chosen or free)
    return placed


def _either(needs: Sequence[Need]) -> str:
    """ "either what to carry it in or the slices"; a single need unchanged."""
    hints = " or ".join(need.hint for need in needs)
    return hints if len(needs) == 1 else f"either {hints}"


def _instruction(family: IntentFamily, hints: Sequence[str], chance: RandomDraws) -> str:
    """The instruction: a time of day, a person, and the hints."""
    time = chance.pick(phrases_of(chance.pick(family.times)))
    needs = joined(hints)
    ask = chance.pick(family.asks).format(needs=needs, Needs=needs[0].upper() + needs[1:])
    return f"{time}, and {chance.pick(persons())}. {ask}"
