"""The real evolving graph, played through its adapter, with the simulator's faults kept inside.

Program 1004_2: the agent is in the bedroom; in the dining room are a closed freezer (two foods and
a kiwi), a closed cupboard (wine and a knife), a counter (a food and a sink) and a free food.
"""

from __future__ import annotations

import logging
import random
import re
import subprocess
import sys

import pytest

import peephole
from peephole.adapters.virtualhome import package, scenes
from peephole.adapters.virtualhome.commands import failure_of
from peephole.adapters.virtualhome.evolving_graph import EvolvingGraphAdapter
from peephole.adapters.virtualhome.graph_import import to_scene_graph
from peephole.adapters.virtualhome.simulation import Simulation
from peephole.errors import BadInput
from peephole.scene_graph.node import Kind, Relation, State
from peephole.skills.actions import (
    HOUSEHOLD_VERBS,
    Action,
    Verb,
    close,
    drop,
    go_to,
    lie_down,
    look,
    open_,
    pick_up,
    plug_out,
    point_at,
    pour,
    put,
    put_on,
    rinse,
    sit,
    sleep,
    slice_,
    stand_up,
    take_off,
    turn_off,
    turn_on,
    wait,
    wake_up,
    wash,
    watch,
)
from peephole.skills.executor import Executor
from peephole.skills.outcomes import Failure, FailureClass, Reason

pytestmark = pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))

AGENT, BEDROOM, DINING_ROOM, OFFICE, COUCH, TV = 65, 67, 201, 319, 352, 410
BED, TABLE, COUNTER, CUPBOARD, SINK = 105, 226, 230, 229, 231
FREEZER, TRAY, OVEN, MICROWAVE, PHONE = 289, 296, 295, 297, 247
FREE_FOOD, COUNTER_FOOD, FROZEN_FOOD, WINE, KNIFE, MAT, LAMP = 1000, 2016, 2001, 2013, 2014, 236, 97
DRESSER, PAJAMAS = 108, 2000
ON, INSIDE = Relation.ON, Relation.INSIDE


@pytest.fixture
def world(play):
    return play("1004_2")


def done(world, *actions):
    for action in actions:
        result = world.attempt(action, 0)
        assert result.success, (action, result)


def refusal(world, action):
    before = world.graph()
    result = world.attempt(action, 0)
    assert not result.success, action
    assert world.graph() == before, "a refused action changes nothing"
    return result.failure


def places(world, thing):
    return set(world.graph().places(thing))


# --- playing -------------------------------------------------------------------------------------


def test_food_is_put_into_a_closed_freezer(world):
    assert world.graph().room_of(AGENT) == BEDROOM
    done(world, go_to(FREE_FOOD), pick_up(FREE_FOOD))
    assert world.graph().held(AGENT) == [FREE_FOOD]
    assert world.graph().room_of(AGENT) == DINING_ROOM
    put_in = put(FREE_FOOD, INSIDE, FREEZER)
    assert refusal(world, put_in) == Failure(Reason.CONTAINER_CLOSED, FREEZER), "it lay beside it"
    done(world, go_to(BED))
    assert refusal(world, put_in) == Failure(Reason.NOT_CLOSE, FREEZER)
    done(world, go_to(FREEZER))
    done(world, open_(FREEZER), put_in, close(FREEZER))
    assert places(world, FREE_FOOD) == {(INSIDE, FREEZER)}
    assert State.CLOSED in world.graph()[FREEZER].states
    assert refusal(world, pick_up(FREE_FOOD)) == Failure(Reason.ENCLOSED, FREEZER)


def test_what_is_closed_in_is_seen_only_after_opening(world):
    done(world, go_to(FREEZER))
    assert FREEZER in world.view().graph
    assert FROZEN_FOOD not in world.view().graph
    assert FREEZER not in world.view().covered
    done(world, open_(FREEZER))
    assert FROZEN_FOOD in world.view().graph
    assert world.view().covered[FREEZER]


def test_things_on_furniture_are_seen_only_from_close(world):
    done(world, go_to(DINING_ROOM))
    assert COUNTER in world.view().graph
    assert COUNTER_FOOD not in world.view().graph
    done(world, go_to(COUNTER))
    assert COUNTER_FOOD in world.view().graph
    assert LAMP not in world.view().graph, "it is in another room"


def test_switches_and_plugs(world):
    done(world, go_to(MICROWAVE), turn_on(MICROWAVE))
    assert refusal(world, turn_on(MICROWAVE)) == Failure(Reason.ALREADY_ON, MICROWAVE)
    assert refusal(world, open_(MICROWAVE)) == Failure(Reason.STILL_ON, MICROWAVE)
    assert refusal(world, plug_out(MICROWAVE)) == Failure(Reason.STILL_ON, MICROWAVE)
    done(world, turn_off(MICROWAVE), plug_out(MICROWAVE))
    assert State.PLUGGED_OUT in world.graph()[MICROWAVE].states
    assert refusal(world, turn_on(MICROWAVE)) == Failure(Reason.UNPLUGGED, MICROWAVE)


def test_looking_around_and_waiting_change_nothing(world):
    before = world.graph()
    done(world, look(), wait())
    assert world.graph() == before
    under = Action(Verb.PUT, FREE_FOOD, Relation.UNDER, TABLE)
    assert refusal(world, under).reason is Reason.NOT_SUPPORTED


def test_every_verb_is_supported(world):
    assert world.spec.actions == HOUSEHOLD_VERBS


def test_what_is_cut_is_sliced_from_then_on(world):
    done(world, go_to(CUPBOARD), open_(CUPBOARD), pick_up(KNIFE))
    done(world, go_to(FREE_FOOD), slice_(FREE_FOOD))
    assert refusal(world, slice_(FREE_FOOD)) == Failure(Reason.ALREADY_SLICED, FREE_FOOD)
    done(world, go_to(BED))
    assert State.SLICED in world.graph()[FREE_FOOD].states


def test_sitting_lying_and_standing_up(world):
    done(world, go_to(BED), sit(BED))
    assert world.graph()[AGENT].states == {State.SITTING}
    assert places(world, AGENT) == {(INSIDE, BEDROOM), (ON, BED)}
    assert refusal(world, go_to(LAMP)).reason is Reason.SEATED
    done(world, lie_down(BED), sleep(), wake_up(), stand_up())
    assert places(world, AGENT) == {(INSIDE, BEDROOM)}, "the simulator leaves it on the bed"
    done(world, go_to(COUCH), sit(COUCH))
    assert places(world, AGENT) == {(INSIDE, OFFICE), (ON, COUCH)}
    assert world.graph().has_edge(AGENT, Relation.FACING, TV), "as the couch does"
    done(world, watch(TV))


def test_looking_turns_to_a_thing_by_a_line_of_its_own(world):
    done(world, go_to(OFFICE))
    assert refusal(world, watch(TV)) == Failure(Reason.NOT_FACING, TV)
    done(world, look(TV), watch(TV), point_at(TV))
    assert world.graph().targets(AGENT, Relation.FACING) == [TV]
    done(world, go_to(COUCH))
    assert world.graph().targets(AGENT, Relation.FACING) == []


def test_clothes_are_worn_wherever_one_goes(world):
    done(world, go_to(DRESSER), open_(DRESSER), pick_up(PAJAMAS), put_on(PAJAMAS), go_to(FREEZER))
    assert places(world, PAJAMAS) == {(ON, AGENT)}
    assert refusal(world, pick_up(PAJAMAS)) == Failure(Reason.ON_BODY, PAJAMAS)
    done(world, take_off(PAJAMAS))
    assert places(world, PAJAMAS) == {(INSIDE, DINING_ROOM)}, "not where they were put on"
    done(world, pick_up(PAJAMAS), go_to(BED), drop(PAJAMAS))
    assert places(world, PAJAMAS) == {(INSIDE, BEDROOM)}
    done(world, pick_up(PAJAMAS))


def test_water_is_poured_and_taken_again(play):
    """The simulator calls water grabbed for ever."""
    world, cup, water = play("171_2"), 1000, 1001
    done(world, go_to(CUPBOARD), open_(CUPBOARD), pick_up(cup), put(cup, ON, COUNTER))
    done(world, go_to(water), pick_up(water), go_to(cup), pour(water, cup))
    assert places(world, water) == {(INSIDE, cup)}
    assert world.graph().held(AGENT) == []
    done(world, pick_up(water))


def test_what_contains_something_to_pour_stays_out_of_what_it_is_poured_into(world):
    done(world, go_to(CUPBOARD), open_(CUPBOARD), pick_up(WINE), go_to(COUNTER), pour(WINE, SINK))
    assert world.graph().held(AGENT) == [WINE]
    done(world, put(WINE, ON, COUNTER))
    assert places(world, WINE) == {(ON, COUNTER)}, "the simulator also has it in the sink"


def test_the_body_is_in_reach_from_the_start(play):
    world = play("102_1")
    hands = next(node.id for node in world.graph().nodes() if node.category == "hands")
    assert places(world, hands) == {(Relation.ATTACHED, AGENT)}
    done(world, wash(hands), go_to(BEDROOM), rinse(hands))
    assert refusal(world, go_to(hands)) == Failure(Reason.ON_BODY, hands)


def test_what_stands_side_by_side_is_in_reach_together(world):
    """Cupboard, counter and freezer stand in a row; the simulator reaches all of it anyhow."""
    done(world, go_to(CUPBOARD))
    assert {COUNTER, FREEZER} <= set(world.graph().targets(AGENT, Relation.CLOSE))
    assert COUNTER_FOOD in world.view().graph
    done(world, pick_up(COUNTER_FOOD), open_(FREEZER), put(COUNTER_FOOD, INSIDE, FREEZER))


def test_every_seed_gives_the_same_episode(play, task):
    scene = task("virtualhome-eval:1004_2")
    first, second = EvolvingGraphAdapter(), EvolvingGraphAdapter()
    first.reset(scene, 1)
    second.reset(scene, 2)
    assert first.graph() == second.graph() == scenes.load("1004_2")
    for action in (go_to(FREE_FOOD), pick_up(FREE_FOOD), go_to(BED), put(FREE_FOOD, ON, BED)):
        done(first, action)
        done(second, action)
        assert first.graph() == second.graph()
    first.reset(scene, 1)
    assert first.graph() == scenes.load("1004_2"), "nothing of the last episode is left"


def test_the_graph_is_the_callers_to_keep(world):
    kept = world.graph()
    kept.remove_node(FREEZER)
    assert FREEZER in world.graph()
    before = world.graph()
    done(world, go_to(FREEZER))
    assert before != world.graph()
    assert before.room_of(AGENT) == BEDROOM


def test_the_graph_is_that_of_the_simulators_full_dump():
    """Read in part and changed in place, it is what the simulator dumps when left to itself."""
    simulation, modules = Simulation(scenes.read("1004_2")), package.simulator()
    graph = modules.environment.EnvironmentGraph(scenes.read("1004_2"))
    state = modules.environment.EnvironmentState(graph, {}, instance_selection=True)
    executor = modules.execution.ScriptExecutor(graph, {}, char_index=0)
    chance = random.Random(0)
    things = [node.id for node in scenes.load("1004_2").nodes()]
    succeeded = 0
    for step in range(60):
        thing, held = chance.choice(things), simulation.graph().held(AGENT)
        lines = [("WALK", thing), (chance.choice(("GRAB", "OPEN", "CLOSE", "SWITCHON")), thing)]
        lines += [("PUTBACK", held[0], thing)] if held else []
        for command, *targets in lines:
            names = [f"<{state.get_node(i).class_name}> ({i})" for i in targets]
            line = modules.scripts.parse_script_line(" ".join([f"[{command}]", *names]), 0)
            done, state = executor.execute_one_step(modules.scripts.Script([line]), state)
            assert (simulation.do(command, *targets) is None) == done
            succeeded += done
        if step % 6 == 0:
            dumped, read = to_scene_graph(state.to_dict(), "the dump"), simulation.graph()
            assert list(dumped.nodes()) == list(read.nodes())
            assert set(dumped.edges()) == set(read.edges())
    assert succeeded > 65


# --- the simulator's faults ----------------------------------------------------------------------


def test_one_can_go_to_everything_that_is_not_closed_in(world):
    for node in world.graph().nodes():
        if node.id != AGENT and world.graph().closed_around(node.id) is None:
            done(world, go_to(node.id))


def test_the_class_name_of_a_line_is_that_of_the_id(world):
    simulation = Simulation(scenes.read("1004_2"))
    assert "<microwave> (297) does not" not in str(simulation.do("WALK", MICROWAVE))
    assert "<food_food> (2001) is inside other closed thing" in str(
        simulation.do("WALK", FROZEN_FOOD) or simulation.do("GRAB", FROZEN_FOOD)
    )


def test_full_hands_open_and_unplug_nothing(world):
    done(world, go_to(COUNTER_FOOD), pick_up(COUNTER_FOOD), go_to(FREE_FOOD), pick_up(FREE_FOOD))
    done(world, go_to(MICROWAVE))
    full = Failure(Reason.HANDS_FULL)
    for action in (open_(MICROWAVE), plug_out(MICROWAVE), pick_up(PHONE)):
        assert refusal(world, action) == full


def test_things_are_put_on_surfaces_and_into_containers_only(world):
    done(world, go_to(FREE_FOOD), pick_up(FREE_FOOD), go_to(SINK))
    assert refusal(world, put(FREE_FOOD, ON, SINK)) == Failure(Reason.NOT_A_SURFACE, SINK)
    into = put(FREE_FOOD, INSIDE, COUNTER)
    assert refusal(world, into) == Failure(Reason.NOT_A_CONTAINER, COUNTER)
    simulation = Simulation(scenes.read("1004_2"))
    assert simulation.do("WALK", FREE_FOOD) is None
    assert simulation.do("GRAB", FREE_FOOD) is None
    assert simulation.do("WALK", SINK) is None
    assert simulation.do("PUTIN", FREE_FOOD, COUNTER) is None, "the simulator does it"


def test_being_close_to_a_closed_container_is_not_reaching_into_it(world):
    done(world, go_to(FREEZER))
    assert refusal(world, pick_up(FROZEN_FOOD)) == Failure(Reason.ENCLOSED, FREEZER)
    assert refusal(world, go_to(FROZEN_FOOD)) == Failure(Reason.ENCLOSED, FREEZER)


def test_a_switch_without_a_state_is_no_switch(world):
    done(world, go_to(FREEZER))
    assert refusal(world, turn_on(FREEZER)) == Failure(Reason.NOT_SWITCHABLE, FREEZER)
    assert refusal(world, turn_off(FREEZER)) == Failure(Reason.NOT_SWITCHABLE, FREEZER)


def test_what_was_carried_elsewhere_is_found_there(world):
    """The simulator leaves a carried thing's room as it was, and walks to it there."""
    done(world, go_to(FREE_FOOD), pick_up(FREE_FOOD), go_to(BED), put(FREE_FOOD, ON, BED))
    done(world, go_to(FREEZER), go_to(FREE_FOOD))
    assert world.graph().room_of(AGENT) == BEDROOM
    assert world.graph().has_edge(AGENT, Relation.CLOSE, BED)
    done(world, pick_up(FREE_FOOD))


def test_messages_do_not_pile_up():
    simulation = Simulation(scenes.read("1004_2"))
    assert "2001" in str(simulation.do("GRAB", FROZEN_FOOD))
    second = str(simulation.do("OPEN", CUPBOARD))
    assert "229" in second
    assert "2001" not in second


def test_its_exceptions_become_failures():
    simulation = Simulation(scenes.read("1004_2"))
    assert str(simulation.do("LOOKAT_LONG", FREEZER)).startswith("TypeError")
    assert "Unknown action" in str(simulation.do("FLY", FREEZER))
    assert "Wrong number of parameters" in str(simulation.do("PUTIN", FREEZER))
    assert simulation.graph() == scenes.load("1004_2")


def test_an_agent_that_sits_at_the_start_stands_up_to_walk(play):
    seated = next(n for n in scenes.read("180_2")["nodes"] if n["id"] == AGENT)
    assert seated["states"] == ["SITTING"]
    world = play("180_2")
    assert refusal(world, go_to(BED)).reason is Reason.SEATED
    done(world, stand_up(), go_to(BED))


def test_importing_it_leaves_the_random_generator_and_the_log_alone(caplog):
    probe = (
        "import random; random.seed(5); before = random.getstate();"
        "from peephole.adapters.virtualhome.package import simulator; simulator();"
        "assert random.getstate() == before"
    )
    subprocess.run([sys.executable, "-c", probe], check=True)
    with caplog.at_level(logging.INFO):
        simulation = Simulation(scenes.read("1004_2"))
        assert simulation.do("WALK", FREEZER) is None
        assert simulation.do("CLOSE", FREEZER) is not None, "refusals are what it logs"
    assert caplog.records == []


# --- what shows of the simulator -----------------------------------------------------------------


def test_what_stands_on_a_thing_stays_behind_when_it_is_picked_up(world):
    done(world, go_to(FREE_FOOD), pick_up(FREE_FOOD), go_to(MAT), put(FREE_FOOD, ON, MAT))
    assert places(world, FREE_FOOD) == {(ON, MAT)}
    done(world, pick_up(MAT))
    assert places(world, FREE_FOOD) == {(INSIDE, DINING_ROOM)}
    done(world, go_to(BED))
    assert world.graph().room_of(FREE_FOOD) == DINING_ROOM


def test_what_is_put_on_a_held_thing_is_carried_along(world):
    done(world, go_to(MAT), pick_up(MAT), go_to(FREE_FOOD), pick_up(FREE_FOOD))
    done(world, put(FREE_FOOD, ON, MAT), go_to(BED))
    assert places(world, FREE_FOOD) == {(ON, MAT)}
    assert world.graph().room_of(FREE_FOOD) == BEDROOM


def test_another_variation_walks_up_to_what_is_just_out_of_reach(play):
    """Program 442_2 has detergent in the sink in the counter: two relations from the counter."""
    world, detergent = play("442_2"), 2021
    done(world, go_to(COUNTER))
    result = world.attempt(pick_up(detergent), 0)
    assert result.failure == Failure(Reason.UNREACHABLE, detergent)
    assert result.failure.kind is FailureClass.GEOMETRY
    assert "is not close to <detergent>" in result.message
    outcome = Executor(world, lambda: None).execute(pick_up(detergent))
    assert outcome.success
    assert [attempt.variation for attempt in outcome.attempts] == [0, 1]
    assert world.graph().held(AGENT) == [detergent]


def test_every_family_of_refusals_is_reported_as_its_reason():
    """Without our own check before it, the simulator's refusals reach the planner as reasons."""
    simulation = Simulation(scenes.read("1004_2"))

    def reason(action: Action, command: str, *setup: tuple[str, int]) -> Failure:
        for line in setup:
            assert simulation.do(*line) is None
        message = simulation.do(command, *action.things)
        assert message is not None
        return failure_of(action, message)

    near_freezer = ("WALK", FREEZER)
    into = put(FREE_FOOD, INSIDE, FREEZER)
    assert reason(open_(FREEZER), "OPEN") == Failure(Reason.UNREACHABLE, FREEZER)
    assert reason(pick_up(FREEZER), "GRAB") == Failure(Reason.NOT_GRASPABLE, FREEZER)
    assert reason(into, "PUTIN", near_freezer) == Failure(Reason.NOT_HELD, FREE_FOOD)
    assert reason(pick_up(FROZEN_FOOD), "GRAB") == Failure(Reason.ENCLOSED, FROZEN_FOOD)
    assert reason(close(FREEZER), "CLOSE") == Failure(Reason.ALREADY_CLOSED, FREEZER)
    assert reason(turn_on(FREEZER), "SWITCHON") == Failure(Reason.ALREADY_ON, FREEZER)
    assert reason(turn_on(TABLE), "SWITCHON") == Failure(Reason.NOT_SWITCHABLE, TABLE)
    assert reason(plug_out(TABLE), "PLUGOUT") == Failure(Reason.NOT_PLUGGABLE, TABLE)
    assert reason(open_(TABLE), "OPEN") == Failure(Reason.NOT_OPENABLE, TABLE)
    food = (("WALK", FREE_FOOD), ("GRAB", FREE_FOOD), near_freezer)
    assert reason(into, "PUTIN", *food) == Failure(Reason.CONTAINER_CLOSED, FREEZER)
    assert reason(open_(FREEZER), "OPEN", ("OPEN", FREEZER)) == Failure(
        Reason.ALREADY_OPEN, FREEZER
    )
    mat = (("WALK", MAT), ("GRAB", MAT), ("WALK", PHONE))
    assert reason(pick_up(PHONE), "GRAB", *mat) == Failure(Reason.HANDS_FULL)
    assert reason(wait(), "FLY") == Failure(Reason.REFUSED, None)


# --- what is missing or wrong --------------------------------------------------------------------


def test_a_scene_of_another_loader_is_refused(task):
    with pytest.raises(BadInput, match=r"takes scenes of .*house, .*virtualhome-eval.* only"):
        EvolvingGraphAdapter().reset(task("json:house.json"), 0)


@pytest.mark.parametrize("reference", ["1004_22", "../x/file1004_2", "1004_2/../file1004_2"])
def test_an_unknown_program_is_refused(play, task, reference):
    with pytest.raises(BadInput, match="has no scene"):
        EvolvingGraphAdapter().reset(task(f"virtualhome-eval:{reference}"), 0)


def test_a_missing_package_names_the_command_that_installs_it():
    probe = (
        "import sys; sys.modules['virtualhome_eval'] = None\n"
        "from peephole.adapters.registry import connect\n"
        "from peephole.adapters.scenes import load_scene\n"
        "from peephole.errors import Missing\n"
        "for load, name in ((connect, 'virtualhome'), (load_scene, 'virtualhome-eval:8_1')):\n"
        "    try: load(name)\n"
        "    except Missing as error: print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    lines = run.stdout.splitlines()
    assert len(lines) == 2
    command = r"pip install --no-deps virtualhome-eval==\S+$"
    assert all(re.search(command, line) for line in lines)


def test_an_agent_that_perceives_its_whole_room_sees_from_afar_what_lies_on_furniture() -> None:
    seen = {}
    for adapter in ("virtualhome", "virtualhome_room"):
        with peephole.make("household", task="book_on_desk/house-404", adapter=adapter) as played:
            played.reset()
            graph = played.adapter.view().graph
            seen[adapter] = {node.id for node in graph.nodes(Kind.OBJECT)}
            truth = played.adapter.graph()
    assert seen["virtualhome"] < seen["virtualhome_room"]
    here = truth.room_of(truth.agent().id)
    for thing in seen["virtualhome_room"]:
        assert truth.room_of(thing) == here
        assert truth.closed_around(thing) is None
