"""The suite `robothow`: household tasks with annotated goals, in one real house.

The package virtualhome-eval (Embodied Agent Interface, https://arxiv.org/abs/2410.07166) annotates
342 programs of 26 everyday activities with goals: states of things, relations between things, and
actions that must occur. The suite is made from them when it is loaded, by this rule: a task counts
when it requires no action, names at least one thing, and all that its goal names is

- a state of a thing: open, closed, on, off, plugged in or out, clean, dirty;
- the place of a thing, on or in another that is neither the character nor a part of its body;
- a thing held, in whichever hand;
- the character in a room, or close to a thing;

and is about things of the imported graph, where it does not hold already. That leaves 144 tasks of
13 activities; `Suite.skipped` counts the others: 149 require an action (typing, drinking …), 39 a
posture, 4 put something on the body, 4 name nothing, 2 ask what the character faces.

The activities take turns in the suite, so that its first tasks are of many kinds.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from ..adapters.virtualhome.ontology import STATES
from ..adapters.virtualhome.package import programs_path, tasks_path
from ..adapters.virtualhome.scenes import load as load_scene
from ..errors import BadInput
from ..planners.contract import Budgets
from ..scene_graph.fields import Field
from ..scene_graph.goals import And, HasState, Related, satisfied
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Relation, State
from ..scene_graph.task import Task
from .suite import Suite

#: States that are worded otherwise than they are called.
_WORDING = {
    State.ON: "switched on",
    State.OFF: "switched off",
    State.PLUGGED_IN: "plugged in",
    State.PLUGGED_OUT: "unplugged",
}

_RELATIONS = {
    "ON": Relation.ON,
    "INSIDE": Relation.INSIDE,
    "CLOSE": Relation.CLOSE,
    "HOLDS_RH": Relation.HOLDS,
    "HOLDS_LH": Relation.HOLDS,
}

_Part = HasState | Related


class _LeftOut(Exception):
    """Why a task does not count."""


def load(data: Path | None = None) -> Suite:
    """The suite. Raises Missing without virtualhome-eval, and BadInput where `data` is given."""
    if data is not None:
        raise BadInput(
            "The suite robothow takes no --data: its tasks come from the package virtualhome-eval."
        )
    return _suite()


@cache
def _suite() -> Suite:
    path = tasks_path()
    try:
        annotated = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadInput(f"{path} is no JSON ({error}); reinstall virtualhome-eval.") from error
    skipped: Counter[str] = Counter()
    activities: list[list[Task]] = []
    root = Field(path.name, "", annotated).entries(("scene_1",), None)["scene_1"]
    for title, programs in root.entries((), None).items():
        tasks = []
        for program, annotation in programs.entries((), None).items():
            goal = annotation.entries(("vh_goal",), None)["vh_goal"]
            try:
                tasks.append(_task(title, program, goal))
            except _LeftOut as reason:
                skipped[str(reason)] += 1
        activities.append(tasks)
    return Suite(
        name="robothow",
        summary="RobotHow's manipulation tasks with annotated goals, in one real house",
        tasks=tuple(_in_turns(activities)),
        adapter="virtualhome",
        budgets=Budgets(steps=200),
        sources=frozenset({"virtualhome-eval"}),
        skipped=dict(skipped.most_common()),
    )


def _in_turns(activities: Sequence[Sequence[Task]]) -> Iterator[Task]:
    for turn in range(max(map(len, activities), default=0)):
        for tasks in activities:
            if turn < len(tasks):
                yield tasks[turn]


def _task(title: str, program: str, annotation: Field) -> Task:
    """The task of one annotated program. Raises _LeftOut."""
    fields = annotation.entries(("actions", "goal"), None)
    if fields["actions"].items():
        raise _LeftOut("requires an action of its own")
    items = fields["goal"].items()
    if not items:
        raise _LeftOut("names nothing")
    for item in items:
        _check_modelled(item)
    graph = load_scene(program)  # 8 ms, so only where it is needed
    agent = graph.agent().id
    parts = tuple(dict.fromkeys(_part(item, graph, agent) for item in items))
    if satisfied(And(parts), graph):
        raise _LeftOut("holds already at the start")
    return Task(
        id=f"{re.sub('[^a-z0-9]+', '_', title.lower())}/{program}",
        instruction=_instruction(title, parts, agent),
        goal=And(parts),
        scene=f"virtualhome-eval:{program}",
        labels={"category": title, "description": _description(program)},
    )


def _check_modelled(item: Field) -> None:
    """Check one item of an annotated goal without its graph. Raises BadInput and _LeftOut."""
    if _is_state(item):
        fields = item.entries(("id", "state"), None)
        fields["id"].integer()
        if fields["state"].text() not in STATES:
            raise fields["state"].wrong(f"expected one of {', '.join(STATES)}")
        if STATES[fields["state"].value] is None:
            raise _LeftOut("names a posture")
        return
    fields = item.entries(("from_id", "relation_type", "to_id"), None)
    fields["from_id"].integer()
    fields["to_id"].integer()
    relation = fields["relation_type"].text()
    if relation == "FACING":
        raise _LeftOut("names what the character faces")
    if relation not in _RELATIONS:
        raise fields["relation_type"].wrong(f"expected FACING or one of {', '.join(_RELATIONS)}")


def _part(item: Field, graph: SceneGraph, agent: int) -> _Part:
    """One checked item as a goal. Raises _LeftOut."""
    if _is_state(item):
        thing, state = item.value["id"], STATES[item.value["state"]]
        assert state is not None
        return HasState(thing, state)
    source, target = item.value["from_id"], item.value["to_id"]
    relation = _RELATIONS[item.value["relation_type"]]
    if source == agent and relation is Relation.ON:
        raise _LeftOut("names a posture")
    if target == agent or graph.has_edge(target, Relation.ATTACHED, agent):
        raise _LeftOut("names something on the body")
    return Related(source, relation, target)


def _is_state(item: Field) -> bool:
    return isinstance(item.value, dict) and "state" in item.value


def _description(program: str) -> str:
    """What the annotator wrote: the second line of a program's file."""
    lines = (programs_path() / f"file{program}.txt").read_text(encoding="utf-8").splitlines()
    return lines[1].strip() if len(lines) > 1 else ""


# --- instructions --------------------------------------------------------------------------------


def _instruction(title: str, parts: Sequence[_Part], agent: int) -> str:
    """The activity and what is to be so in the end, in words: "{17}" stands for thing 17."""
    words = [word if word.isupper() else word.lower() for word in title.split()]
    activity = " ".join([words[0].capitalize(), *words[1:]])
    return f"{activity}: make sure that {_listed(list(_clauses(parts, agent)), 'that ')}."


def _clauses(parts: Sequence[_Part], agent: int) -> Iterator[str]:
    states: dict[int, list[str]] = {}
    kept: dict[tuple[Relation, int], list[str]] = {}
    held: list[str] = []
    for part in parts:
        match part:
            case HasState(int(thing), state):
                states.setdefault(thing, []).append(_WORDING.get(state, str(state)))
            case Related(_, Relation.HOLDS, thing):
                held.append(f"{{{thing}}}")
            case Related(source, relation, int(place)):
                if source == agent:
                    where = "in" if relation is Relation.INSIDE else "close to"
                    yield f"you are {where} {{{place}}}"
                else:
                    kept.setdefault((relation, place), []).append(f"{{{source}}}")
    if held:
        yield f"you hold {_listed(held)}"
    for (relation, place), names in kept.items():
        yield f"{_listed(names)} {'is' if len(names) == 1 else 'are'} {relation} {{{place}}}"
    for thing, adjectives in states.items():
        yield f"{{{thing}}} is {_listed(adjectives)}"


def _listed(items: Sequence[str], before: str = "") -> str:
    """ "a, b and c", with a word before each but the first."""
    first, *others = items
    if not others:
        return first
    *middle, last = (before + item for item in others)
    return f"{', '.join([first, *middle])} and {last}"
