"""The suite robothow: which tasks it has, that each is worded, and that each can be done."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from peephole import plugins
from peephole.adapters.scenes import load_scene
from peephole.adapters.status import connect
from peephole.adapters.virtualhome import package
from peephole.episodes.robothow import load
from peephole.errors import BadInput
from peephole.observation_text.names import Names
from peephole.scene_graph.goals import HasState, Related, conjuncts, mentioned, satisfied
from peephole.scene_graph.node import POSTURES, Relation, State
from peephole.skills.actions import (
    close,
    go_to,
    open_,
    pick_up,
    plug_in,
    put,
    stand_up,
    turn_off,
    turn_on,
)

pytestmark = pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))


@pytest.fixture(scope="module")
def suite():
    return load()


def test_the_rule_leaves_144_of_342_tasks(suite):
    assert len(suite.tasks) == 144
    assert suite.skipped == {
        "requires an action of its own": 149,
        "names a posture": 39,
        "names nothing": 4,
        "names something on the body": 4,
        "names what the character faces": 2,
    }
    assert len(suite.tasks) + sum(suite.skipped.values()) == 342
    assert len({task.id for task in suite.tasks}) == 144


def test_the_suite_is_registered_and_loads_the_same_each_time(suite):
    assert plugins.load("suite", "robothow") is load
    assert load() == suite
    assert suite.adapter == "virtualhome"
    assert suite.budgets.steps == 200
    assert suite.sources == {"virtualhome-eval"}


def test_the_first_tasks_are_of_many_activities(suite):
    activities = [task.labels["category"] for task in suite.tasks]
    assert len(set(activities)) == 13
    assert len(set(activities[:13])) == 13


def test_every_goal_is_about_things_of_its_scene_and_does_not_hold_yet(suite):
    for task in suite.tasks[::4]:
        graph = load_scene(task.scene)
        assert mentioned(task.goal) <= {node.id for node in graph.nodes()}, task.id
        assert not satisfied(task.goal, graph), task.id
        for part in conjuncts(task.goal):
            if isinstance(part, Related) and part.relation is Relation.HOLDS:
                assert part.source == graph.agent().id


def test_every_instruction_names_the_things_of_its_goal(suite):
    for task in suite.tasks:
        agent = 65
        named = {int(number) for number in re.findall(r"\{(\d+)\}", task.instruction)}
        assert named == mentioned(task.goal) - {agent}, task.id
        assert re.fullmatch(r"[A-Z].*: make sure that .*\.", task.instruction), task.id
        assert "{}" not in task.instruction


def test_instructions_read_as_english(suite):
    tasks = {task.id: task for task in suite.tasks}

    def worded(task_id: str) -> str:
        task = tasks[task_id]
        names = Names(load_scene(task.scene))
        return re.sub(r"\{(\d+)\}", lambda m: names(int(m.group(1))), task.instruction)

    assert worded("put_groceries_in_fridge/1004_2") == (
        "Put groceries in fridge: make sure that food 1 is inside freezer 1 "
        "and that freezer 1 is open and plugged in."
    )
    assert worded("wash_dishes_with_dishwasher/201_1") == (
        "Wash dishes with dishwasher: make sure that plate 1 and dish soap 1 are on dishwasher 1 "
        "and that dishwasher 1 is closed and switched on."
    )
    assert worded("brush_teeth/491_2") == (
        "Brush teeth: make sure that you hold toothpaste 1 and toothbrush 1."
    )
    assert worded("get_some_water/368_1") == (
        "Get some water: make sure that you are in dining room 1."
    )
    assert worded("take_shower/729_2") == ("Take shower: make sure that you are close to shower 1.")
    assert (
        tasks["put_groceries_in_fridge/1004_2"]
        .labels["description"]
        .startswith("walk to kitchen, walk to fridge")
    )


def test_the_suite_takes_no_data_of_the_users(tmp_path: Path):
    with pytest.raises(BadInput, match="takes no --data"):
        load(tmp_path)


# --- every task can be done ----------------------------------------------------------------------

BRING = {
    State.ON: turn_on,
    State.OFF: turn_off,
    State.OPEN: open_,
    State.CLOSED: close,
    State.PLUGGED_IN: plug_in,
}


class Doer:
    """Fulfils goals by the book, knowing everything; every action must succeed at once."""

    def __init__(self, world) -> None:
        self.world = world
        self.steps = 0

    def do(self, *actions):
        for action in actions:
            result = self.world.attempt(action, 0)
            assert result.success, (action, result)
            self.steps += 1

    def reach(self, thing):
        """Go to a thing, opening what is closed around it."""
        while (container := self.world.graph().closed_around(thing)) is not None:
            self.do(go_to(container))
            if State.ON in self.world.graph()[container].states:
                self.do(turn_off(container))
            self.do(open_(container))
        self.do(go_to(thing))

    def fulfil(self, part):
        me = self.world.graph().agent().id
        match part:
            case HasState(thing, state):
                self.reach(thing)
                if state is State.ON and State.PLUGGED_OUT in self.world.graph()[thing].states:
                    self.do(plug_in(thing))
                if state is State.OPEN and State.ON in self.world.graph()[thing].states:
                    self.do(turn_off(thing))
                self.do(BRING[state](thing))
            case Related(_, Relation.HOLDS, thing):
                self.reach(thing)
                self.do(pick_up(thing))
            case Related(source, _, place) if source == me:
                self.reach(place)
            case Related(thing, relation, place):
                self.reach(place)
                if relation is Relation.INSIDE and State.CLOSED in self.world.graph()[place].states:
                    self.do(open_(place))
                self.reach(thing)
                self.do(pick_up(thing))
                self.reach(place)
                self.do(put(thing, relation, place))


def by_urgency(part) -> int:
    """Places first, then states, what is to be on last of them, and things in hand at the end."""
    if isinstance(part, HasState):
        return 2 if part.state is State.ON else 1
    return 3 if part.relation is Relation.HOLDS else 0


@pytest.mark.parametrize("adapter", ["virtualhome", "symbolic"])
def test_every_task_can_be_done_within_its_budget(suite, adapter):
    world = connect(adapter)
    for task in suite.tasks:
        world.reset(task, 0)
        doer = Doer(world)
        if world.graph().agent().states & POSTURES:
            doer.do(stand_up())
        for part in sorted(conjuncts(task.goal), key=by_urgency):
            if not satisfied(part, world.graph()):
                doer.fulfil(part)
        assert satisfied(task.goal, world.graph()), task.id
        assert doer.steps <= suite.budgets.steps, task.id
