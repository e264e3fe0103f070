"""The adapter that comes with Peephole: it fits its base, and plans."""

from dataclasses import replace
from pathlib import Path

import pytest

import peephole
from peephole.cli.playing import note_on_models
from peephole.episodes.run_file import RunConfig
from peephole.errors import BadInput
from peephole.models import trained
from peephole.models.config import ModelConfig


def test_the_adapter_that_is_kept_here_fits_the_small_local_model():
    trained.check("")
    assert "needs --dialect compact" in trained.note("")


def test_an_adapter_of_another_base_is_refused():
    with pytest.raises(BadInput, match=r"was trained for another base than trained\.gguf"):
        trained.check(f",{trained.SMALL}")


def test_a_run_in_its_dialect_is_not_advised_to_use_it():
    run = RunConfig("wah", "react", dialect="compact", models={"planner": ModelConfig("trained")})
    assert note_on_models(run) == ""
    assert "needs --dialect compact" in note_on_models(replace(run, dialect="reactree"))


@pytest.mark.slow
def test_it_solves_tasks_in_houses_that_it_was_not_trained_in(tmp_path: Path):
    """It was measured at seven of ten; three is required, since processors differ."""
    run = peephole.run(
        "react",
        "wah",
        tasks=10,
        dialect="compact",
        model="trained",
        options={"menu": "none", "repeats": "2", "recent_turns": "8", "other_rooms": "true"},
        workers=2,
        out=tmp_path / "run",
    )
    assert run.figures["gsr"].mean >= 0.3
