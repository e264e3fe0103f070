"""The rooms of a generated house and the furniture in each, by our own rules."""

from __future__ import annotations

from typing import NamedTuple

#: Rooms that every house has.
ALWAYS = ("kitchen", "bathroom", "bedroom")
#: The weight of each kind for further rooms; divided by (n + 1)² if it exists n times.
FURTHER = {
    "living_room": 24,
    "dining_room": 6,
    "home_office": 6,
    "kids_bedroom": 6,
    "entrance_hall": 6,
    "bedroom": 8,
    "bathroom": 8,
}


class FurnitureCount(NamedTuple):
    """From `low` to `high` pieces of a class: in the room, or "on" or "in" a class there.

    Without that class in the room, there are none.
    """

    class_name: str
    low: int
    high: int
    place: str = ""


#: The furniture of each kind of room; pieces on other furniture come after it.
FURNITURE = {
    "kitchen": (
        FurnitureCount("kitchen_counter", 1, 3),
        FurnitureCount("sink", 1, 1, "in kitchen_counter"),
        FurnitureCount("faucet", 1, 1, "on kitchen_counter"),
        FurnitureCount("kitchen_cabinet", 2, 4),
        FurnitureCount("cupboard", 0, 1),
        FurnitureCount("fridge", 1, 1),
        FurnitureCount("freezer", 0, 1),
        FurnitureCount("stove", 1, 1),
        FurnitureCount("oven", 0, 1),
        FurnitureCount("dishwasher", 0, 1),
        FurnitureCount("microwave", 0, 1, "on kitchen_counter"),
        FurnitureCount("coffe_maker", 0, 1, "on kitchen_counter"),
        FurnitureCount("toaster", 0, 1, "on kitchen_counter"),
        FurnitureCount("table", 0, 1),
        FurnitureCount("chair", 0, 3),
        FurnitureCount("garbage_can", 1, 1),
        FurnitureCount("light", 1, 1),
    ),
    "living_room": (
        FurnitureCount("couch", 0, 1),
        FurnitureCount("sofa", 1, 2),
        FurnitureCount("love_seat", 0, 1),
        FurnitureCount("coffee_table", 1, 2),
        FurnitureCount("tvstand", 1, 1),
        FurnitureCount("television", 1, 1, "on tvstand"),
        FurnitureCount("video_game_console", 0, 1, "on tvstand"),
        FurnitureCount("bookshelf", 1, 2),
        FurnitureCount("cabinet", 0, 2),
        FurnitureCount("floor_lamp", 1, 2),
        FurnitureCount("mat", 0, 1),
        FurnitureCount("light", 1, 1),
    ),
    "bedroom": (
        FurnitureCount("bed", 1, 1),
        FurnitureCount("nightstand", 1, 2),
        FurnitureCount("tablelamp", 1, 2, "on nightstand"),
        FurnitureCount("closet", 1, 1),
        FurnitureCount("dresser", 0, 1),
        FurnitureCount("desk", 0, 1),
        FurnitureCount("tablelamp", 0, 1, "on desk"),
        FurnitureCount("chair", 0, 1),
        FurnitureCount("mat", 0, 1),
        FurnitureCount("light", 1, 1),
    ),
    "kids_bedroom": (
        FurnitureCount("bed", 1, 2),
        FurnitureCount("closet", 1, 1),
        FurnitureCount("desk", 1, 1),
        FurnitureCount("tablelamp", 1, 1, "on desk"),
        FurnitureCount("chair", 1, 2),
        FurnitureCount("bookshelf", 0, 1),
        FurnitureCount("cabinet", 0, 1),
        FurnitureCount("mat", 0, 1),
        FurnitureCount("light", 1, 1),
    ),
    "bathroom": (
        FurnitureCount("bathroom_counter", 1, 1),
        FurnitureCount("sink", 1, 1, "in bathroom_counter"),
        FurnitureCount("faucet", 1, 1, "on bathroom_counter"),
        FurnitureCount("bathroom_cabinet", 1, 2),
        FurnitureCount("toilet", 1, 1),
        FurnitureCount("bathtub", 0, 1),
        FurnitureCount("shower", 0, 1),
        FurnitureCount("washing_machine", 0, 1),
        FurnitureCount("towel_rack", 1, 2),
        FurnitureCount("wallshelf", 0, 1),
        FurnitureCount("mat", 0, 1),
        FurnitureCount("light", 1, 1),
    ),
    "dining_room": (
        FurnitureCount("table", 1, 1),
        FurnitureCount("chair", 2, 6),
        FurnitureCount("bench", 0, 1),
        FurnitureCount("cupboard", 1, 2),
        FurnitureCount("cabinet", 0, 1),
        FurnitureCount("floor_lamp", 0, 1),
        FurnitureCount("light", 1, 1),
    ),
    "home_office": (
        FurnitureCount("desk", 1, 2),
        FurnitureCount("computer", 1, 1, "on desk"),
        FurnitureCount("mousepad", 1, 1, "on desk"),
        FurnitureCount("tablelamp", 0, 1, "on desk"),
        FurnitureCount("chair", 1, 2),
        FurnitureCount("filing_cabinet", 1, 2),
        FurnitureCount("bookshelf", 1, 2),
        FurnitureCount("printer", 0, 1, "on filing_cabinet"),
        FurnitureCount("trashcan", 1, 1),
        FurnitureCount("love_seat", 0, 1),
        FurnitureCount("light", 1, 1),
    ),
    "entrance_hall": (
        FurnitureCount("closet", 1, 1),
        FurnitureCount("shoe_rack", 1, 1),
        FurnitureCount("bench", 0, 1),
        FurnitureCount("cabinet", 1, 1),
        FurnitureCount("drying_rack", 0, 1),
        FurnitureCount("ironing_board", 0, 1),
        FurnitureCount("mat", 1, 1),
        FurnitureCount("light", 1, 1),
    ),
}
