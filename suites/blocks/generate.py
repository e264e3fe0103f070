"""Tasks about blocks that a language model writes, as in LLM-POP (section 4.2, A.3).

The model writes tasks in its own words, each with the listed sentence that it means. In a second
prompt without that sentence, it has to choose the same one. docs/suites/blocks.md lists the reasons
for which tasks are refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import count

from ...adapters.blocks.scenes import load
from ...models.contract import Model, NoAnswer
from ...observation_text.dialects.blocks.dialect import tables_text
from ...observation_text.dialects.blocks.instructions import DESCRIPTIONS, FORMS
from ...planners import llm_pop
from ...planners.kits.prompting.templates import Templates
from ...scene_graph.fields import Field
from ..json_questions import ask
from .written import Unfit, WrittenTask, is_possible, listed_sentence, read_written

#: Tasks that a prompt asks for, and known tasks that it lists.
BATCH, LISTED = 10, 100
#: Prompts in succession without a usable task before `write_tasks` gives up.
FRUITLESS = 3
#: Seed of the first scene in which written tasks are tried.
_FIRST_SCENE = 500_000_000
_TEMPLATES = Templates(__file__)
#: Example tasks and the sentences that they mean. They count as known, so copies are refused.
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
    """A task of the model that was refused. kind: see `Unfit`."""

    task: str
    kind: str
    reason: str


@dataclass
class WrittenTasks:
    """The result of `write_tasks`. problem: why there are fewer tasks than wanted, or ""."""

    tasks: list[WrittenTask] = field(default_factory=list)
    refused: list[RefusedTask] = field(default_factory=list)
    problem: str = ""

    @property
    def refused_by_kind(self) -> dict[str, int]:
        """The number of refused tasks by kind of error."""
        return dict(Counter(each.kind for each in self.refused).most_common())


def write_tasks(model: Model, number: int) -> WrittenTasks:
    """Let a model write a number of tasks, or fewer where it gives up."""
    made = WrittenTasks()
    scenes = count(_FIRST_SCENE, 1000)
    system = _TEMPLATES.render(
        "tasks_system",
        robot=robot_text(),
        sentences=tuple(_patterns()),
        blocks=tuple(DESCRIPTIONS.items()),
        examples=[example.to_data() for example in _EXAMPLES],
    )
    refused: Sequence[RefusedTask] = ()
    fruitless = 0
    for asked in count():
        if len(made.tasks) >= number or fruitless >= FRUITLESS:
            break
        before = len(made.tasks), len(made.refused)
        wanted = min(BATCH, number - len(made.tasks))
        user = _TEMPLATES.render(
            "tasks",
            number=wanted,
            known=[task.instruction for task in made.tasks[-LISTED:]],
            refused=refused[:BATCH],
        )
        try:
            about = {"kind": "arm_tasks", "number": wanted}
            entries = ask(model, system, user, _entries, asked, partial(dict, about))
        except NoAnswer as error:
            made.problem = str(error)
            # Without any task, the first prompt already failed.
            fruitless = fruitless + 1 if made.tasks else FRUITLESS
            continue
        _take(model, entries, made, scenes)
        del made.tasks[number:]
        refused = made.refused[before[1] :]
        made.problem = "It wrote no further tasks."
        if refused:
            made.problem = f"The last task was refused: {refused[-1].reason}"
        if len(made.tasks) == number:
            made.problem = ""
        fruitless = 0 if len(made.tasks) > before[0] else fruitless + 1
    return made


def _patterns() -> Iterator[tuple[str, str]]:
    """A wording of each listed sentence with X, Y and N for its parts, and its requirements."""
    for form in FORMS.values():
        needs = ["<mass>, without <fix>"] if form.needs_weights else []
        if len(form.block_counts) == 1:
            needs.append("<three>" if 3 in form.block_counts else "no <three>")
        yield form.texts[0].format(x="X", y="Y", s="N"), ", ".join(needs)


def _entries(field: Field) -> list[tuple[str, str]]:
    """Read the tasks of an answer without judging them."""
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
    """Add the tasks that can be played, and the refused ones with the reason."""
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
    """The text by which tasks are compared."""
    return task.instruction.lower().rstrip(".")


def _read_otherwise(model: Model, tasks: Sequence[WrittenTask]) -> list[RefusedTask]:
    """The tasks for which the model chooses another sentence in the second prompt."""
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
            system,
            user,
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
    """The prompt's text on the environment and the actions."""
    return _rendered("scene")


@cache
def questions_text(*, alone: bool = False) -> str:
    """The system prompt of the three questions. alone: of the last question only."""
    return _rendered("questions_scene", may_end=alone)


def _rendered(template: str, **values: object) -> str:
    table = tables_text(load("n=2")).strip()
    return _PROMPTS.render(template, numbers=7, table=table, **values)
