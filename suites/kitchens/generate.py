"""Kitchen tasks that a language model generates, as in Tru-POMDP (appendix A.4).

A task takes three prompts: for a vague instruction with its objects, for other objects, and for the
goal areas and combinations of objects that fulfil the instruction. Every answer is checked, and
asked for again with the error. The result is a document in the published format (`files`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from ...adapters.kitchens.layouts import HUMAN_HAND, Layout
from ...adapters.random_draws import RandomDraws
from ...models.contract import Model
from ...planners.kits.prompting.templates import Templates
from ...scene_graph.fields import Field
from ..json_questions import WHERE, ask
from .drawing import OBJECTS
from .drawn_suites import Level
from .files import task_of
from .knowledge import families, persons, phrases_of

#: Prompts for a task: intent, distractors and goals. Unusable answers need more.
QUESTIONS = 3
FEWEST_TARGETS, MOST_TARGETS = 6, 8
AREAS_OF_A_DISTRACTOR = 4
MOST_AREAS = 4
#: Most acceptable goals. A task with more would be arbitrary.
MOST_GOALS = 2000

_TEMPLATES = Templates(__file__)
_NAME = re.compile(r"[a-z]+(?:_[a-z]+)*")


def generate(model: Model, layout: Layout, level: Level, chance: RandomDraws) -> dict[str, Any]:
    """The document of a new task. Raises NoAnswer where the model gives no usable answer."""
    time = chance.pick(sorted({time for family in families() for time in family.times}))
    context = f"{chance.pick(phrases_of(time))}, and {chance.pick(persons())}."
    count = chance.weighted(level.needs)
    asked: dict[str, Any] = {"areas": tuple(layout.areas), "hand": HUMAN_HAND}
    instruction, targets = _ask(
        model,
        "intent",
        lambda field: _intent(field, layout),
        **asked,
        context=context,
        fewest=FEWEST_TARGETS,
        most=MOST_TARGETS,
        count=count,
    )
    known = {**asked, "instruction": instruction, "targets": targets}
    missing = OBJECTS - len(targets)
    plausible = _ask(
        model,
        "distractors",
        lambda field: _distractors(field, layout, targets, missing),
        **known,
        missing=missing,
        each=AREAS_OF_A_DISTRACTOR,
    )
    placed = {**targets, **{name: chance.pick(areas) for name, areas in plausible.items()}}
    names = {name: f"{name}_{chance.between(1, 20)}" for name in placed}
    at = chance.pick([area for area in layout.areas if area != HUMAN_HAND])
    document: dict[str, Any] = {
        "placement": [
            {"area": area, "placed_object": names[name]} for name, area in placed.items()
        ],
        "robot": {"name": "robot", "location": at, "object_in_hand": ""},
    }
    whole: dict[str, Any] = _ask(
        model,
        "goals",
        lambda field: _with_goals(field, layout, targets, count, names, instruction, document),
        **known,
        most=MOST_AREAS,
        count=count,
    )
    return whole


def _ask(model: Model, template: str, read: Callable[[Field], Any], **values: object) -> Any:
    """Ask the model and read its answer."""
    system, user = _TEMPLATES.render("system"), _TEMPLATES.render(template, **values)
    return ask(model, system, user, read, about=lambda: _about(template, values))


def _about(template: str, values: Mapping[str, Any]) -> dict[str, object]:
    """The content of a prompt as data for stand-ins: areas, earlier answers, numbers."""
    return {
        "kind": f"kitchen_task_{template}",
        "areas": values["areas"],
        "placed": values.get("targets", {}),
        "others": values.get("missing", 0),
        "count": values.get("each", 0),
        "size": values.get("count", 0),
    }


# --- answers -------------------------------------------------------------------------------------


def _intent(field: Field, layout: Layout) -> tuple[str, dict[str, str]]:
    fields = field.entries(("instruction", "objects"))
    instruction = " ".join(fields["instruction"].text().split())
    objects: dict[str, str] = {}
    for item in fields["objects"].items():
        entry = item.entries(("name", "area"))
        name = _new_name(entry["name"], objects)
        objects[name] = _area(entry["area"], layout)
    if not FEWEST_TARGETS <= len(objects) <= MOST_TARGETS:
        raise fields["objects"].wrong(f"expected {FEWEST_TARGETS} to {MOST_TARGETS} objects")
    return instruction, objects


def _distractors(
    field: Field, layout: Layout, targets: Mapping[str, str], missing: int
) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    items = field.entries(("objects",))["objects"]
    for item in items.items():
        entry = item.entries(("name", "areas"))
        name = _new_name(entry["name"], {**targets, **found})
        areas = [_area(area, layout) for area in entry["areas"].items()]
        if len(set(areas)) != AREAS_OF_A_DISTRACTOR:
            raise entry["areas"].wrong(f"expected {AREAS_OF_A_DISTRACTOR} different areas")
        found[name] = tuple(areas)
    if len(found) != missing:
        raise items.wrong(f"expected {missing} objects, there are {len(found)}")
    return found


def _with_goals(
    field: Field,
    layout: Layout,
    targets: Mapping[str, str],
    count: int,
    names: Mapping[str, str],
    instruction: str,
    document: Mapping[str, Any],
) -> dict[str, Any]:
    """The whole document, checked like that of a file."""
    fields = field.entries(("areas", "combinations"))
    areas: dict[str, list[str]] = {}
    for name, choice in fields["areas"].entries((), None).items():
        if name not in targets:
            raise choice.wrong(f"expected one of {', '.join(targets)} before it")
        known = [_area(item, layout, hand=True) for item in choice.items()]
        if not 1 <= len(known) <= MOST_AREAS:
            raise choice.wrong(f"expected one to {MOST_AREAS} areas")
        if targets[name] in known:
            raise choice.wrong(f"expected no area where the object lies already: {targets[name]}")
        areas[name] = list(dict.fromkeys(known))
    goals = []
    combinations = fields["combinations"]
    for item in combinations.items():
        chosen = [each.text() for each in item.items()]
        if len(set(chosen)) != count or not set(chosen) <= areas.keys():
            raise item.wrong(f"expected {count} different objects that have areas")
        goals += _goals(chosen, areas, names)
    if len(goals) > MOST_GOALS:
        raise combinations.wrong(f"expected no more than {MOST_GOALS} goals in all; leave some out")
    task = {"description": instruction, "goal_set": goals}
    whole = {**document, "task": task}
    task_of(whole, WHERE, "generated", [layout])
    return whole


def _goals(
    chosen: Sequence[str], areas: Mapping[str, Sequence[str]], names: Mapping[str, str]
) -> list[list[dict[str, str]]]:
    """All ways to place the objects of a combination."""
    return [
        [
            {"target_area": area, "placed_object": names[name]}
            for name, area in zip(chosen, combined, strict=True)
        ]
        for combined in product(*(areas[name] for name in chosen))
    ]


def _new_name(field: Field, known: Mapping[str, object]) -> str:
    name = field.text()
    if _NAME.fullmatch(name) is None:
        raise field.wrong("expected words in lower case with underscores, without a number")
    if name in known:
        raise field.wrong("expected an object that was not named before")
    return name


def _area(field: Field, layout: Layout, *, hand: bool = False) -> str:
    area = field.text()
    if area not in layout.areas or (area == HUMAN_HAND and not hand):
        raise field.wrong("expected one of the areas that the question names")
    return area
