"""The suite robothow: which tasks it has, that each is worded, and that each can be done."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import peephole
from peephole.adapters.registry import connect
from peephole.adapters.scenes import load_scene
from peephole.adapters.virtualhome import package
from peephole.errors import BadInput
from peephole.observation_text.names import Names
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import (
    EventOccurred,
    HasState,
    InOrder,
    Related,
    conjuncts,
    named_ids,
)
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
from peephole.suites.registry import load_suite
from peephole.suites.robothow import load

pytestmark = pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))


@pytest.fixture(scope="module")
def suite():
    return load()


@pytest.fixture(scope="module")
def manipulation():
    return load("manipulation")


def test_all_annotated_tasks_are_there_but_those_that_ask_for_nothing(suite):
    assert len(suite.tasks) == 338
    assert suite.skipped == {"names nothing": 4}
    assert len({task.id for task in suite.tasks}) == 338


def test_the_manipulation_tasks_are_the_144_about_things(suite, manipulation):
    assert manipulation.skipped == {
        "requires an action of its own": 149,
        "names a posture": 39,
        "names nothing": 4,
        "names something on the body": 4,
        "names what the character faces": 2,
    }
    assert len(manipulation.tasks) + sum(manipulation.skipped.values()) == 342
    assert all(task in suite.tasks for task in manipulation.tasks)


@pytest.mark.parametrize("name", ["robothow", "robothow:manipulation"])
def test_the_suites_are_registered_and_load_the_same_each_time(name):
    suite = load_suite(name)
    assert load_suite(name) == suite
    assert suite.name == name
    assert suite.adapter == "virtualhome"
    assert suite.budgets.steps == 200
    assert suite.sources == {"virtualhome-eval"}


def test_the_first_tasks_are_of_many_activities(suite, manipulation):
    for each, count in ((suite, 26), (manipulation, 13)):
        activities = [task.labels["category"] for task in each.tasks]
        assert len(set(activities)) == count
        assert len(set(activities[:count])) == count


def test_every_goal_is_about_things_of_its_scene_and_does_not_hold_yet(suite):
    for task in suite.tasks[::7]:
        graph = load_scene(task.scene)
        assert named_ids(task.goal) <= {node.id for node in graph.nodes()}, task.id
        assert not satisfied(task.goal, graph), task.id
        for part in conjuncts(task.goal):
            if isinstance(part, Related) and part.relation is Relation.HOLDS:
                assert part.source == graph.agent().id


def test_every_instruction_names_the_things_of_its_goal(suite):
    agent = 65
    for task in suite.tasks:
        named = {int(number) for number in re.findall(r"\{(\d+)\}", task.instruction)}
        assert named == named_ids(task.goal) - {agent}, task.id
        assert re.fullmatch(r"[A-Z][A-Za-z ]+: .*\.", task.instruction), task.id
        assert "{}" not in task.instruction
        events = [
            part for part in conjuncts(task.goal) if isinstance(part, EventOccurred | InOrder)
        ]
        assert ("make sure that" in task.instruction) == bool(
            [part for part in conjuncts(task.goal) if part not in events]
        )
        for event in events:
            for happened in event.parts if isinstance(event, InOrder) else [event]:
                assert any(
                    word in task.instruction
                    for name in happened.names
                    for word in (name.replace("_", " "), "switch")
                ), task.id


def test_instructions_read_as_english(suite):
    tasks = {task.id: task for task in suite.tasks}

    def worded(task_id: str) -> str:
        task = tasks[task_id]
        names = Names(load_scene(task.scene).nodes())
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
    assert worded("go_to_sleep/1027_2") == (
        "Go to sleep: sleep, and make sure that you are lying and that you are on bed 1."
    )
    assert worded("watch_tv/1057_1") == (
        "Watch TV: look at or watch something, and make sure that you face television 2 "
        "and that television 2 is switched on and plugged in."
    )
    assert worded("wash_dishes_by_hand/746_1") == (
        "Wash dishes by hand: pick up something, then wash, rinse, scrub or wipe something."
    )
    assert worded("wash_hands/499_1") == "Wash hands: rinse or wash something."
    assert (
        tasks["put_groceries_in_fridge/1004_2"]
        .labels["description"]
        .startswith("walk to kitchen, walk to fridge")
    )


def test_the_suite_takes_no_data_of_the_users(tmp_path: Path):
    with pytest.raises(BadInput, match="takes no --data"):
        load_suite("robothow", tmp_path)


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
        """Go to a thing, and open containers around it."""
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


@pytest.mark.parametrize(
    "adapter", [pytest.param("virtualhome", marks=pytest.mark.slow), "symbolic"]
)
def test_every_manipulation_task_can_be_done_within_its_budget(manipulation, adapter):
    suite = manipulation
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


def expert_fails_in(tasks, folder: Path) -> list[str]:
    results = peephole.run("expert", "robothow", tasks=tasks, out=folder).results
    assert len(results) == len(tasks)
    return [result.task for result in results if not result.success]


@pytest.mark.slow
def test_the_expert_does_what_asks_for_more_than_things(suite, manipulation, tmp_path):
    """With what has to happen on the way: typing, drinking, sleeping, washing hands."""
    things_alone = {task.id for task in manipulation.tasks}
    others = [task.id for task in suite.tasks if task.id not in things_alone]
    assert expert_fails_in(others[::4], tmp_path / "run") == []


@pytest.mark.slow
def test_the_expert_does_97_percent_of_all_tasks(suite, tmp_path):
    failed = expert_fails_in([task.id for task in suite.tasks], tmp_path / "run")
    assert len(failed) <= 0.03 * len(suite.tasks), failed
