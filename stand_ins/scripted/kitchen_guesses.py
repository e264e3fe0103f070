"""What the stand-in guesses of a kitchen: what is wanted, where it is, and what to do then.

The table says what is asked for. That combination is among those proposed with a set probability,
and else they are wrong: another object, or an object at another area. So it is with where an object
is. Confidences are calibrated: of those possibilities that have 0.5, a half are right.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from .guesses import Guesses
from .household.requirements import Table, Term, requirements_of

_T = TypeVar("_T")
#: Confidences, of which each possibility gets one.
_WEIGHTS = (0.5, 0.3, 0.2)
#: Objects that no kitchen of the suites has.
_INVENTED = ("gramophone_record", "sundial", "telescope_lens", "fish_tank", "anvil", "accordion")
_NUMBER = re.compile(r"_\d+$")

#: The rollout policy that it writes.
POLICY = '''\
def next_action():
    """Bring the nearest object that is not where it is wanted."""
    held = held_object()
    if held >= 0:
        target = -1
        for i in range(goal_count()):
            if goal_object(i) == held:
                target = goal_area(i)
        if target < 0:
            target = nearest_open_area()
        if target < 0:
            return nothing()
        if is_open(target):
            return place(target)
        return open_area(target)
    best = -1
    shortest = 1000000.0
    for i in range(goal_count()):
        thing = goal_object(i)
        area = area_of(thing)
        if area != goal_area(i) and way(area) < shortest:
            best = thing
            shortest = way(area)
    if best < 0:
        return nothing()
    if is_open(area_of(best)):
        return pick(best)
    return open_area(area_of(best))
'''


@dataclass(frozen=True)
class ToldHypothesis:
    """A hypothesis that a question tells."""

    weight: float
    targets: Mapping[str, str]
    places: Mapping[str, str]


@dataclass(frozen=True)
class KitchenQuestion:
    """What a question tells. told: all of it. sought: the object that is asked about."""

    told: str
    instruction: str
    closed: tuple[str, ...]
    opened: tuple[str, ...]
    objects: Mapping[str, str]
    held: str = ""
    placed: frozenset[str] = frozenset()
    sought: str = ""
    particles: Sequence[ToldHypothesis] = field(default=())


def guessed_goals(
    now: KitchenQuestion, table: Table, guesses: Guesses, count: int, most: int
) -> list[tuple[dict[str, str], float]]:
    """So many combinations of at most so many objects, with confidences."""
    wanted = dict(list(_wanted(now, table).items())[:most])
    chance = guesses.draws("goal", now.told)
    right = chance.random() < guesses.chances.goal
    mistaken = chance.choice(sorted(wanted)) if wanted else None
    goals = [wanted] if wanted and right else []
    if mistaken is not None and not right:
        goals.append(_elsewhere(now, wanted, mistaken, chance))
    others = _others(now, wanted, chance)
    while len(goals) < count and others:
        if wanted and right:
            mistaken = chance.choice(sorted(wanted))
        goals.append(_with_other(now, wanted, mistaken, others.pop()))
    return _weighed(goals, chance)


def guessed_places(
    now: KitchenQuestion, thing: str, guesses: Guesses, count: int
) -> list[tuple[str, float]]:
    """So many closed areas where an object may be, with confidences."""
    chance = guesses.draws("place", thing, now.told)
    known = [_joined(each) for each in guesses.places_of(now.instruction, _category(thing))]
    true = [area for area in now.closed if area in known]
    words = set(_category(thing).split())
    others = [area for area in now.closed if area not in true]
    chance.shuffle(others)
    if guesses.chances.place is None:
        others = [*true, *others]
        chance.shuffle(others)
        others.sort(key=lambda area: -len(words.intersection(area.split("_"))))
        found = others[:count]
    elif true and chance.random() < guesses.chances.place:
        found = [true[0], *others[: count - 1]]
    else:
        found = (others or true)[:count]
    return _weighed(found, chance)


def next_action(now: KitchenQuestion) -> str:
    """What the likeliest hypothesis calls for next."""
    if not now.particles:
        return "wait"
    best = max(now.particles, key=lambda each: each.weight)
    if now.held:
        target = best.targets.get(now.held, now.opened[0] if now.opened else "")
        return f"{'place' if target in now.opened else 'open'} {target}"
    for thing, target in best.targets.items():
        at = now.objects.get(thing)
        if at == target:
            continue
        if at is not None:
            return f"pick {thing}"
        if best.places.get(thing) in now.closed:
            return f"open {best.places[thing]}"
    return "wait"


def _wanted(now: KitchenQuestion, table: Table) -> dict[str, str]:
    """What is asked for and not done yet: the area of each object, in the names of the kitchen."""
    found = {}
    for required in requirements_of(table, now.instruction) or ():
        things, areas = _words(required.thing), _words(required.place)
        if not things or not areas:
            continue
        if any(_NUMBER.sub("", name) in things for name in now.placed):
            continue
        seen = [*now.objects, *([now.held] if now.held else [])]
        thing = next((name for name in seen if _NUMBER.sub("", name) in things), things[0])
        area = next((name for name in (*now.opened, *now.closed) if name in areas), areas[0])
        if now.objects.get(thing) != area:
            found[thing] = area
    return found


def _others(now: KitchenQuestion, wanted: Mapping[str, str], chance: random.Random) -> list[str]:
    """Objects that nobody asked for: those in view, then others; the last is taken first."""
    seen = [thing for thing in now.objects if thing not in wanted and thing not in now.placed]
    chance.shuffle(seen)
    return [*_INVENTED, *seen]


def _elsewhere(
    now: KitchenQuestion, wanted: Mapping[str, str], thing: str, chance: random.Random
) -> dict[str, str]:
    """A combination with one of its objects at a wrong area."""
    right = (wanted[thing], now.objects.get(thing))
    areas = [area for area in (*now.opened, *now.closed) if area not in right]
    return {**wanted, thing: chance.choice(areas)}


def _with_other(
    now: KitchenQuestion, wanted: Mapping[str, str], thing: str | None, other: str
) -> dict[str, str]:
    """A combination with another object in place of one."""
    areas = [*([wanted[thing]] if thing else []), *now.opened, *now.closed]
    free = [area for area in areas if area != now.objects.get(other)]
    return {**{t: a for t, a in wanted.items() if t != thing}, other: free[0]}


def _weighed(found: Sequence[_T], chance: random.Random) -> list[tuple[_T, float]]:
    """Possibilities with confidences, in the order of these.

    The first has each confidence as often as that says.
    """
    if not found:
        return []
    weights = [_WEIGHTS[i % len(_WEIGHTS)] for i in range(len(found))]
    shares = [weight / sum(weights) for weight in weights]
    (at,) = chance.choices(range(len(found)), shares)
    rest = list(found[1:])
    chance.shuffle(rest)
    return list(zip([*rest[:at], found[0], *rest[at:]], shares, strict=True))


def _words(term: Term | None) -> list[str]:
    """The categories of a term as names."""
    return [] if term is None else [_joined(category) for category in term.categories]


def _joined(category: str) -> str:
    return "_".join(category.split())


def _category(name: str) -> str:
    return _NUMBER.sub("", name).replace("_", " ")
