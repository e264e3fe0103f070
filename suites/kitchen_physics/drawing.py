"""Draw a task in a furnished kitchen from a seed: what is asked, and where everything lies.

The kitchen, its twenty things and the request are drawn by rules. A thing that is asked for is the
only one of its kind. Where it is hidden, one of two lies where a person keeps it, and one in any
closed area. Of the other things two of three lie where they belong, and one anywhere. A drawing in
which something has no free spot, at its start or at its goal, is drawn again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ...adapters.kitchens.furnished.arranging import Spots, fits
from ...adapters.kitchens.furnished.parts import Area, Kitchen
from ...adapters.kitchens.furnished.plans import draw_kitchen
from ...adapters.kitchens.furnished.scenes import furnished, graph_of, kind_of, scene_of
from ...adapters.kitchens.furnished.things import kind as shape_of
from ...adapters.kitchens.furnished.things import match
from ...adapters.random_draws import RandomDraws
from ...data_files import read_yaml
from ...errors import BadInput
from ...scene_graph.goal_text import joined
from ...scene_graph.goals import And, Goal, HasState, Related
from ...scene_graph.node import Relation, State

#: Things in a kitchen, with those of the task.
THINGS = 20
#: Drawings of one seed before it is given up.
_DRAWINGS = 50
_COUNTERS = ("counter", "island counter")
#: Areas where nothing lies at the start by chance.
_BARE = ("stove", "microwave", "oven", "sink")
_HEATED = ("coffee mug", "tea cup", "soup can")


class NoSpot(Exception):
    """A drawing in which something has no place."""


@dataclass(frozen=True)
class Drawn:
    """A drawn task. kitchen: its layout and seed, in words."""

    instruction: str
    goal: Goal
    scene: str
    kitchen: str
    steps: int


@dataclass
class _Request:
    """What a task asks for. text: with the names of areas in braces. literals: of the goal."""

    text: str
    placed: list[tuple[str, str]] = field(default_factory=list)
    """Things with the areas where they are to be."""
    states: list[tuple[str, State]] = field(default_factory=list)
    """Areas with the states in which they are to be."""


@cache
def homes() -> Mapping[str, tuple[str, ...]]:
    """By kind of thing, the categories of areas where a person keeps it."""
    classes = read_yaml(Path(__file__).with_name("homes.yaml")).values()
    return {kind: tuple(each["home"]) for each in classes for kind in each["kinds"]}


def draw(kind: str, seed: int) -> Drawn:
    """Draw a task of a kind (see `KINDS`). Raises NoSpot where the kitchen of the seed has no place
    for such a task.
    """
    kitchen = draw_kitchen(seed)
    for number in range(_DRAWINGS):
        room = _Filling(kitchen, RandomDraws(1000 * seed + number))
        try:
            request = KINDS[kind](room)
            room.add_others()
            room.check_goals(request.placed)
            return room.task(request)
        except (NoSpot, BadInput):
            continue
    raise NoSpot(f"No task of the kind {kind} fits in the kitchen {seed}.")


class _Filling:
    """A kitchen that is being filled with things."""

    def __init__(self, kitchen: Kitchen, chance: RandomDraws) -> None:
        self.kitchen = kitchen
        self.chance = chance
        self.objects: dict[str, str] = {}
        self.opened: set[str] = set()
        self.on: set[str] = set()
        self.kept_free: set[str] = set()  # no other things here
        self._asked: set[str] = set()
        self._spots = Spots(kitchen)

    # --- areas ------------------------------------------------------------------------------

    def areas(self, *categories: str) -> list[Area]:
        """The areas of some categories; all if none is named."""
        return [
            a for a in self.kitchen.areas.values() if not categories or a.category in categories
        ]

    def counter(self) -> str:
        """A worktop where something can be put."""
        return self.chance.pick([area.name for area in self.areas(*_COUNTERS) if area.spaces])

    def closed(self) -> list[str]:
        """The areas behind a front that keep things."""
        return [a.name for a in self.areas() if a.front and a.spaces and a.category not in _BARE]

    def home(self, kind: str) -> str:
        """An area where a person keeps things of a kind. Raises NoSpot without any."""
        for category in homes()[kind]:
            fitting = [a.name for a in self.areas(category) if self.fits_in(kind, a.name)]
            if fitting:
                return self.chance.pick(fitting)
        raise NoSpot

    # --- things -----------------------------------------------------------------------------

    def kind(self, kinds: Sequence[str] = ()) -> str:
        """A kind of things that is not there yet."""
        left = [kind for kind in kinds or homes() if kind not in self._asked]
        if not left:
            raise NoSpot
        chosen = self.chance.pick(left)
        self._asked.add(chosen)
        return chosen

    def put(self, kind: str, area: str) -> str:
        """Add a thing of a kind to an area; returns its name. Raises NoSpot without a free spot."""
        name = f"{kind.replace(' ', '_')}_1"
        shape = shape_of(match(kind).kind).shape
        for space in self.kitchen.areas[area].spaces:
            if not fits(shape, self.kitchen.spaces[space]) and self._spots.find(
                self.kitchen.spaces[space], shape, name
            ):
                self.objects[name] = area
                self._asked.add(kind)
                return name
        raise NoSpot

    def hide(self, kind: str) -> str:
        """Add a thing to a closed area: where a person keeps it, or anywhere."""
        closed = [area for area in self.closed() if self.fits_in(kind, area)]
        kept = [area for area in closed if self.kitchen.areas[area].category in homes()[kind]]
        choice = kept if kept and self.chance.one_in(2) else closed
        if not choice:
            raise NoSpot
        return self.put(kind, self.chance.pick(choice))

    def add_others(self) -> None:
        """Fill the kitchen with other things, until there are `THINGS`."""
        kinds = self.chance.shuffled([kind for kind in homes() if kind not in self._asked])
        places = [
            a.name
            for a in self.areas()
            if a.spaces and a.category not in _BARE and a.name not in self.kept_free
        ]
        for kind in kinds:
            if len(self.objects) == THINGS:
                return
            fitting = [area for area in places if self.fits_in(kind, area)]
            kept = [a for a in fitting if self.kitchen.areas[a].category in homes()[kind]]
            choice = kept if kept and not self.chance.one_in(3) else fitting
            for area in self.chance.shuffled(choice)[:3]:
                try:
                    self.put(kind, area)
                    break
                except NoSpot:
                    continue

    def check_goals(self, placed: Sequence[tuple[str, str]]) -> None:
        """Raise NoSpot if a thing would have no free spot at its goal."""
        for name, area in placed:
            shape = shape_of(match(kind_of(name)).kind).shape
            spaces = [self.kitchen.spaces[space] for space in self.kitchen.areas[area].spaces]
            if not any(
                not fits(shape, space) and self._spots.find(space, shape, f"{name} at its goal")
                for space in spaces
            ):
                raise NoSpot

    def fits_in(self, kind: str, area: str) -> bool:
        shape = shape_of(match(kind).kind).shape
        spaces = self.kitchen.areas[area].spaces
        return any(not fits(shape, self.kitchen.spaces[space]) for space in spaces)

    # --- the task ---------------------------------------------------------------------------

    def task(self, request: _Request) -> Drawn:
        """The task of a request in this kitchen. Raises BadInput if a thing has no spot."""
        kitchen = self.kitchen
        scene = furnished(kitchen, self.objects, opened=self.opened, on=self.on)
        ids = {str(node.native_id): node.id for node in graph_of(scene).nodes()}
        parts: list[Goal] = []
        for thing, area in request.placed:
            relation = Relation.ON if kitchen.areas[area].front is None else Relation.INSIDE
            parts.append(Related(ids[thing], relation, ids[area]))
        parts += [HasState(ids[area], state) for area, state in request.states]
        goal = parts[0] if len(parts) == 1 else And(tuple(parts))
        text = request.text.format_map({name: f"{{{number}}}" for name, number in ids.items()})
        return Drawn(
            text,
            goal,
            scene_of(kitchen.seed, self.objects, opened=self.opened, on=self.on),
            f"{kitchen.layout} {kitchen.seed}",
            _STEPS + 10 * len(parts),
        )


#: Steps of a task, besides ten for each part of its goal.
_STEPS = 50


# --- the kinds of tasks ---------------------------------------------------------------------------


def _fetch(room: _Filling) -> _Request:
    kind = room.kind()
    thing, to = room.hide(kind), room.counter()
    text = room.chance.pick(
        [
            f"Please find the {kind} and put it on {{{to}}}.",
            f"I need the {kind}. It should stand on {{{to}}}.",
            f"Get the {kind} out and leave it on {{{to}}}.",
        ]
    )
    return _Request(text, [(thing, to)])


def _set_out(room: _Filling) -> _Request:
    to = room.counter()
    others = [each for each in room.areas(*_COUNTERS, "shelf") if each.name != to and each.spaces]
    kinds = [room.kind() for _ in range(room.chance.between(2, 3))]
    things = [room.hide(kinds[0])]
    for kind in kinds[1:]:
        seen = others and room.chance.one_in(3)
        things.append(room.put(kind, room.chance.pick(others).name) if seen else room.hide(kind))
    text = room.chance.pick(
        [
            f"Set out {_each(kinds)} on {{{to}}}.",
            f"Guests are coming. {_upper(_each(kinds))} should stand on {{{to}}}.",
        ]
    )
    return _Request(text, [(thing, to) for thing in things])


def _put_away(room: _Filling) -> _Request:
    kinds = [room.kind() for _ in range(room.chance.between(2, 3))]
    by_area: dict[str, list[str]] = {}
    placed = []
    for kind in kinds:
        area = room.home(kind)
        if room.kitchen.areas[area].front is None:
            raise NoSpot
        placed.append((room.put(kind, room.counter()), area))
        by_area.setdefault(area, []).append(kind)
    parts = [f"{_each(each)} into {{{area}}}" for area, each in by_area.items()]
    closing = room.chance.one_in(2)
    text = f"Put {joined(parts)}."
    if closing:
        text += " Leave nothing of it open." if len(by_area) > 1 else " Close it again."
    states = [(area, State.CLOSED) for area in by_area] if closing else []
    return _Request(text, placed, states)


def _clear(room: _Filling) -> _Request:
    counter = room.counter()
    room.kept_free.add(counter)
    kinds = [room.kind() for _ in range(room.chance.between(2, 3))]
    to = room.chance.pick(
        [area for area in room.closed() if all(room.fits_in(k, area) for k in kinds)]
    )
    placed = [(room.put(kind, counter), to) for kind in kinds]
    text = f"Clear {{{counter}}}: put all that stands on it into {{{to}}}."
    return _Request(text, placed)


def _close(room: _Filling) -> _Request:
    fronts = [area.name for area in room.areas() if area.front]
    room.opened |= set(room.chance.shuffled(fronts)[: room.chance.between(2, 3)])
    switches = sorted({button.area for button in room.kitchen.buttons.values()} - room.opened)
    running = [area for area in switches if room.kitchen.areas[area].category != "microwave"]
    room.on |= set(room.chance.shuffled(running)[: room.chance.between(0, 2)])
    states = [(area, State.CLOSED) for area in sorted(room.opened)]
    states += [(area, State.OFF) for area in sorted(room.on)]
    text = "We are leaving. Close every door and drawer that stands open"
    text += ", and switch off what is on." if room.on else "."
    return _Request(text, states=states)


def _warm_up(room: _Filling) -> _Request:
    ovens = room.areas("microwave")
    if not ovens:
        raise NoSpot
    oven = ovens[0].name
    kind = room.kind(_HEATED)
    thing = room.hide(kind) if room.chance.one_in(2) else room.put(kind, room.counter())
    text = f"Warm the {kind} in {{{oven}}}: it has to be closed and running."
    return _Request(text, [(thing, oven)], [(oven, State.CLOSED), (oven, State.ON)])


KINDS: Mapping[str, Callable[[_Filling], _Request]] = {
    "fetch": _fetch,
    "set_out": _set_out,
    "put_away": _put_away,
    "clear": _clear,
    "close": _close,
    "warm_up": _warm_up,
}


def _each(kinds: Sequence[str]) -> str:
    """ "the milk and the coffee mug"."""
    return joined([f"the {kind}" for kind in kinds])


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]
