"""The dialect `reactree`: the wording of ReAcTree's observations and actions, as in VirtualHome.

`reactree_thor` is the wording for AI2-THOR, where a camera decides what is seen. `plain` has the
same actions with observations of ours.

After Choi et al., ReAcTree (2025), appendix B.2 and its published environment. A room shows the
kinds of furniture that the environment lists (all but `unlisted.yaml`). Affordances, not classes,
decide where things can be put. Full stops are where the paper has them.
`docs/reference/dialects.md` lists the differences.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from functools import lru_cache

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import POSTURES, Affordance, Kind, Node, Relation, State
from ....skills.actions import Action, Verb
from ....skills.outcomes import Failure, Outcome
from ...dialect import Dialect, DialectState
from ...menu import Menu, Offers
from ...names import Names
from ...view import HANDLED_KINDS, View
from . import grammar
from .grammar import PUBLISHED, published
from .thor import ReAcTreeThor
from .words import failure_text, is_listed, receptacle_of, short_put, state_after_walk

# Module constants: look-ups in the enumeration would slow down every step.
_GO_TO, _OPEN, _LOOK, _ROOM = Verb.GO_TO, Verb.OPEN, Verb.LOOK, Kind.ROOM
_OPENABLE = Affordance.OPENABLE
_DOOR_STATES = (State.OPEN, State.CLOSED)


class ReAcTree(Dialect):
    """The dialect; its state is the last receptacle visited.

    {"receptacle": id, "relation": "on"|"inside"}, or {} before the first.

    The menu offers what the perceived state allows. The paper's menu offers what affordances
    suggest, for every visible thing, in reach or not. Putting at the last receptacle need not name
    it; the menu does.
    """

    name = "reactree"
    words_things_alike = True

    def start(self, names: Names, view: View) -> tuple[str, DialectState]:
        graph = view.graph
        rooms = [node.id for node in graph.nodes(Kind.ROOM)]
        count = "is 1 room" if len(rooms) == 1 else f"are {len(rooms)} rooms"
        text = f"You are in the house, and there {count}: {self.listed(names, rooms)}."
        return f"{text} {self.surroundings(names, view)}", {}

    def surroundings(self, names: Names, view: View) -> str:
        graph, me = view.graph, view.agent().id
        room = graph.room_of(me)
        text = "" if room is None else f" You are in the middle of a {self.numbered(names, room)}."
        text += self._posture_text(names, graph, me)
        text += f" {self._surroundings_text(names, view, room)}"
        return text.lstrip() + self._hands_and_clothes_text(names, view)

    def after(
        self, names: Names, view: View, action: Action, outcome: Outcome, state: DialectState
    ) -> tuple[str, DialectState]:
        if outcome.failure is not None:
            text = self.failed(names, view, action, outcome.failure)
        else:
            text = self._success_text(names, view, action)
            if action.verb is _GO_TO:
                state = state_after_walk(view, action.target, state)
        return text + self._hands_and_clothes_text(names, view), state

    def word(self, names: Names, action: Action) -> str:
        return grammar.word(names, action)

    def parse(
        self, text: str, names: Names, perceived: Container[int], state: DialectState
    ) -> Action:
        return grammar.parse(text, names, perceived, receptacle_of(state))

    def other_forms(self, names: Names, view: View, menu: Menu, state: DialectState) -> Offers:
        """A put at the last receptacle need not name it."""
        return menu.offers(view, short_put(names, state))

    def instruction(self, text: str, categories: Iterable[str]) -> str:
        """With the published names of things that have a number: "microwave oven 1"."""
        for category, name in PUBLISHED.items():
            text = re.sub(rf"\b{category} (?=\d)", f"{name} ", text)
        return text

    def kind(self, category: str) -> str:
        return published(category)

    # --- words ---

    def numbered(self, names: Names, node_id: int) -> str:
        """A thing in an observation: "apple (1)"."""
        category, number = names.number(node_id)
        return f"{published(category)} ({number})"

    def listed(self, names: Names, node_ids: Iterable[int]) -> str:
        """'apple (1), bench (1, 2)': by name in plain string order, numbers ascending."""
        return _enumeration(names, tuple(node_ids))

    def seen(self, names: Names, node_ids: Iterable[int]) -> str:
        """The sentence of what is seen on arriving, opening and looking."""
        return f"You see {self.listed(names, node_ids)}"

    def done(self, names: Names, view: View, action: Action) -> str:
        """The sentence of a completed action, without held things."""
        assert action.target is not None
        category = published(names.number(action.target)[0])
        text = f"You {grammar.PHRASES[action.verb]} {category}"
        if action.verb is _OPEN:
            return f"{text}. {self.seen(names, view.within_reach())}"
        if action.place is None:
            return f"{text}."
        place = published(names.number(action.place)[0])
        if action.relation is None:
            return f"{text} {grammar.INTO} {place}."
        return f"{text} {grammar.PREPOSITIONS[action.relation]} {place}"

    def failed(self, names: Names, view: View, action: Action, failure: Failure) -> str:
        """The reason of a failure; as in the paper, a failed opening lists what is within reach."""
        text = failure_text(names, view, action, failure)
        seen = f" {self.seen(names, view.within_reach())}" if action.verb is _OPEN else ""
        return text + seen

    # --- texts ---

    def _surroundings_text(self, names: Names, view: View, room: int | None) -> str:
        """The furniture of a room as seen from its door."""
        items = [] if room is None else view.visible_from_afar(room)
        return self._around_text(names, [thing for thing in items if is_listed(view.graph[thing])])

    def _around_text(self, names: Names, items: Iterable[int]) -> str:
        return f"Looking quickly around the room, you see {self.listed(names, items)}."

    def _hands_and_clothes_text(self, names: Names, view: View) -> str:
        """The held and worn things."""
        held, worn = view.held(), view.worn()
        text = f" You hold {self.listed(names, held)}." if held else ""
        return f"{text} You wear {self.listed(names, worn)}." if worn else text

    def _posture_text(self, names: Names, graph: SceneGraph, me: int) -> str:
        how = next(iter(graph[me].states & POSTURES), None)
        if how is None:
            return ""
        seats = graph.targets(me, Relation.ON)
        return f" You are {how}{f' on the {self.numbered(names, seats[0])}' if seats else ''}."

    def _door_text(self, names: Names, node: Node) -> str:
        if _OPENABLE in node.affordances:
            for state in _DOOR_STATES:
                if state in node.states:
                    return f" The {self.numbered(names, node.id)} is {state}."
        return ""

    def _success_text(self, names: Names, view: View, action: Action) -> str:
        """The text of a success, without held things."""
        verb, target = action.verb, action.target
        if target is None and verb is not _LOOK:
            return f"You {grammar.word(names, action)}."
        if target is None:
            graph, me = view.graph, view.agent().id
            room = graph.room_of(me)
            items = [] if room is None else view.visible_from_afar(room)
            text = self._around_text(names, items) + self._posture_text(names, graph, me)
            close = view.within_reach()
            return f"{text} You are close to {self.listed(names, close)}." if close else text
        if verb is _GO_TO:
            return self._arrival_text(names, view, target)
        if verb is _LOOK:
            return self._look_text(names, view, target)
        return self.done(names, view, action)

    def _arrival_text(self, names: Names, view: View, target: int) -> str:
        node = view.get(target)
        if node is not None and node.kind is _ROOM:
            around = self._surroundings_text(names, view, target)
            return f"You move to the {self.numbered(names, target)}. {around}"
        door = "" if node is None else self._door_text(names, node)
        close = self.seen(names, view.within_reach())
        return f"You arrive at the {self.numbered(names, target)}.{door} {close}"

    def _look_text(self, names: Names, view: View, target: int) -> str:
        node = view.graph.get(target)
        text = f"You look at the {self.numbered(names, target)}."
        if node is not None:
            text += self._door_text(names, node)
        if node is None or target not in view.covered:
            return text
        if node.kind is Kind.ROOM:
            kept = view.visible_from_afar(target)
        else:
            on_body = set(view.graph.below(view.graph.agent().id))
            below = (t for t in view.graph.below(target) if t not in on_body)
            kept = [t for t in below if view.graph[t].kind in HANDLED_KINDS]
        if not kept and not view.covered[target]:
            return text
        return f"{text} {self.seen(names, kept)}"


@lru_cache(maxsize=1000)  # lists repeat often
def _enumeration(names: Names, node_ids: tuple[int, ...]) -> str:
    groups: list[str] = []
    previous = None
    numbers, displayed = names.numbers, PUBLISHED.get
    numbered = [numbers[node_id] for node_id in node_ids]
    for category, number in sorted([(displayed(name, name), number) for name, number in numbered]):
        if category == previous:
            groups[-1] += f", {number}"
        else:
            groups.append(f"{category} ({number}")
            previous = category
    return "), ".join(groups) + ")" if groups else "nothing"


DIALECT = ReAcTree()
THOR_DIALECT = ReAcTreeThor()
