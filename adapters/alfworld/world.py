"""A game as a scene graph: facts as nodes, states and relations, and commands as actions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ...observation_text.incremental_view import IncrementalView
from ...observation_text.view import Said, View, Visibility
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from ...skills.actions import Action, Verb
from .game import Told
from .names import Name
from .pddl import Fact

ROOM_ID, AGENT_ID = 1, 2
_FIRST_ID = 3
#: The facts that are states of a thing.
_STATES = {
    "opened": State.OPEN,
    "ishot": State.HOT,
    "iscool": State.COLD,
    "isclean": State.CLEAN,
    "issliced": State.SLICED,
    "istoggled": State.ON,
}
#: The state of a thing of which the fact does not hold.
_ELSE = {"opened": State.CLOSED, "istoggled": State.OFF}
#: What things with a fact can do or be done to.
_AFFORDANCES = {
    "openable": Affordance.OPENABLE,
    "pickupable": Affordance.GRASPABLE,
    "toggleable": Affordance.SWITCHABLE,
    "sliceable": Affordance.SLICEABLE,
}
#: What receptacles of a type do to held things.
_APPLIANCES = {
    "microwavetype": Affordance.HEATS,
    "fridgetype": Affordance.COOLS,
    "sinkbasintype": Affordance.RINSES,
}
_KNIVES = frozenset({"knifetype", "butterknifetype"})
#: The verbs of a game's commands, by their first words.
COMMANDS = {
    "go to": Verb.GO_TO,
    "open": Verb.OPEN,
    "close": Verb.CLOSE,
    "take": Verb.PICK_UP,
    "put": Verb.PUT,
    "move": Verb.PUT,
    "heat": Verb.HEAT,
    "cool": Verb.COOL,
    "clean": Verb.CLEAN,
    "use": Verb.TURN_ON,
    "slice": Verb.SLICE,
    "examine": Verb.LOOK,
    "look": Verb.LOOK,
    "inventory": Verb.INVENTORY,
    "help": Verb.HELP,
}
#: The verbs of all games.
VERBS = frozenset(COMMANDS.values())
_WITH_PLACE = frozenset({Verb.HEAT, Verb.COOL, Verb.CLEAN})
_COMMAND = re.compile(
    rf"(?P<verb>{'|'.join(COMMANDS)})(?: (?P<thing>\S+ \d*)(?: \S+ (?P<other>\S+ \d*))?)?"
)


class GameWorld:
    """The graph of a game, kept up to date.

    Things have their ids by name, so that no id tells where a thing is. The receptacles are the
    furniture of one room.
    """

    def __init__(self, names: Mapping[str, Name], facts: frozenset[Fact]) -> None:
        """names: of all things. facts: those that hold."""
        of = _by_predicate(facts)
        self._location_of = {each[0]: each[1] for each in of.get("receptacleatlocation", ())}
        self._openable = {r for (r,) in of.get("openable", ())}
        receptacles = {each[0] for each in of.get("receptacletype", ())} | {*self._location_of}
        things = {each[0] for each in of.get("objecttype", ())}
        ordered = [
            *sorted(receptacles, key=names.__getitem__),
            *sorted(things, key=names.__getitem__),
        ]
        self._ids = {name: number for number, name in enumerate(ordered, start=_FIRST_ID)}
        self._by_name = {str(names[name]).strip(): number for name, number in self._ids.items()}
        self._commands: dict[str, Action | None] = {}
        self._facts = facts
        self._graph = SceneGraph(self._nodes(names, receptacles, of), self._edges(facts))
        self._sight = IncrementalView(self._graph, Visibility.NEAR)

    def graph(self) -> SceneGraph:
        """The true state, owned by the caller."""
        return self._graph.copy()

    def view(self, told: Told) -> View:
        """What is seen, and what the game says."""
        view = self._sight.view()
        offers = [(text, self._action(text)) for text in told.commands]
        # The engine offers to slice what lies in a closed receptacle; that would tell of it.
        seen = [
            (text, action)
            for text, action in offers
            if action is not None and all(view.get(each) is not None for each in action.things)
        ]
        view.said = Said(told.feedback, tuple(seen))
        return view

    def command(self, action: Action, commands: Iterable[str]) -> str | None:
        """The admissible command that an action is; None where there is none."""
        return next((text for text in commands if self._action(text) == action), None)

    def update(self, facts: frozenset[Fact]) -> None:
        """Take in the facts that hold now."""
        before, self._facts = self._facts, facts
        for fact in before - facts:
            self._change(fact, holds=False)
        for fact in facts - before:
            self._change(fact, holds=True)

    def _action(self, text: str) -> Action | None:
        """The action of a command; None for one of another domain."""
        if text not in self._commands:
            self._commands[text] = self._read(text)
        return self._commands[text]

    def _read(self, text: str) -> Action | None:
        found = _COMMAND.fullmatch(text)
        if found is None:
            return None
        verb = COMMANDS[found["verb"]]
        if found["thing"] is None:
            return Action(verb)
        thing, other = (
            None if name is None else self._by_name.get(name.strip())
            for name in (found["thing"], found["other"])
        )
        if thing is None or (found["other"] is not None and other is None):
            return None
        if verb is Verb.PUT and other is not None:
            return Action(verb, thing, self._relation(other), other)
        return Action(verb, thing, None, other if verb in _WITH_PLACE else None)

    def _relation(self, receptacle: int) -> Relation:
        opens = Affordance.OPENABLE in self._graph[receptacle].affordances
        return Relation.INSIDE if opens else Relation.ON

    # --- facts -----------------------------------------------------------------------------------

    def _nodes(
        self, names: Mapping[str, Name], receptacles: set[str], of: Mapping[str, list[Fact]]
    ) -> Iterator[Node]:
        yield Node(ROOM_ID, "room", Kind.ROOM, ROOM_ID)
        yield Node(AGENT_ID, "character", Kind.AGENT, AGENT_ID)
        having = {predicate: {each[0] for each in of.get(predicate, ())} for predicate in _STATES}
        can = {predicate: {each[0] for each in of.get(predicate, ())} for predicate in _AFFORDANCES}
        knives = {thing for thing, kind in of.get("objecttype", ()) if kind in _KNIVES}
        appliances = {
            receptacle: _APPLIANCES[kind]
            for receptacle, kind in of.get("receptacletype", ())
            if kind in _APPLIANCES
        }
        for thing, node_id in self._ids.items():
            affordances = {
                what for predicate, what in _AFFORDANCES.items() if thing in can[predicate]
            }
            if thing in receptacles:
                opens = thing in self._openable
                affordances.add(Affordance.CONTAINER if opens else Affordance.SURFACE)
            if thing in appliances:
                affordances.add(appliances[thing])
            if thing in knives:
                affordances.add(Affordance.CUTS)
            states = {state for predicate, state in _STATES.items() if thing in having[predicate]}
            for predicate, flag in (("opened", "openable"), ("istoggled", "toggleable")):
                if thing in can[flag] and thing not in having[predicate]:
                    states.add(_ELSE[predicate])
            kind = Kind.FIXTURE if thing in receptacles else Kind.OBJECT
            name = names[thing]
            yield Node(
                node_id,
                name.kind,
                kind,
                thing,
                frozenset(states),
                frozenset(affordances),
                number=name.number,
            )

    def _edges(self, facts: frozenset[Fact]) -> Iterator[Edge]:
        yield Edge(AGENT_ID, Relation.INSIDE, ROOM_ID)
        for receptacle in sorted(self._location_of):
            yield Edge(self._ids[receptacle], Relation.INSIDE, ROOM_ID)
        for fact in sorted(facts):
            yield from self._edges_of(fact)

    def _edges_of(self, fact: Fact) -> Iterator[Edge]:
        """The relations that a fact is."""
        match fact:
            case ("atlocation", _, place):
                for receptacle, location in self._location_of.items():
                    if location == place:
                        yield Edge(AGENT_ID, Relation.CLOSE, self._ids[receptacle])
            case ("holds", _, thing) if thing in self._ids:
                yield Edge(AGENT_ID, Relation.HOLDS, self._ids[thing])
            case ("inreceptacle", thing, place) if {thing, place} <= self._ids.keys():
                inside = place in self._openable
                relation = Relation.INSIDE if inside else Relation.ON
                yield Edge(self._ids[thing], relation, self._ids[place])

    def _change(self, fact: Fact, *, holds: bool) -> None:
        graph = self._graph
        for edge in self._edges_of(fact):
            (graph.add_edge if holds else graph.remove_edge)(*edge)
        state = _STATES.get(fact[0])
        node = graph.get(self._ids.get(fact[1], -1)) if state is not None else None
        if state is None or node is None:
            return
        opposite = _ELSE.get(fact[0])
        if holds:
            graph.set_state(node.id, state)
        elif opposite is not None:
            graph.set_state(node.id, opposite)
        else:
            graph.replace_node(
                Node(
                    node.id,
                    node.category,
                    node.kind,
                    node.native_id,
                    node.states - {state},
                    node.affordances,
                    number=node.number,
                )
            )


def _by_predicate(facts: Iterable[Fact]) -> dict[str, list[Fact]]:
    """The things of facts by predicate."""
    found: dict[str, list[Fact]] = {}
    for fact in sorted(facts):
        found.setdefault(fact[0], []).append(fact[1:])
    return found
