"""Names and ids of LIBERO's things: readable categories, and ids by name alone.

Regions that are all of a thing's top or inside are no places of their own: what is in the region
of a basket is in the basket. `place_of` says which node a name of the engine belongs to; goals of
tasks need it before any engine runs.
"""

from __future__ import annotations

import re
import zlib

#: The ids of the room and of the robot; all others are hashes of names.
ROOM_ID, AGENT_ID = 1, 2
_FIRST_ID = 3

#: Kinds of things, by their names without the number, whose words are not their own letters.
_WORDS = {
    "akita_black_bowl": "black bowl",
    "bigger_akita_black_bowl": "black bowl",
    "brown_rack": "wine rack",
    "chefmate_8_frypan": "frying pan",
    "cookies": "cookie box",
    "desk_caddy": "caddy",
    "flat_stove": "stove",
    "glazed_rim_porcelain_ramekin": "ramekin",
    "libero_mug": "mug",
    "libero_mug_green": "green mug",
    "libero_mug_yellow": "yellow mug",
    "kitchen_table": "table",
    "living_room_table": "table",
    "main_table": "table",
    "porcelain_mug": "white mug",
    "red_coffee_mug": "red mug",
    "study_table": "table",
    "white_yellow_mug": "yellow white mug",
    "wooden_two_layer_shelf": "shelf",
}
#: The rooms that tables stand in.
_ROOMS = {
    "kitchen_table": "kitchen",
    "living_room_table": "living room",
    "study_table": "study",
}
_NUMBER = re.compile(r"_\d+$")
#: Regions that are the whole top or inside of their thing.
_WHOLE = re.compile(
    r"(?P<owner>.+_\d+)_(?:top_side|cook_region|heating_region|contain_region)"
    r"|(?P<rack>.*rack_\d+)_top_region"
)
_LEVELS = {"top": "upper", "middle": "middle", "bottom": "lower"}
#: Sides of a zone, with words that no grammar of actions takes for its own.
_SIDES = {
    "front": "area before the",
    "back": "area behind the",
    "left": "area left of the",
    "right": "area right of the",
}


def node_id(place: str, salt: str) -> int:
    """The id of a node by its name: a stable hash (CRC-32), which tells nothing of where it is.

    salt: of the task and start. Things are numbered in the order of their ids. Without the salt the
    bowl that LIBERO's tasks are about would have the same number in all of them.
    """
    return _FIRST_ID + zlib.crc32(f"{salt}:{place}".encode())


def place_of(name: str) -> str:
    """The name of the node that a thing or region of the engine belongs to."""
    found = _WHOLE.fullmatch(name)
    return name if found is None else found["owner"] or found["rack"]


def is_top(region: str) -> bool:
    """Whether a region of a thing is a place on it, not in it."""
    return region.endswith(("_top_side", "_cook_region")) or "rack_" in region


def words_of(name: str) -> str:
    """Our words for a thing of the engine: "black bowl" of "akita_black_bowl_1"."""
    category = _NUMBER.sub("", name)
    return _WORDS.get(category) or category.replace("_", " ").lower()


def room_words(table: str) -> str:
    """The room of a table or floor."""
    return _ROOMS.get(table, "room")


def drawer_words(name: str, owner: str) -> str:
    """A drawer: "top drawer" of "wooden_cabinet_1_top_region"."""
    level = name.removeprefix(f"{owner}_").partition("_")[0]
    return f"{level} drawer"


def region_words(name: str, owner: str) -> str:
    """A place in or on a fixture: "front compartment", "upper shelf level"."""
    own = name.removeprefix(f"{owner}_").removesuffix("_region").removesuffix("_contain")
    if name.endswith("_contain_region"):
        return f"{own.replace('_', ' ')} compartment"
    if "shelf" in owner:
        return f"{_LEVELS.get(own, own.replace('_', ' '))} shelf level"
    return f"{own.replace('_', ' ')} of the {words_of(owner)}"


def has_side(name: str) -> bool:
    """Whether a zone of a table lies on a side of something, such as before the stove."""
    return name.removesuffix("_region").rpartition("_")[2] in _SIDES


def zone_words(name: str, table: str) -> str:
    """A zone of a table: "area right of the plate" of "main_table_plate_right_region"."""
    own = name.removeprefix(f"{table}_").removesuffix("_region").removesuffix("_init")
    thing, _, side = own.rpartition("_")
    if side in _SIDES and thing:
        return f"{_SIDES[side]} {words_of(thing)}"
    return f"area of the {words_of(own)}"
