"""The suite vh_dynamic: tasks, moved things, and that the tasks can be done."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import peephole
from peephole import plugins
from peephole.adapters.scenes import load_scene
from peephole.adapters.virtualhome import package
from peephole.errors import BadInput
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import named_ids
from peephole.scene_graph.node import Affordance, Kind
from peephole.suites.vh_dynamic import HOUSES, load

needs_virtualhome = pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))


def test_it_is_registered_and_takes_no_data() -> None:
    assert plugins.load("suite", "vh_dynamic") is load
    with pytest.raises(BadInput, match="takes no --data"):
        load(Path("x"))


def test_fifty_tasks_of_three_kinds_half_of_them_moved() -> None:
    tasks = load().tasks
    assert len({task.id for task in tasks}) == len(tasks) == 50
    assert Counter(task.labels["category"] for task in tasks) == {"moved": 25, "as_mapped": 25}
    by_kind = Counter((task.labels["kind"], task.labels["category"]) for task in tasks)
    assert len(by_kind) == 6
    assert min(by_kind.values()) >= 8


def test_the_houses_are_the_first_that_have_all_three_appliances() -> None:
    fitting = []
    for number in range(2, HOUSES[-1] + 1, 6):
        count = Counter(node.category for node in load_scene(f"house:{number}").nodes())
        if all(count[name] == 1 for name in ("fridge", "microwave", "dishwasher")):
            fitting.append(number)
    assert tuple(fitting) == HOUSES


def test_what_a_task_is_about_is_elsewhere_than_the_map_has_it_where_it_was_moved() -> None:
    for task in load().tasks:
        now, then = load_scene(task.scene), load_scene(task.map)
        moved = [n.id for n in now.nodes() if now.places(n.id) != then.places(n.id)]
        (thing,) = (i for i in named_ids(task.goal) if now[i].kind is Kind.OBJECT)
        assert not satisfied(task.goal, now), task.id
        assert Affordance.GRASPABLE in now[thing].affordances
        assert now[thing].category in task.instruction
        if task.labels["category"] == "moved":
            assert thing in moved, task.id
            assert len(moved) <= 3
        else:
            assert moved == [], task.id


@needs_virtualhome
@pytest.mark.parametrize("planner", ["expert", "react"])
def test_they_can_be_done(planner: str, tmp_path: Path) -> None:
    model = "scripted" if planner == "react" else None
    tasks = tuple(task.id for task in load().tasks[:12:3])
    run = peephole.run(planner, "vh_dynamic", tasks=tasks, model=model, out=tmp_path / "run")
    assert [(r.task, r.ended) for r in run.results if not r.success] == []
    assert len(run.results) == 4
