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
class Account:
    """One start of an episode."""

    result: EpisodeResult
    """The result of the episode."""
    instruction: str = ""
    """The instruction."""
    goal: Goal | None = None
    """The task's goal; None in old recordings."""
    evidence: Goal | None = None
    """The task's `required_evidence`."""
    first: SceneGraph | None = None
    """True state at the beginning; None without one."""
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


def account_of(events: Sequence[RecordedEvent], result: EpisodeResult) -> Account:
    """The account of an episode's newest start."""
    reader = _Reader(Account(result))
    for event in events:
        reader.read(event)
    return reader.account


class _Reader:
    """Reads the events of an episode in order; a new start resets the account."""

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
