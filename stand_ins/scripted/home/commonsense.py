"""Common sense of homes: where to look for things, and which furniture has a door.

Written by hand from everyday knowledge, not counted in any data.
"""

from __future__ import annotations

from functools import cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Kinds of things by words in their names, with words in the names of furniture and rooms where to
#: look first.
_OBJECT_PLACES = (
    (
        "milk juice wine beer cheese egg butter jam jelly yogurt meat chicken steak bacon fish "
        "salmon vegetable carrot tomato lettuce pudding whipped ice pizza cake pie",
        "fridge freezer table counter",
        "kitchen",
    ),
    (
        "apple banana fruit lemon kiwi orange peach pear plum lime potato onion bread cereal "
        "cupcake pasta noodles rice sugar salt oil coffee tea cookie cookies chips crackers snack "
        "candy chocolate food dough pancake",
        "cabinet cupboard counter table fridge",
        "kitchen dining",
    ),
    (
        "plate bowl cup mug glass fork knife spoon cutlery dish pot pan kettle colander tray "
        "toaster blender sponge rag napkin",
        "cabinet cupboard dishwasher sink counter table stove rack",
        "kitchen dining",
    ),
    (
        "shirt pants dress skirt jacket socks underwear pajamas hat scarf gloves shoes slippers "
        "clothes hanger sheets",
        "closet dresser wardrobe basket washing bed rack",
        "bedroom",
    ),
    (
        "toothbrush toothpaste soap shampoo towel razor comb hairbrush paper mouthwash aftershave "
        "makeup polish detergent toilet",
        "bathroom sink cabinet counter toilet washing rack",
        "bathroom",
    ),
    ("lotion cream", "bathroom cabinet counter nightstand", "bathroom bedroom"),
    (
        "book novel textbook magazine newspaper notebook document folder homework form letter mail "
        "envelope pen pencil scissors tape check drawing",
        "bookshelf shelf desk filing table nightstand",
        "office living bedroom",
    ),
    (
        "remote controller cellphone phone laptop computer keyboard mouse cd dvd headset radio "
        "console game toy cards chessboard television",
        "tv table desk nightstand shelf sofa couch",
        "living office bedroom",
    ),
    ("pillow blanket alarm", "bed sofa couch closet nightstand", "bedroom living"),
)
#: Words of furniture that holds nothing.
_NOT_SEARCHED = _words(
    "wall floor ceiling light lamp window door doorjamb curtain curtains picture "
    "painting drawing faucet clock mirror outlet switch blinds fan"
)
#: Words of furniture that has doors, drawers or a lid.
_STORAGE = _words(
    "cabinet cupboard closet dresser drawer fridge freezer microwave oven stove "
    "dishwasher wardrobe nightstand washing chest garbage trashcan basket box bin"
)
_SURFACES = _words(
    "table desk counter shelf bookshelf stand bench sofa couch loveseat bed sink rack "
    "mat sideboard bathtub"
)
#: Last words of furniture.
_FURNITURE = (
    _NOT_SEARCHED | _STORAGE | _SURFACES | _words("television tv machine toilet shower")
) - _words("drawing picture basket box rack mat clock")

#: Words of things that observations list like furniture.
_AT_A_GLANCE = _words("toaster computer coffeemaker maker console printer")

#: Words of furniture that is usually in a room of this category.
_ROOMS = {
    "kitchen": _words("fridge freezer stove oven dishwasher microwave toaster kitchen"),
    "bathroom": _words("toilet bathtub shower bathroom"),
    "bedroom": _words("bed nightstand dresser"),
    "living": _words("sofa couch tv television coffee"),
}


@cache
def search_value(thing: str, furniture: str, room: str) -> float:
    """How likely a thing is at a piece of furniture in a room, by their categories.

    From 0, on the scale of `room_search_value`.
    """
    words = set(furniture.split())
    if thing and thing.split()[-1] in _FURNITURE:
        return 0.05  # visible from the door of its room
    nothing_at = furniture.split()[-1:] and furniture.split()[-1] in _NOT_SEARCHED
    if nothing_at or (words & _NOT_SEARCHED and not words & _SURFACES):
        return 0.02
    places, rooms = usual_places(thing)
    value = 1.0 if words & (_STORAGE | _SURFACES) else 0.15
    if words & places:
        value += 2.0
    if rooms and not rooms & set(room.split()):
        value *= 0.4
    return value


@cache
def room_search_value(thing: str, room: str) -> float:
    """How likely a thing is in a room that was not seen yet."""
    _, rooms = usual_places(thing)
    if not rooms:
        return 1.0
    return 3.0 if rooms & set(room.split()) else 0.5


@cache
def usual_places(thing: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words of the furniture and rooms where such a thing usually is."""
    words = set(thing.split())
    places: set[str] = set()
    rooms: set[str] = set()
    for things, furniture, where in _OBJECT_PLACES:
        if words & set(things.split()):
            places.update(furniture.split())
            rooms.update(where.split())
    return frozenset(places), frozenset(rooms)


def is_seen_at_a_glance(thing: str) -> bool:
    """Whether such a thing is visible from the door: furniture and other fixed things."""
    *_, last = ["", *thing.split()]
    return last != "lamp" and last in _FURNITURE | _AT_A_GLANCE


def usual_room(furniture: str) -> str:
    """The usual room of a piece of furniture, or ""."""
    words = set(furniture.split())
    return next((room for room, usual in _ROOMS.items() if words & usual), "")


def has_door(furniture: str) -> bool:
    """Whether furniture of this category usually has a door."""
    return bool(set(furniture.split()) & _STORAGE)
