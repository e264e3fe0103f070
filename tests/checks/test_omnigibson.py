"""What is assumed of OmniGibson holds in its stand-ins; faults planted there are named."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import ModuleType

import pytest

from peephole.adapters.omnigibson import activities, settings
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.checks.assumption import Verdict
from peephole.checks.omnigibson import CHECKS, space
from peephole.checks.study import study
from peephole.checks.subject import checks_for
from peephole.errors import Missing

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
#: What the symbolic backend has not: poses, time, cameras, goals of its own.
ENGINE_ONLY = {each.name for each in space.CHECKS.assumptions} | {
    "names_are_unique",
    "things_lie_without_circles",
    "goals_agree",
}


@pytest.fixture(autouse=True)
def bddl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(settings.VARIABLE, raising=False)
    try:
        activities.names()
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """benchmarks/faults/omnigibson.py, on OmniGibson's own primitives."""
    known = set(sys.modules)
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from faults import omnigibson

    try:
        with omnigibson.sound():
            pass
    except PackageNotFoundError:
        pytest.skip("omnigibson is not installed (environments/no-deps.txt)")
    yield omnigibson
    for name in set(sys.modules) - known:
        if name.split(".")[0] in ("faults", "stand_in"):
            del sys.modules[name]


def test_on_the_symbolic_backend_all_holds_but_what_it_has_not():
    played = study(CHECKS)
    assert "symbolic backend" in played.stand_in
    untold = {each.assumption.name for each in played.of(Verdict.CANNOT_TELL)}
    assert untold == ENGINE_ONLY
    assert not played.of(Verdict.DIFFERS)
    assert len(played.of(Verdict.HOLDS)) >= 25


@pytest.mark.parametrize("line", ["1.1.1", "current"])
def test_under_the_real_primitives_all_holds(faults, line):
    with faults.sound(line):
        played = study(CHECKS)
    other = {
        each.assumption.name: each.answer
        for each in played.findings
        if each.verdict is not Verdict.HOLDS
    }
    assert not other
    assert "stand-in" in played.stand_in


@pytest.mark.parametrize(
    "name",
    [
        "contents_fall_out",
        "doors_spring_back",
        "orientations_are_wxyz",
        "place_asks_for_an_open_door",
        "the_goal_is_turned_over",
    ],
)
def test_a_fault_is_named(faults, name):
    """benchmarks/planted_faults.py plants all."""
    (fault,) = (each for each in faults.FAULTS if each.name == name)
    with fault.planted():
        played = study(CHECKS, only=fault.named_by)
    assert {each.verdict for each in played.findings} == {Verdict.DIFFERS}


def test_a_primitive_that_breaks_ends_no_study(faults):
    """As a new version of OmniGibson may: a call fails, and the others are still told."""
    with faults.sound():
        control = faults._control()
        control.apply_ref = lambda *arguments, **options: 1 // 0
        played = study(CHECKS, only=["grasp_brings_into_the_hand", "the_start_is_as_declared"])
    told = {each.assumption.name: each for each in played.findings}
    assert told["the_start_is_as_declared"].verdict is Verdict.HOLDS
    assert told["grasp_brings_into_the_hand"].verdict is Verdict.DIFFERS
    assert "BROKEN: ZeroDivisionError" in told["grasp_brings_into_the_hand"].answer


def test_another_adapter_is_told_that_it_has_no_primitives():
    played = study(CHECKS, connect=SymbolicAdapter, only=["grasp_brings_into_the_hand"])
    (finding,) = played.findings
    assert finding.verdict is Verdict.CANNOT_TELL
    assert "no primitives of OmniGibson" in finding.answer


def test_every_try_gives_a_frame_of_a_film():
    """Also one that runs no primitive, such as waiting."""
    played = study(checks_for("omnigibson"), only=["films_have_frames"])
    assert not played.of(Verdict.DIFFERS)


def test_every_assumption_has_a_claim_of_its_own_and_a_source():
    assert len({each.claim for each in CHECKS.assumptions}) == len(CHECKS.assumptions)
    assert all(each.claim.endswith(".") and each.source for each in CHECKS.assumptions)


def test_faults_are_named_by_checks_that_exist(faults):
    names = {each.name for each in CHECKS.assumptions}
    assert {name for fault in faults.FAULTS for name in fault.named_by} <= names
