"""Instructions for tasks, as people would say them, in several phrasings."""

from __future__ import annotations

from collections.abc import Sequence

from ...adapters.random_draws import RandomDraws
from .drawing import DrawnTask, WahTaskKind

#: Singular and plural of categories. Uncountable ones are counted by their container.
_WORDS = {
    "apple": ("apple", "apples"),
    "banana": ("banana", "bananas"),
    "bowl": ("bowl", "bowls"),
    "bread": ("loaf of bread", "loaves of bread"),
    "carrot": ("carrot", "carrots"),
    "cereal": ("box of cereal", "boxes of cereal"),
    "cheese": ("piece of cheese", "pieces of cheese"),
    "chicken": ("piece of chicken", "pieces of chicken"),
    "cup": ("cup", "cups"),
    "drinking glass": ("drinking glass", "drinking glasses"),
    "egg": ("egg", "eggs"),
    "fork": ("fork", "forks"),
    "jam": ("jar of jam", "jars of jam"),
    "juice": ("bottle of juice", "bottles of juice"),
    "knife": ("knife", "knives"),
    "lemon": ("lemon", "lemons"),
    "milk": ("carton of milk", "cartons of milk"),
    "mug": ("mug", "mugs"),
    "napkin": ("napkin", "napkins"),
    "pizza": ("pizza", "pizzas"),
    "plate": ("plate", "plates"),
    "salt": ("packet of salt", "packets of salt"),
    "spoon": ("spoon", "spoons"),
    "wine": ("bottle of wine", "bottles of wine"),
    "wine glass": ("wine glass", "wine glasses"),
}
_NUMBERS = {1: "one", 2: "two", 3: "three"}

#: {items}: the things; {Items}: the same at the beginning of a sentence. {place}: the furniture.
_ANY = (
    "Put {items} {in} {place}.",
    "Please put {items} {in} {place}.",
    "Could you put {items} {in} {place}, please?",
    "I would like to have {items} {in} {place}.",
    "Make sure that {items} are {in} {place}.",
    "Find {items} and put everything {in} {place}.",
    "{Items} should be {in} {place} in the end.",
)
_PHRASINGS = {
    "put_fridge": (
        *_ANY,
        "Take {items} to {place} and put them inside.",
        "Cool {items} in {place} for me.",
        "The groceries need to be put away: {items} in {place}.",
    ),
    "put_dishwasher": (
        "Put {items} in {place} and turn it on.",
        "Please load {place} with {items}, then switch it on.",
        "Could you put {items} into {place} and start it, please?",
        "I need {items} washed: put them in {place} and turn it on.",
        "Collect {items} in {place}, close it and turn it on.",
        "{Items} are to be in {place}, and it should be running.",
    ),
    "setup_table": (
        *_ANY,
        "Set {place} with {items}.",
        "Set up {place} for a meal: we need {items} on it.",
        "Lay {items} on {place}.",
    ),
    "prepare_food": (
        *_ANY,
        "Prepare something to eat: bring {items} to {place} and put them on it.",
        "Get the meal ready with {items} on {place}.",
        "Serve {items} on {place}.",
    ),
    "prepare_snack": (
        *_ANY,
        "Prepare a snack: put {items} on {place}.",
        "I am hungry. Please leave {items} on {place} for me.",
        "Serve {items} on {place} as a snack.",
    ),
}


def instruction(kind: WahTaskKind, drawn: DrawnTask, chance: RandomDraws) -> str:
    """The instruction. Where there are several targets, it asks for one of them."""
    items = _listed(_counted(drawn, chance))
    place = f"the {drawn.target}" if drawn.places == 1 else f"one {drawn.target}"
    text = chance.pick(_PHRASINGS[kind.name]).format(
        items=items,
        Items=items[0].upper() + items[1:],
        place=place,
        **{"in": "in" if kind.relation == "inside" else "on"},
    )
    return text[0].upper() + text[1:]


def _counted(drawn: DrawnTask, chance: RandomDraws) -> list[str]:
    """ "two apples", "an egg", "the carton of milk"; "the" only for the only ones in the house."""
    definite, numbered = chance.one_in(2), chance.one_in(2)
    counted = []
    for category, count in chance.shuffled(drawn.items):
        words = _WORDS[category][count > 1]
        if definite and category in drawn.lone and count == 1:
            counted.append(f"the {words}")
        elif count > 1 or numbered:
            counted.append(f"{_NUMBERS[count]} {words}")
        else:
            counted.append(f"{'an' if words[0] in 'aeiou' else 'a'} {words}")
    return counted


def _listed(items: Sequence[str]) -> str:
    """ "a, b and c" """
    *others, last = items
    return f"{', '.join(others)} and {last}" if others else last
