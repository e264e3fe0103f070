"""The two sides of the study of kitchens by rules and in contact."""

from __future__ import annotations

from pathlib import Path

from peephole.results.papers import read_grid

GRIDS = Path(__file__).parents[2] / "grids"


def test_both_sides_of_the_study_play_the_same() -> None:
    rules, contact = (read_grid(GRIDS / f"kitchen_{side}.yaml") for side in ("rules", "contact"))
    own = {"title", "note", "adapter"}
    assert rules.model_dump(exclude=own) == contact.model_dump(exclude=own)
    assert (rules.adapter, contact.adapter) == ("symbolic_gripper", "mujoco_kitchen")


def test_faults_are_counted_in_tasks_that_the_study_does_not_play() -> None:
    script = (GRIDS / "kitchen_study.sh").read_text(encoding="utf-8")
    study = read_grid(GRIDS / "kitchen_contact.yaml").tasks
    assert f"tasks=${{2:-{study}}}" in script
    last = int(script.partition("others=${3:-1-")[2].partition("}")[0])
    assert last < int(study.partition("-")[0])
