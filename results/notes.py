"""The notes of planners that are drawn: trees of agents, beliefs and searches.

A note "tree" has the nodes that changed; the newest data of a node count. A note "belief" has the
probability of each object in each area before and after an observation, and the likeliest goals. A
note "search" has the chosen action and the best branch of its tree. Data of another form, as of
other planners, are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..episodes.events import Decided, RecordedEvent, Started
from ..planners.contract import Act, Internal, Note, Think

#: Name of the notes.
TREE = "tree"
#: Mark of each state of an agent.
_MARKS = {"success": "✓", "failure": "✗", "left out": "–", "not begun": "·"}
_RUNNING, _LEFT_OUT, _NOT_BEGUN = "running", "left out", "not begun"
_FIELDS = frozenset({"id", "parent", "kind", "goal", "state", "decisions"})

_Node = Mapping[str, Any]


@dataclass(frozen=True)
class TreeLine:
    """An agent as a line. depth: from 0, the root's. decisions: its own, without those below.

    flow: how its goal was divided, or "". state: the final one, also where others caused it; "left
    out" where it never began, "not begun" where it may. acts: whether it is the one that acts.
    """

    agent: int
    """Its id."""
    depth: int
    """From 0, the root's."""
    goal: str
    """Its goal."""
    flow: str
    """How its goal was divided, "" where it was not."""
    state: str
    """Its final state, also where others caused it; "left out" where it never began."""
    decisions: int
    """Its own, without those below."""
    acts: bool = False
    """Whether it is the one that acts."""

    @property
    def mark(self) -> str:
        return _MARKS.get(self.state, "…")

    @property
    def figures(self) -> str:
        """How its goal was divided, and its number of decisions."""
        if self.state in (_LEFT_OUT, _NOT_BEGUN):
            return self.state
        count = f"{self.decisions} decision{'s' if self.decisions != 1 else ''}"
        count += " so far" if self.acts else ""
        return ", ".join([*([self.flow] if self.flow else []), count])


def tree_lines(events: Iterable[RecordedEvent]) -> list[TreeLine]:
    """The final tree as lines from the top; none where there was no tree."""
    tree = _AgentTree()
    for event in events:
        tree.take(event)
    return tree.lines()


class _AgentTree:
    """Follows the notes of a tree of agents, and the decisions of the one that acts.

    A note has an agent's decisions when it ends or expands, so those since are counted here.
    """

    def __init__(self) -> None:
        self._nodes: dict[int, _Node] = {}
        self._since = 0
        self._noted = False  # the last decision was a note of the tree

    def take(self, event: RecordedEvent) -> bool:
        """Take in an event; whether it changes the lines."""
        if isinstance(event, Started):
            self._nodes, self._since, self._noted = {}, 0, False
            return True
        if not isinstance(event, Decided):
            return False
        decision, noted = event.decision, self._noted
        if isinstance(decision, Note):
            new = {node["id"]: node for node in tree_nodes(decision)}
            if new:
                self._nodes |= new
                self._since, self._noted = 0, True
            return bool(new)
        self._noted = False
        # An internal decision right after a note belongs to the agent that has ended.
        counts = isinstance(decision, Act) and not decision.continued
        counts |= isinstance(decision, Think) or (isinstance(decision, Internal) and not noted)
        self._since += counts
        return counts and bool(self._nodes)

    def lines(self) -> list[TreeLine]:
        """The tree as lines from the top. Of running agents without parts, the first one acts."""
        children: dict[int | None, list[_Node]] = {}
        for _, node in sorted(self._nodes.items()):
            children.setdefault(node["parent"], []).append(node)
        found = [line for root in children.get(None, []) for line in _lines(root, 0, children)]
        running = [n for n, line in enumerate(found) if line.state == _RUNNING and not line.flow]
        for number in running[:1]:
            count = found[number].decisions + self._since
            found[number] = replace(found[number], decisions=count, acts=True)
        for number in running[1:]:
            if not found[number].decisions:
                found[number] = replace(found[number], state=_NOT_BEGUN)
        return found


@dataclass(frozen=True)
class GrownLine:
    """A line of the final tree with its history.

    history: first step, state, mark and figures of each version.
    """

    line: TreeLine
    history: tuple[tuple[int, str, str, str], ...]


def grown_lines(events: Sequence[RecordedEvent]) -> list[GrownLine]:
    """The tree as lines from the top, each with its history by steps."""
    histories: dict[int, list[tuple[int, str, str, str]]] = {}
    tree = _AgentTree()
    for event in events:
        if not tree.take(event):
            continue
        if isinstance(event, Started):
            histories.clear()
        acts = isinstance(event, Decided) and isinstance(event.decision, Act)
        for line in tree.lines():
            _add_state(histories.setdefault(line.agent, []), event.step + acts, line)
    return [GrownLine(line, tuple(histories[line.agent])) for line in tree.lines()]


def _add_state(history: list[tuple[int, str, str, str]], step: int, line: TreeLine) -> None:
    now = line.state, line.mark, line.figures
    if history and history[-1][1:] == now:
        return
    if history and history[-1][0] == step:
        history.pop()
    history.append((step, *now))


def tree_nodes(note: Note) -> Iterator[_Node]:
    """The nodes of a note; those of another form, as other planners may note, are left out."""
    nodes = note.data.get("nodes", ()) if note.name == TREE else ()
    for node in nodes if isinstance(nodes, Sequence) else ():
        if isinstance(node, Mapping) and node.keys() >= _FIELDS and isinstance(node["id"], int):
            yield node


def _lines(
    agent: _Node, depth: int, children: Mapping[int | None, Sequence[_Node]]
) -> Iterator[TreeLine]:
    name, goal = agent["id"], str(agent["goal"])
    flow = next(iter(children.get(agent["id"], ())), None)
    if flow is None:
        yield TreeLine(name, depth, goal, "", agent["state"], agent["decisions"])
        return
    yield TreeLine(name, depth, goal, str(flow["kind"]), flow["state"], agent["decisions"])
    for child in children.get(flow["id"], ()):
        if child["state"] == _RUNNING and flow["state"] != _RUNNING:
            child = {**child, "state": _LEFT_OUT}
        yield from _lines(child, depth + 1, children)


#: Names of the notes.
BELIEF, SEARCH = "belief", "search"
#: Smallest change of a probability that is shown.
SHOWN_CHANGE = 0.005

_Probability = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
_Finite = Annotated[float, Field(allow_inf_nan=False)]
#: Areas with their probabilities, by object.
Places = Mapping[str, Mapping[str, _Probability]]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True)


@dataclass(frozen=True)
class Change:
    """The probability of an object in an area, before and after; None where it is not listed.

    fell: it was listed before, and is now too unlikely to be listed.
    """

    area: str
    before: float | None
    after: float | None
    fell: bool = False

    @property
    def is_shown(self) -> bool:
        """Whether both are known and differ enough to be shown."""
        if self.before is None or self.after is None:
            return False
        return abs(self.after - self.before) >= SHOWN_CHANGE

    @property
    def is_certain(self) -> bool:
        return (self.after or 0.0) > 1 - SHOWN_CHANGE


class HypothesisedGoal(_Data):
    """A goal that may be meant. targets: the area that each of its objects is to reach."""

    weight: _Probability
    targets: Mapping[str, str]

    @property
    def text(self) -> str:
        """Such as "mug, plate to prep surface; jar to spice shelf"."""
        by_area: dict[str, list[str]] = {}
        for name, area in self.targets.items():
            by_area.setdefault(spaced(area), []).append(spaced(name))
        return "; ".join(f"{', '.join(names)} to {area}" for area, names in by_area.items())


class BeliefNote(_Data):
    """A belief before and after an observation."""

    before: Places
    """Probabilities by object and area, before."""
    after: Places
    """The same after it."""
    goals: tuple[HypothesisedGoal, ...] = ()
    """The likeliest goals."""

    @property
    def objects(self) -> list[str]:
        """The objects, those with the least certain place first."""
        names = dict.fromkeys([*self.after, *self.before])
        most = {name: max(self.after.get(name, {}).values(), default=0.0) for name in names}
        return sorted(names, key=lambda name: (most[name], name))

    @property
    def likeliest_goals(self) -> list[HypothesisedGoal]:
        """The goals, the likeliest first."""
        return sorted(self.goals, key=lambda goal: (-goal.weight, goal.text))

    def changes(self, name: str) -> list[Change]:
        """The areas of an object with its probabilities before and after, the likeliest first."""
        before, after = self.before.get(name, {}), self.after.get(name, {})
        most_before, most_after = _most_unlisted(before), _most_unlisted(after)
        found = [
            Change(
                area,
                before.get(area, None if most_before else 0.0),
                after.get(area, None if most_after else 0.0),
                fell=area not in after and before.get(area, 0.0) - most_after >= SHOWN_CHANGE,
            )
            for area in dict.fromkeys([*after, *before])
        ]
        return sorted(
            found, key=lambda each: (-(each.after or 0.0), -(each.before or 0.0), each.area)
        )

    def certain(self, name: str) -> str:
        """The one area where an object certainly was and is; "" if there is none."""
        likeliest = self.changes(name)[:1]
        return next((each.area for each in likeliest if not each.is_shown and each.is_certain), "")


class Expected(_Data):
    """A step of a branch of the tree: an action, and the observation expected after it."""

    action: str
    observation: str = ""


class SearchNote(_Data):
    """The result of a search: the chosen action, its value with bounds, and the effort.

    branch: the best one of the tree, from the root.
    """

    action: str
    """The chosen action."""
    value: _Finite
    """Its value."""
    lower: _Finite
    """Lower bound of the value."""
    upper: _Finite
    """Upper bound of the value."""
    simulations: int
    """Number of simulations."""
    nodes: int
    """Number of nodes of the tree."""
    seconds: _Finite
    """Time of the search."""
    branch: tuple[Expected, ...] = ()
    """Best branch of the tree, from the root."""

    @property
    def text(self) -> str:
        """The value with its bounds and the effort, in a line."""
        simulations = f"{self.simulations:,} simulation{'s' if self.simulations != 1 else ''}"
        return (
            f"value {self.value:.1f} [{self.lower:.1f}, {self.upper:.1f}], {simulations}, "
            f"{self.nodes:,} nodes, {self.seconds:.3f} s"
        )


_Read = TypeVar("_Read", BeliefNote, SearchNote)


def belief_of(note: Note) -> BeliefNote | None:
    """The belief of a note; None of other notes."""
    return _read(BeliefNote, note.data) if note.name == BELIEF else None


def search_of(note: Note) -> SearchNote | None:
    """The search of a note; None of other notes."""
    return _read(SearchNote, note.data) if note.name == SEARCH else None


def _most_unlisted(areas: Mapping[str, float]) -> float:
    """The largest possible probability of an area that is not listed; 0 for a complete list."""
    rest = 1.0 - sum(areas.values())
    return min(rest, *areas.values()) if areas and rest >= SHOWN_CHANGE else 0.0


def spaced(name: str) -> str:
    """A name with spaces: "prep_surface" is "prep surface"."""
    return name.replace("_", " ")


def _read(kind: type[_Read], data: Mapping[str, Any]) -> _Read | None:
    try:
        return kind.model_validate(data)
    except ValidationError:
        return None
