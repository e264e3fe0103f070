"""A planner that perceives movable things only as a detector finds them.

    decisions = seen_by(detector, plan, brief, percept)

The planner's own generator runs unchanged. What it is sent, though, is made anew from a view with
its rooms and furniture, its own hands, and of movable things those that were found: text, view,
names, menu and overview alike. So nothing of the simulator's own view of movable things reaches it,
not by names either, which count by what was found. What its actions did it is told in the dialect's
words, by their outcomes.

The detector is told nothing of what was found before. A look is taken at the start, and after each
going, opening, looking and slicing that succeeded.
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
from ...account import Account, tell
from ...contract import Act, Brief, Decision, Decisions, NewTrial, Percept
from .believed_view import BelievedThings
from .detection import Detection, Detector

#: Actions after which one looks.
_LOOKS = frozenset({Verb.GO_TO, Verb.OPEN, Verb.LOOK, Verb.SLICE})

Plan = Callable[[Brief, Percept], Decisions]


def seen_by(detector: Detector, plan: Plan, brief: Brief, percept: Percept) -> Decisions:
    """The decisions of a planner that perceives with a detector, and a note for each look."""
    perceived = _Perceived(detector, brief)
    for place in _first_places(percept.view):
        yield perceived.look(place, percept).note()
    told = perceived.first(percept)
    account = Account(brief, told)
    tell(brief.models, account)
    decisions = plan(brief, told)
    try:
        decision: Decision = next(decisions)
        while True:
            said, action = perceived.understood(decision)
            percept = yield said
            if isinstance(decision, NewTrial):
                perceived = _Perceived(detector, brief)
                for place in _first_places(percept.view):
                    yield perceived.look(place, percept).note()
                told = perceived.first(percept)
                account.begin(told)
            elif action is None or percept.outcome is None:
                told = perceived.unchanged(percept)
            else:
                perceived.acted(action, percept)
                for place in _looked_at(action, percept):
                    yield perceived.look(place, percept).note()
                told = perceived.after(action, percept)
                account.add(told)
            decision = decisions.send(told)
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
        """Look at a place and take in what is found there."""
        self._name_furniture(percept)
        names = {thing: self._names(thing) for thing in self._movable}
        if place in self._names.numbers:
            names[place] = self._names(place)
        detection = self._detector.detect(place, percept, names, known=())
        for found in detection.found:
            if found.id not in self._names.numbers:
                number = int(found.name.rpartition(" ")[2])
                self._names.give(found.id, found.category, number)
            self._movable.add(found.id)
        self._things.add(detection, percept.view)
        self._problem = detection.problem
        return detection

    def first(self, percept: Percept) -> Percept:
        """The first percept as it is perceived."""
        self._name_furniture(percept)
        text = self._observer.start(self._things.view(percept.view))
        return self._told(percept, text)

    def acted(self, action: Action, percept: Percept) -> None:
        """Take in what an action did by itself."""
        if percept.outcome is not None and percept.outcome.success:
            self._things.after(action, percept.view)

    def after(self, action: Action, percept: Percept) -> Percept:
        """The percept after an action as it is perceived."""
        assert percept.outcome is not None
        self._name_furniture(percept)
        view = self._things.view(percept.view)
        text, outcome = self._observer.after(view, action, percept.outcome)
        return self._told(replace(percept, outcome=outcome), text)

    def unchanged(self, percept: Percept) -> Percept:
        """A percept after which the world is as it was: feedback, or refused words."""
        told = percept.feedback or percept.refused
        return self._told(percept, told or self._last)

    def understood(self, decision: Decision) -> tuple[Decision, Action | None]:
        """A decision with its action as the world knows it, and the action."""
        if not isinstance(decision, Act):
            return decision, None
        action = decision.action
        if isinstance(action, str):
            try:
                action = self._observer.parse(action)
            except Refusal:
                return decision, None
        return replace(decision, action=action), action

    def _told(self, percept: Percept, text: str) -> Percept:
        text = f"{text} {self._problem}".strip()
        self._last, self._problem = text, ""
        return replace(
            percept,
            text=text,
            view=self._observer.view,
            names=self._observer.names,
            menu=self._observer.menu,
            overview=self._observer.overview,
        )

    def _name_furniture(self, percept: Percept) -> None:
        """Give rooms and furniture their names, and whatever the instruction speaks of."""
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
    """The places where the agent begins: those it stands at, or else its room."""
    graph, me = view.graph, view.agent().id
    at = [place for place in graph.targets(me, Relation.CLOSE) if place in graph]
    room = graph.room_of(me)
    return at or ([room] if room is not None else [])


def _looked_at(action: Action, percept: Percept) -> list[int]:
    """The places that one looks at after an action: one, or none."""
    outcome = percept.outcome
    if outcome is None or not outcome.success or action.verb not in _LOOKS:
        return []
    graph, target = percept.view.graph, action.target
    if target is None or target not in graph:
        return _first_places(percept.view)[:1]
    if graph[target].kind is Kind.ROOM:
        return [target]
    return bases(graph, target)[:1] or [target]
