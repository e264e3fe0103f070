"""A recorded episode as the rules of `classify` read it: what was done, and what was so then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...episodes.events import Decided, Perceived, RecordedEvent, Started, Stepped, TextRefused
from ...episodes.result import EpisodeResult
from ...models.events import ModelContextFull, ModelReplied
from ...planners.contract import Note
from ...scene_graph.changes import applied
from ...scene_graph.events import Event
from ...scene_graph.goal_codec import goal_from_data
from ...scene_graph.goals import Goal
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind
from ...skills.actions import Action
from ...skills.appliance_events import events_of
from ...skills.outcomes import Failure


@dataclass(frozen=True)
class Try:
    """An action that was tried. action: None for words that no action could be made of.

    room: where the agent was after it, None where nobody knows.
    """

    step: int
    action: Action | None
    wording: str
    failure: Failure | None
    room: int | None

    @property
    def success(self) -> bool:
        return self.failure is None and self.action is not None


@dataclass
class Account:
    """One start of an episode.

    first, last: the true state at its beginning and end, None where there is none. seen: of each
    thing that a view had, the first step that it was seen after. happened: as goals count events.
    refused: the steps at which words were no action, since the last action. subgoals: the words of
    all subgoals into which the goal was divided, and expanded_at the step of the first division.
    """

    result: EpisodeResult
    instruction: str = ""
    goal: Goal | None = None
    evidence: Goal | None = None
    first: SceneGraph | None = None
    last: SceneGraph | None = None
    tries: list[Try] = field(default_factory=list)
    seen: dict[int, int] = field(default_factory=dict)
    happened: list[Event] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    replied: ModelReplied | ModelContextFull | None = None
    subgoals: list[str] = field(default_factory=list)
    expanded_at: int = 0

    @property
    def rooms(self) -> list[int]:
        """All rooms there are."""
        return [] if self.last is None else [node.id for node in self.last.nodes(Kind.ROOM)]


def account_of(events: Sequence[RecordedEvent], result: EpisodeResult) -> Account:
    """The account of an episode's newest start. result: what came of it."""
    reader = _Reader(Account(result))
    for event in events:
        reader.read(event)
    return reader.account


class _Reader:
    """Reads the events of an episode one after the other; a new start begins anew."""

    def __init__(self, account: Account) -> None:
        self.account = account

    def read(self, event: RecordedEvent) -> None:
        account = self.account
        match event:
            case Started():
                account = self.account = Account(account.result, event.instruction)
                account.goal = None if event.goal is None else goal_from_data(event.goal)
                if event.evidence is not None:
                    account.evidence = goal_from_data(event.evidence)
                self._perceive(event)
                account.first = account.last
            case Stepped():
                self._take_in(event)
            case TextRefused():
                account.refused.append(event.step)
            case ModelReplied() | ModelContextFull():
                account.replied = event
            case Decided(decision=Note("tree", _, data)):
                nodes = [node for node in data.get("nodes", ()) if isinstance(node, dict)]
                self._divide(event.step, nodes)
            case Perceived():
                self._perceive(event)

    def _take_in(self, event: Stepped) -> None:
        account, before = self.account, self.account.last
        account.refused.clear()
        failure = event.outcome.failure
        if failure is None and event.action is not None and before is not None:
            account.happened += events_of(before, event.action, event.step)
        self._perceive(event)
        graph = account.last
        agent = None if graph is None else next(iter(graph.nodes(Kind.AGENT)), None)
        room = None if graph is None or agent is None else graph.room_of(agent.id)
        account.tries.append(Try(event.step, event.action, event.wording, failure, room))

    def _perceive(self, event: Perceived) -> None:
        account = self.account
        if event.world is not None:
            where = "the recording"
            account.last = applied(account.last or SceneGraph(), event.world, where)
        for thing in () if event.view is None else event.view.came:
            account.seen.setdefault(thing, event.step)

    def _divide(self, step: int, nodes: Sequence[dict[str, object]]) -> None:
        """Take in the subgoals of a tree: the goals of agents below another node."""
        account = self.account
        for node in nodes:
            goal = str(node.get("goal", ""))
            if node.get("kind") == "agent" and node.get("parent") is not None and goal:
                if not account.subgoals:
                    account.expanded_at = step
                if goal not in account.subgoals:
                    account.subgoals.append(goal)
