"""The explorer with an ambiguous goal: one alternative after the other."""

from __future__ import annotations

from pathlib import Path

import peephole
from peephole.suites.contract import Suite


def test_tries_one_alternative_after_the_other(tmp_path: Path, three_alike: Suite) -> None:
    """Its order is the same for every meaning, so one is found at once, one as the second."""
    run = peephole.run("explore", three_alike, out=tmp_path / "run")
    assert [result.success for result in run.results] == [True] * 3
    wrong = [
        path.read_text().count('"event":"goal_checked"')
        for path in sorted((tmp_path / "run").glob("episodes/*.jsonl"))
    ]
    assert sorted(wrong) == [0, 1, 2]
