"""Nothing hidden passes the door of MCP: all bytes of answers, for worlds that differ unseen."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from peephole.adapters.contract import Adapter
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.events import RecordedEvent
from peephole.episodes.recording import Log
from peephole.episodes.resolve import load_dialect
from peephole.planners.contract import Brief, Percept
from peephole.planners.external.mcp_server import server_of
from peephole.planners.external.planner import planner_of
from peephole.planners.external.seat import Seat
from peephole.planners.kits import tools
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.scene_graph.task import Task

from .door_pairs import Sent, differences

pytest.importorskip("mcp")

from mcp import Client


class Caller:
    """An agent that asks for all that there is after every action."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal, self._client = portal, client

    def _call(self, name: str, arguments: dict[str, Any]) -> Any:
        return self._portal.call(self._client.call_tool, name, arguments)

    def begin(self) -> Sent:
        offered = self._portal.call(self._client.list_tools)
        return self._everything(offered.model_dump_json())

    def say(self, text: str) -> Sent:
        return self._everything(self._call("act", {"action": text}).model_dump_json())

    def _everything(self, first: str) -> Sent:
        names = ("task", "look", "menu", "status")
        answers = {name: self._call(name, {}) for name in names}
        parts = [first, *(answer.model_dump_json() for answer in answers.values())]
        menu = answers["menu"].content[0].text.splitlines()
        return Sent("\n".join(parts), menu, answers["menu"].is_error)


class Forgetful(Log):
    """Records nothing."""

    def write(self, event: RecordedEvent) -> None:
        pass


@contextmanager
def mcp_door(adapter: Adapter, task: Task, dialect: str, steps: int) -> Iterator[Caller]:
    seat = Seat()
    context = EpisodeContext(
        adapter,
        planner_of(seat),
        load_dialect(dialect),
        Rules(ends=Ends.PLANNER_DONE),
        Budgets(steps=steps),
    )
    playing = threading.Thread(target=run_episode, args=(context, task, Forgetful([])), daemon=True)
    playing.start()
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(server_of(seat), mode="legacy")) as client,
    ):
        yield Caller(portal, client)
        seat.leave()
        playing.join(30)


def test_nothing_hidden_passes_the_door(tmp_path: Path) -> None:
    assert differences(mcp_door, "symbolic", 2, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("adapter", "pairs"), [("symbolic", 40), ("kitchen", 20), ("omnigibson", 20), ("mujoco", 6)]
)
def test_nothing_hidden_passes_the_door_in_many_worlds(
    adapter: str, pairs: int, tmp_path: Path
) -> None:
    assert differences(mcp_door, adapter, pairs, tmp_path) == []


@pytest.mark.slow
def test_the_check_finds_what_tells_of_hidden_things(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reset, worlds = SymbolicAdapter.reset, []

    def noted(adapter: SymbolicAdapter, *given: Any) -> None:
        worlds.append(adapter)
        reset(adapter, *given)

    def telling(brief: Brief, percept: Percept) -> str:
        return str(sorted(map(str, worlds[-1].graph().edges())))

    monkeypatch.setattr(SymbolicAdapter, "reset", noted)
    monkeypatch.setattr(tools, "status_text", telling)
    assert differences(mcp_door, "symbolic", 2, tmp_path)
