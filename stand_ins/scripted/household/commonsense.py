"""Common sense: where one would look for things of a sort, in general words.

Written down by hand from everyday knowledge; nothing in it was counted in any data.
"""

from __future__ import annotations

from functools import cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Sorts of things by words in their names, with words in the names of the furniture and of the
#: rooms where one looks for them first.
_SORTS = (
    (
        "milk juice wine beer cheese egg butter jam jelly yogurt meat chicken steak bacon fish "
        "salmon vegetable carrot tomato lettuce pudding cream ice pizza cake pie",
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
        "makeup polish detergent toilet lotion cream",
        "bathroom sink cabinet counter toilet washing rack",
        "bathroom",
    ),
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
#: Furniture that nothing is kept at.
_BARE = _words(
    "wall floor ceiling light lamp window door doorjamb curtain curtains picture "
    "painting drawing faucet clock mirror outlet switch blinds fan"
)
#: Furniture that has doors, drawers or a lid.
_STORAGE = _words(
    "cabinet cupboard closet dresser drawer fridge freezer microwave oven stove "
    "dishwasher wardrobe nightstand washing chest garbage trashcan basket box bin"
)
_SURFACES = _words(
    "table desk counter shelf bookshelf stand bench sofa couch loveseat bed sink rack "
    "mat sideboard bathtub"
)
#: Furniture by the last word of its name.
_STANDING = (_BARE | _STORAGE | _SURFACES | _words("television tv machine toilet shower")) - _words(
    "drawing picture basket box rack mat clock"
)

#: All words that something here is known by.
WORDS = _BARE | _STORAGE | _SURFACES | _words(" ".join(map(" ".join, _SORTS)) + " basin")


@cache
def promise(thing: str, furniture: str, room: str) -> float:
    """How promising a piece of furniture is for a thing, by their categories, from 0."""
    words = set(furniture.split())
    if thing and thing.split()[-1] in _STANDING:
        return 0.05  # one sees it on coming into its room
    if words & _BARE and not words & _SURFACES:
        return 0.02
    places, rooms = usual(thing)
    worth = 1.0 if words & (_STORAGE | _SURFACES) else 0.15
    if words & places:
        worth += 2.0
    if rooms and not rooms & set(room.split()):
        worth *= 0.4
    return worth


@cache
def room_promise(thing: str, room: str) -> float:
    """How promising a room is that was not seen yet."""
    _, rooms = usual(thing)
    if not rooms:
        return 1.0
    return 3.0 if rooms & set(room.split()) else 0.5


@cache
def usual(thing: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words of the furniture and of the rooms where such a thing usually is."""
    words = set(thing.split())
    places: set[str] = set()
    rooms: set[str] = set()
    for things, furniture, where in _SORTS:
        if words & set(things.split()):
            places.update(furniture.split())
            rooms.update(where.split())
    return frozenset(places), frozenset(rooms)


def has_door(furniture: str) -> bool:
    """Whether such furniture usually has a door, as far as its category tells."""
    return bool(set(furniture.split()) & _STORAGE)


def needs_room(thing: str) -> str:
    """ "kitchen", for a piece of furniture that is in one as a rule, or nothing."""
    words = set(thing.split())
    if words & {
        "fridge",
        "freezer",
        "stove",
        "oven",
        "dishwasher",
        "microwave",
        "toaster",
        "kitchen",
    }:
        return "kitchen"
    if words & {"toilet", "bathtub", "shower", "bathroom"}:
        return "bathroom"
    if words & {"bed", "nightstand", "dresser"}:
        return "bedroom"
    if words & {"sofa", "couch", "tv", "television", "coffee"}:
        return "living"
    return ""
