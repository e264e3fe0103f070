"""The suite vh_dynamic: tasks, moved things, and that the tasks can be done."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import peephole
from peephole import plugins
from peephole.adapters.scenes import load_scene
from peephole.adapters.virtualhome import package
from peephole.adapters.virtualhome.houses.rules import LIVED_IN
from peephole.errors import BadInput
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import named_ids
from peephole.scene_graph.node import Affordance, Kind
from peephole.suites.registry import load_suite
from peephole.suites.vh_dynamic import FAMILY, HOUSES, LIVED_IN_HOUSES

needs_virtualhome = pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))


def test_it_is_registered_and_takes_no_data() -> None:
    assert plugins.load("suite", "vh_dynamic") is FAMILY
    with pytest.raises(BadInput, match="takes no --data"):
        load_suite("vh_dynamic", Path("x"))


SUITES = pytest.mark.parametrize("suite", ["vh_dynamic", "vh_dynamic:lived_in"])


@SUITES
def test_fifty_tasks_of_three_kinds_half_of_them_moved(suite: str) -> None:
    tasks = load_suite(suite).tasks
    assert len({task.id for task in tasks}) == len(tasks) == 50
    assert Counter(task.labels["category"] for task in tasks) == {"moved": 25, "as_mapped": 25}
    by_kind = Counter((task.labels["kind"], task.labels["category"]) for task in tasks)
    assert len(by_kind) == 6
    assert min(by_kind.values()) >= 8


def test_the_houses_that_people_live_in_have_them_too() -> None:
    """From house 201 on, since other suites play in those before."""
    assert min(LIVED_IN_HOUSES) > 200
    for number in LIVED_IN_HOUSES:
        count = Counter(n.category for n in load_scene(f"house:{number}?lived_in").nodes())
        assert all(count[name] == 1 for name in ("fridge", "microwave", "dishwasher"))


def test_where_people_live_things_are_moved_to_where_they_are_kept() -> None:
    kept = LIVED_IN.kept_at()
    for task in load_suite("vh_dynamic:lived_in").tasks:
        then, scenes = load_scene(task.base_scene + "?lived_in"), (task.scene, task.map)
        for now in map(load_scene, scenes):
            for thing in (n for n in now.nodes() if now.places(n.id) != then.places(n.id)):
                (_, place), *_ = now.places(thing.id)
                assert any(
                    place in {node.id for node in kept_at.furniture(now)}
                    for kept_at, _ in kept[thing.category]
                ), f"{task.id}: {thing.category} at {now[place].category}"


def test_the_houses_are_the_first_that_have_all_three_appliances() -> None:
    fitting = []
    for number in range(2, HOUSES[-1] + 1, 6):
        count = Counter(node.category for node in load_scene(f"house:{number}").nodes())
        if all(count[name] == 1 for name in ("fridge", "microwave", "dishwasher")):
            fitting.append(number)
    assert tuple(fitting) == HOUSES


@SUITES
def test_what_a_task_is_about_is_elsewhere_than_the_map_has_it_where_it_was_moved(
    suite: str,
) -> None:
    for task in load_suite(suite).tasks:
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
@pytest.mark.parametrize(
    "suite", ["vh_dynamic", pytest.param("vh_dynamic:lived_in", marks=pytest.mark.slow)]
)
def test_they_can_be_done(suite: str, planner: str, tmp_path: Path) -> None:
    model = "scripted" if planner == "react" else None
    tasks = tuple(task.id for task in load_suite(suite).tasks[:12:3])
    run = peephole.run(planner, suite, tasks=tasks, model=model, out=tmp_path / "run")
    assert [(r.task, r.ended) for r in run.results if not r.success] == []
    assert len(run.results) == 4
