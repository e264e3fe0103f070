"""The suites `libero`: tasks and starts as the engine has them, and the user's cache of them."""

from __future__ import annotations

import sys

import pytest

import peephole
from peephole.adapters.libero import interpreter
from peephole.adapters.libero.connection import LiberoConnection
from peephole.adapters.libero.engine.household_tasks import STARTS as STARTS_OF_OURS
from peephole.adapters.libero.engine.household_tasks import TASKS as HOUSEHOLD
from peephole.adapters.libero.names import node_id
from peephole.adapters.libero.stand_in.tasks import BOWL, CHEESE, PLATE, STARTS, TASKS, TOP
from peephole.data_files import cache_folder
from peephole.errors import BadInput, Missing
from peephole.scene_graph.goals import And, HasState, Related
from peephole.scene_graph.node import Relation, State
from peephole.suites.libero import catalogue
from peephole.suites.registry import load_suite, variant_names


@pytest.fixture(autouse=True)
def at_stand_in(monkeypatch, tmp_path):
    """The settings name the stand-in; nothing was read yet."""
    monkeypatch.setenv(interpreter.VARIABLE, interpreter.STAND_IN)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    forget()
    yield
    forget()


def forget() -> None:
    for each in (catalogue._read, catalogue._kept):
        each.cache_clear()


@pytest.fixture
def own_python(monkeypatch, tmp_path):
    """An interpreter that seems to have LIBERO; it notes each start of the engine."""
    program, starts = tmp_path / "python", tmp_path / "starts"
    program.write_text(
        "#!/bin/sh\n"
        'if [ "$1" = -I ]; then\n'
        f'echo \'{{"{interpreter.PACKAGE}": "{interpreter.VERSION}"}}\'; exit\n'
        f"fi\necho started >> {starts}\n"
        f"exec {sys.executable} -m peephole.adapters.libero.stand_in\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv(interpreter.VARIABLE, str(program))
    return lambda: starts.read_text().count("started") if starts.exists() else 0


def test_the_first_tasks_are_one_start_of_each():
    tasks = load_suite("libero:goal").tasks
    assert len(tasks) == len(TASKS) * STARTS
    assert [task.id for task in tasks[:6]] == ["0/0", "1/0", "2/0", "3/0", "4/0", "0/1"]
    assert tasks[6].scene == "libero:libero_goal/1/1"
    assert tasks[6].instruction == TASKS[1].instruction
    assert tasks[2].labels == {
        "category": "close+in",
        "scene": "libero_goal/2",
        "matched": "libero_goal/2/0",
    }


def test_goals_are_over_the_scene_graph():
    tasks = load_suite("libero:goal_lan").tasks
    bowl, plate = (node_id(name, "1/0") for name in (BOWL, PLATE))
    cheese, top = (node_id(name, "2/0") for name in (CHEESE, TOP))
    assert tasks[0].goal == HasState(node_id(TOP, "0/0"), State.OPEN)
    assert tasks[1].goal == Related(bowl, Relation.ON, plate)
    closed = HasState(top, State.CLOSED)
    assert tasks[2].goal == And((Related(cheese, Relation.INSIDE, top, direct=True), closed))
    assert tasks[0].scene == "libero:libero_goal_lan/0/0"


def test_tasks_in_the_order_of_the_suite_that_they_change_are_matched():
    matched = [
        load_suite(f"libero:{variant}").tasks[6].labels["matched"]
        for variant in ("goal", "goal_lan", "object_object", "10_swap", "goal_with_mug")
    ]
    assert matched == [
        *("libero_goal/1/1", "libero_goal/1/1", "libero_object/1/1"),
        *("libero_10/1/1", "libero_goal_with_mug/1/1"),
    ]


def test_every_variant_has_a_name():
    names = variant_names("libero")
    assert {"libero:spatial", "libero:object", "libero:goal", "libero:90", "libero:10"} < {*names}
    assert {"libero:goal_lan", "libero:10_task", "libero:spatial_with_mug"} < {*names}
    with pytest.raises(BadInput, match="Did you mean libero:goal"):
        load_suite("libero:gaol")
    with pytest.raises(BadInput, match="Did you mean libero:spatial"):
        load_suite("libero_spatial")


@pytest.mark.parametrize("wanted", ["3/99", "17/0", "put_groceries_in_fridge/1004_2"])
def test_a_task_or_start_that_does_not_exist_is_refused(wanted):
    with pytest.raises(BadInput, match="libero:goal"):
        peephole.make("libero:goal", task=wanted)


def test_all_suites_are_read_once_for_a_version(own_python):
    assert len(load_suite("libero:goal").tasks) == 25
    assert len(load_suite("libero:object").tasks) == 25
    assert own_python() == 1
    forget()  # another process
    assert load_suite("libero:goal").tasks[7].id == "2/1"
    assert own_python() == 1


def test_tasks_of_our_own_are_listed_without_the_engine(own_python):
    suite = load_suite("libero:household")
    assert len(suite.tasks) == len(HOUSEHOLD) * STARTS_OF_OURS
    assert suite.budgets.steps == 60
    first, again = suite.tasks[0], suite.tasks[len(HOUSEHOLD)]
    assert (first.id, again.id) == ("0/0", "0/1")
    assert again.scene == "libero:libero_household/0/1"
    assert first.instruction == again.instruction == HOUSEHOLD[0].instruction
    ramekin, stove = (
        node_id(name, "0/0") for name in ("glazed_rim_porcelain_ramekin_1", "flat_stove_1")
    )
    assert Related(ramekin, Relation.ON, stove) in first.goal.parts
    assert own_python() == 0


def test_a_damaged_cache_is_read_again(own_python):
    load_suite("libero:goal")
    (file,) = cache_folder("libero").iterdir()
    assert interpreter.VERSION in file.name
    for content in ("{", '{"asked": [], "suites": {}}'):
        file.write_text(content)
        forget()
        assert len(load_suite("libero:goal").tasks) == 25
    assert own_python() == 3


def test_a_suite_whose_files_are_missing_is_read_again_once_they_are_there(own_python, monkeypatch):
    sound = LiberoConnection.catalogue

    def without_goals(engine, suite):
        if suite == "libero_goal":
            raise BadInput("LIBERO has no stored starts of libero_goal, task 0.")
        return sound(engine, suite)

    monkeypatch.setattr(LiberoConnection, "catalogue", without_goals)
    with pytest.raises(Missing, match=r"lacks its tasks of libero_goal; install it again with: "):
        load_suite("libero:goal")
    monkeypatch.setattr(LiberoConnection, "catalogue", sound)
    forget()
    assert len(load_suite("libero:goal").tasks) == 25


def test_an_engine_that_dies_while_it_is_read_is_reported(monkeypatch, tmp_path):
    program = tmp_path / "python"
    told = f'{{"{interpreter.PACKAGE}": "{interpreter.VERSION}"}}'
    program.write_text(f"#!/bin/sh\n[ \"$1\" = -I ] && echo '{told}' && exit\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv(interpreter.VARIABLE, str(program))
    with pytest.raises(Missing, match=r"cannot be read \(.*exited with code 3\); install it again"):
        load_suite("libero:goal")


def test_it_takes_no_data(tmp_path):
    with pytest.raises(BadInput, match="its tasks come with LIBERO"):
        load_suite("libero:goal", tmp_path)


def test_expert_plays_every_task_and_the_results_name_the_stand_in(tmp_path):
    run = peephole.run("expert", "libero:goal", tasks=5, out=tmp_path / "run")
    assert [episode.success for episode in run.results] == [True] * 5
    assert [episode.steps for episode in run.results] == [1, 2, 4, 3, 5]
    assert "a stand-in of LIBERO's engine" in (tmp_path / "run" / "run.json").read_text()
