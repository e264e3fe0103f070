"""Each habit of `habits` over real HTTP has the reaction that docs/reference/endpoints.md says."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.contract import ContextFull, NoAnswer
from peephole.models.events import ModelContextFull, ModelEvent
from peephole.models.failures import ModelFailure
from peephole.models.served_model import ModelEndpoint

from .habit_server import HabitServer
from .habits import (
    AGAIN,
    ANSWERED,
    CHANGED,
    ENDS,
    HABITS,
    READ,
    SHORTENED,
    Habit,
    Known,
    grows,
)

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "endpoints.md"


@pytest.fixture(scope="module")
def server() -> Iterator[HabitServer]:
    with HabitServer({habit.name: habit.serve for habit in HABITS}) as server:
        yield server


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between requests, which end at once."""
    found: list[float] = []

    class Clock:
        monotonic = staticmethod(lambda: sum(found))
        sleep = staticmethod(found.append)
        time = staticmethod(time.time)

    for module in ("patience", "pace"):
        monkeypatch.setattr(f"peephole.models.{module}.time", Clock)
    monkeypatch.setattr(
        "peephole.models.pace.Pace.sleep", lambda pace, seconds: Clock.sleep(seconds)
    )
    return found


@dataclass(frozen=True)
class Outcome:
    known: Known
    answer: Any
    error: Exception | None


def play(habit: Habit, server: HabitServer, pauses: list[float]) -> Outcome:
    config = ModelConfig("stand-in", **habit.config)
    access = ModelEndpoint(server.url(habit.name), "stand-in", habit.key)
    events: list[ModelEvent] = []
    with ModelConnection(config, access) as connection:
        model = connection.for_episode("planner", events.append)
        answer, error = None, None
        ask = grows if habit.reaction == SHORTENED else habit.ask
        try:
            answer = ask(model)
        except (ModelFailure, NoAnswer) as found:
            error = found
        requests = server.requests[habit.name]
        return Outcome(Known(model, events, list(requests), pauses), answer, error)


#: The requests of a reaction, where the habit says nothing else.
REQUESTS = {READ: 1, AGAIN: 2, ANSWERED: 2, CHANGED: 2, SHORTENED: 2, ENDS: 1}


@pytest.mark.parametrize("habit", HABITS, ids=[habit.name for habit in HABITS])
def test_a_habit_has_the_reaction_that_the_page_says(
    habit: Habit, server: HabitServer, pauses: list[float]
) -> None:
    known, answer, error = vars(play(habit, server, pauses)).values()
    wanted = REQUESTS[habit.reaction] if habit.requests is None else habit.requests
    assert len(known.requests) == wanted or wanted < 0 < len(known.requests) - 2
    assert habit.check(known)
    if habit.reaction == ENDS:
        assert type(error) is habit.error
        assert re.search(habit.says, str(error))
        assert "\n" not in str(error)
        assert len(str(error)) < 700
        return
    if habit.reaction == SHORTENED:
        assert isinstance(error, ContextFull)
        assert isinstance(known.events[-1], ModelContextFull)
        assert known.model.trouble is None
        return
    assert error is None
    assert answer == "fridge"
    first, last = known.replies[0] if known.replies else None, known.replies[-1:]
    if habit.reaction == ANSWERED:
        assert first is not None
        assert re.search(habit.says, first.problem or "")
    elif habit.reaction == CHANGED:
        assert re.search(habit.says, "; ".join(last[0].adapted))
    else:
        assert all(reply.problem is None for reply in known.replies)
        assert bool(known.pauses) == (habit.reaction == AGAIN)


def test_the_page_has_these_habits() -> None:
    rows = re.findall(r"^\| `([\w.-]+)` \|.*\| \*\*([\w ]+)\*\*", PAGE.read_text(), re.MULTILINE)
    assert f"each of {len(HABITS)} habits" in PAGE.read_text()
    assert rows == [(habit.name, habit.reaction) for habit in HABITS]
