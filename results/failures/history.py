"""A recorded episode as the rules of `classify` read it: actions, and the state after each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...episodes.events import Decided, Perceived, RecordedEvent, Started, Stepped, TextRefused
from ...episodes.result import EpisodeResult
from ...models.events import ModelContextFull, ModelReplied
from ...planners.contract import Note
from ...scene_graph.changes import applied
from ...scene_graph.goal_codec import goal_from_data
from ...scene_graph.goals import Event, Goal
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind
from ...skills.actions import Action
from ...skills.events import events_of
from ...skills.outcomes import Failure


@dataclass(frozen=True)
class Try:
    """An action that was tried."""

    step: int
    """Its step."""
    action: Action | None
    """None for a text that is no action."""
    wording: str
    """The action in the dialect."""
    failure: Failure | None
    """Why it failed; None where it did not."""
    room: int | None
    """Where the agent was after it; None if unknown."""

    @property
    def success(self) -> bool:
        return self.failure is None and self.action is not None


@dataclass
class EpisodeHistory:
    """One start of an episode."""

    result: EpisodeResult
    """The result of the episode."""
    instruction: str = ""
    """The instruction."""
    goal: Goal | None = None
    """The task's goal; None in old recordings."""
    evidence: Goal | None = None
    """The task's `required_evidence`."""
    last: SceneGraph | None = None
    """True state at the end; None without one."""
    tries: list[Try] = field(default_factory=list)
    """Actions in order."""
    seen: dict[int, int] = field(default_factory=dict)
    """The first step after which each object was in view."""
    happened: list[Event] = field(default_factory=list)
    """Events as goals count them."""
    refused: list[int] = field(default_factory=list)
    """Steps of texts that were no action, since the last action."""
    replied: ModelReplied | ModelContextFull | None = None
    """The last reply of a model."""
    subgoals: list[str] = field(default_factory=list)
    """Goals of all agents below the root of a tree of agents."""
    expanded_at: int = 0
    """Step of the first such goal."""

    @property
    def rooms(self) -> list[int]:
        """All rooms there are."""
        return [] if self.last is None else [node.id for node in self.last.nodes(Kind.ROOM)]


def history_of(events: Sequence[RecordedEvent], result: EpisodeResult) -> EpisodeHistory:
    """The history of an episode's newest start."""
    reader = _Reader(EpisodeHistory(result))
    for event in events:
        reader.read(event)
    return reader.history


class _Reader:
    """Reads the events of an episode in order; a new start resets the history."""

    def __init__(self, history: EpisodeHistory) -> None:
        self.history = history

    def read(self, event: RecordedEvent) -> None:
        history = self.history
        match event:
            case Started():
                history = self.history = EpisodeHistory(history.result, event.instruction)
                history.goal = None if event.goal is None else goal_from_data(event.goal)
                if event.evidence is not None:
                    history.evidence = goal_from_data(event.evidence)
                self._perceive(event)
            case Stepped():
                self._take_in(event)
            case TextRefused():
                history.refused.append(event.step)
            case ModelReplied() | ModelContextFull():
                history.replied = event
            case Decided(decision=Note("tree", _, data)):
                nodes = [node for node in data.get("nodes", ()) if isinstance(node, dict)]
                self._divide(event.step, nodes)
            case Perceived():
                self._perceive(event)

    def _take_in(self, event: Stepped) -> None:
        history, before = self.history, self.history.last
        history.refused.clear()
        failure = event.outcome.failure
        if failure is None and event.action is not None and before is not None:
            history.happened += events_of(before, event.action, event.step)
        self._perceive(event)
        graph = history.last
        agent = None if graph is None else next(iter(graph.nodes(Kind.AGENT)), None)
        room = None if graph is None or agent is None else graph.room_of(agent.id)
        history.tries.append(Try(event.step, event.action, event.wording, failure, room))

    def _perceive(self, event: Perceived) -> None:
        history = self.history
        if event.world is not None:
            where = "the recording"
            history.last = applied(history.last or SceneGraph(), event.world, where)
        for thing in () if event.view is None else event.view.came:
            history.seen.setdefault(thing, event.step)

    def _divide(self, step: int, nodes: Sequence[dict[str, object]]) -> None:
        """Take in the subgoals of a tree: the goals of agents below another node."""
        history = self.history
        for node in nodes:
            goal = str(node.get("goal", ""))
            if node.get("kind") == "agent" and node.get("parent") is not None and goal:
                if not history.subgoals:
                    history.expanded_at = step
                if goal not in history.subgoals:
                    history.subgoals.append(goal)
