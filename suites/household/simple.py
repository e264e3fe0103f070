"""The eight simple kinds of tasks, of at most 30 steps."""

from __future__ import annotations

from ...adapters.random_draws import RandomDraws
from ...scene_graph.goals import And, Domain, EventOccurred, Exists, ForAll, HasState, Related
from ...scene_graph.node import Relation, State
from .house import House, HouseChanges, HouseholdKind, HouseTask, some

_READING_PLACES = ("in bookshelf", "on nightstand", "on sofa", "on coffee table")


def _bedroom_light(house: House, chance: RandomDraws) -> HouseTask:
    changes = _all_lit(house)
    goal = HasState(house.one("light", "bedroom"), State.OFF)
    return HouseTask("Turn off the light in the bedroom.", goal, changes)


def _open_fridge(house: House, chance: RandomDraws) -> HouseTask:
    changes = house.changes()
    changes.set(house.one("fridge"), "closed")
    return HouseTask(
        "Open the fridge.", some("fridge", "place", HasState("place", State.OPEN)), changes
    )


def _book_on_desk(house: House, chance: RandomDraws) -> HouseTask:
    changes = house.changes()
    spots = house.spots(_READING_PLACES)
    _clear(house, changes, "book", ("desk",), spots, chance)
    there = Related("thing", Relation.ON, "place")
    goal = some("book", "thing", some("desk", "place", there))
    return HouseTask("Lay a book on a desk.", goal, changes)


def _all_lights(house: House, chance: RandomDraws) -> HouseTask:
    lights = Domain(frozenset({"light"}))
    goal = ForAll("lamp", lights, HasState("lamp", State.OFF))
    return HouseTask("Turn off every light in the house.", goal, _all_lit(house))


def _computer(house: House, chance: RandomDraws) -> HouseTask:
    changes = house.changes()
    for computer in house.all("computer") or [house.one("computer")]:
        changes.set(computer, "off")
    goal = some("computer", "thing", HasState("thing", State.ON))
    return HouseTask("Start the computer to work with it.", goal, changes)


def _magazine_on_bed(house: House, chance: RandomDraws) -> HouseTask:
    changes = house.changes()
    spots = house.spots(_READING_PLACES)
    _clear(house, changes, "magazine", ("bed",), spots, chance)
    if not house.all("magazine"):
        changes.add("magazine", *chance.pick(spots))
    there = Related("thing", Relation.ON, "place")
    goal = some("magazine", "thing", some("bed", "place", there))
    return HouseTask("Look for a magazine and lay it on a bed.", goal, changes)


def _toast(house: House, chance: RandomDraws) -> HouseTask:
    changes = house.changes()
    changes.set(house.one("toaster"), "plugged in", "off")
    spots = house.spots(("on kitchen counter",))
    changes.add_some("bread_slice", 2, spots, chance)
    goal = some("slice of bread", "thing", EventOccurred(("toasted",), ("thing",)))
    return HouseTask("Make a slice of toast.", goal, changes)


def _hot_milk(house: House, chance: RandomDraws) -> HouseTask:
    changes = house.changes()
    microwave, fridge = house.one("microwave"), house.one("fridge")
    changes.set(microwave, "plugged in", "off", "closed")
    changes.set(fridge, "closed")
    milk = house.one("milk")
    if house.place_of(milk) != fridge:
        changes.move(milk, "in", fridge)
    heating = And(
        (
            some("milk", "thing", Related("thing", Relation.INSIDE, "place")),
            HasState("place", State.CLOSED),
            HasState("place", State.ON),
        )
    )
    goal = Exists("place", Domain(frozenset({"microwave"})), heating)
    return HouseTask("Heat the milk in the microwave.", goal, changes)


def _all_lit(house: House) -> HouseChanges:
    """The goal that every light is plugged in and on."""
    changes = house.changes()
    for light in house.all("light"):
        changes.set(light, "plugged in", "on")
    return changes


def _clear(
    house: House,
    changes: HouseChanges,
    category: str,
    places: tuple[str, ...],
    spots: list[tuple[str, int]],
    chance: RandomDraws,
) -> None:
    """Move away the things that already lie at the goal's place."""
    for thing in house.all(category):
        if house.category(house.place_of(thing)) in places:
            changes.move(thing, *chance.pick(spots))


_STEPS = 30
SIMPLE = tuple(
    HouseholdKind(name, _STEPS, make)
    for name, make in (
        ("bedroom_light", _bedroom_light),
        ("open_fridge", _open_fridge),
        ("book_on_desk", _book_on_desk),
        ("all_lights", _all_lights),
        ("computer", _computer),
        ("magazine_on_bed", _magazine_on_bed),
        ("toast", _toast),
        ("hot_milk", _hot_milk),
    )
)
