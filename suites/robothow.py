"""The suites `robothow` and `robothow:manipulation`: annotated household tasks, in one real house.

The package virtualhome-eval (Embodied Agent Interface, https://arxiv.org/abs/2410.07166) annotates
342 programs with goals. docs/suites/robothow_wah_houses.md says what goals ask for and which tasks
are left out. The activities take turns, so that the first tasks are of many kinds.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from ..adapters.virtualhome.commands import VERB_OF
from ..adapters.virtualhome.ontology import STATES
from ..adapters.virtualhome.package import programs_path, tasks_path
from ..errors import BadInput
from ..scene_graph.fields import Field
from ..scene_graph.goal_text import joined
from ..scene_graph.goals import And, EventOccurred, Goal, HasState, InOrder, Related
from ..scene_graph.node import POSTURES, Relation, State
from ..scene_graph.rules import Budgets
from ..scene_graph.task import Task
from ..skills.actions import WITH_PLACE, WITHOUT_TARGET, Verb
from .contract import Family, LazyTasks, Suite, suite_name

#: States whose wording differs from their name.
_WORDING = {
    State.ON: "switched on",
    State.OFF: "switched off",
    State.PLUGGED_IN: "plugged in",
    State.PLUGGED_OUT: "unplugged",
}
#: The wording of actions, before "something".
_DOING = {
    Verb.PICK_UP: "pick up",
    Verb.POUR: "pour",
    Verb.LOOK: "look at",
    Verb.TURN_OFF: "switch off",
    Verb.TYPE: "type on",
}

_RELATIONS = {
    "ON": Relation.ON,
    "INSIDE": Relation.INSIDE,
    "CLOSE": Relation.CLOSE,
    "FACING": Relation.FACING,
    "HOLDS_RH": Relation.HOLDS,
    "HOLDS_LH": Relation.HOLDS,
}
_CHARACTER = "character"
_HANDS = "hands_both"

_Part = HasState | Related
#: Title, program and goal.
_Annotated = tuple[str, str, "_AnnotatedGoal"]


@cache
def load(variant: str = "") -> Suite:
    """Make a suite of the family. Raises Missing without virtualhome-eval."""
    path = tasks_path()
    try:
        annotated = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadInput(f"{path} is not JSON ({error}); reinstall virtualhome-eval.") from error
    skipped: Counter[str] = Counter()
    activities: list[list[_Annotated]] = []
    root = Field(path.name, "", annotated).entries(("scene_1",), None)["scene_1"]
    for title, programs in root.entries((), None).items():
        tasks = []
        for program, annotation in programs.entries((), None).items():
            asked = _AnnotatedGoal(annotation)
            reason = asked.beyond_manipulation() if variant else ""
            if not asked.actions and not asked.parts:
                reason = "names nothing"
            if reason:
                skipped[reason] += 1
            else:
                tasks.append((title, program, asked))
        activities.append(tasks)
    number = sum(map(len, activities))
    return Suite(
        name=suite_name(FAMILY.name, variant),
        summary=FAMILY.variants[variant],
        tasks=LazyTasks(number, (_task(*asked) for asked in _in_turns(activities))),
        adapter="virtualhome",
        budgets=Budgets(steps=200),
        sources=frozenset({"virtualhome-eval"}),
        skipped=dict(skipped.most_common()),
    )


FAMILY = Family(
    name="robothow",
    variants={
        "": "RobotHow's annotated everyday tasks, in one real house",
        "manipulation": "RobotHow's annotated tasks about things alone, in one real house",
    },
    make=load,
    no_data="its tasks come from the package virtualhome-eval",
)


def _in_turns(activities: Sequence[Sequence[_Annotated]]) -> Iterator[_Annotated]:
    for turn in range(max(map(len, activities), default=0)):
        for tasks in activities:
            if turn < len(tasks):
                yield tasks[turn]


def _task(title: str, program: str, asked: _AnnotatedGoal) -> Task:
    return Task(
        id=f"{re.sub('[^a-z0-9]+', '_', title.lower())}/{program}",
        instruction=_instruction(title, asked),
        goal=asked.goal(),
        scene=f"virtualhome-eval:{program}",
        labels={"category": title, "description": _description(program)},
    )


def _description(program: str) -> str:
    """The annotator's description: the second line of a program's file."""
    lines = (programs_path() / f"file{program}.txt").read_text(encoding="utf-8").splitlines()
    return lines[1].strip() if len(lines) > 1 else ""


# --- annotations ---------------------------------------------------------------------------------


class _AnnotatedGoal:
    """The goal of an annotation: actions in order, then parts. Raises BadInput.

    The annotation's formula, which has names with ids, gives the character's id.
    """

    def __init__(self, annotation: Field) -> None:
        fields = annotation.entries(("vh_goal", "tl_goal"), None)
        formula = fields["tl_goal"].value or ""
        if not isinstance(formula, str):
            raise fields["tl_goal"].wrong("expected text or null")
        named = re.findall(r"([\w-]+)\.(\d+)", formula)
        self._classes = {int(number): class_name for class_name, number in named}
        wanted = fields["vh_goal"].entries(("actions", "goal"), None)
        self.actions = [_happened(item) for item in wanted["actions"].items()]
        self.parts = list(dict.fromkeys(_part(item) for item in wanted["goal"].items()))

    def goal(self) -> Goal:
        """The whole goal. The parts count after the actions have happened."""
        events: tuple[Goal, ...] = tuple(self.actions)
        if len(self.actions) > 1:
            events = (InOrder(tuple(self.actions)),)
        return And((*events, *self.parts))

    def is_character(self, thing: object) -> bool:
        return self._class_of(thing) == _CHARACTER

    def beyond_manipulation(self) -> str:
        """Why it is more than manipulation, or ""."""
        if self.actions:
            return "requires an action of its own"
        reasons = set()
        for part in self.parts:
            match part:
                case HasState(_, state) if state in POSTURES:
                    reasons.add("names a posture")
                case Related(source, Relation.ON, _) if self.is_character(source):
                    reasons.add("names a posture")
                case Related(_, Relation.FACING, _):
                    reasons.add("names what the character faces")
                case Related(_, _, target) if self._class_of(target) in (_CHARACTER, _HANDS):
                    reasons.add("names something on the body")
        return max(reasons, default="")

    def _class_of(self, thing: object) -> str | None:
        return self._classes.get(thing) if isinstance(thing, int) else None


def _happened(item: Field) -> EventOccurred:
    """ "LOOKAT|WATCH": the event of one of these actions, with any things."""
    verbs = []
    for command in item.text().split("|"):
        if command not in VERB_OF:
            raise item.wrong(f"expected some of {', '.join(sorted(VERB_OF))}, joined by |")
        verbs.append(VERB_OF[command])
    things = 2 if verbs[0] in WITH_PLACE else 0 if verbs[0] in WITHOUT_TARGET else 1
    return EventOccurred(tuple(map(str, verbs)), (None,) * things)


def _part(item: Field) -> _Part:
    if isinstance(item.value, dict) and "state" in item.value:
        fields = item.entries(("id", "state"), None)
        if fields["state"].text() not in STATES:
            raise fields["state"].wrong(f"expected one of {', '.join(STATES)}")
        return HasState(fields["id"].integer(), STATES[fields["state"].value])
    fields = item.entries(("from_id", "relation_type", "to_id"), None)
    relation = fields["relation_type"]
    if relation.text() not in _RELATIONS:
        raise relation.wrong(f"expected one of {', '.join(_RELATIONS)}")
    source, target = fields["from_id"].integer(), fields["to_id"].integer()
    return Related(source, _RELATIONS[relation.value], target)


# --- instructions --------------------------------------------------------------------------------


def _instruction(title: str, asked: _AnnotatedGoal) -> str:
    """The instruction: the activity and the goal in words. "{17}" stands for thing 17."""
    words = [word if word.isupper() else word.lower() for word in title.split()]
    activity = " ".join([words[0].capitalize(), *words[1:]])
    doing = ", then ".join(_doing(action) for action in asked.actions)
    clauses = list(_clauses(asked))
    if not clauses:
        return f"{activity}: {doing}."
    first, *others = clauses
    ending = f"make sure that {joined([first, *(f'that {clause}' for clause in others)])}."
    return f"{activity}: {doing}, and {ending}" if doing else f"{activity}: {ending}"


def _doing(action: EventOccurred) -> str:
    """ "watch or look at something" """
    verbs = [Verb(name) for name in action.names]
    phrases = [_DOING.get(verb, verb.replace("_", " ")) for verb in verbs]
    things = ("", " something", " something into something else")[len(action.things)]
    return joined(phrases, "or") + things


def _clauses(asked: _AnnotatedGoal) -> Iterator[str]:
    states: dict[int, list[str]] = {}
    kept: dict[tuple[Relation, int], list[str]] = {}
    held: list[str] = []
    worn: list[str] = []
    for part in asked.parts:
        match part:
            case HasState(thing, state) if asked.is_character(thing):
                yield f"you are {state}"
            case HasState(int(thing), state):
                states.setdefault(thing, []).append(_WORDING.get(state, str(state)))
            case Related(_, Relation.HOLDS, thing):
                held.append(f"{{{thing}}}")
            case Related(_, Relation.FACING, thing):
                yield f"you face {{{thing}}}"
            case Related(source, relation, place) if asked.is_character(source):
                yield f"you are {_WHERE[relation]} {{{place}}}"
            case Related(thing, _, place) if asked.is_character(place):
                worn.append(f"{{{thing}}}")
            case Related(source, relation, int(place)):
                kept.setdefault((relation, place), []).append(f"{{{source}}}")
    if held:
        yield f"you hold {joined(held)}"
    if worn:
        yield f"you wear {joined(worn)}"
    for (relation, place), names in kept.items():
        yield f"{joined(names)} {'is' if len(names) == 1 else 'are'} {relation} {{{place}}}"
    for thing, adjectives in states.items():
        yield f"{{{thing}}} is {joined(adjectives)}"


_WHERE = {Relation.INSIDE: "in", Relation.ON: "on", Relation.CLOSE: "close to"}
