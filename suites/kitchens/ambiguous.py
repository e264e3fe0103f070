"""The family `kitchens_ambiguous`: all levels, and `:easy`, `:medium` and `:hard`.

The tasks of `kitchens`, but for instructions that can be understood in several ways (`readings`): a
planner that is granted the goal is told all that could be meant, and finds out what is.
"""

from __future__ import annotations

from functools import cache

from ..contract import Family, Suite, suite_name
from .drawn_suites import by_level, drawn_tasks, levels_of, suite_of
from .readings import draw_ambiguous

#: The first seed, so that no task is drawn as one of `kitchens` is.
_FIRST_SEED = 1000
#: The most hints of a task: a family has eight needs, and one hint at least has two.
_MAX_HINTS = 7


@cache
def load(variant: str = "") -> Suite:
    """The tasks of a level, or those of all levels in turn."""
    levels = levels_of(variant)
    tasks = drawn_tasks(
        levels,
        draw_ambiguous,
        first_seed=_FIRST_SEED,
        spare_needs=1,
        most_needs=_MAX_HINTS,
    )
    return suite_of(suite_name(FAMILY.name, variant), FAMILY.variants[variant], tasks, levels)


FAMILY = Family(
    name="kitchens_ambiguous",
    variants=by_level("Tru-POMDP style {}tasks in kitchens: one of several goals is meant"),
    make=load,
    no_data="play files by --suite kitchens",
)
