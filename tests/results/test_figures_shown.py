"""What a user reads of results in a terminal is what was summed up."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType

from peephole.episodes.events import Ended
from peephole.episodes.result import EpisodeResult
from peephole.results.metrics import summarize
from peephole.results.show.event_lines import event_lines
from peephole.results.show.figures import results_view

RESULT = EpisodeResult(
    task="stack/1",
    success=True,
    progress=1.0,
    ended="goal_reached",
    steps=10,
    decisions=12,
    planning_s=0.5,
    duration_s=0.1,
)


def printed(shown: RenderableType, width: int = 200) -> str:
    said = io.StringIO()
    Console(file=said, width=width).print(shown)
    return said.getvalue()


def test_a_table_of_results_has_every_figure_with_its_interval() -> None:
    results = [RESULT, replace(RESULT, task="stack/2", success=False, progress=0.5, steps=31)]
    figures = summarize(results)
    told = printed(results_view([("explore", results)]))
    for name, unit in (("gsr", 100), ("ssr", 100), ("steps", 1)):
        figure = figures[name]
        assert f" {unit * figure.mean:.1f} " in told
        assert f"[{unit * figure.low:.1f}, {unit * figure.high:.1f}]" in told


def test_what_is_unknown_is_told_below_the_table() -> None:
    results = [RESULT, replace(RESULT, task="stack/2", progress=None)]
    told = printed(results_view([("explore", results)]))
    assert "Unknown: SSR % of 1 of 2 episodes, which are left out of its mean" in told
    assert "(no interval)" in told, "the only known task has none"
    alone = printed(results_view([("explore", results[1:])]))
    assert "SSR % of 1 of 1 episodes" in alone


@pytest.mark.parametrize("width", [40, 70, 72, 74, 76, 78, 80, 100])
def test_the_name_of_a_suite_folds_at_its_colon_only(width: int) -> None:
    results = [replace(RESULT, calls=3, usd=0.001), replace(RESULT, task="stack/2", success=False)]
    shown = printed(results_view([("llm_pop, small on blocks:generated", results)]), width)
    words = [word for line in shown.splitlines() for word in line.split()]
    assert "blocks:generated" in words or ("blocks:" in words and "generated" in words)


@pytest.mark.parametrize(("steps", "told"), [(0, "0 steps"), (1, "1 step"), (2, "2 steps")])
def test_an_episodes_end_says_after_how_many_steps(steps: int, told: str) -> None:
    (line,) = event_lines(Ended(step=steps, result=replace(RESULT, steps=steps)))
    assert line.plain.startswith(f"Success after {told}: ")
