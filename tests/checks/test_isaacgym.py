"""What is assumed of IsaacGym holds in its stand-in; faults planted there are named."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from peephole.checks import isaacgym
from peephole.checks.assumption import Verdict
from peephole.checks.isaacgym import CHECKS, arm, bodies
from peephole.checks.study import study

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
#: What is measured without an action.
MEASURED = [each.name for part in (bodies, arm) for each in part.CHECKS.assumptions]


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """benchmarks/faults/isaacgym.py."""
    pytest.importorskip("mujoco")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from faults import isaacgym as module

    yield module
    for name in [name for name in sys.modules if name.split(".")[0] == "faults"]:
        del sys.modules[name]


def _other(played) -> dict[str, str]:
    """The answers of what does not hold."""
    return {
        each.assumption.name: each.answer
        for each in played.findings
        if each.verdict is not Verdict.HOLDS
    }


def test_what_is_measured_holds_in_the_stand_in(faults):
    with faults.sound():
        played = study(CHECKS, only=MEASURED)
    assert not _other(played)
    assert len(played.findings) >= 25
    assert "stand-in" in played.stand_in


@pytest.mark.slow
def test_every_assumption_holds_in_the_stand_in(faults):
    with faults.sound():
        played = study(CHECKS)
    assert not _other(played)
    assert len(played.findings) == len(CHECKS.assumptions)


@pytest.mark.parametrize("name", ["quaternions_are_wxyz", "friction_is_ignored"])
def test_a_fault_of_bodies_is_named(faults, name):
    _is_named(faults, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["the_arm_sags", "the_hand_is_merged", "fingers_slip"])
def test_a_fault_of_the_arm_is_named(faults, name):
    _is_named(faults, name)


def _is_named(faults: ModuleType, name: str) -> None:
    (fault,) = (each for each in faults.FAULTS if each.name == name)
    with fault.planted():
        played = study(CHECKS, only=fault.named_by)
    assert {each.verdict for each in played.findings} == {Verdict.DIFFERS}, _other(played)


def test_a_process_that_dies_tells_nothing_and_ends_no_study(faults):
    with faults.sound("import os\nGym.prepare_sim = lambda self, arg0: os._exit(3)"):
        played = study(CHECKS, only=["falls_down", "density_gives_the_mass"])
    assert {each.verdict for each in played.findings} == {Verdict.CANNOT_TELL}
    assert all("exited with code 3" in each.answer for each in played.findings)


def test_what_the_old_interpreter_runs_is_python_3_8():
    assert isaacgym.__file__ is not None
    ast.parse(Path(isaacgym.__file__).with_name("probe.py").read_text(), feature_version=(3, 8))


def test_every_assumption_has_a_claim_of_its_own_and_a_source():
    assert len({each.claim for each in CHECKS.assumptions}) == len(CHECKS.assumptions)
    assert all(each.claim.endswith(".") and each.source for each in CHECKS.assumptions)


def test_faults_are_named_by_checks_that_exist(faults):
    names = {each.name for each in CHECKS.assumptions}
    assert {name for fault in faults.FAULTS for name in fault.named_by} <= names
