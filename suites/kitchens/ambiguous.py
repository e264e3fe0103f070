"""The family `kitchens_ambiguous`: all levels, and `:easy`, `:medium` and `:hard`.

The tasks of `kitchens`, but with instructions that have several meanings (`readings`). A planner
that may see the goal gets all possible meanings, and has to find out the right one.
"""

from __future__ import annotations

from functools import cache

from ..contract import Family, Suite, suite_name
from .drawn_suites import by_level, drawn_tasks, levels_of, suite_of
from .readings import draw_ambiguous

#: The first seed, other than those of `kitchens`.
_FIRST_SEED = 1000
#: Most hints of a task: a family has eight needs, and at least one hint has two.
_MAX_HINTS = 7


@cache
def load(variant: str = "") -> Suite:
    """Make the suite of a level, or of all levels in turn."""
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
