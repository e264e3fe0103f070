"""Instructions for generated tasks, as people would say them, in several phrasings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ...adapters.ai2thor.object_types import CONTAINERS, category_of
from ...adapters.random_draws import RandomDraws
from ...data_files import read_yaml
from ...scene_graph.goal_text import plural
from .goals import TaskParameters

_WORDS = read_yaml(Path(__file__).with_name("wording.yaml"))
_SAID: dict[str, str] = _WORDS["said"]


def instruction(asked: TaskParameters, count: Callable[[str], int], chance: RandomDraws) -> str:
    """A task in words. count: how many things of a type the scene has."""

    def one(object_type: str) -> str:
        name = said(object_type)
        if object_type and count(object_type) == 1:
            return f"the {name}"
        return f"{_article(name)} {name}"

    target = said(asked.target)
    slice_of = f"a slice of {'the ' if count(asked.target) == 1 else ''}{target}"
    text: str = chance.pick(_WORDS["phrasings"][asked.kind]).format_map(
        {
            "a": slice_of if asked.sliced else one(asked.target),
            "two": f"two {plural(target)}",
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
    name: str = _WORDS["said"].get(category, category)
    return name


def _preposition(receptacle: str) -> str:
    return "in" if receptacle in CONTAINERS else "on"


def _article(name: str) -> str:
    return "an" if name[:1] in tuple("aeiou") else "a"
