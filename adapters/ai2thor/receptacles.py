"""The table of the types that may be placed in or on each receptacle type.

Restated from SimObjType.cs of AI2-THOR (PlacementRestrictions; Apache-2.0). Letters stand for the
receptacles that most types share.
"""

from __future__ import annotations

_SURFACES = frozenset({"DiningTable", "TVStand", "CoffeeTable", "SideTable", "CounterTop"})
_LETTERS = {
    "S": _SURFACES,
    "K": {"Sink", "SinkBasin"},
    "A": {"Sofa", "ArmChair"},
    "H": {"Stool", "Chair"},
    "F": {"Footstool"},
    "E": {"Dresser", "Desk"},
    "C": {"Cabinet", "Shelf"},
    "G": {"GarbageCan"},
    "B": {"Box"},
    "O": {"Ottoman"},
    "D": {"Drawer"},
    "T": {"Toilet"},
    "R": {"Cart"},
    "U": {"Bathtub"},
    "V": {"BathtubBasin"},
    "P": {"Plate"},
    "M": {"Microwave"},
    "Z": {"Fridge"},
    "W": {"Bowl"},
    "L": {"Floor"},
}
_TABLE = """
AlarmClock: S B E Shelf H
Apple AppleSliced: S K Pot Pan W M Z P E G
BaseballBat: S Bed Desk L
BasketBall: S A E Bed H L
Book: S A B O E Bed C D H L
Boots: L
Bottle: S K Z B E C G
Bowl Cup Plate: S K M Z E C
Box: S A E C O H L
Bread: S M Z Desk G P
BreadSliced: S M Z Desk G P Toaster
ButterKnife: S K Pot Pan W Mug P Cup Desk D
Candle: S B E T R U C D H
CD: S B O E C D G Safe A H F
CellPhone: S A B O E Bed Shelf D Safe H F
Cloth: S K A B O E LaundryHamper T R V U C D G H F L
CreditCard RemoteControl: S A B O E Shelf D H F
DishSponge: S K Pot Pan W P B T R V U C D G
Egg EggCracked Potato PotatoSliced: S K Pot Pan W M Z P G
Lettuce LettuceSliced: S K Pot Pan W Z P G
Tomato TomatoSliced: S K Pot W Z P G
Fork Spoon: S K Pot Pan W Mug P Cup D
Knife: S K Pot Pan W Mug P D
Ladle: S K Pot Pan W P Cabinet D
Spatula: S K Pot Pan W P D
HandTowel: HandTowelHolder
Towel: TowelHolder
Kettle: S K C StoveBurner
KeyChain: S A B O E Shelf D Safe H
Laptop: S A O E Bed H F
Mug: S K CoffeeMachine M Z P B E R C
Newspaper: S A O E Bed T C D G H F L
Pan: S K Cabinet StoveBurner Z
Pot: S K Cabinet StoveBurner Z Shelf
PaperTowelRoll: S B T R U Shelf G
Pen Pencil: S Mug B E Shelf D G H F
PepperShaker SaltShaker: S D C
Pillow: A O Bed H
Plunger: R Cabinet L
SoapBar: S K T R U V C D G
SoapBottle: S Sink E T R U C D G
SprayBottle: S E T R C D G
Statue: S B E R Shelf Safe
TeddyBear: S Bed A O E Safe H
TennisRacket: S E Bed H L
TissueBox: S B E T R C D G H F
ToiletPaper: S E T ToiletPaperHanger R U C D G H
Vase: S B E R C Safe
Watch: S B E Shelf D Safe H F
WateringCan: S E C D H L
WineBottle: S Z E C G
Dumbbell: S E C Bed A H F L
AluminumFoil: S E D C
TableTopDecor: S E C
"""


def _parsed() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for line in _TABLE.strip().splitlines():
        types, _, places = line.partition(":")
        allowed: set[str] = set()
        for word in places.split():
            allowed |= set(_LETTERS.get(word, {word}))
        table.update(dict.fromkeys(types.split(), frozenset(allowed)))
    return table


#: By type, the receptacle types that it may be placed in; other types may go anywhere.
ALLOWED = _parsed()

#: Receptacles with one slot, and the types that fit.
ONE_SLOT = {
    "CoffeeMachine": frozenset({"Mug"}),
    "HandTowelHolder": frozenset({"HandTowel"}),
    "StoveBurner": frozenset({"Pot", "Pan", "Kettle"}),
    "Toaster": frozenset({"BreadSliced"}),
    "ToiletPaperHanger": frozenset({"ToiletPaper"}),
    "TowelHolder": frozenset({"Towel"}),
}

#: Receptacles that must be open for a put.
MUST_BE_OPEN = frozenset({"Drawer", "Cabinet", "LaundryHamper", "Microwave", "Fridge", "Box"})

#: Receptacles whose free spots may be far from the agent.
PLACES_ANYWHERE = frozenset(
    {"Pot", "Pan", "Bowl", "GarbageCan", "Plate", "Box", "Drawer", "Mug", "Cup"}
)

#: The height of things in them as a fraction of the height of their box; 1 by default.
LEVELS: dict[str, tuple[float, ...]] = {
    "ArmChair": (0.48,),
    "BathtubBasin": (0.02,),
    "Bed": (0.62,),
    "Bowl": (0.1,),
    "Box": (0.05,),
    "Cabinet": (0.01,),
    "Chair": (0.5,),
    "CoffeeMachine": (0.13,),
    "Cup": (0.05,),
    "Drawer": (0.1,),
    "Fridge": (0.56, 0.16, 0.36, 0.75),
    "GarbageCan": (0.06,),
    "LaundryHamper": (0.06,),
    "Microwave": (0.1,),
    "Mug": (0.05,),
    "Pan": (0.35,),
    "Plate": (0.3,),
    "Pot": (0.05,),
    "Safe": (0.1,),
    "Shelf": (0.01,),
    "SinkBasin": (0.02,),
    "Sofa": (0.47,),
}


def allowed(object_type: str, receptacle_type: str) -> bool:
    """Whether the table allows a type at receptacles of another type."""
    places = ALLOWED.get(object_type)
    return places is None or receptacle_type in places
