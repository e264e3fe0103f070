"""Instructions for generated tasks, as people would say them, in several phrasings."""

from __future__ import annotations

from collections.abc import Callable

from ...adapters.ai2thor.alfred_files import TaskType
from ...adapters.ai2thor.object_types import CONTAINERS, category_of
from ...adapters.random_draws import RandomDraws
from .goals import TaskParameters

#: {a}: the thing. {two}: two of it. {in}, {there}: preposition and place. {lamp}. {box}: container.
_PHRASINGS = {
    TaskType.SIMPLE: (
        "Put {a} {in} {there}.",
        "Please put {a} {in} {there}.",
        "I want {a} to be {in} {there}.",
        "Find {a} and put it {in} {there}.",
    ),
    TaskType.TWO: (
        "Put {two} {in} {there}.",
        "Find {two} and put both {in} {there}.",
        "Please see to it that {two} are {in} {there}.",
    ),
    TaskType.LIGHT: (
        "Look at {a} by the light of {lamp}.",
        "Examine {a} in the light of {lamp}.",
        "Pick up {a} and turn on {lamp}.",
        "Hold {a} next to {lamp} and switch it on.",
    ),
    TaskType.MOVABLE: (
        "Put {a} {onto} {box}, and put that {in} {there}.",
        "Place {box} with {a} {inon} it {in} {there}.",
        "Bring {a} {onto} {box} and leave both {in} {there}.",
    ),
    TaskType.HEAT: (
        "Heat {a} and put it {in} {there}.",
        "Put {a} {in} {there} after you have heated it in the microwave.",
        "Warm up {a}, then put it {in} {there}.",
    ),
    TaskType.COOL: (
        "Cool {a} and put it {in} {there}.",
        "Chill {a} in the fridge, then put it {in} {there}.",
        "Put {a} {in} {there} after you have cooled it in the fridge.",
    ),
    TaskType.CLEAN: (
        "Wash {a} and put it {in} {there}.",
        "Clean {a} in the sink, then put it {in} {there}.",
        "Rinse {a} and put it {in} {there} afterwards.",
    ),
}
#: Everyday names that differ from the type's name.
_SAID = {
    "cd": "CD",
    "tv stand": "TV stand",
    "arm chair": "armchair",
    "basket ball": "basketball",
    "cell phone": "phone",
    "counter top": "counter",
    "dish sponge": "sponge",
    "garbage can": "garbage can",
    "key chain": "bunch of keys",
    "sink basin": "sink",
    "soap bar": "bar of soap",
    "toilet paper": "roll of toilet paper",
}
_PLURALS = {
    "bar of soap": "bars of soap",
    "bunch of keys": "bunches of keys",
    "butter knife": "butter knives",
    "knife": "knives",
    "roll of toilet paper": "rolls of toilet paper",
    "box": "boxes",
    "tissue box": "tissue boxes",
    "watch": "watches",
    "potato": "potatoes",
    "tomato": "tomatoes",
}


def instruction(asked: TaskParameters, count: Callable[[str], int], chance: RandomDraws) -> str:
    """A task in words. count: how many things of a type the scene has."""

    def one(object_type: str) -> str:
        name = said(object_type)
        if object_type and count(object_type) == 1:
            return f"the {name}"
        return f"{_article(name)} {name}"

    target = said(asked.target)
    slice_of = f"a slice of {'the ' if count(asked.target) == 1 else ''}{target}"
    text = chance.pick(_PHRASINGS[asked.kind]).format_map(
        {
            "a": slice_of if asked.sliced else one(asked.target),
            "two": f"two {_PLURALS.get(target, target + 's')}",
            "in": _preposition(asked.parent),
            "there": one(asked.parent),
            "lamp": one(asked.toggle),
            "box": one(asked.movable),
            "onto": f"{_preposition(asked.movable)}to",
            "inon": _preposition(asked.movable),
        }
    )
    return text[0].upper() + text[1:]


def said(object_type: str) -> str:
    """The everyday name of a type."""
    category = category_of(object_type)
    return _SAID.get(category, category)


def _preposition(receptacle: str) -> str:
    return "in" if receptacle in CONTAINERS else "on"


def _article(name: str) -> str:
    return "an" if name[:1] in tuple("aeiou") else "a"
