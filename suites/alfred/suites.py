"""The suites `alfred`, from the user's ALFRED files, and `ithor`, generated in iTHOR's scenes.

`alfred` needs `--data`: a folder with ALFRED's traj_data.json files, or a file of JSON lines
(see `adapters/ai2thor/alfred_files`). Each task has its first annotation. "PATH#2" takes the third,
as `repeat_idx` in the published splits, of the tasks that have one. "PATH#all" makes a task of each
annotation, as the splits list them.

Tasks with a type that their scene lacks in this build are left out. The suite reports them, and how
many objects start otherwise than recorded (`adapters/ai2thor/alfred_files`). Goals are those
of ALFRED's own judge (`goals`).

`ithor` has 200 tasks in all 120 floor plans (`generate`). `ithor:generated` has further ones for
training models, in the first twenty of each kind of room. `ithor:unseen` has those of `ithor` in
the other ten. An episode ends when the planner says that it is done. The limit of steps is the
limit of decisions in ALFRED of ReAcTree (https://arxiv.org/abs/2511.02424, section 5).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ...adapters.ai2thor.alfred_files import AlfredTask, build_differences, files_of, tasks_of
from ...adapters.ai2thor.object_types import RENAMED
from ...adapters.ai2thor.objects import missing
from ...adapters.ai2thor.scenes import ALFRED
from ...errors import BadInput
from ...scene_graph.rules import Budgets, Ends, Rules
from ...scene_graph.task import Task
from ..contract import Family, Suite, suite_name
from .goals import TaskParameters, goal_of

BUDGETS = Budgets(steps=100, decisions=100)
#: The word after "#" in `--data` for every annotation.
ALL = "all"


def load(data: Path | None = None) -> Suite:
    """Make the suite of the user's files.

    Raises BadInput without files, or with file, task and field of an error.
    """
    if data is None:
        raise BadInput(
            "The suite alfred plays the user's own ALFRED tasks; give their folder or file: "
            "--data alfred/data/json_2.1.0/valid_unseen."
        )
    path, which = _annotation(data)
    tasks: dict[str, Task] = {}
    found = _Omissions(checked=missing() is None)
    for file in files_of(path):
        for alfred in tasks_of(str(file)).values():
            if not found.admits(alfred):
                continue
            indices = range(len(alfred.instructions)) if which is None else [which]
            for index in indices:
                if index >= len(alfred.instructions):
                    found.leave_out(alfred, f"has no annotation {index}")
                    continue
                task = _task(alfred, index, every=which is None)
                if task.id in tasks:
                    raise BadInput(
                        f"The task {task.id} of {file} is in another file of {path} as well; "
                        f"leave one of them out."
                    )
                tasks[task.id] = task
    skipped = found.skipped()
    if not tasks:
        reasons = "; ".join(skipped)
        raise BadInput(f"No task of {path} can be played ({reasons}); give other tasks.")
    return Suite(
        name="alfred",
        summary=f"the ALFRED tasks of {path}",
        tasks=tuple(tasks.values()),
        adapter="ai2thor",
        rules=Rules(ends=Ends.PLANNER_DONE),
        budgets=BUDGETS,
        sources=frozenset({"alfred"}),
        skipped=skipped,
        notes=found.notes(),
    )


class _Omissions:
    """The user's tasks that are not played, or not as recorded."""

    def __init__(self, *, checked: bool) -> None:
        """checked: whether the build's scenes are known."""
        self._checked = checked
        self._left_out: dict[str, list[str]] = {}
        self._poses: dict[str, list[int]] = {}  # number of poses of each task, by difference

    def admits(self, alfred: AlfredTask) -> bool:
        """Note how a task differs in this build. Returns whether it can be played."""
        if not self._checked:
            return True
        differs = build_differences(alfred)
        for lacking in differs.lacking[:1]:
            scene = alfred.start.floor_plan
            self.leave_out(alfred, f"{scene} has no {lacking} in this build")
            return False
        for kind, count in differs.renamed.items():
            self._take(f"of {kind}, which this build calls {RENAMED[kind]}", count)
        for kind, count in differs.dropped.items():
            scene = alfred.start.floor_plan
            self._take(f"of {kind} and left out: {scene} has none in this build", count)
        return True

    def leave_out(self, alfred: AlfredTask, reason: str) -> None:
        self._left_out.setdefault(reason, []).append(alfred.trial)

    def skipped(self) -> dict[str, int]:
        """The number of tasks that are left out, by reason and tasks."""
        return {
            f"{reason}: {', '.join(trials)}": len(trials)
            for reason, trials in self._left_out.items()
        }

    def notes(self) -> tuple[str, ...]:
        """Sentences on objects that are not as recorded."""
        if not self._checked:
            return (f"not compared with this build's scenes. {missing()}",)
        return tuple(
            f"{sum(counts)} object poses in {len(counts)} tasks are {what}"
            for what, counts in self._poses.items()
        )

    def _take(self, what: str, count: int) -> None:
        self._poses.setdefault(what, []).append(count)


@cache
def load_ithor(variant: str = "") -> Suite:
    """Make a suite of the family ithor. Raises Missing without procthor."""
    from . import generate

    made = {"": generate.generated, "unseen": generate.unseen, "generated": generate.for_training}
    return Suite(
        name=suite_name(ITHOR.name, variant),
        summary=ITHOR.variants[variant],
        tasks=made[variant](),
        adapter="ai2thor",
        rules=Rules(ends=Ends.PLANNER_DONE),
        budgets=BUDGETS,
        sources=frozenset({"procthor"}),  # the scenes as its package has them
    )


ITHOR = Family(
    name="ithor",
    variants={
        "": "ALFRED's types of tasks in all 120 floor plans of iTHOR, generated",
        "unseen": "the tasks of ithor in the 40 floor plans that ithor:generated has none in",
        "generated": "ALFRED's types of tasks in 80 floor plans of iTHOR, to train models on",
    },
    make=load_ithor,
    no_data="its tasks are generated",
)


def _annotation(data: Path) -> tuple[Path, int | None]:
    """The path and the number of the annotation, None for all. Raises BadInput."""
    name, hash_sign, which = data.name.rpartition("#")
    if not hash_sign or data.exists():
        return data, 0
    if which == ALL:
        return data.with_name(name), None
    if not (which.isascii() and which.isdigit()):
        raise BadInput(
            f"--data {data} has neither an index from 0 nor '{ALL}' after its #; correct it."
        )
    return data.with_name(name), int(which)


def _task(alfred: AlfredTask, index: int, *, every: bool) -> Task:
    """A task. Its id is the published name, with the annotation's index if there are all."""
    asked = TaskParameters(
        alfred.kind, alfred.target, alfred.parent, alfred.movable, alfred.toggle, alfred.sliced
    )
    return Task(
        id=f"{alfred.name}/{index}" if every or index else alfred.name,
        instruction=alfred.instructions[index],
        goal=goal_of(asked, as_judged_by_alfred=True),
        scene=f"{ALFRED}:{Path(alfred.file).resolve()}#{alfred.trial}",
        labels={"category": str(alfred.kind), "scene": alfred.start.floor_plan},
    )
