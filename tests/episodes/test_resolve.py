"""What a run names is loaded once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole import api
from peephole.episodes import resolve


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often suites, planners and dialects are loaded and adapters connected."""
    counted: Counter[str] = Counter()

    def counting(name: str) -> Callable[..., Any]:
        call = getattr(resolve, name)

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            counted[name] += 1
            return call(*args, **kwargs)

        return wrapper

    for name in ("load_suite", "load_planner", "load_dialect", "connect"):
        monkeypatch.setattr(resolve, name, counting(name))
    monkeypatch.setattr(api, "load_suite", resolve.load_suite)
    return counted


def test_a_run_loads_and_connects_what_it_names_once(calls: Counter[str], tmp_path: Path) -> None:
    run = peephole.run("explore", "houses", tasks=2, out=tmp_path / "run")
    assert [result.success for result in run.results] == [True, True]
    once = {"load_suite": 1, "load_planner": 1, "load_dialect": 1, "connect": 1}
    assert calls == once
    peephole.resume(run.folder)
    assert calls == dict.fromkeys(once, 2)
