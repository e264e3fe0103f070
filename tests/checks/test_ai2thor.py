"""What is assumed of AI2-THOR's engine holds in its stand-in; faults planted there are named."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from peephole.adapters.ai2thor import objects
from peephole.adapters.ai2thor.engine import EXECUTABLE_VARIABLE
from peephole.checks.ai2thor import CHECKS
from peephole.checks.assumption import Verdict
from peephole.checks.study import study

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
#: The checks that play a whole kitchen.
ERRANDS = {"goes_everywhere", "opens_everything", "picks_up_everything"}
NAMES = {each.name for each in CHECKS.assumptions}


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    """The Controller keeps a folder in the home folder; here it is a temporary one."""
    pytest.importorskip("ai2thor.controller")
    missing = objects.missing()
    if missing is not None:
        pytest.skip(missing)
    monkeypatch.setenv(
        "XDG_CACHE_HOME", os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(EXECUTABLE_VARIABLE, "stand_in")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield monkeypatch
    for name in [name for name in sys.modules if name.split(".")[0] == "faults"]:
        del sys.modules[name]


def test_every_assumption_holds_in_the_stand_in(stand_in):
    played = study(CHECKS, only=NAMES - ERRANDS)
    assert played.stand_in
    assert len(played.findings) >= 40
    other = {
        each.assumption.name: each.answer
        for each in played.findings
        if each.verdict is not Verdict.HOLDS
    }
    assert not other


@pytest.mark.slow
def test_a_whole_kitchen_is_played_in_the_stand_in(stand_in):
    played = study(CHECKS, only=ERRANDS)
    assert [each.verdict for each in played.findings] == [Verdict.HOLDS] * 3


def test_every_assumption_has_a_claim_of_its_own_and_a_source():
    assert len({each.claim for each in CHECKS.assumptions}) == len(CHECKS.assumptions)
    assert all(each.claim.endswith(".") and each.source for each in CHECKS.assumptions)


def test_a_fault_in_the_engine_is_named_with_its_answer(stand_in):
    from faults.ai2thor import FAULTS

    fault = next(each for each in FAULTS if each.name == "pieces_without_place")
    with fault.planted():
        played = study(CHECKS, only=["pieces_stay", "piece_ids", "one_hand"])
    verdicts = {each.assumption.name: each.verdict for each in played.findings}
    assert verdicts == {
        "one_hand": Verdict.HOLDS,
        "piece_ids": Verdict.HOLDS,
        "pieces_stay": Verdict.DIFFERS,
    }
    assert "AppleSliced_1" in played.of(Verdict.DIFFERS)[0].answer


def test_faults_are_named_by_checks_that_exist(stand_in):
    from faults.ai2thor import FAULTS

    assert len(FAULTS) >= 14
    assert {name for fault in FAULTS for name in fault.named_by} <= NAMES


@pytest.mark.slow
def test_every_planted_fault_is_named(stand_in):
    from faults.ai2thor import FAULTS

    for fault in FAULTS:
        with fault.planted():
            played = study(CHECKS, only=fault.named_by)
        assert [each.verdict for each in played.findings] == [Verdict.DIFFERS] * len(
            fault.named_by
        ), fault.sentence


def test_a_room_without_the_things_of_a_check_cannot_tell(stand_in):
    from peephole.checks.assumption import Checks

    bathroom = Checks("ai2thor", "ithor:FloorPlan401#1", CHECKS.assumptions)
    played = study(bathroom, only=["fridge_cools", "ids_unique"])
    verdicts = {each.assumption.name: each.verdict for each in played.findings}
    assert verdicts == {"ids_unique": Verdict.HOLDS, "fridge_cools": Verdict.CANNOT_TELL}
