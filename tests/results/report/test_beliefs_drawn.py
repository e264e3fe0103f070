"""Beliefs, searches and rewards as `show` and the report draw them, of whatever planner."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import peephole
from peephole.cli.main import app
from peephole.planners.contract import Note
from peephole.results.notes import (
    SHOWN_CHANGE,
    BeliefNote,
    HypothesisedGoal,
    belief_of,
    search_of,
)
from peephole.results.report.belief import DrawnArea, StandingPlace, belief_picture
from peephole.results.report.trajectory import reward_chart

from ...opened_page import OpenedPage

PLANNER = Path(__file__).with_name("searching_planner.py")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One task of kitchens, in which every area is opened."""
    folder = tmp_path_factory.mktemp("beliefs") / "run"
    done = CliRunner().invoke(
        app,
        [
            "run",
            *("--suite", "kitchens:easy", "--planner", str(PLANNER)),
            *("--tasks", "1", "--out", str(folder)),
        ],
    )
    assert done.exit_code == 0, done.output
    return folder


def shown(run: Path) -> list[str]:
    done = CliRunner().invoke(app, ["show", str(run), "1"])
    assert done.exit_code == 0, done.output
    return done.stdout.splitlines()


def page(run: Path, tmp_path: Path) -> OpenedPage:
    done = CliRunner().invoke(app, ["report", str(run), "--out", str(tmp_path / "page.html")])
    assert done.exit_code == 0, done.output
    return OpenedPage(tmp_path / "page.html")


# --- the terminal --------------------------------------------------------------------------------


def test_a_belief_is_told_with_what_an_observation_changed(run: Path) -> None:
    lines = shown(run)
    begun = lines.index("  [belief] 88% of the belief agrees")
    assert lines[begun + 1].strip().startswith("the least certain object first")
    assert lines[begun + 2].split() == ["granola", "appliance", "cabinet", "███", "0.31"]
    assert "       certain: cookie jar at display surface" in lines
    assert "       goal 0.75: cookie jar to prep surface; oats to spice shelf" in lines
    after = lines[begun + 1 + lines[begun + 1 :].index(lines[begun]) :]
    assert after[2].split()[1:] == ["bakeware", "cabinet", "███", "0.31", "was", "0.15"]
    assert any("hardly at appliance cabinet (was 0.31)" in line for line in after)
    assert max(len(line) for line in lines if "█" in line) <= 80


def test_the_best_branch_of_a_search_is_told(run: Path) -> None:
    lines = shown(run)
    at = lines.index("  [search] open appliance cabinet")
    assert lines[at + 1 : at + 4] == [
        "       value 712.5 [700.0, 731.0], 10 simulations, 1,234 nodes, 0.021 s",
        "       > open appliance cabinet → oats in appliance cabinet",
        "         > pick up oats",
    ]


def test_rewards_are_told_step_by_step_and_in_all(run: Path) -> None:
    lines = shown(run)
    steps = [float(m[1]) for line in lines if (m := re.search(r"\(reward ([-+]\d+)\)$", line))]
    assert len(steps) == 14
    assert f"Reward: {sum(steps):.0f} in all" in lines
    results = CliRunner().invoke(app, ["show", str(run)]).stdout
    assert f"{sum(steps):.1f} reward" in results


def test_objects_areas_and_goals_come_in_the_order_that_is_said() -> None:
    goals = tuple(
        HypothesisedGoal(weight=weight, targets={"cup": area})
        for weight, area in ((0.2, "shelf"), (0.4, "table"), (0.4, "box"))
    )
    places = {"pan": {"b": 0.5, "a": 0.5}, "cup": {"a": 0.5, "c": 0.2}, "jar": {"c": 1.0}}
    belief = BeliefNote(before={}, after=places, goals=goals)
    assert belief.objects == ["cup", "pan", "jar"]
    assert [change.area for change in belief.changes("pan")] == ["a", "b"]
    assert [goal.text for goal in belief.likeliest_goals] == [
        "cup to box",
        "cup to table",
        "cup to shelf",
    ]


# --- the page ------------------------------------------------------------------------------------


def beliefs(data: dict[str, Any]) -> list[dict[str, Any]]:
    items = [item for step in data["steps"] for item in step.get("before", [])]
    return [item["belief"] for item in items if "belief" in item]


def tiles(belief: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {tile["name"]: tile for place in belief["places"] for tile in place["tiles"]}


def test_the_page_draws_the_areas_by_where_one_stands(run: Path, tmp_path: Path) -> None:
    first, second = beliefs(page(run, tmp_path).episode("run1/1"))[:2]
    assert [place["name"] for place in first["places"]] == [
        *(f"cab {n} front" for n in (1, 2, 3)),
        "oven front",
        "cab 4 front",
        "fridge front",
    ]
    cabinet, opened = (tiles(each)["appliance cabinet"] for each in (first, second))
    assert (cabinet["closed"], round(cabinet["likeliest"], 2)) == (True, 0.31)
    assert (opened["closed"], opened["likeliest"]) == (False, 0.0)
    granola = tiles(second)["bakeware cabinet"]["objects"][0]
    assert granola["changed"]
    assert (round(granola["before"], 2), round(granola["after"], 2)) == (0.15, 0.31)
    assert tiles(first)["prep surface"]["wanted"] == [["cookie jar", 0.75]]
    here = [
        [place["name"] for place in each["places"] if place["here"]] for each in (first, second)
    ]
    assert [len(each) for each in here] == [1, 1]
    assert here[0] != here[1], "the robot went there"


def test_the_page_has_the_branch_and_the_rewards(run: Path, tmp_path: Path) -> None:
    opened = page(run, tmp_path)
    data = opened.episode("run1/1")
    items = [item for step in data["steps"] for item in step.get("before", [])]
    search = next(item["search"] for item in items if "search" in item)
    assert search["branch"][0]["action"] == "open appliance cabinet"
    assert search["text"].startswith("value 712.5 [700.0, 731.0]")
    told = [text for _, _, text in data["rewards"]["points"]]
    assert sum("after step" in text for text in told) == 14
    assert "reward" in opened.text


def test_runs_without_rewards_and_beliefs_draw_none(tmp_path: Path) -> None:
    peephole.run("explore", "robothow", tasks=1, out=tmp_path / "run")
    opened = page(tmp_path / "run", tmp_path)
    assert beliefs(opened.episode("run1/1")) == []
    assert "rewards" not in opened.episode("run1/1")
    assert "reward" not in opened.text


# --- data ----------------------------------------------------------------------------------------


def belief(before: dict[str, float], after: dict[str, float]) -> BeliefNote:
    found = belief_of(Note("belief", "", {"before": {"mug": before}, "after": {"mug": after}}))
    assert found is not None
    return found


def test_a_goal_is_told_by_its_areas() -> None:
    goal = HypothesisedGoal(weight=1, targets={"mug": "prep_surface", "jar": "sink", "cup": "sink"})
    assert goal.text == "mug to prep surface; jar, cup to sink"


def test_an_area_that_leaves_a_whole_list_is_out_and_one_of_a_cut_list_is_unknown() -> None:
    sink, drawer = belief({"drawer": 0.5, "sink": 0.5}, {"sink": 1.0}).changes("mug")
    assert (drawer.before, drawer.after, drawer.fell) == (0.5, 0.0, True)
    assert (sink.before, sink.after, sink.fell) == (0.5, 1.0, False)
    changes = belief({"drawer": 0.1, "sink": 0.3}, {"sink": 0.4, "shelf": 0.2}).changes("mug")
    assert [(c.area, c.before, c.after, c.fell) for c in changes] == [
        ("sink", 0.3, 0.4, False),
        ("shelf", None, 0.2, False),
        ("drawer", 0.1, None, False),  # it may well be as likely as before
    ]
    equal = belief({"attic": 0.2, "sink": 0.6}, {"attic": 0.5, "sink": 0.5}).changes("mug")
    assert [change.area for change in equal] == ["sink", "attic"]


@pytest.mark.parametrize(
    ("share", "where"), [(1.0, "sink"), (1 - SHOWN_CHANGE / 2, "sink"), (1 - SHOWN_CHANGE, "")]
)
def test_an_object_is_certain_where_nothing_else_would_be_shown(share: float, where: str) -> None:
    assert belief({"sink": share}, {"sink": share}).certain("mug") == where


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"missing": ["milk"], "places": []},
        {"before": {}, "after": {"mug": {"sink": 1.5}}},
        {"before": {}, "after": {"mug": {"sink": float("nan")}}},
        {"before": [], "after": {}},
    ],
)
def test_notes_of_another_form_are_told_by_their_text_alone(data: dict[str, object]) -> None:
    assert belief_of(Note("belief", "text", data)) is None
    assert search_of(Note("search", "text", data)) is None


def test_an_area_that_the_world_does_not_have_stands_elsewhere() -> None:
    at_sink = StandingPlace("sink front", (DrawnArea("sink", "sink", False),))
    picture = belief_picture(belief({"hand": 1.0}, {"Sink_1": 1.0}), [at_sink])
    assert [(p.name, [t.name for t in p.tiles]) for p in picture.places] == [
        ("sink front", ["sink"]),
        ("elsewhere", ["hand"]),
    ]
    assert picture.places[0].tiles[0].likeliest == 1.0


def test_a_reward_that_would_hide_the_others_is_an_arrow() -> None:
    chart = reward_chart([-10.0, -20.0, 980.0])
    assert chart is not None
    assert (chart.low, chart.high, chart.total, chart.jump) == (-30.0, 0.0, 950.0, 980.0)
    assert [round(y) for _, y, _ in chart.points] == [16, 37, 80]
    even = reward_chart([-10.0, 20.0])
    assert even is not None
    assert even.jump is None
    assert even.zero == even.points[0][1]
    assert reward_chart([0.0, 0.0]) is None
    assert reward_chart([]) is None
