"""Two runs in one simulator: neither is called real."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

import peephole
from peephole.adapters.libero import interpreter
from peephole.results.compare.comparison import Comparison, compare
from peephole.results.compare.page import comparison_view


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Comparison:
    """A suite and its instructions in other words."""
    monkeypatch.setenv(interpreter.VARIABLE, interpreter.STAND_IN)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for suite in ("goal", "goal_lan"):
        peephole.run("expert", f"libero:{suite}", tasks=2, out=tmp_path / suite)
    return compare([tmp_path / "goal"], [tmp_path / "goal_lan"])


def test_a_suite_and_its_variant_are_two_runs_and_neither_is_real(found: Comparison) -> None:
    page = io.StringIO()
    Console(file=page, width=200).print(comparison_view(found))
    text = " ".join(page.getvalue().split())
    assert text.startswith("libero:goal (first run) against libero:goal_lan (second run) in libero")
    assert (
        "In 2 pairs of episodes (1 planner) the first run succeeded in 100% and the second" in text
    )
    assert "real side" not in text
    assert "simulation" not in text.replace("simulator", "")
    assert "reality" not in text
