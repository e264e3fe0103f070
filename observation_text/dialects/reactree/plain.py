"""The dialects `reactree_plain` and `reactree_thor_plain`: ReAcTree's actions, with plain feedback.

The published observations list names alone. Here they say what lies on and in what, which states
things have ("fridge 1 [closed]") and what is empty. Held things stand apart. Things have the
names that actions give them, and every sentence ends in a full stop.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import groupby

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import POSTURES, Affordance, Kind, Node, Relation, State
from ....skills.actions import Action, Verb
from ....skills.outcomes import Failure, Outcome, Reason
from ...dialect import Dialect, DialectState
from ...names import Names
from ...view import HANDLED_KINDS, View, innermost_place, is_free_standing
from .dialect import ReAcTree
from .grammar import named
from .thor import ReAcTreeThor, seen_from_here, thor_names
from .words import failure_text, is_stuck, state_after_walk

_OBJECT, _FIXTURE, _ROOM = Kind.OBJECT, Kind.FIXTURE, Kind.ROOM
#: The words before what a place keeps, by relation.
_KEPT = {
    Relation.ON: "On",
    Relation.INSIDE: "In",
    Relation.UNDER: "Under",
    Relation.ATTACHED: "Attached to",
}
#: The states that observations name, with their words.
_STATES = {
    State.OPEN: "open",
    State.CLOSED: "closed",
    State.ON: "on",
    State.OFF: "off",
    State.PLUGGED_OUT: "unplugged",
    State.DIRTY: "dirty",
    State.HOT: "hot",
    State.COLD: "cold",
    State.SLICED: "sliced",
    State.FILLED: "filled",
    State.COOKED: "cooked",
    State.BROKEN: "broken",
}
_KEEPING = frozenset({Affordance.SURFACE, Affordance.CONTAINER})


class Plain(Dialect):
    """The observations of both; actions and menus are those of the published dialect."""

    def start(self, names: Names, view: View) -> tuple[str, DialectState]:
        graph = view.graph
        rooms = [node.id for node in graph.nodes(_ROOM)]
        count = "1 room" if len(rooms) == 1 else f"{len(rooms)} rooms"
        text = f"The house has {count}: {self._listed(names, rooms)}."
        return f"{text} {self.surroundings(names, view)}", {}

    def overview(self, names: Names, view: View) -> str:
        """The present place, complete: the first observation."""
        return self.start(names, view)[0]

    def surroundings(self, names: Names, view: View) -> str:
        text = f"{self._place_text(names, view)}{self._room_text(names, view)}"
        return text + self._body_text(names, view)

    def after(
        self, names: Names, view: View, action: Action, outcome: Outcome, state: DialectState
    ) -> tuple[str, DialectState]:
        if outcome.failure is not None:
            text = self._failed(names, view, action, outcome.failure)
        else:
            text = f"You {self.word(names, action)}.{self._result_text(names, view, action)}"
            if action.verb is Verb.GO_TO:
                state = state_after_walk(view, action.target, state)
        return text + self._body_text(names, view), state

    # --- differs between the two ---

    def _thing(self, names: Names, node_id: int) -> str:
        """The name of a thing in actions."""
        return named(names, node_id)

    def _in_sight(self, view: View) -> list[int]:
        """What is listed from the place where the agent stands."""
        return view.within_reach()

    def _group(self, names: Names, node_ids: Sequence[int], marks: str) -> str:
        """Things of one kind with the same states: "box 1 [closed], box 2 [closed]"."""
        return ", ".join(self._thing(names, thing) + marks for thing in node_ids)

    # --- what an action shows ---

    def _failed(self, names: Names, view: View, action: Action, failure: Failure) -> str:
        def name(node_id: int) -> str:
            return self._thing(names, node_id)

        thing = action.target if failure.thing is None else failure.thing
        if failure.reason is Reason.NOT_HELD and thing is not None:
            return f"You do not hold the {name(thing)}."
        node = None if failure.thing is None else view.get(failure.thing)
        explained = None if node is None else _explained(node, failure.reason, name(node.id))
        if explained is not None:
            return explained
        text = failure_text(names, view, action, failure, name)
        return f"{text.rstrip('.')}: it is stuck to its place." if is_stuck(view, failure) else text

    def _result_text(self, names: Names, view: View, action: Action) -> str:
        """What is seen after a success, with a blank before it; "" for nothing new."""
        verb, target = action.verb, action.target
        node = None if target is None else view.get(target)
        if verb is Verb.GO_TO:
            if node is not None and node.kind is _ROOM:
                return self._room_text(names, view)
            return self._near_text(names, view)
        if verb is Verb.LOOK and (node is None or node.kind is _ROOM):
            return self._room_text(names, view)
        if node is not None and verb in (Verb.OPEN, Verb.LOOK):
            return self._contents_text(names, view, node, opened=verb is Verb.OPEN)
        if verb is Verb.SLICE:
            near = [t for t in self._in_sight(view) if State.SLICED in view.graph[t].states]
            return f" You see {self._listed(names, near, view)}." if near else ""
        return ""

    def _place_text(self, names: Names, view: View) -> str:
        """The room, and the posture where the agent does not stand."""
        graph, me = view.graph, view.agent().id
        room, posture = graph.room_of(me), next(iter(graph[me].states & POSTURES), "")
        where = "in no room" if room is None else f"in {self._thing(names, room)}"
        seats = graph.targets(me, Relation.ON) if posture else []
        on = f", on {self._thing(names, seats[0])}" if seats else ""
        return f"You are {posture}{' ' if posture else ''}{where}{on}."

    def _room_text(self, names: Names, view: View) -> str:
        """All that is seen of the present room, and what the agent is close to."""
        alone, room = view.room_alone(), view.room()
        if alone is None or room is None:
            return self._whole_room_text(names, view)
        key = (self.name, names, room)
        text = alone.notes.get(key)
        if text is None:
            here = alone.graph.below(room)
            bases = [thing for thing in here if _is_base(alone.graph, thing)]
            text = f" You see {self._listed(names, bases, alone)}."
            text = alone.notes[key] = text + self._kept_text(names, alone, here)
        return text

    def _whole_room_text(self, names: Names, view: View) -> str:
        graph, me = view.graph, view.agent().id
        room, mine = graph.room_of(me), _on_body(view)
        here = [t for t in (() if room is None else graph.below(room)) if t not in mine]
        bases = [thing for thing in here if _is_base(graph, thing)]
        text = f" You see {self._listed(names, bases, view)}."
        text += self._kept_text(names, view, here)
        close = graph.targets(me, Relation.CLOSE)
        return f"{text} You are close to {self._listed(names, close)}." if close else text

    def _near_text(self, names: Names, view: View) -> str:
        """What the agent is close to, and what lies on and in that."""
        graph, reach, mine = view.graph, set(view.within_reach()), _on_body(view)
        near = [thing for thing in self._in_sight(view) if thing not in mine]
        bases = [thing for thing in near if _is_base(graph, thing) and thing in reach]
        text = f" You are close to {self._listed(names, bases, view)}." if bases else ""
        return text + self._kept_text(names, view, near)

    def _contents_text(self, names: Names, view: View, node: Node, *, opened: bool) -> str:
        """What a thing keeps. opened: just now, so that only its inside is new."""
        around = view.around(node.id)
        if around is view:
            return self._contents_in(names, view, _on_body(view), node, opened=opened)
        key = (self.name, names, node.id, opened)
        text = around.notes.get(key)
        if text is None:
            text = self._contents_in(names, around, frozenset(), node, opened=opened)
            around.notes[key] = text
        return text

    def _contents_in(
        self, names: Names, view: View, mine: Container[int], node: Node, *, opened: bool
    ) -> str:
        """The same in a view or an excerpt. mine: what is on the agent's body."""
        name, graph = self._thing(names, node.id), view.graph
        states = "" if opened else f" It is {_joined(states_of(node))}." if states_of(node) else ""
        roots = graph.sources(node.id, Relation.INSIDE) if opened else graph.contents(node.id)
        below = {*roots, *(each for root in roots for each in graph.below(root))}
        kept = [t for t in below if graph[t].kind in HANDLED_KINDS and t not in mine]
        text = states + self._kept_text(names, view, kept)
        if State.CLOSED in node.states or _KEEPING.isdisjoint(node.affordances):
            return text
        if not view.covered.get(node.id):
            return text if text else f" What is in or on {name} cannot be seen from here."
        if kept:
            return text
        is_inside = opened or Affordance.SURFACE not in node.affordances
        return f"{text} {_KEPT[Relation.INSIDE if is_inside else Relation.ON]} {name}: nothing."

    # --- lists ---

    def _kept_text(self, names: Names, view: View, things: Sequence[int]) -> str:
        """A sentence for each place that keeps some of these things: "On table 1: cup 1." """
        graph = view.graph
        kept: dict[tuple[str, Relation], list[int]] = {}
        for thing in things:
            place = None if _is_base(graph, thing) else innermost_place(graph, thing)
            if place is not None and place[1] in graph:
                kept.setdefault((self._thing(names, place[1]), place[0]), []).append(thing)
        return "".join(
            f" {_KEPT[relation]} {place}: {self._listed(names, members, view)}."
            for (place, relation), members in sorted(kept.items())
        )

    def _body_text(self, names: Names, view: View) -> str:
        """The held and worn things, and what a held thing keeps."""
        held, worn = view.held(), view.worn()
        if not held:
            return f" You wear {self._listed(names, worn)}." if worn else ""
        hands = view.hands_alone() or view
        key = (self.name, names, *worn)
        text = hands.notes.get(key)
        if text is None:
            text = f" You hold {self._listed(names, held, hands)}."
            graph = hands.graph
            text += self._kept_text(names, hands, [t for h in held for t in graph.below(h)])
            text += f" You wear {self._listed(names, worn)}." if worn else ""
            hands.notes[key] = text
        return text

    def _listed(self, names: Names, node_ids: Iterable[int], view: View | None = None) -> str:
        """ "bench 1, fridge 1 [closed]": by name, then number. view: with the states in it."""

        def alike(thing: int) -> tuple[str, str]:
            return names.number(thing)[0], "" if view is None else _marks(view, thing)

        each = sorted(dict.fromkeys(node_ids), key=names.number)
        groups = (self._group(names, [*things], like[1]) for like, things in groupby(each, alike))
        return ", ".join(groups) or "nothing"


def _on_body(view: View) -> set[int]:
    """The agent, and what it holds, wears and carries with that."""
    graph, me = view.graph, view.agent().id
    mine = {me, *graph.below(me), *view.held()}
    return mine.union(*(graph.below(thing) for thing in view.held()))


def _is_base(graph: SceneGraph, thing: int) -> bool:
    """Whether a thing is furniture or stands free; what else there is lies somewhere."""
    kind = graph[thing].kind
    return kind is _FIXTURE or (kind is _OBJECT and is_free_standing(graph, thing))


def states_of(node: Node) -> list[str]:
    """The words of the states of a thing."""
    return [word for state, word in _STATES.items() if state in node.states]


def _marks(view: View, thing: int) -> str:
    """ " [open, empty]": the states of a thing, and whether it was seen to be empty."""
    node = view.get(thing)
    if node is None:
        return ""
    marks = states_of(node)
    if _is_seen_empty(view, node):
        marks.append("empty")
    return f" [{', '.join(marks)}]" if marks else ""


def _is_seen_empty(view: View, node: Node) -> bool:
    if node.kind is not _FIXTURE or _KEEPING.isdisjoint(node.affordances):
        return False
    if State.CLOSED in node.states or not view.covered.get(node.id):
        return False
    graph = view.graph
    return not any(graph[thing].kind is _OBJECT for thing in graph.below(node.id))


def _joined(words: Sequence[str]) -> str:
    return " and ".join(words)


def _explained(node: Node, reason: Reason, name: str) -> str | None:
    """What to do about a place that a put or a door in the way failed for, where that is known."""
    if reason is Reason.NOT_A_SURFACE and Affordance.CONTAINER in node.affordances:
        shut = ", once it is open" if State.CLOSED in node.states else ""
        return f"Nothing can be put on the {name}, but in it{shut}."
    if reason is Reason.BLOCKED and State.OPEN in node.states:
        return f"The open {name} is in the way."
    return None


class ReAcTreePlain(Plain, ReAcTree):
    """The dialect `reactree_plain`, for houses."""

    name = "reactree_plain"

    def _near_text(self, names: Names, view: View) -> str:
        places = view.places_alone()
        if places is None:
            return super()._near_text(names, view)
        key = (self.name, names)
        text = places.notes.get(key)
        if text is None:
            graph = places.graph
            near = [node.id for node in graph.nodes() if node.kind in HANDLED_KINDS]
            bases = [thing for thing in near if _is_base(graph, thing)]
            text = f" You are close to {self._listed(names, bases, places)}." if bases else ""
            text = places.notes[key] = text + self._kept_text(names, places, near)
        return text


class ReAcTreeThorPlain(Plain, ReAcTreeThor):
    """The dialect `reactree_thor_plain`, where a camera decides what is seen."""

    name = "reactree_thor_plain"

    def _thing(self, names: Names, node_id: int) -> str:
        return thor_names(names)(node_id)

    def _in_sight(self, view: View) -> list[int]:
        return seen_from_here(view.graph)

    def _group(self, names: Names, node_ids: Sequence[int], marks: str) -> str:
        name = self._thing(names, node_ids[0]).rpartition(" ")[0]
        return f"{name} ({', '.join(str(names.number(thing)[1]) for thing in node_ids)}){marks}"


PLAIN_DIALECT = ReAcTreePlain()
THOR_PLAIN_DIALECT = ReAcTreeThorPlain()
