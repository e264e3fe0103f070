"""The planner `belief`: rearrangement in kitchens and houses, and notes of its belief."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

import pytest

import peephole
from peephole.planners.belief.planner import NOTHING_BELIEVED, PLANNER
from peephole.planners.contract import Grant
from peephole.scene_graph.goals import And, AtLeast, Domain, HasState, Related
from peephole.scene_graph.node import Relation, State

ON, INSIDE = Relation.ON, Relation.INSIDE


def notes(folder: Path, name: str) -> list[dict]:
    """The data of the notes of a kind in a run, in order."""
    found = []
    for path in sorted(folder.glob("episodes/*.jsonl")):
        for line in path.read_text().splitlines():
            decision = json.loads(line).get("decision", {})
            if decision.get("kind") == "note" and decision["name"] == name:
                found.append(decision["data"])
    return found


def test_is_granted_what_explore_is():
    assert PLANNER.grants == {Grant.GOAL}


def test_plays_kitchens_and_tells_its_belief_and_its_searches(tmp_path):
    run = peephole.run(planner="belief", suite="kitchens", tasks=3, out=tmp_path / "run")
    assert run.figures["gsr"].mean == 1.0
    beliefs = notes(tmp_path / "run", "belief")
    assert beliefs
    for data in beliefs:
        assert set(data) == {"before", "after", "goals", "survived", "replenished"}
        assert 0 <= data["survived"] <= 1
        assert len(data["goals"]) <= 5
        for areas in (*data["before"].values(), *data["after"].values()):
            assert len(areas) <= 8
            assert 0 < sum(areas.values()) <= 1.01
    searches = notes(tmp_path / "run", "search")
    assert len(searches) == len(beliefs)
    assert all(data["simulations"] <= 3 for data in searches)
    assert any(data["branch"] for data in searches)


@pytest.mark.parametrize("solver", ["pomcp", "one_hypothesis"])
def test_other_solvers_play_too(tmp_path, solver):
    run = peephole.run(
        planner="belief",
        suite="kitchens:easy",
        tasks=2,
        options={"solver": solver},
        out=tmp_path / "run",
    )
    assert run.figures["gsr"].mean == 1.0


def test_a_run_comes_out_alike_again(tmp_path):
    options = {"seconds": "100"}
    for name in ("one", "other"):
        peephole.run(
            planner="belief",
            suite="kitchens:hard",
            tasks=1,
            options=options,
            out=tmp_path / name,
        )
    one, other = (notes(tmp_path / name, "search") for name in ("one", "other"))
    assert [each["action"] for each in one] == [each["action"] for each in other]


SAMPLE = Path(__file__).parents[4] / "shared/data/alfred/valid_unseen_sample.jsonl.gz"


@pytest.mark.skipif(not SAMPLE.is_file(), reason="the sample of ALFRED's tasks is not there")
def test_a_thing_that_is_gone_from_where_it_was_seen_is_looked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("PEEPHOLE_AI2THOR_EXECUTABLE", "stand_in")
    run = peephole.run(
        planner="belief",
        suite="alfred",
        data=SAMPLE,
        tasks="pick_two_obj_and_place-PepperShaker-None-Drawer-10/trial_T20190912_221141_608117",
        out=tmp_path / "run",
    )
    assert [result.success for result in run.results] == [True]


@pytest.mark.slow
def test_a_decision_takes_a_fraction_of_a_second(tmp_path):
    peephole.run(planner="belief", suite="kitchens:hard", tasks=10, out=tmp_path / "run")
    seconds = [data["seconds"] for data in notes(tmp_path / "run", "search")]
    assert max(seconds) < 1
    assert median(seconds) < 0.1  # 20 ms on a machine of its own


@pytest.fixture
def home(house):
    kitchen, bedroom = house.room("kitchen"), house.room("bedroom")
    house.fridge = house.fixture("fridge", kitchen, State.CLOSED)
    house.table = house.fixture("table", kitchen)
    house.cabinet = house.fixture("cabinet", kitchen, State.CLOSED)
    house.desk = house.fixture("desk", bedroom)
    house.me = house.agent(bedroom)
    return house


def test_plays_in_a_house_of_several_rooms(home, play):
    egg = home.thing("egg", inside=home.fridge)
    played = play(PLANNER, home.graph, Related(egg, ON, home.desk))
    assert played.success
    assert played.notes("search")


def test_finds_as_many_things_of_a_kind_as_are_wanted(home, play):
    home.thing("mug", inside=home.fridge)
    home.thing("mug", inside=home.cabinet)
    home.thing("egg", inside=home.cabinet)
    mugs = Domain(frozenset({"mug"}))
    played = play(PLANNER, home.graph, AtLeast(2, "x", mugs, Related("x", ON, home.table)))
    assert played.success


def test_what_is_no_placement_is_planned_for_as_explore_does(home, play):
    egg = home.thing("egg", inside=home.fridge)
    goal = And((Related(egg, INSIDE, home.cabinet), HasState(home.cabinet, State.CLOSED)))
    assert play(PLANNER, home.graph, goal).success


def test_says_so_where_nothing_can_be_believed(home, play):
    egg = home.thing("egg", inside=home.fridge)
    home.thing("mug", on=home.table)
    played = play(PLANNER, home.graph, Related(home.me, Relation.HOLDS, egg))
    assert played.success
    assert [note.text for note in played.notes("plan")].count(NOTHING_BELIEVED) == 1


def test_gives_up_in_words_where_a_thing_is_nowhere(home, play):
    egg = home.thing("egg", inside=home.fridge)
    lost = home.thing("spoon")
    goal = And((Related(egg, ON, home.desk), Related(lost, ON, home.desk)))
    played = play(PLANNER, home.graph, goal)
    assert not played.success
    assert "spoon" in played.ended
