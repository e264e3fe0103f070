"""Which rooms a generated house has, and what furniture stands in each. Our own rules."""

from __future__ import annotations

from typing import NamedTuple

#: Rooms that every house has.
ALWAYS = ("kitchen", "bathroom", "bedroom")
#: How readily a further room is of a kind. One that is there n times is (n + 1)² times less so.
FURTHER = {
    "living_room": 24,
    "dining_room": 6,
    "home_office": 6,
    "kids_bedroom": 6,
    "entrance_hall": 6,
    "bedroom": 8,
    "bathroom": 8,
}


class Furniture(NamedTuple):
    """So many of a class: standing in the room, or "on" or "in" a class that stands there.

    Where the room has none of that class, there is none of this either.
    """

    class_name: str
    low: int
    high: int
    place: str = ""


#: The furniture of each kind of room; what stands on other furniture comes after it.
FURNITURE = {
    "kitchen": (
        Furniture("kitchen_counter", 1, 3),
        Furniture("sink", 1, 1, "in kitchen_counter"),
        Furniture("faucet", 1, 1, "on kitchen_counter"),
        Furniture("kitchen_cabinet", 2, 4),
        Furniture("cupboard", 0, 1),
        Furniture("fridge", 1, 1),
        Furniture("freezer", 0, 1),
        Furniture("stove", 1, 1),
        Furniture("oven", 0, 1),
        Furniture("dishwasher", 0, 1),
        Furniture("microwave", 0, 1, "on kitchen_counter"),
        Furniture("coffe_maker", 0, 1, "on kitchen_counter"),
        Furniture("toaster", 0, 1, "on kitchen_counter"),
        Furniture("table", 0, 1),
        Furniture("chair", 0, 3),
        Furniture("garbage_can", 1, 1),
        Furniture("light", 1, 1),
    ),
    "living_room": (
        Furniture("couch", 0, 1),
        Furniture("sofa", 1, 2),
        Furniture("love_seat", 0, 1),
        Furniture("coffee_table", 1, 2),
        Furniture("tvstand", 1, 1),
        Furniture("television", 1, 1, "on tvstand"),
        Furniture("video_game_console", 0, 1, "on tvstand"),
        Furniture("bookshelf", 1, 2),
        Furniture("cabinet", 0, 2),
        Furniture("floor_lamp", 1, 2),
        Furniture("mat", 0, 1),
        Furniture("light", 1, 1),
    ),
    "bedroom": (
        Furniture("bed", 1, 1),
        Furniture("nightstand", 1, 2),
        Furniture("tablelamp", 1, 2, "on nightstand"),
        Furniture("closet", 1, 1),
        Furniture("dresser", 0, 1),
        Furniture("desk", 0, 1),
        Furniture("tablelamp", 0, 1, "on desk"),
        Furniture("chair", 0, 1),
        Furniture("mat", 0, 1),
        Furniture("light", 1, 1),
    ),
    "kids_bedroom": (
        Furniture("bed", 1, 2),
        Furniture("closet", 1, 1),
        Furniture("desk", 1, 1),
        Furniture("tablelamp", 1, 1, "on desk"),
        Furniture("chair", 1, 2),
        Furniture("bookshelf", 0, 1),
        Furniture("cabinet", 0, 1),
        Furniture("mat", 0, 1),
        Furniture("light", 1, 1),
    ),
    "bathroom": (
        Furniture("bathroom_counter", 1, 1),
        Furniture("sink", 1, 1, "in bathroom_counter"),
        Furniture("faucet", 1, 1, "on bathroom_counter"),
        Furniture("bathroom_cabinet", 1, 2),
        Furniture("toilet", 1, 1),
        Furniture("bathtub", 0, 1),
        Furniture("shower", 0, 1),
        Furniture("washing_machine", 0, 1),
        Furniture("towel_rack", 1, 2),
        Furniture("wallshelf", 0, 1),
        Furniture("mat", 0, 1),
        Furniture("light", 1, 1),
    ),
    "dining_room": (
        Furniture("table", 1, 1),
        Furniture("chair", 2, 6),
        Furniture("bench", 0, 1),
        Furniture("cupboard", 1, 2),
        Furniture("cabinet", 0, 1),
        Furniture("floor_lamp", 0, 1),
        Furniture("light", 1, 1),
    ),
    "home_office": (
        Furniture("desk", 1, 2),
        Furniture("computer", 1, 1, "on desk"),
        Furniture("mousepad", 1, 1, "on desk"),
        Furniture("tablelamp", 0, 1, "on desk"),
        Furniture("chair", 1, 2),
        Furniture("filing_cabinet", 1, 2),
        Furniture("bookshelf", 1, 2),
        Furniture("printer", 0, 1, "on filing_cabinet"),
        Furniture("trashcan", 1, 1),
        Furniture("love_seat", 0, 1),
        Furniture("light", 1, 1),
    ),
    "entrance_hall": (
        Furniture("closet", 1, 1),
        Furniture("shoe_rack", 1, 1),
        Furniture("bench", 0, 1),
        Furniture("cabinet", 1, 1),
        Furniture("drying_rack", 0, 1),
        Furniture("ironing_board", 0, 1),
        Furniture("mat", 1, 1),
        Furniture("light", 1, 1),
    ),
}
