"""The kinds of tasks: eight simple ones, of at most 30 steps, and seven hard ones, of 50 to 150."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...adapters.random_draws import RandomDraws
from ...scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    EventOccurred,
    Exists,
    ForAll,
    HasState,
    Not,
    Related,
)
from ...scene_graph.node import Relation, State
from .house import House, HouseChanges, HouseholdKind, HouseTask, some

_READING_PLACES = ("in bookshelf", "on nightstand", "on sofa", "on coffee table")
SLICE = "slice of bread"
_NUMBERS = {2: "two", 3: "three", 6: "six"}
#: Things to add to the kitchen table, where it has fewer than a task asks for.
_ON_TABLE = ("mug", "napkin", "spoon", "plate")
_LEAST_ON_TABLE = 5
#: Things on the table that cannot be grasped.
_FIXED_FOOD = ("bread_slice", "food_pizza", "food_chicken")
#: Places for bread: in the kitchen, except the table.
_BREAD_PLACES = ("on kitchen counter", "in kitchen cabinet", "in fridge")


# --- simple kinds --------------------------------------------------------------------------------


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
    _clear(house, changes, "book", "desk", spots, chance)
    return HouseTask("Lay a book on a desk.", _lies_on("book", "desk"), changes)


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
    _clear(house, changes, "magazine", "bed", spots, chance)
    if not house.all("magazine"):
        changes.add("magazine", *chance.pick(spots))
    goal = _lies_on("magazine", "bed")
    return HouseTask("Look for a magazine and lay it on a bed.", goal, changes)


def _toast(house: House, chance: RandomDraws) -> HouseTask:
    changes = _with_toaster(house)
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


def _lies_on(category: str, place: str) -> Exists:
    return some(category, "thing", some(place, "place", Related("thing", Relation.ON, "place")))


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
    place: str,
    spots: list[tuple[str, int]],
    chance: RandomDraws,
) -> None:
    """Move away the things that already lie at the goal's place."""
    for thing in house.all(category):
        if house.category(house.place_of(thing)) == place:
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

# --- hard kinds ----------------------------------------------------------------------------------


def _into_bathroom_cabinet(house: House, chance: RandomDraws) -> HouseTask:
    changes = house.changes()
    cabinet = house.one("bathroom cabinet")
    changes.set(cabinet, "closed")
    spots = house.spots(("in nightstand", "on nightstand", "on bathroom counter"))
    changes.add("face_cream", *chance.pick(spots))
    for brush in house.all("toothbrush"):
        if house.place_of(brush) == cabinet:
            changes.move(brush, "on", house.one("bathroom counter"))
    goal = _all_at(("toothbrush", "face cream"), Relation.INSIDE, "bathroom cabinet")
    return HouseTask("Put a toothbrush and the face cream in the bathroom cabinet.", goal, changes)


def _empty_table(house: House, chance: RandomDraws) -> HouseTask:
    changes = house.changes()
    table = house.one("table", "kitchen")
    things = _laid(house, changes, table)
    for cabinet in house.all("kitchen cabinet"):
        changes.set(cabinet, "closed")
    away = some("kitchen cabinet", "place", Related("thing", Relation.INSIDE, "place"))
    goal = ForAll("thing", Domain(ids=frozenset(things)), away)
    return HouseTask(
        "Clear the kitchen table: put all that is on it in kitchen cabinets.", goal, changes
    )


def _drink_to_desk(house: House, chance: RandomDraws) -> HouseTask:
    changes = house.changes()
    cabinet, fridge = chance.pick(house.all("kitchen cabinet")), house.one("fridge")
    changes.set(cabinet, "closed")
    changes.set(fridge, "closed")
    changes.add("wine_glass", "in", cabinet)
    for juice in house.all("juice"):
        if house.place_of(juice) != fridge:
            changes.move(juice, "in", fridge)
    if not house.all("juice"):
        changes.add("juice", "in", fridge)
    goal = _all_at(("wine glass", "juice"), Relation.ON, "desk")
    return HouseTask("Fetch a wine glass and the juice, and put both on one desk.", goal, changes)


def _toasts(count: int) -> Callable[[House, RandomDraws], HouseTask]:
    def make(house: House, chance: RandomDraws) -> HouseTask:
        changes = _with_toaster(house)
        changes.add_some("bread_slice", count + 1, house.spots(_BREAD_PLACES, "kitchen"), chance)
        return _toast_for_table(house, changes, count)

    return make


def _toasts_of_loose_slices(house: House, chance: RandomDraws) -> HouseTask:
    """Toast two slices, where those in plain view cannot be grasped."""
    changes = _with_toaster(house)
    hidden = house.spots(("in kitchen cabinet", "in fridge"), "kitchen")
    for _, place in hidden:
        changes.set(place, "closed")
    changes.add_some("bread_slice", 2, hidden, chance)
    for fixed in changes.add_some("bread_slice", 3, house.spots(("on kitchen counter",)), chance):
        changes.set(fixed, "fixed")
    return _toast_for_table(house, changes, 2)


def _take_three_away(house: House, chance: RandomDraws) -> HouseTask:
    changes = house.changes()
    table = house.one("table", "kitchen")
    things = _laid(house, changes, table)
    for class_name in _FIXED_FOOD:
        changes.set(changes.add(class_name, "on", table), "fixed")
    gone = Not(Related("thing", Relation.ON, table))
    goal = AtLeast(3, "thing", Domain(ids=frozenset(things)), gone)
    return HouseTask("Take three things away from the kitchen table.", goal, changes)


def _with_toaster(house: House) -> HouseChanges:
    changes = house.changes()
    changes.set(house.one("toaster"), "plugged in", "off")
    return changes


def _toast_for_table(house: House, changes: HouseChanges, count: int) -> HouseTask:
    table = house.one("table", "kitchen")
    toast = And((EventOccurred(("toasted",), ("thing",)), Related("thing", Relation.ON, table)))
    goal = AtLeast(count, "thing", Domain(frozenset({SLICE})), toast)
    text = (
        f"Make {_NUMBERS[count]} slices of toast in the toaster and put them on the kitchen table."
    )
    return HouseTask(text, goal, changes)


def _laid(house: House, changes: HouseChanges, table: int) -> list[int]:
    """The things that can be carried off the table, with added ones where there are too few."""
    things = house.kept_on(table)
    lacking = max(0, _LEAST_ON_TABLE - len(things))
    return [*things, *(changes.add(name, "on", table) for name in _ON_TABLE[:lacking])]


def _all_at(categories: Sequence[str], relation: Relation, place: str) -> Exists:
    """The goal that one place holds a thing of each category."""
    kept = Related("thing", relation, "place")
    return some(place, "place", And(tuple(some(name, "thing", kept) for name in categories)))


HARD = (
    HouseholdKind("into_bathroom_cabinet", 60, _into_bathroom_cabinet),
    HouseholdKind("empty_table", 150, _empty_table),
    HouseholdKind("drink_to_desk", 50, _drink_to_desk),
    HouseholdKind("toast_3", 60, _toasts(3)),
    HouseholdKind("toast_6", 120, _toasts(6)),
    HouseholdKind("toast_2_loose", 100, _toasts_of_loose_slices),
    HouseholdKind("take_3_away", 100, _take_three_away),
)
