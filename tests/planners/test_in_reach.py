"""Planners whose papers' robots walk play a body that does not: it acts from where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

import peephole
from peephole.planners.kits.written_plans.skills import Skills


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PEEPHOLE_LIBERO_PYTHON", "stand_in")


@pytest.mark.parametrize(("planner", "task"), [("sayplan", "2/0"), ("tree_planner", "0/0")])
def test_a_plan_without_walks_is_carried_out(planner: str, task: str, tmp_path: Path) -> None:
    run = peephole.run(planner, "libero:goal", tasks=[task], model="scripted", out=tmp_path / "run")
    (result,) = run.results
    assert result.success


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("put down plate on stove 1", "put down plate 1 on stove 1"),
        ("1. put down plate 1 in top drawer 1", "put down plate 1 in top drawer 1"),
        ("put down cream cheese in black bowl", "put down cream cheese 1 in black bowl 1"),
        ("place the plate in the bottom drawer", "put down plate 1 in bottom drawer 1"),
    ],
)
def test_a_line_of_a_plan_says_where_a_thing_is_put(line: str, action: str) -> None:
    with peephole.make("libero:goal", task="2/0", grants=("fixtures", "inventory")) as world:
        percept = world.reset()
        skills = Skills(world.brief())
        skill = skills.meant_by(line)
        assert skills.action(skill, percept) == action
        read = percept.read
        assert read is not None
        parsed, _ = read(action)
        assert parsed is not None
        assert skills.of(parsed) == skill
