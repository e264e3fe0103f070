"""Episodes through the real Controller on the stand-in engine."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.ai2thor.adapter import ThorAdapter
from peephole.adapters.ai2thor.alfred_files import TaskType, tasks_of
from peephole.adapters.ai2thor.connection import EngineAnswer
from peephole.adapters.registry import connect
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.recording import EpisodeLog
from peephole.episodes.resolve import load_dialect
from peephole.errors import BadInput, Missing
from peephole.planners.registry import load_planner
from peephole.scene_graph.goals import And, Domain, EventOccurred, Exists, Goal, HasState, Related
from peephole.scene_graph.node import Affordance, Kind, Relation, State
from peephole.scene_graph.rules import Budgets
from peephole.scene_graph.task import Task
from peephole.skills.actions import (
    close,
    drop,
    go_to,
    look,
    open_,
    pick_up,
    put,
    slice_,
    turn_off,
    turn_on,
    wait,
)
from peephole.skills.outcomes import Failure, FailureClass, Reason
from peephole.suites.alfred.goals import TaskParameters, goal_of

SAMPLE = Path(__file__).parents[4] / "shared/data/alfred/valid_unseen_sample.jsonl.gz"
IN, ON = Relation.INSIDE, Relation.ON


# --- the start -----------------------------------------------------------------------------------


@pytest.mark.skipif(not SAMPLE.exists(), reason="ALFRED's sample is not there")
def test_an_alfred_task_begins_as_its_file_says(playing):
    """Things lie where the task has them, whatever they are called in this build."""
    trials = list(tasks_of(str(SAMPLE)).values())
    for trial in (trials[0], next(t for t in trials if t.start.object_toggles)):
        played = playing(f"alfred:{SAMPLE}#{trial.trial}")
        metadata = played.adapter.world.step("Pass").metadata
        known = {o["objectType"] for o in metadata["objects"]}
        for pose in trial.start.object_poses:
            wanted = pose["objectName"].split("_")[0]
            if wanted not in known:
                continue
            found = [o["position"] for o in metadata["objects"] if o["objectType"] == wanted]
            at = pose["position"]
            assert min(math.dist(p.values(), (at["x"], at["y"], at["z"])) for p in found) < 0.05
        assert trial.start.init_action is not None
        agent = metadata["agent"]
        assert agent["position"]["x"] == pytest.approx(trial.start.init_action["x"], abs=0.3)
        assert agent["rotation"]["y"] == pytest.approx(trial.start.init_action["rotation"], abs=0.1)
        for toggle in trial.start.object_toggles:
            for raw in metadata["objects"]:
                if raw["objectType"] == toggle["objectType"]:
                    assert raw["isToggled"] is toggle["isOn"]


def test_the_same_scene_begins_the_same_however_often(playing):
    def begun(scene: str) -> tuple[Any, Any]:
        played = playing(scene)
        return played.graph, played.adapter.world.step("Pass").metadata["agent"]

    graph, agent = begun("ithor:FloorPlan7#3")
    playing("ithor:FloorPlan8#3")
    assert begun("ithor:FloorPlan7#3") == (graph, agent)
    elsewhere = begun("ithor:FloorPlan7#4")
    assert elsewhere[0] == graph
    assert elsewhere[1] != agent


def test_nothing_of_an_episode_is_left_in_the_next(playing):
    """Not a thing's place, nor what was seen, held or found out about the engine."""
    first = playing("ithor:FloorPlan10#1")
    view, graph = first.adapter.view(), first.graph
    first.fetch("apple")
    again = playing("ithor:FloorPlan10#1")
    assert again.graph == graph
    assert again.adapter.view() == view


def test_an_unknown_scene_gets_one_sentence(playing):
    with pytest.raises(BadInput, match="FloorPlan77"):
        playing("ithor:FloorPlan77#1")


# --- walking and seeing --------------------------------------------------------------------------


def test_nobody_arrives_without_seeing_what_it_went_to(floor_plan_10):
    played, arrived = floor_plan_10, 0
    for node in [n for n in played.graph.nodes() if n.kind is Kind.FIXTURE]:
        if played(go_to(node.id)) is None:
            arrived += 1
            raw = next(
                o
                for o in played.adapter.world.step("Pass").metadata["objects"]
                if o["objectId"] == node.native_id
            )
            assert raw["visible"]
            assert played.graph.has_edge(played.graph.agent().id, Relation.CLOSE, node.id)
    assert arrived > 30


def test_a_counter_is_seen_whole_though_no_point_shows_all_of_it(floor_plan_10):
    played = floor_plan_10
    for counter in [n.id for n in played.graph.nodes() if n.category == "counter top"]:
        played.do(go_to(counter))
        graph, view = played.graph, played.adapter.view()
        open_to_view = {t for t in graph.below(counter) if graph.closed_around(t) is None}
        assert open_to_view <= {node.id for node in view.graph.nodes()}
        assert view.covered[counter]


def test_a_closed_fridge_hides_and_an_open_one_shows(floor_plan_10):
    played = floor_plan_10
    fridge = played.first("fridge")
    inside = set(played.graph.below(fridge))
    assert inside
    played.do(go_to(fridge))
    view = played.adapter.view()
    assert inside.isdisjoint(node.id for node in view.graph.nodes())
    assert fridge not in view.covered
    played.do(open_(fridge))
    view = played.adapter.view()
    assert inside <= {node.id for node in view.graph.nodes()}
    assert view.covered[fridge]
    played.do(close(fridge))
    assert inside.isdisjoint(node.id for node in played.adapter.view().graph.nodes())


def test_all_fixtures_are_known_and_objects_only_from_close(floor_plan_10):
    graph, view = floor_plan_10.graph, floor_plan_10.adapter.view()
    fixtures = {node.id for node in graph.nodes(Kind.FIXTURE)}
    shown = {node.id for node in view.graph.nodes()}
    assert fixtures <= shown
    assert len(shown - fixtures) < len(list(graph.nodes(Kind.OBJECT))) / 2


def test_going_to_the_room_shows_what_lies_on_its_floor(playing):
    played = playing("ithor:FloorPlan401#1")
    room = played.graph.room_ids[0]
    lying = {
        n.id for n in played.graph.nodes(Kind.OBJECT) if (IN, room) in played.graph.places(n.id)
    }
    assert lying
    played.do(go_to(room))
    view = played.adapter.view()
    assert lying <= {node.id for node in view.graph.nodes()}
    assert view.covered[room]
    played.do(go_to(played.first("toilet")))
    assert room not in played.adapter.view().covered


def test_the_agent_sees_a_picture(floor_plan_10):
    picture = floor_plan_10.adapter.image()
    assert picture is not None
    assert picture.shape == (300, 300, 3)
    assert picture.std() > 0


def test_it_is_filmed_with_a_frame_a_step(floor_plan_10, tmp_path):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    played, path = floor_plan_10, tmp_path / "kitchen.mp4"
    with played.adapter.film(path):
        played.do(go_to(played.first("fridge")), open_(played.first("fridge")))
        assert played(pick_up(played.first("fridge"))) is not None, "refused: nothing to show"
    played.do(close(played.first("fridge")))
    assert imageio_ffmpeg.count_frames_and_secs(str(path)) == (2, 1.0)


# --- handling ------------------------------------------------------------------------------------


def test_things_are_carried_from_place_to_place(floor_plan_10):
    played = floor_plan_10
    apple, fridge = played.fetch("apple"), played.first("fridge")
    assert apple in played.adapter.view().graph
    assert played(pick_up(played.graph.below(played.first("counter top"))[0])) is not None
    played.do(go_to(fridge), open_(fridge), put(apple, IN, fridge), close(fridge))
    assert played.graph.has_edge(apple, IN, fridge)
    assert apple not in played.adapter.view().graph


def test_nothing_is_put_under_a_thing_since_the_engine_has_no_such_action(floor_plan_10):
    played = floor_plan_10
    apple, counter = played.fetch("apple"), played.first("counter top")
    failure = played(put(apple, Relation.UNDER, counter))
    assert failure is not None
    assert failure.reason is Reason.NOT_SUPPORTED


def test_the_hand_is_full_with_one_thing_and_yet_opens_doors(floor_plan_10):
    played = floor_plan_10
    played.fetch("apple")
    counter = played.first("counter top")
    other = next(
        thing
        for place in [n.id for n in played.graph.nodes() if n.category == "counter top"]
        for thing in played.graph.below(place)
    )
    (base,) = [place for _, place in played.graph.places(other)][:1]
    played.do(go_to(base))
    assert played(pick_up(other)) == Failure(Reason.HANDS_FULL)
    assert counter in played.graph
    microwave = played.first("microwave")
    played.do(go_to(microwave), open_(microwave))


def test_slicing_needs_a_knife_and_leaves_slices(floor_plan_10):
    played = floor_plan_10
    bread = played.first("bread")
    (counter,) = [place for _, place in played.graph.places(bread)]
    played.do(go_to(counter))
    assert played(slice_(bread)) == Failure(Reason.NO_TOOL)
    before = {node.id for node in played.graph.nodes()}
    knife = played.fetch("knife")
    played.do(go_to(counter), slice_(bread))
    slices = [node for node in played.graph.nodes() if node.id not in before]
    assert len(slices) > 3
    assert {node.category for node in slices} == {"bread"}
    shown = {node.id for node in played.adapter.view().graph.nodes()}
    assert {node.id for node in slices} <= shown
    assert bread not in shown
    for action in (go_to(bread), look(bread), slice_(bread)):
        assert played(action) == Failure(Reason.ALREADY_SLICED, bread)
    played.do(put(knife, ON, counter), pick_up(slices[0].id))


def test_a_burner_takes_one_thing_of_its_own(floor_plan_10):
    played = floor_plan_10
    taken = next(
        n.id
        for n in played.graph.nodes()
        if n.category == "stove burner" and played.graph.contents(n.id)
    )
    free = next(
        n.id
        for n in played.graph.nodes()
        if n.category == "stove burner" and not played.graph.contents(n.id)
    )
    apple = played.fetch("apple")
    played.do(go_to(free))
    assert played(put(apple, ON, free)) == Failure(Reason.UNSUITABLE, free)
    counter = played.first("counter top")
    played.do(go_to(counter), put(apple, ON, counter))
    pot = played.fetch("pot")
    played.do(go_to(taken))
    assert played(put(pot, ON, taken)) == Failure(Reason.FULL, taken)


def test_a_microwave_runs_only_shut_and_opens_only_off(floor_plan_10):
    played = floor_plan_10
    microwave = played.first("microwave")
    played.do(go_to(microwave), open_(microwave))
    assert played(turn_on(microwave)) == Failure(Reason.STILL_OPEN, microwave)
    played.do(close(microwave), turn_on(microwave))
    assert played(open_(microwave)) == Failure(Reason.STILL_ON, microwave)
    played.do(turn_off(microwave), open_(microwave))


def test_what_is_dropped_lies_in_reach(floor_plan_10):
    played = floor_plan_10
    apple = played.fetch("apple")
    played.do(drop(apple))
    assert apple in played.adapter.view().graph
    played.do(pick_up(apple), look(), wait())


def test_where_something_was_dropped_is_not_therefore_looked_over(playing):
    """It fell onto a counter that the agent did not go to, and shows a part of."""
    played = playing("ithor:FloorPlan8#1")
    bottle, cabinet = played.fetch("bottle"), played.first("cabinet")
    played.do(go_to(cabinet), drop(bottle))
    graph, view = played.graph, played.adapter.view()
    ((_, counter),) = graph.places(bottle)
    assert any(thing not in view.graph for thing in graph.contents(counter))
    assert counter not in view.covered
    played.do(go_to(counter))
    assert counter in played.adapter.view().covered


def test_who_cannot_turn_all_round_has_not_looked_around(begun):
    played = begun()
    step, turns = played.adapter.world.step, 0

    def hampered(action: str, **arguments: Any) -> Any:
        nonlocal turns
        turns += action == "RotateRight"
        if action == "RotateRight" and turns % 4 == 2:
            blocked = "a held item: Mug|1 with something if agent rotates"
            return EngineAnswer(False, blocked, step("Pass").metadata)
        return step(action, **arguments)

    played.adapter.world.step = hampered
    assert played(look()) == Failure(Reason.BLOCKED)


def test_the_simulator_does_what_our_own_model_allows(playing):
    """What planners foresee of places, states and hands comes true, but for the room there is."""
    import random

    from peephole.skills.dynamics import achieved, candidates, check

    done = 0
    for scene in ("FloorPlan3", "FloorPlan210", "FloorPlan315", "FloorPlan420"):
        played = playing(f"ithor:{scene}#1")
        adapter, chance = played.adapter, random.Random(scene)
        for _ in range(40):
            graph = played.graph
            shown = adapter.view().graph
            offered = [
                action
                for action in candidates(graph)
                if action.verb in adapter.spec.actions
                and all(thing in shown for thing in action.things)
                and check(graph, action, adapter.spec.embodiment) is None
            ]
            action = chance.choice(offered)
            outcome = played.executor.execute(action)
            if outcome.success:
                done += 1
                assert achieved(played.graph, action)
            else:
                assert outcome.failure is not None
                assert outcome.failure.kind is not FailureClass.PRECONDITION, (action, outcome)
    assert done > 100


# --- retries and conventions ---------------------------------------------------------------------


def test_what_is_refused_for_its_geometry_is_tried_from_other_poses(begun):
    """The third try is forced, which the simulator does not refuse for want of a near spot."""
    played = begun("--faults refuse=2")
    apple = played.fetch("apple")
    fridge = played.first("fridge")
    played.do(go_to(fridge), open_(fridge))
    stood = []
    step = played.adapter.world.step

    def watched(action: str, **arguments: Any) -> Any:
        answer = step(action, **arguments)
        if action == "PutObject":
            stood.append(
                (answer.metadata["agent"]["position"], arguments.get("forceAction", False))
            )
        return answer

    played.adapter.world.step = watched
    outcome = played.executor.execute(put(apple, IN, fridge))
    assert outcome.success
    assert [a.variation for a in outcome.attempts] == [0, 1, 2]
    assert outcome.attempts[0].failure == Failure(Reason.NO_FREE_SPOT, fridge)
    assert [forced for _, forced in stood] == [False, False, True]
    assert len({tuple(at.values()) for at, _ in stood}) > 1


def test_what_finds_no_room_is_not_put_elsewhere_instead(playing):
    """The sink around a full basin has room, but was not asked for, and what lies there is not in
    the basin.
    """
    played = playing("ithor:FloorPlan11#1")
    plate, basin = played.fetch("plate"), played.first("sink basin")
    played.do(go_to(basin))
    assert played(put(plate, IN, basin)) == Failure(Reason.NO_FREE_SPOT, basin)
    assert played.graph.held(played.graph.agent().id) == [plate]


@pytest.mark.parametrize("convention", ["5.0", "2.1"])
def test_both_conventions_of_arguments_are_spoken(begun, convention):
    played = begun(f"--convention {convention}")
    apple, fridge = played.fetch("apple"), played.first("fridge")
    played.do(go_to(fridge), open_(fridge), put(apple, IN, fridge), close(fridge))
    assert played.graph.has_edge(apple, IN, fridge)


# --- what is asked for ---------------------------------------------------------------------------


def played_by(name: str, adapter: ThorAdapter, goal: Goal, folder: Path) -> Any:
    planner = load_planner(name)
    dialect = load_dialect(planner.dialects[0])
    context = EpisodeContext(adapter, planner, dialect, budgets=Budgets(steps=60))
    with EpisodeLog(folder / "episode.jsonl") as log:
        return run_episode(context, Task("asked", "", goal, "ithor:FloorPlan10#1"), log)


def some(category: str, *parts: Goal) -> Goal:
    return Exists("thing", Domain(frozenset({category})), And(parts))


def at(category: str, relation: Relation) -> Goal:
    return Exists("place", Domain(frozenset({category})), Related("thing", relation, "place"))


@pytest.mark.parametrize(
    "goal",
    [
        some("apple", EventOccurred(("heated",), ("thing",)), at("fridge", IN)),
        some("lettuce", EventOccurred(("cooled",), ("thing",)), at("counter top", ON)),
        some("mug", EventOccurred(("cleaned",), ("thing",)), at("coffee machine", ON)),
        some("tomato", HasState("thing", State.SLICED), at("fridge", IN)),
        some(
            "potato",
            HasState("thing", State.SLICED),
            EventOccurred(("heated",), ("thing",)),
            at("sink basin", IN),
        ),
    ],
    ids=["heat", "cool", "clean", "slice", "slice and heat"],
)
def test_treated_things_are_asked_for_and_brought(shared_adapter, tmp_path, goal):
    result = played_by("expert", shared_adapter, goal, tmp_path)
    assert result.success, result


@pytest.mark.parametrize("name", ["expert", "explore"])
def test_two_slices_are_cut_of_one_thing(shared_adapter, tmp_path, name):
    asked = goal_of(TaskParameters(TaskType.TWO, "Apple", "Fridge", sliced=True))
    result = played_by(name, shared_adapter, asked, tmp_path)
    assert result.success, result
    assert result.steps < 30


def test_cold_things_that_nobody_cooled_do_not_count(shared_adapter, tmp_path):
    """The egg is in the fridge from the start; to have cooled it one has to shut it in."""
    goal = some("egg", EventOccurred(("cooled",), ("thing",)), at("fridge", IN))
    result = played_by("expert", shared_adapter, goal, tmp_path)
    assert result.success
    assert result.steps == 3  # go there, open, close


# --- what is missing -----------------------------------------------------------------------------


def test_without_a_build_one_sentence_says_what_to_do(home, monkeypatch):
    monkeypatch.delenv("PEEPHOLE_AI2THOR_EXECUTABLE")
    with pytest.raises(Missing) as told:
        connect("ai2thor")
    words = str(told.value)
    assert "local_executable_path" in words
    assert str(Path.home() / ".ai2thor" / "releases") in words
    assert "PEEPHOLE_AI2THOR_EXECUTABLE=stand_in" in words
    assert words.count(". ") == 0


def test_a_build_that_is_no_program_gets_one_sentence(home, monkeypatch):
    monkeypatch.setenv("PEEPHOLE_AI2THOR_EXECUTABLE", "/nowhere/thor-Linux64")
    with pytest.raises(Missing, match="/nowhere/thor-Linux64, which is no program"):
        connect("ai2thor")


def test_the_spec_agrees_with_the_scenes(floor_plan_10):
    """Every place with room for one thing only is there under its own name."""
    capacity = ThorAdapter.spec.embodiment.capacity
    categories = {node.category for node in floor_plan_10.graph.nodes()}
    assert {"stove burner", "coffee machine", "toaster"} <= capacity.keys() & categories
    for node in floor_plan_10.graph.nodes():
        if node.category in capacity:
            assert (
                Affordance.SURFACE in node.affordances or Affordance.CONTAINER in node.affordances
            )
