"""The classes of things in generated houses, in the terms of VirtualHome's first ontology.

Class names and properties are spelled as in the RobotHow graphs, and each class has the properties
that decide its affordances there. The frequencies of open doors and lit lamps are ours.
"""

from __future__ import annotations

from typing import Any

#: Classes by category and properties.
_CLASSES = {
    "Rooms": {
        "": (
            "bathroom bedroom dining_room entrance_hall home_office kids_bedroom kitchen "
            "living_room"
        ),
    },
    "Furniture": {
        "": "shower wallshelf",
        "SURFACES": "bathroom_counter drying_rack kitchen_counter tvstand",
        "SURFACES MOVABLE": "coffee_table desk ironing_board table",
        "SURFACES CONTAINERS": "bookshelf",
        "SURFACES CAN_OPEN CONTAINERS": (
            "bathroom_cabinet cabinet filing_cabinet kitchen_cabinet nightstand"
        ),
        "CAN_OPEN CONTAINERS": "closet cupboard dresser",
        "CAN_OPEN CONTAINERS MOVABLE": "garbage_can trashcan",
        "SITTABLE CAN_OPEN CONTAINERS": "toilet",
        "SITTABLE LIEABLE": "bathtub",
        "SURFACES SITTABLE LIEABLE": "bed",
        "SURFACES SITTABLE LIEABLE MOVABLE": "bench couch love_seat sofa",
        "SURFACES GRABBABLE SITTABLE MOVABLE": "chair",
        "SURFACES GRABBABLE MOVABLE": "shoe_rack towel_rack",
        "RECIPIENT CONTAINERS": "sink",
        "HAS_SWITCH": "faucet",
    },
    "Lamps": {
        "HAS_SWITCH": "tablelamp",
        "HAS_SWITCH MOVABLE": "floor_lamp",
    },
    "Decor": {
        "SURFACES GRABBABLE SITTABLE LIEABLE MOVABLE": "mat",
    },
    "Appliances": {
        "CAN_OPEN HAS_SWITCH CONTAINERS": "dishwasher",
        "CAN_OPEN HAS_SWITCH CONTAINERS HAS_PLUG": "freezer fridge microwave oven",
        "RECIPIENT CAN_OPEN HAS_SWITCH CONTAINERS HAS_PLUG": "washing_machine",
        "RECIPIENT CAN_OPEN HAS_SWITCH CONTAINERS HAS_PLUG MOVABLE": "coffe_maker",
        "SURFACES CAN_OPEN HAS_SWITCH CONTAINERS": "stove",
        "HAS_SWITCH CONTAINERS HAS_PLUG MOVABLE": "toaster",
    },
    "Electronics": {
        "HAS_SWITCH HAS_PLUG": "light",
        "HAS_SWITCH LOOKABLE": "computer",
        "HAS_SWITCH LOOKABLE HAS_PLUG": "television",
        "CAN_OPEN HAS_SWITCH CONTAINERS HAS_PLUG": "printer",
        "CAN_OPEN HAS_SWITCH HAS_PLUG MOVABLE": "video_game_console",
        "SURFACES MOVABLE": "mousepad",
        "GRABBABLE HAS_PLUG MOVABLE": "keyboard mouse",
    },
    "placable_objects": {
        "GRABBABLE MOVABLE": (
            "broom cd comb fork keys knife mop pen pencil pillow razor scissors sponge spoon tape "
            "tea_bag toy wooden_spoon"
        ),
        "GRABBABLE RECIPIENT MOVABLE": "bowl fryingpan mop_bucket toothbrush",
        "GRABBABLE RECIPIENT POURABLE MOVABLE": "cup drinking_glass mug wine_glass",
        "GRABBABLE RECIPIENT CAN_OPEN MOVABLE": "pot",
        "GRABBABLE RECIPIENT CAN_OPEN CONTAINERS COVER_OBJECT MOVABLE": "bag box",
        "GRABBABLE CAN_OPEN CONTAINERS MOVABLE": "basket_for_clothes",
        "GRABBABLE CONTAINERS MOVABLE": "toothbrush_holder",
        "GRABBABLE RECIPIENT HAS_SWITCH HAS_PLUG MOVABLE": "kettle",
        "GRABBABLE RECIPIENT COVER_OBJECT MOVABLE": "rag",
        "GRABBABLE COVER_OBJECT MOVABLE": "sheets towel",
        "GRABBABLE HANGABLE COVER_OBJECT MOVABLE": "blanket",
        "GRABBABLE HANGABLE MOVABLE": "hanger",
        "GRABBABLE HANGABLE CLOTHES MOVABLE": (
            "clothes_dress clothes_gloves clothes_hat clothes_jacket clothes_pants clothes_scarf "
            "clothes_shirt clothes_socks slippers"
        ),
        "GRABBABLE CLOTHES MOVABLE": "headset pajamas shoes spectacles",
        "GRABBABLE HAS_SWITCH MOVABLE": "candle remote_control",
        "GRABBABLE HAS_SWITCH HAS_PLUG MOVABLE": "cellphone hairdryer iron radio vacuum_cleaner",
        "GRABBABLE HAS_SWITCH LOOKABLE HAS_PLUG MOVABLE": "alarm_clock laptop",
        "GRABBABLE CUTTABLE CAN_OPEN READABLE HAS_PAPER MOVABLE": "book notebook novel textbook",
        "GRABBABLE CAN_OPEN READABLE CONTAINERS HAS_PAPER MOVABLE": "folder",
        "GRABBABLE CAN_OPEN READABLE HAS_PAPER MOVABLE": "magazine mail",
        "GRABBABLE CAN_OPEN READABLE COVER_OBJECT HAS_PAPER MOVABLE": "newspaper",
        "GRABBABLE READABLE HAS_PAPER MOVABLE": "document homework",
        "GRABBABLE CUTTABLE LOOKABLE HAS_PAPER MOVABLE": "drawing",
        "GRABBABLE COVER_OBJECT HAS_PAPER MOVABLE": "napkin",
        "GRABBABLE HANGABLE CUTTABLE COVER_OBJECT HAS_PAPER MOVABLE": "toilet_paper",
        "GRABBABLE EATABLE CUTTABLE MOVABLE": (
            "bread_slice food_apple food_banana food_bread food_carrot food_chicken food_egg "
            "food_lemon food_onion food_pizza food_potato"
        ),
        "GRABBABLE EATABLE CUTTABLE MOVABLE CREAM": "food_cheese",
        "GRABBABLE EATABLE CAN_OPEN MOVABLE CREAM": "food_jam",
        "GRABBABLE EATABLE POURABLE CAN_OPEN MOVABLE": "food_cereal",
        "GRABBABLE EATABLE POURABLE MOVABLE": "food_rice food_salt food_sugar",
        "GRABBABLE DRINKABLE POURABLE CAN_OPEN MOVABLE": "milk",
        "GRABBABLE DRINKABLE POURABLE MOVABLE": "juice mouthwash wine",
        "GRABBABLE POURABLE MOVABLE": "detergent laundry_detergent",
        "GRABBABLE POURABLE MOVABLE CREAM": "dish_soap",
        "GRABBABLE POURABLE CAN_OPEN MOVABLE": "cleaning_bottle shampoo",
        "GRABBABLE POURABLE CAN_OPEN MOVABLE CREAM": "tooth_paste",
        "GRABBABLE MOVABLE CREAM": "face_cream soap",
        "SURFACES GRABBABLE MOVABLE": "cutting_board tray",
        "SURFACES GRABBABLE LOOKABLE MOVABLE": "board_game",
        "SURFACES GRABBABLE RECIPIENT MOVABLE": "plate",
    },
    "Characters": {"": "character"},
}

#: For each class, its category and its properties.
CLASSES: dict[str, tuple[str, tuple[str, ...]]] = {
    name: (category, tuple(properties.split()))
    for category, groups in _CLASSES.items()
    for properties, names in groups.items()
    for name in names.split()
}

#: One in this many doors is open.
ONE_IN_OPEN = 6
#: One in this many things is dirty; food never is.
ONE_IN_DIRTY = 8
#: One in this many is unplugged: of furniture and appliances, and of portable things.
ONE_IN_UNPLUGGED = {False: 10, True: 3}
#: One in this many devices is on, by class; one in 10 by default.
ONE_IN_ON = {"floor_lamp": 3, "light": 2, "tablelamp": 3, "television": 4}
SELDOM_ON = 10
#: Classes with a switch that is never used and, as in the RobotHow graphs, has no state.
ALWAYS_RUNNING = frozenset({"freezer", "fridge"})

#: The initial states of a thing, by property.
_UNUSED = {"HAS_PLUG": "PLUGGED_OUT", "HAS_SWITCH": "OFF", "CAN_OPEN": "CLOSED"}


def new_node(node_id: int, class_name: str, states: list[str] | None = None) -> dict[str, Any]:
    """A node of a class as in VirtualHome; by default clean, closed and off."""
    category, properties = CLASSES[class_name]
    if states is None:
        states = [state for given, state in _UNUSED.items() if given in properties]
        states += [] if "EATABLE" in properties else ["CLEAN"]
    return {
        "id": node_id,
        "class_name": class_name,
        "category": category,
        "properties": list(properties),
        "states": states,
        "prefab_name": None,
        "bounding_box": None,
    }
