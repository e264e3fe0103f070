"""The tasks of the stand-in, with where things are at their starts."""

from __future__ import annotations

from typing import NamedTuple

CABINET, STOVE, TABLE = "wooden_cabinet_1", "flat_stove_1", "main_table"
TOP, BOTTOM = f"{CABINET}_top_region", f"{CABINET}_bottom_region"
ROOF, BURNER = f"{CABINET}_top_side", f"{STOVE}_cook_region"
ZONE = f"{TABLE}_stove_front_region"
BOWL, PLATE, CHEESE = "akita_black_bowl_1", "plate_1", "cream_cheese_1"
#: The stored starts of each task.
STARTS = 5


class StandInTask(NamedTuple):
    """A task and where it begins."""

    name: str
    """Of the task."""
    instruction: str
    """What is asked."""
    goal: tuple[tuple[str, ...], ...]
    """Predicates with their things."""
    inside: tuple[tuple[str, str], ...] = ()
    """Things that begin in a drawer."""
    opened: tuple[str, ...] = ()
    """Drawers that begin open."""


TASKS = (
    StandInTask("open_the_top_drawer", "Open the top drawer", (("open", TOP),)),
    StandInTask("put_the_bowl_on_the_plate", "Put the bowl on the plate", (("on", BOWL, PLATE),)),
    StandInTask(
        "put_the_cheese_in_the_top_drawer_and_close_it",
        "Put the cream cheese in the top drawer and close it",
        (("in", CHEESE, TOP), ("close", TOP)),
    ),
    StandInTask(
        "turn_on_the_stove_and_put_the_plate_before_it",
        "Turn on the stove and put the plate in front of it",
        (("turnon", STOVE), ("on", PLATE, ZONE)),
    ),
    StandInTask(
        "put_the_hidden_cheese_in_the_bowl",
        "Put the cream cheese in the bowl",
        (("on", CHEESE, BOWL),),
        inside=((CHEESE, BOTTOM),),
        opened=(TOP,),
    ),
)
