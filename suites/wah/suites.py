"""The suites `wah`, `wah:lived_in` and those to train on: tasks after Watch-And-Help.

The five kinds are those of Watch-And-Help (https://arxiv.org/abs/2010.09890) as WAH-NL words them;
docs/suites/robothow_wah_houses.md describes them. The subgoal success rate is the share that holds
at the best instance of the furniture (ReAcTree, https://arxiv.org/abs/2511.02424, section 5). An
episode ends when the planner says that it is done. `wah:small` has small houses, of a kitchen and
one more room. With little to search, they train fetching, bringing, counting and stopping.
"""

from __future__ import annotations

import re
import types
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from ...adapters.random_draws import RandomDraws
from ...adapters.virtualhome.arranged import scene_of
from ...adapters.virtualhome.ontology import english
from ...adapters.virtualhome.scenes import raw
from ...adapters.virtualhome.wah_files import tasks_of
from ...data_files import read_yaml
from ...errors import BadInput
from ...scene_graph.fields import Field
from ...scene_graph.goals import And, Domain, Exists, Goal, HasState, Related, Term
from ...scene_graph.node import Relation, State
from ...scene_graph.rules import Budgets, Ends, Rules
from ...scene_graph.task import Task
from ..contract import Family, LazyTasks, NothingToAsk, Suite, in_turns, suite_name, takes_no_data
from .drawing import KINDS, RELATIONS, WahTaskKind, counted, draw, instruction
from .inventory import Inventory, inventory

TASKS_EACH = 10
#: Houses with the furniture for all kinds. The first two numbers are programs.
TEST_HOUSES = (
    "virtualhome-eval:1021_1",
    "virtualhome-eval:151_2",
    *(f"house:{number}" for number in (105, 114, 118, 126, 130, 141, 162, 164)),
)
TRAIN_HOUSES = tuple(
    f"house:{number}"
    for number in (
        *(201, 202, 203, 204, 210, 213, 214, 215, 219, 220, 226, 227, 234),
        *(240, 250, 251, 256, 264, 270, 280, 281, 284, 285, 287, 296),
    )
)
LIVED_IN = "?lived_in"
LIVED_IN_HOUSES = tuple(
    f"house:{number}{LIVED_IN}" for number in (101, 102, 103, 110, 111, 115, 116, 118, 120, 121)
)
#: The houses and the first seed of each variant with a list of houses.
_DRAWN = {"": (TEST_HOUSES, 1), "lived_in": (LIVED_IN_HOUSES, 2001), "train": (TRAIN_HOUSES, 1001)}
#: The first house of `wah:generated`; all other suites have houses with lower numbers.
FIRST_GENERATED_HOUSE = 1001
GENERATED, GENERATED_EACH, SMALL_EACH = 2000, len(KINDS), 2
BUDGETS = Budgets(steps=200, decisions=200)
_IN_IDS = str.maketrans(":?", "--")


@cache
def load(variant: str = "") -> Suite:
    """Make a suite of the family. Raises Missing without virtualhome-eval."""
    sources = {"house"}
    tasks: LazyTasks
    match variant:
        case "generated":
            tasks = LazyTasks(GENERATED, _in_houses())
        case "small":
            tasks = LazyTasks(GENERATED, _in_small_houses())
        case _:
            scenes, first_seed = _DRAWN[variant]
            houses = [_tasks(scene, seed) for seed, scene in enumerate(scenes, start=first_seed)]
            tasks = in_turns(houses, TASKS_EACH)
            sources = {scene.split(":")[0] for scene in scenes}
    return _suite(variant, FAMILY.variants[variant], tasks, sources)


def load_files(variant: str, data: Path) -> Suite:
    """Make the suite of the user's WAH-NL files, for testing or training. Raises BadInput."""
    if variant not in ("", "train"):
        raise takes_no_data(suite_name(FAMILY.name, variant), "its houses and tasks are generated")
    skipped: Counter[str] = Counter()
    tasks = tuple(tasks_of_files(data, skipped))
    if not tasks:
        raise BadInput(f"No task of {data} can be fulfilled in its house; give other WAH-NL tasks.")
    corrected = [task.id for task in tasks if CORRECTED in task.labels]
    notes = [f"asked as ReAcTree's Table 7 corrects them: {', '.join(corrected)}"]
    summary = f"the WAH-NL tasks of {data}"
    return _suite(variant, summary, tasks, {"wah-nl"}, skipped, notes if corrected else ())


def _suite(
    variant: str,
    summary: str,
    tasks: Sequence[Task],
    sources: Iterable[str],
    skipped: Mapping[str, int] = types.MappingProxyType({}),
    notes: Sequence[str] = (),
) -> Suite:
    return Suite(
        name=suite_name(FAMILY.name, variant),
        summary=summary,
        tasks=tasks,
        adapter="virtualhome",
        rules=Rules(ends=Ends.PLANNER_DONE),
        budgets=BUDGETS,
        sources=frozenset(sources),
        skipped=dict(skipped),
        notes=tuple(notes),
    )


FAMILY = Family(
    name="wah",
    variants={
        "": "Watch-And-Help style tasks in unseen houses: things by count, all at one place",
        "lived_in": "Watch-And-Help style tasks in houses furnished and kept as people do it",
        "train": "Watch-And-Help style tasks to learn from: things by count, all at one place",
        "generated": "Watch-And-Help style tasks by the thousand, to train models on",
        "small": "Watch-And-Help style tasks in small houses, to train models on",
    },
    make=load,
    of_data=load_files,
)


def _in_houses() -> Iterator[Task]:
    """Tasks in one house after the other, of those with the furniture for all kinds."""
    for number in count(FIRST_GENERATED_HOUSE):
        house = inventory(raw(f"house:{number}"))
        if _kinds_in(house) == KINDS:
            yield from _tasks(f"house:{number}", number, GENERATED_EACH)


def _in_small_houses() -> Iterator[Task]:
    """Tasks in one small house after the other, with all kinds as equally often as possible."""
    drawn: Counter[str] = Counter()
    for number in count(FIRST_GENERATED_HOUSE):
        scene = f"house:{number}?small"
        house = inventory(raw(scene))
        kinds = sorted(_kinds_in(house), key=lambda kind: drawn[kind.name])[:SMALL_EACH]
        chance, known = RandomDraws(number), list[Goal]()
        for turn, kind in enumerate(kinds, start=1):
            try:
                task = _task(scene, turn, kind, house, chance, known)
            except NothingToAsk:
                continue
            drawn[kind.name] += 1
            yield task


def _kinds_in(house: Inventory) -> tuple[WahTaskKind, ...]:
    """The kinds of tasks for which a house has the furniture."""
    there = house.furniture.keys()
    return tuple(kind for kind in KINDS if not there.isdisjoint(kind.targets))


def _tasks(scene: str, seed: int, number: int = TASKS_EACH) -> Iterator[Task]:
    """Tasks of a house, the kinds in turn. Each house begins with another kind."""
    house = inventory(raw(scene), scene.endswith(LIVED_IN))
    chance = RandomDraws(seed)
    known: list[Goal] = []
    for turn in range(1, number + 1):
        kind = KINDS[(seed + turn) % len(KINDS)]
        yield _task(scene, turn, kind, house, chance, known)


def _task(
    scene: str,
    turn: int,
    kind: WahTaskKind,
    house: Inventory,
    chance: RandomDraws,
    known: list[Goal],
) -> Task:
    """A new task of a kind. Adds its goal to the known ones. Raises NothingToAsk."""
    drawn = draw(kind, house, chance, known)
    known.append(drawn.goal)
    return Task(
        id=f"{kind.name}/{scene.translate(_IN_IDS)}-{turn}",
        instruction=instruction(kind, drawn, chance),
        goal=drawn.goal,
        scene=scene_of(scene, drawn.placements),
        labels={"category": kind.name, "scene": scene},
    )


# --- the user's WAH-NL files ----------------------------------------------------------------------


#: The label of a task whose instruction was corrected, with the instruction of the file.
CORRECTED = "corrected"
_KEY = re.compile(r"(?:(on|inside)_([^_]+)|turnOn)_([^_]+)")


def tasks_of_files(data: Path, skipped: Counter[str]) -> list[Task]:
    """The tasks of a file, or of all .json files of a folder.

    Counts in `skipped` the tasks that are left out, by reason. Raises BadInput with file, task and
    field.
    """
    paths = sorted(data.glob("*.json")) if data.is_dir() else [data]
    if not paths:
        raise BadInput(f"The folder {data} has no .json file; give one with WAH-NL tasks.")
    tasks: dict[str, Task] = {}
    for path in paths:
        for task_id, fields in tasks_of(str(path)).items():
            name = fields["task_name"].text()
            wanted, asked = _asked(fields["task_goal"]), _instruction(fields["nl_instructions"])
            lacking = _lacking(wanted, fields["init_graph"].value)
            if lacking:
                skipped[lacking] += 1
                continue
            revised = _revised(fields["task_goal"].value, asked)
            task = Task(
                id=f"{name}/{task_id}",
                instruction=revised or asked,
                goal=_goal(wanted),
                scene=f"wah:{path}#{task_id}",
                labels={"category": name} | ({CORRECTED: asked} if revised else {}),
            )
            if task.id in tasks:
                raise fields["task_id"].wrong("expected an id that no task of another file has")
            tasks[task.id] = task
    return list(tasks.values())


def _instruction(field: Field) -> str:
    """The first of a task's instructions, as in ReAcTree."""
    items = [item.text() for item in field.items()]
    if not items:
        raise field.wrong("expected at least one instruction")
    return " ".join(items[0].split())


def _revised(goal: object, asked: str) -> str | None:
    """The instruction as ReAcTree's Table 7 corrects it; None for one that fits its goal."""
    for each in read_yaml(Path(__file__).with_name("corrected.yaml")):
        if goal == each["goal"] and asked.casefold() == each["original"].casefold():
            return str(each["revised"])
    return None


class _Asked(NamedTuple):
    """A condition of a goal: so many things of a class in a relation, or None for the switch."""

    relation: Relation | None
    thing: str
    place: str
    """The class of the furniture, or the id of one piece."""
    number: int


def _asked(field: Field) -> list[_Asked]:
    """The conditions of a goal, all at one place."""
    asked: list[_Asked] = []
    for key, value in field.entries((), None).items():
        found = _KEY.fullmatch(key)
        if found is None:
            raise value.wrong(
                "expected a key on_X_Y, inside_X_Y or turnOn_Y with a count, where Y is furniture "
                "or its id"
            )
        relation, thing, place = found.groups()
        if asked and place != asked[0].place:
            raise value.wrong(f"expected a key that ends with {asked[0].place}, as the first does")
        how = None if relation is None else RELATIONS[relation]
        asked.append(_Asked(how, thing or "", place, value.integer(1)))
    if not asked:
        raise field.wrong("expected at least one condition")
    return asked


def _goal(asked: Sequence[_Asked]) -> Goal:
    target = asked[0].place
    place: Term = int(target) if target.isdecimal() else "place"
    parts = tuple(
        HasState(place, State.ON)
        if each.relation is None
        else counted(each.thing, each.number, Related("thing", each.relation, place))
        for each in asked
    )
    if place == "place":
        return Exists("place", Domain(frozenset({english(target)})), And(parts))
    return And(parts)


def _lacking(asked: Sequence[_Asked], graph: Any) -> str:
    """What a goal asks for and its house does not have; "" where it has all, or is malformed."""
    nodes = graph.get("nodes") if isinstance(graph, dict) else None
    if not nodes or not isinstance(nodes, list) or not all(isinstance(n, dict) for n in nodes):
        return ""  # told when the house is loaded
    target = asked[0].place
    there = Counter(english(str(node.get("class_name"))) for node in nodes)
    if target.isdecimal() and int(target) not in [node.get("id") for node in nodes]:
        return "its house lacks the furniture of the goal"
    if not target.isdecimal() and not there[english(target)]:
        return "its house lacks the furniture of the goal"
    if any(each.number > there[english(each.thing)] for each in asked if each.relation is not None):
        return "its house has fewer things than the goal asks for"
    return ""
