"""Houses as people live in them: rooms have what belongs there, and things lie in their places."""

from __future__ import annotations

from collections import Counter

import pytest

from peephole.adapters.scenes import load_scene
from peephole.adapters.virtualhome.houses.scenes import read
from peephole.scene_graph.node import Affordance, Kind, State

NUMBERS = range(1, 41)

#: The rooms of furniture and appliances, and the most in one room.
WHERE = {
    "dishwasher": ("kitchen", 1),
    "fridge": ("kitchen", 1),
    "freezer": ("kitchen", 1),
    "stove": ("kitchen", 1),
    "oven": ("kitchen", 1),
    "microwave": ("kitchen", 1),
    "toaster": ("kitchen", 1),
    "coffee maker": ("kitchen", 1),
    "kitchen counter": ("kitchen", 2),
    "toilet": ("bathroom", 1),
    "shower": ("bathroom", 1),
    "bathtub": ("bathroom", 1),
    "washing machine": ("bathroom", 1),
    "bed": ("bedroom, kids bedroom", 2),
    "nightstand": ("bedroom, kids bedroom", 2),
    "sofa": ("living room", 1),
    "loveseat": ("living room, home office", 1),
    "television": ("living room", 1),
    "coffee table": ("living room", 1),
    "computer": ("home office", 1),
    "printer": ("home office", 1),
    "table": ("kitchen, dining room", 1),
    "desk": ("bedroom, kids bedroom, home office", 1),
    "light": ("", 1),
    "drawing": ("kids bedroom", 2),
    "toy": ("kids bedroom", 5),
    "toothbrush": ("bathroom", 3),
}
#: Of which a house has one at most.
ONCE = ("dishwasher", "fridge", "stove", "washing machine", "sofa", "television", "computer")
FOR_FOOD = {
    *("fridge", "freezer", "oven", "kitchen cabinet", "cupboard"),
    *("kitchen counter", "table", "coffee table", "desk"),
}
FOR_BOOKS = {"bookshelf", "coffee table", "desk", "nightstand", "sofa", "bed"}
TO_CLEAN_WITH = {"cleaning bottle", "rag", "detergent", "laundry detergent"}
DISHES = {"plate", "bowl", "cup", "mug", "fork", "spoon", "knife"}


@pytest.fixture(scope="module", params=NUMBERS)
def house(request):
    return load_scene(f"house:{request.param}?lived_in")


def kind_of_room(house, node):
    return house[house.room_of(node.id)].category


def keeper(house, node):
    """The category of what a thing lies on or in."""
    return house[house.places(node.id)[0][1]].category


def things(house, *categories):
    return [node for node in house.nodes() if node.category in categories]


def eatable(house):
    return [n for n in house.nodes(Kind.OBJECT) if Affordance.EATABLE in n.affordances]


def test_each_house_has_the_rooms_that_people_need_and_no_more(house):
    rooms = Counter(room.category for room in house.nodes(Kind.ROOM))
    assert 4 <= rooms.total() <= 7
    assert rooms.keys() >= {"kitchen", "bathroom", "bedroom", "living room"}
    for room in ("kitchen", "living room", "dining room", "home office", "entrance hall"):
        assert rooms[room] <= 1
    assert max(rooms.values()) <= 2


def test_furniture_and_things_are_in_their_rooms_and_not_too_many_of_them(house):
    found = Counter(
        (node.category, house.room_of(node.id)) for node in house.nodes() if node.category in WHERE
    )
    for (category, room), count in found.items():
        rooms, most = WHERE[category]
        assert house[room].category in rooms.split(", ") or not rooms, category
        assert count <= most, (category, house[room].category)
    for category in ONCE:
        assert len(things(house, category)) <= 1, category
    for category in ("fridge", "stove", "sofa", "television"):
        assert things(house, category), category


def test_each_room_can_be_used(house):
    """Chairs stand at something, beds have pillows, sinks their faucets."""
    there = {room.id: Counter() for room in house.nodes(Kind.ROOM)}
    for node in house.nodes():
        if node.id not in there and node.kind is not Kind.AGENT:
            there[house.room_of(node.id)][node.category] += 1
    for room in there.values():
        assert not room["chair"] or room["table"] or room["desk"]
        assert not room["table"] or room["chair"] >= 2
        assert room["sink"] == room["faucet"] == room["toothbrush holder"] or room["fridge"]
        assert room["light"] == 1
    for bed in things(house, "bed"):
        on_it = Counter(house[i].category for i in house.contents(bed.id))
        assert 1 <= on_it["pillow"] <= 2
    for stand in things(house, "nightstand"):
        assert sum(house[i].category == "table lamp" for i in house.contents(stand.id)) <= 1


def test_things_are_kept_where_people_keep_them(house):
    for food in eatable(house):
        assert keeper(house, food) in FOR_FOOD, food
        if keeper(house, food) == "desk":
            assert food.category in {"apple", "banana"}
    for book in things(house, "book", "novel"):
        assert keeper(house, book) in FOR_BOOKS
    for brush in things(house, "toothbrush"):
        assert keeper(house, brush) in {"toothbrush holder", "bathroom counter"}
    for towel in things(house, "towel"):
        assert keeper(house, towel) in {
            *("towel rack", "bathroom cabinet", "laundry basket", "drying rack")
        }
    for shirt in things(house, "shirt", "pants", "socks"):
        room = kind_of_room(house, shirt)
        assert room in {"bedroom", "kids bedroom", "bathroom"}
        assert room != "bathroom" or keeper(house, shirt) in {
            *("laundry basket", "washing machine", "drying rack")
        }


def test_food_dishes_and_what_one_cleans_with_do_not_share_a_cabinet(house):
    for cabinet in things(house, "kitchen cabinet"):
        inside = [house[i] for i in house.contents(cabinet.id)]
        kinds = [
            any(Affordance.EATABLE in node.affordances for node in inside),
            any(node.category in DISHES for node in inside),
            any(node.category in TO_CLEAN_WITH for node in inside),
        ]
        assert sum(kinds) <= 1, [node.category for node in inside]


def test_nobody_left_a_fridge_open_a_stove_on_or_a_machine_running_empty(house):
    for node in house.nodes():
        if node.category in {"fridge", "freezer", "oven", "stove", "microwave"}:
            assert State.OPEN not in node.states
        if State.ON in node.states:
            assert node.category in {
                *("light", "table lamp", "floor lamp", "television", "computer", "laptop"),
                *("cell phone", "radio", "printer"),
            }
        if node.category in {"iron", "hairdryer", "vacuum cleaner"}:
            assert State.PLUGGED_OUT in node.states
    for sink in things(house, "sink", "laundry basket", "dishwasher"):
        for inside in house.contents(sink.id):
            assert State.DIRTY in house[inside].states or house[inside].kind is Kind.FIXTURE


def test_a_house_holds_about_as_much_as_an_old_one():
    """So that figures of both can be compared in size."""
    old, new = (
        sum(len(read(f"{number}{ending}")["nodes"]) for number in NUMBERS) / len(NUMBERS)
        for ending in ("", "?lived_in")
    )
    assert 0.9 < new / old < 1.1
