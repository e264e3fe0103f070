"""The families of kitchen tasks, each with all levels, and `:easy`, `:medium` and `:hard`.

Tru-POMDP's object rearrangement (Tang et al., 2025, section 5.1 and appendix A), in one of five
kitchens; docs/suites/kitchens.md describes it. Kitchens, levels, limits, costs and feedback are the
paper's; instructions, objects and placements are drawn by our own rules (`drawing`).
"""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from ..contract import Family, Suite, suite_name
from .drawing import KEPT, draw, draw_ambiguous
from .drawn_suites import by_level, drawn_tasks, levels_of, suite_of
from .files import tasks_of_files

#: The first seeds of `kitchens_ambiguous` and `kitchens_kept`, other than those of `kitchens`.
_FIRST_SEED, _FIRST_SEED_KEPT = 1000, 2000
#: Most hints of an ambiguous task: a family has eight needs, and at least one hint has two.
_MAX_HINTS = 7


@cache
def load(variant: str = "") -> Suite:
    """Make the suite of a level, or of all levels in turn."""
    levels = levels_of(variant)
    tasks = drawn_tasks(levels, draw)
    return suite_of(suite_name(FAMILY.name, variant), FAMILY.variants[variant], tasks, levels)


def load_files(variant: str, data: Path) -> Suite:
    """Make the suite of the user's files. Raises BadInput for bad ones."""
    levels = levels_of(variant)
    names = [level.name for level in levels]
    tasks = tuple(task for task in tasks_of_files(data) if task.labels["level"] in names)
    name = suite_name(FAMILY.name, variant)
    return suite_of(name, f"the kitchen tasks of {data}", tasks, levels, "tru_pomdp")


FAMILY = Family(
    name="kitchens",
    variants=by_level("Tru-POMDP style {}tasks: vague instructions in five kitchens"),
    make=load,
    of_data=load_files,
)


@cache
def load_ambiguous(variant: str = "") -> Suite:
    """Make the ambiguous suite of a level, or of all levels in turn."""
    levels = levels_of(variant)
    tasks = drawn_tasks(
        levels, draw_ambiguous, first_seed=_FIRST_SEED, spare_needs=1, most_needs=_MAX_HINTS
    )
    name = suite_name(AMBIGUOUS.name, variant)
    return suite_of(name, AMBIGUOUS.variants[variant], tasks, levels)


AMBIGUOUS = Family(
    name="kitchens_ambiguous",
    variants=by_level("Tru-POMDP style {}tasks in kitchens: one of several goals is meant"),
    make=load_ambiguous,
    no_data="play files by --suite kitchens",
)


@cache
def load_kept(variant: str = "") -> Suite:
    """Make the suite of a level, or of all levels in turn, with things where people keep them."""
    levels = levels_of(variant)
    tasks = drawn_tasks(levels, partial(draw, places=KEPT), first_seed=_FIRST_SEED_KEPT)
    return suite_of(
        suite_name(KEPT_FAMILY.name, variant), KEPT_FAMILY.variants[variant], tasks, levels
    )


KEPT_FAMILY = Family(
    name="kitchens_kept",
    variants=by_level("Tru-POMDP style {}tasks: things lie where people keep them, some in view"),
    make=load_kept,
    no_data="play files by --suite kitchens",
)
