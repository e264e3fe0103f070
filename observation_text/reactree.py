"""The dialect `reactree`: the wording of ReAcTree's VirtualHome observations and actions.

After Choi et al., ReAcTree (2025), appendix B.2 and its published environment. Where the paper
lists fixed classes, this goes by the graph: what a room shows is its fixtures and the objects that
stand free in it; what can be put into or onto is told by affordances. Full stops are where the
paper has them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Affordance, Kind, Node, Relation, State
from ..skills.actions import Action, Verb, go_to, look, put, wait
from ..skills.dynamics import PUTS, VERBS_OF, reach
from ..skills.outcomes import Failure, Outcome, Reason
from . import reactree_grammar as grammar
from .dialect import Dialect, DialectState
from .names import Names
from .view import View, stands_free

_THINGS = (Kind.FIXTURE, Kind.OBJECT)

#: Categories, without numbers: {thing} is what the failure is about, {target} and {place} are the
#: action's, {hidden} is which of them cannot be seen. {in}: how a thing was to be put. {done}: the
#: verb's participle.
_FAILURES = {
    Reason.UNKNOWN: "You have not seen any such thing.",
    Reason.NOT_HERE: "The {thing} is not here.",
    Reason.ENCLOSED: "The {hidden} is inside closed {thing}.",
    Reason.NOT_CLOSE: "The {thing} is not close to you.",
    Reason.HANDS_FULL: "You do not have an empty hand.",
    Reason.HELD: "You already hold the {thing}.",
    Reason.NOT_HELD: "You do not grab the {thing}.",
    Reason.NOT_GRASPABLE: "The {thing} cannot be grabbed.",
    Reason.NOT_OPENABLE: "The {thing} cannot be {done}.",
    Reason.ALREADY_OPEN: "The {thing} is already open.",
    Reason.ALREADY_CLOSED: "The {thing} is already closed.",
    Reason.NOT_SWITCHABLE: "The {thing} does not have a switch.",
    Reason.ALREADY_ON: "The {thing} is already turned on.",
    Reason.ALREADY_OFF: "The {thing} is already turned off.",
    Reason.STILL_ON: "The {thing} is still turned on.",
    Reason.NOT_PLUGGABLE: "The {thing} does not have a plug.",
    Reason.ALREADY_PLUGGED_IN: "The {thing} is already plugged in.",
    Reason.ALREADY_PLUGGED_OUT: "The {thing} is already unplugged.",
    Reason.UNPLUGGED: "The {thing} is not plugged in.",
    Reason.NOT_A_SURFACE: "The {target} cannot be put down {in} {thing}.",
    Reason.NOT_A_CONTAINER: "The {target} cannot be put down {in} {thing}.",
    Reason.CONTAINER_CLOSED: "The {thing} is closed.",
    Reason.FULL: "The {thing} is full.",
    Reason.INTO_ITSELF: "The {thing} cannot be put down {in} itself.",
    Reason.NOT_SLICEABLE: "The {thing} cannot be sliced.",
    Reason.ALREADY_SLICED: "The {thing} is already sliced.",
    Reason.NO_TOOL: "You do not hold anything that cuts.",
    Reason.NOT_SUPPORTED: "You cannot do that here.",
    Reason.NO_FREE_SPOT: "There is no free spot {in} {place}.",
    Reason.UNREACHABLE: "The {thing} cannot be reached.",
    Reason.REFUSED: "You try, but nothing happens.",
    Reason.NOT_CONFIRMED: "You try, but it does not work.",
    Reason.TIMEOUT: "You are interrupted.",
    Reason.CRASHED: "You are interrupted.",
}
_PARTICIPLES = {Verb.OPEN: "opened", Verb.CLOSE: "closed"}


class ReAcTree(Dialect):
    """Its state is the last receptacle walked to: {"receptacle": id, "relation": "on"|"inside"}.

    The menu offers what affordances suggest, for every visible thing, in reach or not, as the
    paper does; and each way to put what is held where the agent reaches.
    """

    name = "reactree"

    def start(self, names: Names, view: View) -> tuple[str, DialectState]:
        graph = view.graph
        rooms = [node.id for node in graph.nodes(Kind.ROOM)]
        count = "is 1 room" if len(rooms) == 1 else f"are {len(rooms)} rooms"
        text = f"You are in the house, and there {count}: {_listed(names, rooms)}."
        me = graph.agent().id
        room = graph.room_of(me)
        if room is not None:
            text += f" You are in the middle of a {_numbered(names, room)}."
        return f"{text} {_around(names, graph, room)}{_holding(names, graph, me)}", {}

    def after(
        self, names: Names, view: View, action: Action, outcome: Outcome, state: DialectState
    ) -> tuple[str, DialectState]:
        graph = view.graph
        me = graph.agent().id
        if outcome.failure is not None:
            text = _failed(names, graph, action, outcome.failure)
        else:
            text = _done(names, view, me, action)
            if action.verb is Verb.GO_TO:
                state = _remember(graph, action.target, state)
        if action.verb is Verb.OPEN:
            text += f" You see {_listed(names, _close(graph, me))}"
        return text + _holding(names, graph, me), state

    def word(self, names: Names, action: Action) -> str:
        return grammar.word(names, action)

    def parse(
        self, text: str, names: Names, perceived: Container[int], state: DialectState
    ) -> Action:
        return grammar.parse(text, names, perceived, _receptacle(state))

    def menu(
        self, names: Names, view: View, actions: frozenset[Verb], state: DialectState
    ) -> list[tuple[str, Action]]:
        graph = view.graph
        offers = [go_to(room) for room in _sorted(names, graph.nodes(Kind.ROOM))]
        last = _receptacle(state)
        short: dict[Action, str] = {}
        for thing in _sorted(names, (n for n in graph.nodes() if n.kind in _THINGS)):
            offers.append(go_to(thing))
            for affordance, verbs in VERBS_OF:
                if affordance in graph[thing].affordances:
                    offers += [Action(verb, thing) for verb in verbs]
                    if affordance is Affordance.GRASPABLE and last and last[1] != thing:
                        down = put(thing, *last)
                        short[down] = f"{grammar.PHRASES[Verb.PUT]} {names(thing)}"
                        offers.append(down)
        offers += [a for a in _puts(names, graph) if a not in short]
        offers += [look(), wait()]
        return [
            (short.get(action) or self.word(names, action), action)
            for action in offers
            if action.verb in actions
        ]


DIALECT = ReAcTree()

# --- names and lists ---------------------------------------------------------------------------


def _numbered(names: Names, node_id: int) -> str:
    category, number = names.number(node_id)
    return f"{category} ({number})"


def _listed(names: Names, node_ids: Iterable[int]) -> str:
    """'apple (1), bench (1, 2)': by name in plain string order, numbers ascending."""
    groups: list[str] = []
    previous = None
    for category, number in sorted(map(names.number, node_ids)):
        if category == previous:
            groups[-1] += f", {number}"
        else:
            groups.append(f"{category} ({number}")
            previous = category
    return "), ".join(groups) + ")" if groups else "nothing"


def _sorted(names: Names, nodes: Iterable[Node]) -> list[int]:
    return sorted((node.id for node in nodes), key=names.number)


def _around(names: Names, graph: SceneGraph, room: int | None) -> str:
    items = () if room is None else _room_items(graph, room)
    return f"Looking quickly around the room, you see {_listed(names, items)}."


def _holding(names: Names, graph: SceneGraph, me: int) -> str:
    held = graph.held(me)
    return f" You hold {_listed(names, held)}." if held else ""


# --- what is told of a view --------------------------------------------------------------------


def _room_items(graph: SceneGraph, room: int) -> list[int]:
    """What one sees of a room at a glance: fixtures, and the objects that stand free."""
    fixture, obj = _THINGS
    free = {t for t in graph.contents(room) if graph[t].kind is obj and stands_free(graph, t)}
    return [t for t in graph.below(room) if t in free or graph[t].kind is fixture]


def _close(graph: SceneGraph, me: int) -> list[int]:
    """What the agent can handle from where it stands, what it holds included."""
    return [thing for thing in reach(graph, me) if graph[thing].kind in _THINGS]


def _door(names: Names, node: Node) -> str:
    for state in (State.OPEN, State.CLOSED):
        if state in node.states and Affordance.OPENABLE in node.affordances:
            return f" The {_numbered(names, node.id)} is {state}."
    return ""


# --- what came of an action --------------------------------------------------------------------


def _done(names: Names, view: View, me: int, action: Action) -> str:
    """The text of a success; what the agent holds, and sees on opening, is not in it yet."""
    graph, verb, target = view.graph, action.verb, action.target
    if verb is Verb.WAIT:
        return "You wait."
    if target is None:
        text = _around(names, graph, graph.room_of(me))
        close = _close(graph, me)
        return f"{text} You are close to {_listed(names, close)}." if close else text
    if verb is Verb.GO_TO:
        return _arrived(names, graph, me, target)
    if verb is Verb.LOOK:
        return _looked_at(names, view, target)
    category = names.number(target)[0]
    if action.relation is None or action.place is None:
        return f"You {grammar.PHRASES[verb]} {category}."
    place = names.number(action.place)[0]
    return f"You put down {category} {grammar.PREPOSITIONS[action.relation]} {place}"


def _arrived(names: Names, graph: SceneGraph, me: int, target: int) -> str:
    node = graph.get(target)
    if node is not None and node.kind is Kind.ROOM:
        return f"You move to the {_numbered(names, target)}. {_around(names, graph, target)}"
    door = "" if node is None else _door(names, node)
    close = _listed(names, _close(graph, me))
    return f"You arrive at the {_numbered(names, target)}.{door} You see {close}"


def _looked_at(names: Names, view: View, target: int) -> str:
    node = view.graph.get(target)
    if node is None:
        return f"You do not see the {_numbered(names, target)} from here."
    text = f"You look at the {_numbered(names, target)}.{_door(names, node)}"
    if target not in view.covered:
        return text
    if node.kind is Kind.ROOM:
        kept = _room_items(view.graph, target)
    else:
        kept = [t for t in view.graph.below(target) if view.graph[t].kind in _THINGS]
    return f"{text} You see {_listed(names, kept)}"


def _failed(names: Names, graph: SceneGraph, action: Action, failure: Failure) -> str:
    template = _FAILURES[failure.reason]
    if "{" not in template:
        return template  # among them those about things that may not be named
    thing = failure.thing if failure.thing is not None else action.target
    hidden = next((t for t in action.things if t not in graph), action.target)

    def category(node_id: int | None) -> str:
        return "thing" if node_id is None else names.number(node_id)[0]

    return template.format_map(
        {
            "thing": category(thing),
            "target": category(action.target),
            "place": category(action.target if action.place is None else action.place),
            "hidden": category(hidden),
            "in": "at" if action.relation is None else grammar.PREPOSITIONS[action.relation],
            "done": _PARTICIPLES.get(action.verb, "opened"),
        }
    )


# --- where things can be put -------------------------------------------------------------------


def _remember(graph: SceneGraph, target: int | None, state: DialectState) -> DialectState:
    """The state after walking to a thing: it is the receptacle from now on, if it can be one."""
    node = None if target is None else graph.get(target)
    if node is None or not (node.kind is Kind.FIXTURE or stands_free(graph, node.id)):
        return state
    affordances = node.affordances
    if Affordance.CONTAINER in affordances:
        return {"receptacle": node.id, "relation": str(Relation.INSIDE)}
    if Affordance.SURFACE in affordances:
        return {"receptacle": node.id, "relation": str(Relation.ON)}
    return state


def _receptacle(state: DialectState) -> grammar.Receptacle | None:
    if "receptacle" not in state:
        return None
    return Relation(state["relation"]), state["receptacle"]


def _puts(names: Names, graph: SceneGraph) -> list[Action]:
    """Every way to put what is held onto or into what is reached."""
    me = graph.agent().id
    held = sorted(graph.held(me), key=names.number)
    places = sorted(_close(graph, me), key=names.number)
    return [
        put(thing, relation, place)
        for thing in held
        for place in places
        for affordance, relation in PUTS
        if place != thing and affordance in graph[place].affordances
    ]
