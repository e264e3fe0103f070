"""What is assumed of VirtualHome's simulators holds in the stand-in and in the evolving graph."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from peephole.adapters.virtualhome import package
from peephole.adapters.virtualhome.unity.process import COMMAND_VARIABLE
from peephole.checks.assumption import Verdict
from peephole.checks.study import Study, study
from peephole.checks.virtualhome import CHECKS as OF_EVOLVING_GRAPH
from peephole.checks.virtualhome_unity import CHECKS as OF_UNITY
from peephole.checks.virtualhome_unity.evolving import EvolvingConnection

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


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """benchmarks/faults/virtualhome_unity.py."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from faults import virtualhome_unity

    yield virtualhome_unity
    for module in [each for each in sys.modules if each.split(".")[0] == "faults"]:
        del sys.modules[module]


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


def test_an_errand_to_which_the_simulator_finds_no_way_is_tried_with_other_things(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if package.missing() is not None:
        pytest.skip("virtualhome-eval is not installed")
    refused: list[str] = []
    honest = EvolvingConnection.render_script

    def render_script(self: EvolvingConnection, lines: Sequence[str]) -> tuple[bool, object]:
        if "[grab]" in lines[0] and len(refused) < 2:
            refused.append(lines[0])
        return (False, "no way") if lines[0] in refused else honest(self, lines)

    monkeypatch.setattr(EvolvingConnection, "render_script", render_script)
    found = study(OF_EVOLVING_GRAPH, only=["third_is_refused", "other_hand_keeps"])
    assert not others(found)
    assert len(refused) == 2


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


def test_faults_are_named_by_checks_that_exist(faults: ModuleType) -> None:
    names = {each.name for each in OF_UNITY.assumptions}
    assert {name for fault in faults.FAULTS for name in fault.named_by} <= names


@pytest.mark.parametrize(
    "name",
    [
        "has_an_unknown_property",  # which the adapter cannot even begin with
        "loads_nothing_twice",
        pytest.param("holds_a_twin", marks=pytest.mark.slow),
        pytest.param("numbers_at_random", marks=pytest.mark.slow),
    ],
)
def test_a_planted_fault_is_named(name: str, stand_in: None, faults: ModuleType) -> None:
    (fault,) = (each for each in faults.FAULTS if each.name == name)
    # Errands that other checks have played must not hide it.
    before = "graph_is_fresh" if name == "loads_nothing_twice" else "hands_begin_empty"
    with fault.planted():
        found = study(OF_UNITY, only=(*fault.named_by, before))
    differing = {each.assumption.name for each in found.of(Verdict.DIFFERS)}
    assert differing == {*fault.named_by}
