"""Plan on a scene graph by imagining the actions of a careful person step by step.

The graph is complete, so nothing has to be searched for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...observation_text.dialects.reactree.grammar import worded
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import POSTURES, Kind, Relation
from ...skills.actions import Action, Verb
from ...skills.dynamics import legal_actions, step
from ...skills.embodiment import Embodiment
from ...skills.reach import reach, stands_at
from .home.memory import DONE, GIVE_UP, HouseSituation, Known, Memory
from .home.policy import next_choice
from .table import Meaning

_KEEPING = (Kind.FIXTURE, Kind.OBJECT)
#: Most actions of a plan, and failures after which planning ends.
_ACTIONS, _FAILURES = 160, 6


class ImaginedHouse:
    """A graph for acting in words. names: of its nodes, as in percepts."""

    def __init__(
        self, graph: SceneGraph, names: Mapping[int, str], body: Embodiment, verbs: frozenset[Verb]
    ) -> None:
        self.graph = graph.copy()
        self.names = names
        self._body = body
        self._verbs = verbs
        self._log: list[tuple[str, str, str | None]] = []
        self._mine: dict[int, int] = {}
        self._here: int | None = None

    def menu(self) -> dict[str, Action]:
        """The possible actions in words."""
        found = [a for a in legal_actions(self.graph, self._body) if a.verb in self._verbs]
        return {worded(action, self.names): action for action in found}

    def situation(self, instruction: str) -> HouseSituation:
        """The situation, where everything is known."""
        graph, names, me = self.graph, self.names, self.graph.agent().id
        held, worn = graph.held(me), graph.sources(me, Relation.ON)
        known = [n.id for n in graph.nodes() if n.kind in _KEEPING and n.id in names]
        things = {names[i]: self._known(i) for i in known if i not in (*held, *worn)}
        rooms = [names[room] for room in graph.room_ids if room in names]
        room = graph.room_of(me)
        memory = Memory(
            rooms=rooms,
            room=names.get(room or 0),
            here=names.get(self._here or 0),
            things=things,
            reach={names[i] for i in (*reach(graph, me), *held) if i in names},
            held=[names[i] for i in held],
            worn=[names[i] for i in worn],
            own={names[i]: set(map(str, graph[i].states)) for i in (*held, *worn)},
            resting=not POSTURES.isdisjoint(graph[me].states),
            visited=set(rooms),
            looked=set(things),
            seen_into=set(things),
            hands=self._body.hands,
            opening_needs_hand=Verb.OPEN in self._body.needs_free_hand,
        )
        memory.take_in(self._log)
        return HouseSituation(memory, frozenset(self.menu()), instruction)

    def _known(self, node_id: int) -> Known:
        graph, names, node = self.graph, self.names, self.graph[node_id]
        relation, place = next(
            ((how, p) for how, p in graph.places(node_id) if graph[p].kind in _KEEPING),
            (None, None),
        )
        at = next(iter(stands_at(graph, node_id)), None)
        room = graph.room_of(node_id)
        return Known(
            names.get(room or 0),
            None if node.kind is Kind.FIXTURE or at in (None, node_id) else names.get(at or 0),
            names.get(place or 0),
            None if relation is None else str(relation),
            set(map(str, node.states)),
            frozenset(map(str, node.affordances)),
            place is not None and self._mine.get(node_id) == place,
        )

    def do(self, action: Action) -> bool:
        """Do an action. Returns whether it succeeded."""
        words, kept = worded(action, self.names), None
        if action.verb is Verb.PICK_UP and action.target is not None:
            places = self.graph.places(action.target)
            kept = self.names.get(places[0][1]) if places else None
        failure = step(self.graph, action, self._body)
        self._log.append((words, "" if failure is None else str(failure.reason), kept))
        if failure is not None:
            return False
        if action.verb is Verb.PUT and action.target is not None and action.place is not None:
            self._mine[action.target] = action.place
        elif action.verb is Verb.GO_TO:
            self._here = action.target
        return True


def plan_on(
    graph: SceneGraph,
    names: Mapping[int, str],
    instruction: str,
    meanings: Sequence[Meaning],
    body: Embodiment,
    verbs: frozenset[Verb],
) -> list[Action]:
    """The actions of a plan."""
    house = ImaginedHouse(graph, names, body, verbs)
    found: list[Action] = []
    failures = 0
    while len(found) < _ACTIONS and failures < _FAILURES:
        choice = next_choice(house.situation(instruction), meanings)
        action = house.menu().get(choice.action)
        if choice.action in (DONE, GIVE_UP) or action is None:
            break
        if house.do(action):
            found.append(action)
        else:
            failures += 1
    return found


def standing(graph: SceneGraph) -> SceneGraph:
    """A graph whose agent stands, so that plans do not begin with getting up."""
    found = graph.copy()
    agent = graph.agent()
    found.replace_node(replace(agent, states=agent.states - POSTURES))
    return found
