"""What is assumed of VirtualHome's simulators holds in the stand-in and in the evolving graph."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from peephole.adapters.virtualhome import package
from peephole.adapters.virtualhome.unity.process import COMMAND_VARIABLE
from peephole.checks.assumption import Verdict
from peephole.checks.study import Study, study
from peephole.checks.virtualhome import CHECKS as OF_EVOLVING_GRAPH
from peephole.checks.virtualhome_unity import CHECKS as OF_UNITY

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
#: Checks whose reports show nearly all that the errands meet.
FEW = ("hands", "states", "refusals")


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = package.missing()
    if missing is not None:
        pytest.skip(missing)
    module = "peephole.adapters.virtualhome.unity.stand_in"
    monkeypatch.setenv(COMMAND_VARIABLE, f"{sys.executable} -m {module} --port {{port}}")


def others(found: Study) -> dict[str, str]:
    """What does not hold, with the answer."""
    return {
        each.assumption.name: each.answer
        for each in found.findings
        if each.verdict is not Verdict.HOLDS
    }


def test_all_hold_in_the_evolving_graph() -> None:
    missing = package.missing()
    if missing is not None:
        pytest.skip(missing)
    found = study(OF_EVOLVING_GRAPH)
    assert not others(found)
    assert not found.stand_in
    assert len(found.findings) >= 40


def test_what_the_executable_refuses_holds_in_its_stand_in(stand_in: None) -> None:
    found = study(OF_UNITY, only=FEW)
    assert not others(found)
    assert found.stand_in


@pytest.mark.slow
def test_all_hold_in_the_stand_in(stand_in: None) -> None:
    found = study(OF_UNITY)
    assert not others(found)
    assert len(found.findings) >= 35


def test_there_are_enough_assumptions_each_with_its_source() -> None:
    assert len(OF_UNITY.assumptions) >= 35
    assert all(each.source and each.claim.endswith(".") for each in OF_UNITY.assumptions)


@pytest.mark.parametrize(
    "name",
    [
        "has_an_unknown_property",  # which the adapter cannot even begin with
        pytest.param("holds_a_twin", marks=pytest.mark.slow),
        pytest.param("numbers_at_random", marks=pytest.mark.slow),
    ],
)
def test_a_planted_fault_is_named(
    name: str, stand_in: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    try:
        from faults.virtualhome_unity import FAULTS

        (fault,) = (each for each in FAULTS if each.name == name)
        with fault.planted():
            found = study(OF_UNITY, only=(*fault.named_by, "hands_begin_empty"))
    finally:
        for module in [each for each in sys.modules if each.split(".")[0] == "faults"]:
            del sys.modules[module]
    differing = {each.assumption.name for each in found.of(Verdict.DIFFERS)}
    assert differing == {*fault.named_by}
