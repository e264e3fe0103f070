"""What a grid tells while it is played."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from peephole.episodes.engines.contract import Played, Ticket
from peephole.episodes.result import EpisodeResult
from peephole.episodes.run_file import PlannedEpisode
from peephole.grids.progress import GridProgress


class Session(SimpleNamespace):
    """What progress reads of a `GridSession`: a quick row and a slow one, 10 episodes each."""

    def left_by_run(self) -> dict[int, float]:
        return dict(self.left)


@pytest.fixture
def session(tmp_path: Any) -> Session:
    rows = [SimpleNamespace(name=name) for name in ("quick", "slow")]
    return Session(
        folder=tmp_path,
        total=20,
        spared=0,
        rows=rows,
        runs=[SimpleNamespace(suite="s", row=row) for row in rows],
        configs=[],
        results={},
        engine=SimpleNamespace(running=()),
        left={0: 10.0, 1: 10.0},
    )


def _played(run: int, number: int, seconds: float, *, success: bool) -> Played:
    result = EpisodeResult("t", success, 1.0, "done", 1, 1, 0.0, 0.0)
    return Played(Ticket(run, PlannedEpisode(number, "t", 0, 0)), result, seconds=seconds)


def test_the_time_left_is_that_of_the_rows_that_are_left(session: Session) -> None:
    """One worker: after the quick row's 10 s the slow one takes 1,000 s, not 10."""
    now = [0.0]
    progress = GridProgress(Console(file=io.StringIO()), session, clock=lambda: now[0])
    for number in range(9):
        now[0] += 1
        session.left[0] -= 1
        progress.add_played(_played(0, number, 1.0, success=True))
    now[0] += 100
    session.left[1] -= 1
    progress.add_played(_played(1, 1, 100.0, success=False))
    text = progress.state()
    assert "quick 100% of 9, slow 0% of 1" in text
    assert "about 15 min left" in text  # 1 s and 9 times 100 s


def test_episodes_that_are_not_needed_are_not_waited_for(session: Session) -> None:
    console = Console(file=io.StringIO(), width=100)
    progress = GridProgress(console, session)
    session.spared = 19
    progress.add_played(_played(0, 1, 1.0, success=True))
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().startswith("1/1 episodes, quick 100% of 1")
