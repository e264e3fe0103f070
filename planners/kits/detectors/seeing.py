"""A planner that perceives movable things only through a detector.

    decisions = seen_by(detector, plan, brief, percept)

The planner's own generator runs unchanged. Its percepts, however, are made from a view of the rooms
and furniture, its own hands, and the detected things: text, view, names, menu and descriptions. So
nothing of the simulator's own view of movable things reaches it. Names count detected things only.
The outcomes of its actions are worded by the dialect.

The detector does not know earlier detections. It looks at the start, and after each successful
walk, opening, look and slicing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .... import plugins
from ....observation_text.dialect import Dialect, Refusal
from ....observation_text.names import Names
from ....observation_text.observer import Observer
from ....observation_text.view import View
from ....scene_graph.node import Kind, Relation
from ....skills.actions import Action, Verb
from ....skills.reach import bases
from ...contract import Act, Brief, Decision, Decisions, NewTrial, Percept
from ..account import Account, tell
from .believed_view import BelievedThings
from .detection import Detection, Detector

#: Actions that are followed by a look.
_LOOKS = frozenset({Verb.GO_TO, Verb.OPEN, Verb.LOOK, Verb.SLICE})

_Planner = Callable[[Brief, Percept], Decisions]


def seen_by(detector: Detector, plan: _Planner, brief: Brief, percept: Percept) -> Decisions:
    """The decisions of a planner that perceives through a detector, and a note for each look."""
    perceived = _Perceived(detector, brief)
    for place in _first_places(percept.view):
        yield perceived.look(place, percept).note()
    seen = perceived.first(percept)
    account = Account(brief, seen)
    tell(brief.models, account)
    decisions = plan(brief, seen)
    try:
        decision: Decision = next(decisions)
        while True:
            said, action = perceived.understood(decision)
            percept = yield said
            if isinstance(decision, NewTrial):
                perceived = _Perceived(detector, brief)
                for place in _first_places(percept.view):
                    yield perceived.look(place, percept).note()
                seen = perceived.first(percept)
                account.begin(seen)
            elif action is None or percept.outcome is None:
                seen = perceived.unchanged(percept)
            else:
                perceived.acted(action, percept)
                for place in _looked_at(action, percept):
                    yield perceived.look(place, percept).note()
                seen = perceived.after(action, percept)
                account.add(seen)
            decision = decisions.send(seen)
    except StopIteration:
        return


class _Perceived:
    """What the planner perceives in one trial."""

    def __init__(self, detector: Detector, brief: Brief) -> None:
        dialect = plugins.load("dialect", brief.dialect)
        assert isinstance(dialect, Dialect), f"the dialect {brief.dialect} is none"
        self._detector = detector
        self._instruction = brief.instruction
        self._names = Names()
        self._observer = Observer(self._names, dialect, brief.actions, brief.embodiment)
        self._things = BelievedThings()
        self._movable: set[int] = set()
        self._problem = ""
        self._last = ""

    def look(self, place: int, percept: Percept) -> Detection:
        """Look at a place and record the detected things."""
        self._name_furniture(percept)
        names = {thing: self._names(thing) for thing in self._movable}
        if place in self._names.numbers:
            names[place] = self._names(place)
        detection = self._detector.detect(place, percept, names, known=())
        for thing in detection.things:
            if thing.id not in self._names.numbers:
                number = int(thing.name.rpartition(" ")[2])
                self._names.give(thing.id, thing.category, number)
            self._movable.add(thing.id)
        self._things.add(detection, percept.view)
        self._problem = detection.problem
        return detection

    def first(self, percept: Percept) -> Percept:
        """The first percept, as the planner perceives it."""
        self._name_furniture(percept)
        text = self._observer.start(self._things.view(percept.view))
        return self._percept(percept, text)

    def acted(self, action: Action, percept: Percept) -> None:
        """Record the effects of an action."""
        if percept.outcome is not None and percept.outcome.success:
            self._things.after(action, percept.view)

    def after(self, action: Action, percept: Percept) -> Percept:
        """The percept after an action, as the planner perceives it."""
        assert percept.outcome is not None
        self._name_furniture(percept)
        view = self._things.view(percept.view)
        text, outcome = self._observer.after(view, action, percept.outcome)
        return self._percept(replace(percept, outcome=outcome), text)

    def unchanged(self, percept: Percept) -> Percept:
        """The percept of an unchanged world: after feedback, or a refused text."""
        words = percept.feedback or percept.refused
        return self._percept(percept, words or self._last)

    def understood(self, decision: Decision) -> tuple[Decision, Action | None]:
        """A decision with its action in ids, and the action."""
        if not isinstance(decision, Act):
            return decision, None
        action = decision.action
        if isinstance(action, str):
            try:
                action = self._observer.parse(action)
            except Refusal:
                return decision, None
        return replace(decision, action=action), action

    def _percept(self, percept: Percept, text: str) -> Percept:
        text = f"{text} {self._problem}".strip()
        self._last, self._problem = text, ""
        return replace(
            percept,
            text=text,
            view=self._observer.view,
            names=self._observer.names,
            menu=self._observer.menu,
            sayable=self._observer.sayable,
            read=self._observer.read,
            overview=self._observer.overview,
            surroundings=self._observer.surroundings,
        )

    def _name_furniture(self, percept: Percept) -> None:
        """Name the rooms and furniture, and all that the instruction mentions."""
        graph = percept.view.graph
        for thing, name in percept.names.items():
            if thing in self._names.numbers:
                continue
            node = graph.get(thing)
            fixed = node is not None and node.kind is not Kind.OBJECT
            if fixed or f" {name}" in self._instruction:
                category, _, number = name.rpartition(" ")
                self._names.give(thing, category, int(number))


def _first_places(view: View) -> list[int]:
    """The places where the agent starts: those it stands at, or else its room."""
    graph, me = view.graph, view.agent().id
    at = [place for place in graph.targets(me, Relation.CLOSE) if place in graph]
    room = graph.room_of(me)
    return at or ([room] if room is not None else [])


def _looked_at(action: Action, percept: Percept) -> list[int]:
    """The places to look at after an action: one, or none."""
    outcome = percept.outcome
    if outcome is None or not outcome.success or action.verb not in _LOOKS:
        return []
    graph, target = percept.view.graph, action.target
    if target is None or target not in graph:
        return _first_places(percept.view)[:1]
    if graph[target].kind is Kind.ROOM:
        return [target]
    return bases(graph, target)[:1] or [target]
