"""The tasks of `libero:household` and the scenes of its audit.

Places and things are those that the arm was found able to handle (benchmarks/libero_audit.py). No
shortest plan has two drawers of one cabinet open at a time: the upper one is in the way of the
lower one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .household import Fixture, HouseholdTask

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: Where fixtures stand, so that the arm can open, fill, empty and close them.
WOODEN = Fixture("wooden_cabinet_1", 0.0, -0.46, math.pi)
WHITE = Fixture("white_cabinet_1", 0.0, 0.46)
STOVE = Fixture("flat_stove_1", -0.41, 0.21)
_FIXTURES = (WOODEN, WHITE, STOVE)

WOODEN_TOP, WOODEN_MIDDLE = "wooden_cabinet_1_top_region", "wooden_cabinet_1_middle_region"
WHITE_TOP, WHITE_MIDDLE = "white_cabinet_1_top_region", "white_cabinet_1_middle_region"
ON_WHITE, BURNER = "white_cabinet_1_top_side", "flat_stove_1_cook_region"
IN_BASKET, IN_TRAY = "basket_1_contain_region", "wooden_tray_1_contain_region"

BOWL, YELLOW_BOWL, WHITE_BOWL = "akita_black_bowl_1", "yellow_bowl_1", "white_bowl_1"
RAMEKIN, RED_RAMEKIN = "glazed_rim_porcelain_ramekin_1", "red_ramekin_1"
MILK, JUICE = "milk_1", "orange_juice_1"
PLATE, BASKET, TRAY = "plate_1", "basket_1", "wooden_tray_1"

#: Places from which the audit took things at nine of ten starts or more: ramekins and white bowls
#: from all drawers, other bowls and milk, which lies there, from some.
_WOODEN_DRAWERS, _WHITE_DRAWERS = (WOODEN_TOP, WOODEN_MIDDLE), (WHITE_TOP, WHITE_MIDDLE)
_DRAWERS = (*_WOODEN_DRAWERS, *_WHITE_DRAWERS)
_FOR_BOWLS = (WOODEN_TOP, WOODEN_MIDDLE, WHITE_TOP)
_TOPS = (WOODEN_TOP, WHITE_TOP)
_FOR_MILK = (WOODEN_TOP,)

#: Spots on the table that no drawer sweeps over.
_NEAR, _NEAR_RIGHT, _MIDDLE, _FAR = (-0.24, -0.06), (-0.24, -0.25), (-0.06, 0.0), (0.13, 0.0)

Part = tuple[str, ...]
_ON, _OFF = ("turnon", STOVE.name), ("turnoff", STOVE.name)
_ALL_CLOSED = "In the end all drawers are closed."


def _task(
    name: str,
    instruction: str,
    *goal: Part,
    hidden: Mapping[str, Sequence[str]],
    standing: Mapping[str, tuple[float, float]],
    opened: str | None = None,
    running: tuple[str, ...] = (),
) -> HouseholdTask:
    """A task at the two cabinets. In the end all drawers are closed but the opened one."""
    drawers: list[Part] = [("open" if each == opened else "close", each) for each in _DRAWERS]
    words = instruction if opened else f"{instruction} {_ALL_CLOSED}"
    return HouseholdTask(
        name, words, _FIXTURES, (*goal, *drawers), standing=standing, hidden=hidden, running=running
    )


TASKS = (
    _task(
        "warm_the_ramekin",
        "A ramekin is shut away. Put it on the stove and turn the stove on. Put the black bowl on "
        "the plate.",
        ("on", RAMEKIN, BURNER),
        ("on", BOWL, PLATE),
        _ON,
        standing={BOWL: _NEAR, PLATE: _FAR},
        hidden={RAMEKIN: _DRAWERS},
    ),
    _task(
        "bowl_and_ramekin",
        "A black bowl and a red ramekin are shut away. Put the bowl on the plate and the ramekin "
        "on the stove.",
        ("on", BOWL, PLATE),
        ("on", RED_RAMEKIN, BURNER),
        standing={PLATE: _NEAR},
        hidden={BOWL: _FOR_BOWLS, RED_RAMEKIN: _DRAWERS},
    ),
    _task(
        "swap_the_ramekins",
        "A red ramekin is shut away: put it on the plate. Put the other ramekin in the top drawer "
        "of the wooden cabinet.",
        ("on", RED_RAMEKIN, PLATE),
        ("in", RAMEKIN, WOODEN_TOP),
        standing={RAMEKIN: _NEAR, PLATE: _FAR},
        hidden={RED_RAMEKIN: _WHITE_DRAWERS},
    ),
    _task(
        "milk_and_juice",
        "Put the milk, which is shut away, on the wooden tray, and the orange juice on top of the "
        "white cabinet.",
        ("in", MILK, IN_TRAY),
        ("on", JUICE, ON_WHITE),
        standing={JUICE: _NEAR, TRAY: _FAR},
        hidden={MILK: _FOR_MILK},
    ),
    _task(
        "milk_and_a_bowl",
        "Milk and a white bowl are shut away. Put the milk in the basket and the bowl on the "
        "plate.",
        ("in", MILK, IN_BASKET),
        ("on", WHITE_BOWL, PLATE),
        standing={PLATE: _NEAR, BASKET: _FAR},
        hidden={MILK: _FOR_MILK, WHITE_BOWL: _WHITE_DRAWERS},
    ),
    _task(
        "milk_and_a_ramekin",
        "Milk and a ramekin are shut away. Put the milk in the basket and the ramekin on the "
        "stove.",
        ("in", MILK, IN_BASKET),
        ("on", RAMEKIN, BURNER),
        standing={BASKET: _FAR},
        hidden={MILK: _FOR_MILK, RAMEKIN: _DRAWERS},
    ),
    _task(
        "bowls_change_places",
        "A white bowl is shut away: put it on the plate. Put the yellow bowl in the top drawer of "
        "the white cabinet.",
        ("on", WHITE_BOWL, PLATE),
        ("in", YELLOW_BOWL, WHITE_TOP),
        standing={YELLOW_BOWL: _NEAR, PLATE: _FAR},
        hidden={WHITE_BOWL: _WOODEN_DRAWERS},
    ),
    _task(
        "onto_the_cabinet",
        "A ramekin is shut away: put it on top of the white cabinet. Put the black bowl on the "
        "plate and turn the stove on.",
        ("on", RAMEKIN, ON_WHITE),
        ("on", BOWL, PLATE),
        _ON,
        standing={BOWL: _NEAR, PLATE: _FAR},
        hidden={RAMEKIN: _DRAWERS},
    ),
    _task(
        "leave_one_open",
        "A black bowl is shut away: put it on the stove and turn the stove on. Put the ramekin on "
        "the plate. In the end the top drawer of the wooden cabinet is open and all other drawers "
        "are closed.",
        ("on", BOWL, BURNER),
        ("on", RAMEKIN, PLATE),
        _ON,
        standing={RAMEKIN: _NEAR, PLATE: _FAR},
        hidden={BOWL: _TOPS},
        opened=WOODEN_TOP,
    ),
    _task(
        "switch_off_and_serve",
        "Turn the stove off. A yellow bowl is shut away: put it on the plate. Put the ramekin in "
        "the top drawer of the white cabinet.",
        _OFF,
        ("on", YELLOW_BOWL, PLATE),
        ("in", RAMEKIN, WHITE_TOP),
        standing={RAMEKIN: _NEAR, PLATE: _FAR},
        hidden={YELLOW_BOWL: _WOODEN_DRAWERS},
        running=(STOVE.name,),
    ),
    _task(
        "two_hidden_ramekins",
        "Two ramekins are shut away. Put the red one on the stove and turn the stove on. Put the "
        "other one on the plate.",
        ("on", RED_RAMEKIN, BURNER),
        ("on", RAMEKIN, PLATE),
        _ON,
        standing={PLATE: _NEAR},
        hidden={RED_RAMEKIN: _DRAWERS, RAMEKIN: _DRAWERS},
    ),
    _task(
        "tidy_up",
        "Put the ramekin in the top drawer of the wooden cabinet and the yellow bowl on the stove. "
        "A red ramekin is shut away: put it on the plate.",
        ("in", RAMEKIN, WOODEN_TOP),
        ("on", YELLOW_BOWL, BURNER),
        ("on", RED_RAMEKIN, PLATE),
        standing={RAMEKIN: _NEAR, YELLOW_BOWL: _NEAR_RIGHT, PLATE: _FAR},
        hidden={RED_RAMEKIN: _WHITE_DRAWERS},
    ),
    _task(
        "breakfast",
        "Milk is shut away: put it in the basket. Put the black bowl on the plate and the ramekin "
        "on the stove.",
        ("in", MILK, IN_BASKET),
        ("on", BOWL, PLATE),
        ("on", RAMEKIN, BURNER),
        standing={BOWL: _NEAR, PLATE: _NEAR_RIGHT, RAMEKIN: _MIDDLE, BASKET: _FAR},
        hidden={MILK: _FOR_MILK},
    ),
    _task(
        "juice_and_a_warm_bowl",
        "A yellow bowl is shut away: put it on the stove and turn the stove on. Put the orange "
        "juice on the wooden tray.",
        ("on", YELLOW_BOWL, BURNER),
        ("in", JUICE, IN_TRAY),
        _ON,
        standing={JUICE: _NEAR, TRAY: _FAR},
        hidden={YELLOW_BOWL: _FOR_BOWLS},
    ),
    _task(
        "put_a_bowl_away",
        "Put the yellow bowl in the top drawer of the white cabinet. A red ramekin is shut away: "
        "put it on the plate. Turn the stove on.",
        ("in", YELLOW_BOWL, WHITE_TOP),
        ("on", RED_RAMEKIN, PLATE),
        _ON,
        standing={YELLOW_BOWL: _NEAR, PLATE: _FAR},
        hidden={RED_RAMEKIN: _WOODEN_DRAWERS},
    ),
    _task(
        "three_dishes",
        "A white bowl is shut away: put it on the plate. Put the ramekin on top of the white "
        "cabinet and the black bowl on the stove.",
        ("on", WHITE_BOWL, PLATE),
        ("on", RAMEKIN, ON_WHITE),
        ("on", BOWL, BURNER),
        standing={BOWL: _NEAR, RAMEKIN: _NEAR_RIGHT, PLATE: _FAR},
        hidden={WHITE_BOWL: _FOR_BOWLS},
    ),
    _task(
        "cold_kitchen",
        "Turn the stove off. Milk is shut away: put it in the basket. Put the black bowl on the "
        "plate.",
        _OFF,
        ("in", MILK, IN_BASKET),
        ("on", BOWL, PLATE),
        standing={BOWL: _NEAR, PLATE: _NEAR_RIGHT, BASKET: _FAR},
        hidden={MILK: _FOR_MILK},
        running=(STOVE.name,),
    ),
    _task(
        "ramekins_high_and_low",
        "Two ramekins are shut away, a red one and another. Put the red one on top of the white "
        "cabinet and the other one on the plate. Put the black bowl on the stove.",
        ("on", RED_RAMEKIN, ON_WHITE),
        ("on", RAMEKIN, PLATE),
        ("on", BOWL, BURNER),
        standing={BOWL: _NEAR, PLATE: _FAR},
        hidden={RAMEKIN: _DRAWERS, RED_RAMEKIN: _DRAWERS},
    ),
    _task(
        "open_the_white_drawer",
        "A yellow bowl is shut away: put it on the plate. Put the black bowl on the stove. In the "
        "end the top drawer of the white cabinet is open and all other drawers are closed.",
        ("on", YELLOW_BOWL, PLATE),
        ("on", BOWL, BURNER),
        standing={BOWL: _NEAR, PLATE: _FAR},
        hidden={YELLOW_BOWL: _WOODEN_DRAWERS},
        opened=WHITE_TOP,
    ),
    _task(
        "juice_on_the_cabinet",
        "A black bowl is shut away: put it on the plate. Put the orange juice on top of the white "
        "cabinet and turn the stove on.",
        ("on", BOWL, PLATE),
        ("on", JUICE, ON_WHITE),
        _ON,
        standing={JUICE: _NEAR, PLATE: _FAR},
        hidden={BOWL: _FOR_BOWLS},
    ),
    _task(
        "milk_for_a_ramekin",
        "Put the red ramekin in the top drawer of the white cabinet. Milk is shut away: put it in "
        "the basket.",
        ("in", RED_RAMEKIN, WHITE_TOP),
        ("in", MILK, IN_BASKET),
        standing={RED_RAMEKIN: _NEAR, BASKET: _FAR},
        hidden={MILK: _FOR_MILK},
    ),
    _task(
        "dinner_for_two",
        "A white bowl and a red ramekin are shut away. Put the bowl on the plate and the ramekin "
        "on the stove, and turn the stove on.",
        ("on", WHITE_BOWL, PLATE),
        ("on", RED_RAMEKIN, BURNER),
        _ON,
        standing={PLATE: _FAR},
        hidden={WHITE_BOWL: _FOR_BOWLS, RED_RAMEKIN: _DRAWERS},
    ),
    _task(
        "milk_on_the_tray",
        "Milk is shut away: put it on the wooden tray. Put the ramekin on the stove and turn the "
        "stove on.",
        ("in", MILK, IN_TRAY),
        ("on", RAMEKIN, BURNER),
        _ON,
        standing={RAMEKIN: _NEAR, TRAY: _FAR},
        hidden={MILK: _FOR_MILK},
    ),
    _task(
        "clear_the_stove",
        "Turn the stove off and put the black bowl from the stove on the plate. A ramekin is shut "
        "away: put it on top of the white cabinet.",
        _OFF,
        ("on", BOWL, PLATE),
        ("on", RAMEKIN, ON_WHITE),
        standing={BOWL: (-0.26, 0.21), PLATE: _FAR},
        hidden={RAMEKIN: _DRAWERS},
        running=(STOVE.name,),
    ),
)


def _audits() -> Iterator[HouseholdTask]:
    """One thing in one shut drawer."""
    for thing in (BOWL, YELLOW_BOWL, WHITE_BOWL, RAMEKIN, RED_RAMEKIN, MILK, JUICE):
        for place in _DRAWERS if thing not in (MILK, JUICE) else _TOPS:
            goal = (("in", thing, place), ("close", place))
            yield HouseholdTask(
                f"{thing}_in_{place}", "", _FIXTURES, goal, hidden={thing: (place,)}
            )


SUITES = {"libero_household": TASKS, "libero_household_audit": tuple(_audits())}
#: How many starts each task has.
STARTS = 20
