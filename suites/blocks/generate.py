"""Tasks about blocks written by a language model, as LLM-POP makes its own (section 4.2, A.3).

The model is told of the arm, its actions, what may be uncertain and some tasks, and writes further
ones in its own words. Beside each it writes which of the listed sentences it means, whose goal test
judges the task; asked again, without being told what it wrote, it has to read the same in it. What
cannot be judged, done or explored is refused with the reason, and others are asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import count

from ...adapters.blocks.scenes import load
from ...models.contract import Model, NoAnswer
from ...observation_text.dialects.blocks.block_descriptions import DESCRIPTIONS
from ...observation_text.dialects.blocks.dialect import tables_text
from ...observation_text.dialects.blocks.sentence_forms import FORMS
from ...planners import llm_pop
from ...planners.kits.prompting.templates import Templates
from ...scene_graph.fields import Field
from ..json_questions import ask
from .written import Unfit, WrittenTask, is_possible, listed_sentence, read_written

#: Tasks that are asked for at once, and tasks that a question says are there already.
BATCH, TOLD = 10, 100
#: After so many questions in succession that bring no task, no more are asked.
FRUITLESS = 3
#: Scenes in which written tasks are tried before they are taken.
_FIRST_SCENE = 500_000_000
_TEMPLATES = Templates(__file__)
#: What the model is shown, and what it means; it is there already, so that a copy is refused.
_SHOWN = {
    "<mass> Find out which one weighs more and keep it in the gripper.": (
        "Pick up the heavier block."
    ),
    "<fix> Whatever can be moved is to stand on what cannot.": (
        "Stack the movable block on the fixed block."
    ),
    "<three> Make a tower of all there is.": "Stack the three blocks.",
    "Bring cubeA within 15 cm of cubeB.": "Put cubeA on the table at most 15 cm from cubeB.",
}
_EXAMPLES = tuple(read_written(task, means) for task, means in _SHOWN.items())


@dataclass(frozen=True)
class RefusedTask:
    """A task that the model wrote and that was not taken. kind: see `Unfit`."""

    task: str
    kind: str
    reason: str


@dataclass
class WrittenTasks:
    """What came of asking. problem: why there are fewer than were asked for; "" where there are."""

    tasks: list[WrittenTask] = field(default_factory=list)
    refused: list[RefusedTask] = field(default_factory=list)
    problem: str = ""

    @property
    def refused_by_kind(self) -> dict[str, int]:
        """How many were refused, by what was wrong with them."""
        return dict(Counter(each.kind for each in self.refused).most_common())


def write_tasks(model: Model, number: int) -> WrittenTasks:
    """Have a model write so many tasks, or as many of them as it comes to."""
    made = WrittenTasks()
    scenes = count(_FIRST_SCENE, 1000)
    system = _TEMPLATES.render(
        "tasks_system",
        robot=robot_text(),
        sentences=tuple(_patterns()),
        blocks=tuple(DESCRIPTIONS.items()),
        examples=[example.to_data() for example in _EXAMPLES],
    )
    told: Sequence[RefusedTask] = ()
    fruitless = 0
    for asked in count():
        if len(made.tasks) >= number or fruitless >= FRUITLESS:
            break
        before = len(made.tasks), len(made.refused)
        wanted = min(BATCH, number - len(made.tasks))
        user = _TEMPLATES.render(
            "tasks",
            number=wanted,
            known=[task.instruction for task in made.tasks[-TOLD:]],
            refused=told[:BATCH],
        )
        try:
            about = {"kind": "arm_tasks", "number": wanted}
            entries = ask(model, _messages(system, user), _entries, asked, partial(dict, about))
        except NoAnswer as error:
            made.problem = str(error)
            fruitless = fruitless + 1 if made.tasks else FRUITLESS  # who never could, cannot
            continue
        _take(model, entries, made, scenes)
        del made.tasks[number:]
        told = made.refused[before[1] :]
        made.problem = "" if len(made.tasks) == number else _too_few(told)
        fruitless = 0 if len(made.tasks) > before[0] else fruitless + 1
    return made


def _too_few(refused: Sequence[RefusedTask]) -> str:
    if not refused:
        return "It wrote no further tasks."
    return f"The last task was refused: {refused[-1].reason}"


def _messages(system: str, user: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def _patterns() -> Iterator[tuple[str, str]]:
    """A wording of each listed sentence with X, Y and N for its parts, and what it needs."""
    for form in FORMS.values():
        needs = ["<mass>, without <fix>"] if form.needs_weights else []
        if len(form.block_counts) == 1:
            needs.append("<three>" if 3 in form.block_counts else "no <three>")
        yield form.texts[0].format(x="X", y="Y", s="N"), ", ".join(needs)


def _entries(field: Field) -> list[tuple[str, str]]:
    """What is written, without a judgement of it."""
    items = field.entries(("tasks",), None)["tasks"].items()
    entries = [item.entries(("task", "means"), None) for item in items]
    return [(entry["task"].text(), entry["means"].text()) for entry in entries]


# --- judging -------------------------------------------------------------------------------------


def _take(
    model: Model,
    entries: Sequence[tuple[str, str]],
    made: WrittenTasks,
    scenes: Iterator[int],
) -> None:
    """Add what can be played, and what is refused with the reason."""
    taken = {_compared(task) for task in (*_EXAMPLES, *made.tasks)}
    found: list[WrittenTask] = []
    for text, means in entries:
        try:
            task = read_written(text, means)
            if _compared(task) in taken:
                raise Unfit("repeated", "This task is there already.")
            if not is_possible(task, next(scenes)):
                reason = "No scene was found where this can be done and needs what its tags say."
                raise Unfit("impossible", reason)
        except Unfit as wrong:
            made.refused.append(RefusedTask(text, wrong.kind, str(wrong)))
        else:
            taken.add(_compared(task))
            found.append(task)
    otherwise = _read_otherwise(model, [task for task in found if task.own_words])
    made.refused += otherwise
    refused = {each.task for each in otherwise}
    made.tasks += [task for task in found if task.instruction not in refused]


def _compared(task: WrittenTask) -> str:
    """What tasks are the same by."""
    return task.instruction.lower().rstrip(".")


def _read_otherwise(model: Model, tasks: Sequence[WrittenTask]) -> list[RefusedTask]:
    """Those that the model itself reads otherwise when it is not told what it meant."""
    if not tasks:
        return []
    system = _TEMPLATES.render(
        "reading_system", sentences=tuple(_patterns()), blocks=tuple(DESCRIPTIONS.items())
    )
    user = _TEMPLATES.render("reading", tasks=[task.instruction for task in tasks])

    def read(field: Field) -> list[str]:
        items = field.entries(("means",), None)["means"].items(len(tasks))
        return ["" if item.value is None else item.text() for item in items]

    try:
        readings = ask(
            model,
            _messages(system, user),
            read,
            about=lambda: {"kind": "arm_meanings", "tasks": [task.instruction for task in tasks]},
        )
    except NoAnswer as error:
        return [RefusedTask(task.instruction, "not read again", str(error)) for task in tasks]
    refused = []
    for task, reading in zip(tasks, readings, strict=True):
        if listed_sentence(reading) != task.wish:
            reason = f"It was written as '{task.means}' and read as '{reading[:80] or 'nothing'}'."
            refused.append(RefusedTask(task.instruction, "read otherwise", reason))
    return refused


# --- what a model knows of the arm, its table and its actions -------------------------------------


_PROMPTS = Templates(str(llm_pop.__file__))


@cache
def robot_text() -> str:
    """The environment and the action options."""
    return _told("scene")


@cache
def questions_text(*, alone: bool = False) -> str:
    """The whole system prompt of the three questions. alone: of the last one asked alone."""
    return _told("questions_scene", may_end=alone)


def _told(template: str, **values: object) -> str:
    table = tables_text(load("n=2")).strip()
    return _PROMPTS.render(template, numbers=7, table=table, **values)
