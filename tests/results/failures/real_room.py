"""A room without a true state, for tests: what it does and shows can be put wrong on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from peephole.adapters.contract import Capability
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.events import RecordedEvent
from peephole.episodes.recording import EpisodeLog, read_events
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.view import View
from peephole.planners.contract import Act, Brief, Decisions, Percept, Planner
from peephole.scene_graph.goal_evaluation import Progress, progress
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, Verb
from peephole.skills.outcomes import Failure, RawResult, Reason

SPEC = replace(SymbolicAdapter.spec, name="room", capabilities=frozenset({Capability.JUDGE}))


class RealRoom(SymbolicAdapter):
    """The built-in world as a room that a person judges.

    fails: why actions with a verb fail, each time. hidden: things that nobody sees.
    """

    spec = SPEC

    def __init__(
        self,
        fails: dict[Verb, Reason] | None = None,
        hidden: frozenset[int] = frozenset(),
    ) -> None:
        super().__init__()
        self.fails = fails or {}
        self.hidden = hidden

    def graph(self) -> None:  # type: ignore[override]
        return None

    def attempt(self, action: Action, variation: int) -> RawResult:
        reason = self.fails.get(action.verb)
        if reason is not None:
            return RawResult(Failure(reason, action.target), "the person says so")
        return super().attempt(action, variation)

    def view(self) -> View:
        truth = super().graph()
        from peephole.observation_text.view import visible

        assert truth is not None
        view = visible(truth, self.spec.visibility)
        kept = [node.id for node in view.graph.nodes() if node.id not in self.hidden]
        return View(view.graph.part(kept), view.covered)

    def judge(self, task: Task) -> Progress | None:
        truth = super().graph()
        assert truth is not None
        return progress(task.goal, truth)


def recorded(
    room: SymbolicAdapter, task: Task, words: Sequence[str], folder: Path
) -> list[RecordedEvent]:
    """The events of an episode in a room, in which a planner says these words."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        for text in words:
            yield Act(text)

    path = folder / "episode.jsonl"
    path.unlink(missing_ok=True)
    context = EpisodeContext(room, Planner("scripted", "follows a script", plan), DIALECT)
    with EpisodeLog(path) as log:
        run_episode(context, task, log)
    return read_events(path)
