"""The movable things of generated houses: how many of a class, and where they are kept.

The rules are our own, from common sense. They use no data set, so that a planner's prior of object
places is never tested on the data that it was counted from.
"""

from __future__ import annotations

from typing import NamedTuple


class Stock(NamedTuple):
    """The number and the places of things of a class."""

    class_name: str
    """Of the things."""
    each: str
    """The numbers are per room, furniture or thing of this class."""
    low: int
    """The least number."""
    high: int
    """The largest number."""
    places: dict[str, int]
    """Weights by place: "on" or "in" a class, optionally "of" a kind of room; or "in" a kind of
    room for free-standing things. Places that a house lacks are skipped.
    """


#: One in this many things lies on any surface of the house instead of its own place.
ONE_IN_ASTRAY = 10

_DISHES = {
    "in kitchen_cabinet": 6,
    "in cupboard": 4,
    "in dishwasher": 3,
    "in sink of kitchen": 2,
    "on kitchen_counter": 2,
    "on table": 2,
}
_CUTLERY = {"in kitchen_cabinet": 6, "in dishwasher": 2, "in sink of kitchen": 1, "on table": 2}
_COOKING = {
    "in kitchen_cabinet": 5,
    "on stove": 3,
    "in sink of kitchen": 1,
    "on kitchen_counter": 1,
}
_COLD_FOOD = {"in fridge": 8, "on kitchen_counter": 1, "on table": 1}
_FRUIT = {"on kitchen_counter": 4, "on table": 3, "in fridge": 3}
_PROVISIONS = {"in kitchen_cabinet": 5, "in cupboard": 3, "on kitchen_counter": 2}
_READING = {
    "in bookshelf": 6,
    "on coffee_table": 2,
    "on nightstand": 2,
    "in nightstand": 1,
    "on desk": 2,
    "on sofa": 1,
}
_PAPERS = {"in filing_cabinet": 4, "on desk": 3, "in folder": 2, "on table": 1}
_WRITING = {"on desk": 5, "in cabinet": 1, "on kitchen_counter": 1, "on coffee_table": 1}
_CLOTHES = {
    "in closet": 6,
    "in dresser": 5,
    "in basket_for_clothes": 3,
    "in washing_machine": 1,
    "on bed": 1,
    "on chair": 1,
}
_OUTDOOR = {"in closet": 5, "on bench": 1, "in cabinet": 1, "on chair": 1}
_TOILETRIES = {"in bathroom_cabinet": 5, "on bathroom_counter": 3}
_TOYS = {"in box": 5, "in cabinet": 2, "on bed": 1, "on mat": 1, "in kids_bedroom": 2}
_CLEANING = {"in cabinet": 2, "in kitchen_cabinet": 2, "in bathroom_cabinet": 2, "in cupboard": 1}
_TALL = {"in closet": 3, "in kitchen": 2, "in entrance_hall": 2, "in bathroom": 1}

#: The things of a house. A class comes before those that it keeps.
THINGS = (
    Stock("box", "closet", 0, 1, {"in closet": 3, "in home_office": 1, "in bookshelf": 1}),
    Stock("box", "kids_bedroom", 1, 2, {"in kids_bedroom": 3, "in closet": 1}),
    Stock("bag", "house", 1, 2, {"in closet": 2, "on chair": 2, "in entrance_hall": 2}),
    Stock("basket_for_clothes", "bathroom", 0, 1, {"in bathroom": 3, "in bedroom": 1}),
    Stock("toothbrush_holder", "bathroom", 1, 1, {"on bathroom_counter": 1}),
    Stock("folder", "home_office", 1, 3, {"in filing_cabinet": 3, "on desk": 2, "in bookshelf": 2}),
    Stock("tray", "kitchen", 0, 1, {"in kitchen_cabinet": 2, "in oven": 1, "on table": 1}),
    # at table and in the kitchen
    Stock("plate", "kitchen", 3, 6, _DISHES),
    Stock("bowl", "kitchen", 2, 4, _DISHES),
    Stock("cup", "kitchen", 1, 3, {**_DISHES, "on coffee_table": 1}),
    Stock("mug", "kitchen", 1, 3, {**_DISHES, "on desk": 2, "on nightstand": 1}),
    Stock("drinking_glass", "kitchen", 2, 4, {**_DISHES, "on coffee_table": 1}),
    Stock("wine_glass", "dining_room", 1, 4, _DISHES),
    Stock("fork", "kitchen", 2, 4, _CUTLERY),
    Stock("spoon", "kitchen", 2, 4, _CUTLERY),
    Stock("knife", "kitchen", 1, 3, _CUTLERY),
    Stock("wooden_spoon", "kitchen", 0, 2, _COOKING),
    Stock("cutting_board", "kitchen", 1, 1, {"on kitchen_counter": 3, "in kitchen_cabinet": 2}),
    Stock("fryingpan", "kitchen", 1, 2, _COOKING),
    Stock("pot", "kitchen", 1, 2, _COOKING),
    Stock("kettle", "kitchen", 0, 1, {"on kitchen_counter": 3, "on stove": 2}),
    Stock("napkin", "table", 1, 3, {"on table": 3, "in kitchen_cabinet": 2, "in cupboard": 2}),
    Stock("candle", "house", 0, 3, {"on table": 2, "on coffee_table": 2, "in cabinet": 1}),
    Stock("dish_soap", "kitchen", 1, 1, {"on kitchen_counter": 3, "in kitchen_cabinet": 2}),
    Stock("sponge", "kitchen", 1, 2, {"in sink of kitchen": 3, "on kitchen_counter": 2}),
    # food and drink
    Stock("food_apple", "kitchen", 1, 3, _FRUIT),
    Stock("food_banana", "kitchen", 0, 2, _FRUIT),
    Stock("food_lemon", "kitchen", 0, 2, _FRUIT),
    Stock("food_bread", "kitchen", 0, 1, _PROVISIONS),
    Stock("food_potato", "kitchen", 0, 3, _PROVISIONS),
    Stock("food_onion", "kitchen", 0, 2, _PROVISIONS),
    Stock("food_carrot", "kitchen", 0, 3, _COLD_FOOD),
    Stock("food_cheese", "kitchen", 1, 1, _COLD_FOOD),
    Stock("food_egg", "kitchen", 1, 4, _COLD_FOOD),
    Stock("food_jam", "kitchen", 0, 1, _COLD_FOOD),
    Stock("food_chicken", "kitchen", 0, 1, {"in freezer": 3, "in fridge": 2, "in oven": 1}),
    Stock("food_pizza", "kitchen", 0, 2, {"in freezer": 4, "in oven": 1, "in fridge": 1}),
    Stock("milk", "kitchen", 1, 1, _COLD_FOOD),
    Stock("juice", "kitchen", 0, 2, _COLD_FOOD),
    Stock("wine", "kitchen", 0, 2, {"in cupboard": 3, "in kitchen_cabinet": 2, "in fridge": 1}),
    Stock("food_cereal", "kitchen", 0, 1, _PROVISIONS),
    Stock("food_rice", "kitchen", 0, 1, _PROVISIONS),
    Stock("food_salt", "kitchen", 1, 1, {**_PROVISIONS, "on table": 2}),
    Stock("food_sugar", "kitchen", 1, 1, _PROVISIONS),
    Stock("tea_bag", "kitchen", 0, 3, _PROVISIONS),
    # to read, to write and to work with
    Stock("book", "bookshelf", 2, 5, _READING),
    Stock("book", "bed", 0, 2, _READING),
    Stock("novel", "bed", 0, 1, {"on nightstand": 3, "on bed": 1, "in bookshelf": 2}),
    Stock("magazine", "living_room", 0, 3, {"on coffee_table": 3, "on sofa": 1, "in bathroom": 1}),
    Stock("newspaper", "house", 0, 2, {"on table": 2, "on coffee_table": 2, "in garbage_can": 1}),
    Stock("mail", "house", 0, 3, {"on table": 2, "on cabinet": 2, "on kitchen_counter": 1}),
    Stock("document", "home_office", 2, 5, _PAPERS),
    Stock("notebook", "desk", 0, 2, {"on desk": 4, "in bookshelf": 2, "in bag": 1}),
    Stock("pen", "desk", 1, 2, _WRITING),
    Stock("pencil", "desk", 0, 2, _WRITING),
    Stock("scissors", "house", 1, 1, {"on desk": 2, "in cabinet": 2, "in kitchen_cabinet": 2}),
    Stock("tape", "home_office", 0, 1, {"on desk": 2, "in filing_cabinet": 1}),
    Stock("keyboard", "computer", 1, 1, {"on desk": 1}),
    Stock("mouse", "computer", 1, 1, {"on mousepad": 1}),
    Stock("laptop", "house", 0, 2, {"on desk": 3, "on bed": 1, "on sofa": 1, "in bag": 1}),
    Stock("cellphone", "house", 1, 2, {"on nightstand": 3, "on kitchen_counter": 1, "on sofa": 1}),
    Stock("headset", "house", 0, 1, {"on desk": 3, "on coffee_table": 1}),
    # to sit, to sleep and to play with
    Stock("pillow", "bed", 1, 3, {"on bed": 5, "in closet": 1}),
    Stock("pillow", "sofa", 0, 3, {"on sofa": 4, "on love_seat": 1}),
    Stock("blanket", "bed", 0, 1, {"on bed": 3, "in closet": 2, "on sofa": 1}),
    Stock("sheets", "bed", 0, 2, {"in closet": 3, "in dresser": 2, "in washing_machine": 1}),
    Stock("alarm_clock", "bedroom", 0, 1, {"on nightstand": 1}),
    Stock("remote_control", "television", 1, 1, {"on coffee_table": 3, "on sofa": 2}),
    Stock("cd", "living_room", 0, 4, {"in bookshelf": 2, "in cabinet": 2, "on tvstand": 1}),
    Stock("radio", "house", 0, 1, {"on kitchen_counter": 2, "on nightstand": 1, "on cabinet": 1}),
    Stock("board_game", "house", 0, 2, {"in cabinet": 3, "in bookshelf": 2, "on coffee_table": 1}),
    Stock("toy", "kids_bedroom", 3, 7, _TOYS),
    Stock("drawing", "kids_bedroom", 1, 3, {"on desk": 3, "on bed": 1, "in bookshelf": 1}),
    Stock("textbook", "kids_bedroom", 1, 3, {"on desk": 2, "in bookshelf": 2, "in bag": 1}),
    Stock("homework", "kids_bedroom", 0, 2, {"on desk": 3, "in bag": 2, "on bed": 1}),
    # to wear
    Stock("hanger", "closet", 2, 5, {"in closet": 1}),
    Stock("clothes_shirt", "bed", 2, 4, _CLOTHES),
    Stock("clothes_pants", "bed", 1, 3, _CLOTHES),
    Stock("clothes_socks", "bed", 1, 3, _CLOTHES),
    Stock("clothes_dress", "bedroom", 0, 2, _CLOTHES),
    Stock("pajamas", "bed", 0, 1, {"on bed": 3, "in dresser": 2, "in basket_for_clothes": 1}),
    Stock("slippers", "bed", 0, 1, {"in bedroom": 3, "on mat": 1, "on shoe_rack": 1}),
    Stock("shoes", "house", 1, 3, {"on shoe_rack": 5, "in closet": 2, "in bedroom": 1}),
    Stock("clothes_jacket", "house", 1, 2, _OUTDOOR),
    Stock("clothes_hat", "house", 0, 2, _OUTDOOR),
    Stock("clothes_scarf", "house", 0, 2, _OUTDOOR),
    Stock("clothes_gloves", "house", 0, 2, {**_OUTDOOR, "in bag": 2}),
    Stock("keys", "house", 1, 2, {"on cabinet": 3, "in bag": 2, "on kitchen_counter": 1}),
    Stock("spectacles", "house", 0, 1, {"on nightstand": 3, "on desk": 1}),
    # to wash and to clean with
    Stock("towel", "bathroom", 2, 4, {"on towel_rack": 5, "in bathroom_cabinet": 2}),
    Stock("toothbrush", "bathroom", 1, 3, {"in toothbrush_holder": 4, "on bathroom_counter": 2}),
    Stock("tooth_paste", "bathroom", 1, 1, _TOILETRIES),
    Stock("soap", "bathroom", 1, 1, {"on bathroom_counter": 3, "in sink of bathroom": 1}),
    Stock("shampoo", "bathroom", 0, 2, {**_TOILETRIES, "in bathroom": 1}),
    Stock("comb", "bathroom", 0, 1, _TOILETRIES),
    Stock("razor", "bathroom", 0, 1, _TOILETRIES),
    Stock("mouthwash", "bathroom", 0, 1, _TOILETRIES),
    Stock("hairdryer", "bathroom", 0, 1, _TOILETRIES),
    Stock("toilet_paper", "toilet", 1, 3, {"in bathroom_cabinet": 3, "in bathroom": 1}),
    Stock("detergent", "kitchen", 0, 1, {"in kitchen_cabinet": 1}),
    Stock("laundry_detergent", "washing_machine", 1, 1, {"in bathroom_cabinet": 1}),
    Stock("cleaning_bottle", "house", 0, 2, _CLEANING),
    Stock("rag", "house", 1, 2, {**_CLEANING, "in sink of kitchen": 1}),
    Stock("iron", "house", 0, 1, {"on ironing_board": 3, "in closet": 2}),
    Stock("vacuum_cleaner", "house", 0, 1, _TALL),
    Stock("broom", "house", 0, 1, _TALL),
    Stock("mop", "house", 0, 1, _TALL),
    Stock("mop_bucket", "mop", 1, 1, _TALL),
)
