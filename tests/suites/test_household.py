"""The suite household: its kinds, limits and traps, and that every task can be done."""

from __future__ import annotations

from collections import Counter

import pytest

import peephole
from peephole.adapters.scenes import load_scene
from peephole.adapters.virtualhome import package
from peephole.adapters.virtualhome.evolving_graph import EvolvingGraphAdapter
from peephole.episodes.instruction_table import instruction_table
from peephole.errors import BadInput
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import ForAll
from peephole.scene_graph.node import Affordance, Kind, Relation, State
from peephole.scene_graph.rules import RefusedText
from peephole.skills.actions import go_to, open_, pick_up, put, turn_on
from peephole.skills.outcomes import Failure, Reason
from peephole.suites.registry import load_suite

pytestmark = pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))

LIMITS = {
    "bedroom_light": 30,
    "open_fridge": 30,
    "book_on_desk": 30,
    "all_lights": 30,
    "computer": 30,
    "magazine_on_bed": 30,
    "toast": 30,
    "hot_milk": 30,
    "into_bathroom_cabinet": 60,
    "empty_table": 150,
    "drink_to_desk": 50,
    "toast_3": 60,
    "toast_6": 120,
    "toast_2_loose": 100,
    "take_3_away": 100,
}
SLICE = "slice of bread"


@pytest.fixture(scope="module")
def suite():
    return load_suite("household")


@pytest.fixture(scope="module")
def of_kind(suite):
    """The five tasks of a kind, each with its scene."""

    def find(kind):
        tasks = [task for task in suite.tasks if task.labels["category"] == kind]
        return [(task, load_scene(task.scene)) for task in tasks]

    return find


def categories(graph, category):
    return [node for node in graph.nodes() if node.category == category]


@pytest.mark.parametrize("name", ["household", "household:lived_in"])
def test_fifteen_kinds_in_five_houses_with_llm_states_limits(name):
    suite = load_suite(name)
    houses = {task.scene.split(";")[0].endswith("?lived_in") for task in suite.tasks}
    assert houses == {name == "household:lived_in"}
    kinds = Counter(task.labels["category"] for task in suite.tasks)
    assert kinds == dict.fromkeys(LIMITS, 5)
    assert {task.budgets.steps for task in suite.tasks} == {30, 50, 60, 100, 120, 150}
    for task in suite.tasks:
        assert task.budgets.steps == LIMITS[task.labels["category"]]
        assert (task.labels["level"] == "simple") == (task.budgets.steps == 30)
    assert {task.labels["category"] for task in suite.tasks[:15]} == set(LIMITS)
    assert suite.rules.refused is RefusedText.STEP


def test_no_goal_holds_at_the_start(suite):
    lived_in = load_suite("household:lived_in").tasks
    tasks = [*suite.tasks, *lived_in, *load_suite("household:generated").tasks[:60]]
    held = [t.id for t in tasks if satisfied(t.goal, load_scene(t.scene), ())]
    assert held == []


def test_generated_houses_have_tasks_of_all_kinds_that_can_be_done(tmp_path):
    run = peephole.run("expert", "household:generated", tasks=15, out=tmp_path / "run")
    assert run.figures["gsr"].mean == 1.0
    tasks = load_suite("household:generated").tasks[:15]
    assert {task.labels["category"]: task.budgets.steps for task in tasks} == LIMITS


def test_every_room_has_a_light_that_is_on(of_kind):
    for task, graph in [*of_kind("all_lights"), *of_kind("bedroom_light")]:
        lights = categories(graph, "light")
        assert {graph.room_of(light.id) for light in lights} == {
            room.id for room in graph.nodes(Kind.ROOM)
        }, task.id
        assert all({State.ON, State.PLUGGED_IN} <= light.states for light in lights)


@pytest.mark.parametrize("kind", ["toast_2_loose", "take_3_away"])
def test_some_food_in_plain_view_cannot_be_taken(of_kind, kind):
    for task, graph in of_kind(kind):
        fixed = [
            node
            for node in graph.nodes(Kind.OBJECT)
            if Affordance.EATABLE in node.affordances
            and Affordance.GRASPABLE not in node.affordances
        ]
        assert len(fixed) == 3
        assert all(graph.closed_around(node.id) is None for node in fixed), task.id


def test_only_two_slices_can_be_toasted_where_they_lie_behind_doors(of_kind):
    for _, graph in of_kind("toast_2_loose"):
        loose = [n for n in categories(graph, SLICE) if Affordance.GRASPABLE in n.affordances]
        assert len(loose) == 2
        assert all(graph.closed_around(node.id) is not None for node in loose)


def test_what_is_on_the_table_can_be_carried_off(of_kind):
    for task, graph in of_kind("empty_table"):
        assert isinstance(task.goal, ForAll)
        things = task.goal.domain.ids
        assert len(things) >= 5
        for thing in things:
            assert Affordance.GRASPABLE in graph[thing].affordances
            ((relation, place),) = graph.places(thing)
            assert (relation, graph[place].category) == (Relation.ON, "table")
            assert graph[graph.room_of(place)].category == "kitchen"


def test_equal_instructions_ask_for_the_same_in_every_house(suite):
    of_instruction = {}
    for task in suite.tasks:
        table = instruction_table([task], lambda t: load_scene(t.scene))
        assert len(table) == 1, f"there are no words for {task.id}"
        for instruction, entries in table.items():
            assert of_instruction.setdefault(instruction, entries) == entries
    assert len(of_instruction) == 15


def test_it_takes_no_data(tmp_path):
    with pytest.raises(BadInput, match="takes no --data"):
        load_suite("household", tmp_path)


# --- the toaster -----------------------------------------------------------------------------


@pytest.fixture
def kitchen(of_kind):
    """A task, its house in the simulator, the toaster and the slices there."""
    task, graph = of_kind("toast_6")[0]
    adapter = EvolvingGraphAdapter()
    adapter.reset(task, 0)
    toaster = categories(graph, "toaster")[0].id
    slices = [node.id for node in categories(graph, SLICE)]
    yield task, adapter, toaster, slices
    adapter.close()


def refusal(adapter, action):
    return adapter.attempt(action, 0).failure


def test_a_toaster_takes_one_slice_and_says_that_it_is_full(kitchen):
    _, adapter, toaster, (first, second, *_) = kitchen
    for thing in (first, second):
        keeper = adapter.graph().closed_around(thing)
        if keeper is not None:
            assert refusal(adapter, go_to(keeper)) is None
            assert refusal(adapter, open_(keeper)) is None
        assert refusal(adapter, go_to(thing)) is None
        assert refusal(adapter, pick_up(thing)) is None
    assert refusal(adapter, go_to(toaster)) is None
    assert refusal(adapter, put(first, Relation.INSIDE, toaster)) is None
    full = Failure(Reason.FULL, toaster)
    assert refusal(adapter, put(second, Relation.INSIDE, toaster)) == full
    assert refusal(adapter, pick_up(first)) is None
    assert refusal(adapter, put(second, Relation.INSIDE, toaster)) is None


def test_a_slice_is_toasted_once_the_toaster_is_turned_on_with_it_inside():
    """And the menu offers no second slice to a toaster with one."""
    with peephole.make("household", task="toast/house-429", grants=["truth"]) as world:
        percept = world.reset()
        toaster = categories(percept.truth, "toaster")[0].id
        first, second = (node.id for node in categories(percept.truth, SLICE))
        world.step(go_to(percept.truth.room_of(toaster)))
        for thing in (first, second):
            world.step(go_to(percept.truth.places(thing)[0][1]))
            percept = world.step(pick_up(thing))
        percept = world.step(go_to(percept.truth.places(toaster)[0][1]))
        names = percept.names
        offered = [f"put down {names[i]} in {names[toaster]}" for i in (first, second)]
        assert set(offered) <= set(world.menu())
        world.step(put(first, Relation.INSIDE, toaster))
        assert not set(offered) & set(world.menu())
        refused = world.step(put(second, Relation.INSIDE, toaster))
        assert refused.outcome.failure == Failure(Reason.FULL, toaster)
        assert not world.score().success
        world.step(turn_on(toaster))
        assert world.score().success


def test_a_guessed_name_costs_a_step():
    with peephole.make("household", task="toast/house-429") as world:
        world.reset()
        percept = world.step("pick up slice of bread 9")
        assert percept.step == 1
        assert percept.outcome.failure.reason is Reason.UNKNOWN


def test_a_slice_that_is_stuck_is_said_to_be_so():
    with peephole.make("household", task="toast_2_loose/house-453", grants=["truth"]) as world:
        truth = world.reset().truth
        stuck = next(
            node.id
            for node in categories(truth, SLICE)
            if Affordance.GRASPABLE not in node.affordances
        )
        counter = truth.places(stuck)[0][1]
        world.step(go_to(truth.room_of(counter)))
        names = world.step(go_to(counter)).names
        told = f"The {names[stuck]} cannot be grabbed: it is stuck to its place."
        assert world.step(f"pick up {names[stuck]}").text.startswith(told)
        told = f"The {names[counter]} cannot be grabbed."
        assert world.step(pick_up(counter)).text.startswith(told)
