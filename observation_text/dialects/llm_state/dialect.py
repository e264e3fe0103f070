"""The dialect `llm_state`: the wording of LLM-State's observations and actions.

After Chen et al., LLM-State (2023), section III-A and appendix VI-A. Names have no blanks,
"coffeetable1". An observation is lists of names: things with their places, containers, surfaces,
rooms, held things, close things, and the present room. As in the appendix, it lists everything seen
so far at the place where it was last seen. States are never listed. An action's result is
"(Success)" or "(Fail)" on a line before the observation.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import NamedTuple

from ....data_files import lines_of
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import POSTURES, Affordance, Kind, Node, Relation
from ....skills.actions import Action, Verb
from ....skills.outcomes import Outcome
from ...dialect import NOT_ALLOWED, Dialect, DialectState, kinds_of_action, with_detail
from ...names import Named, Names
from ...view import HANDLED_KINDS, View
from . import grammar

SUCCESS, FAIL = "(Success)", "(Fail)"
#: In a planner's history: an action that failed because its effect holds already.
ALREADY = "(Fail: it is so already)"
#: The key of the memory in the dialect's state.
_SEEN = "seen"
#: The lists of things, with the letter of each in `_Seen.lists`.
OBJECTS, CONTAINERS, SURFACES = "Object List", "Container List", "Surface List"
_LETTERS = {OBJECTS: "o", CONTAINERS: "c", SURFACES: "s"}
ROOMS, HOLDING, CLOSE, ROOM = "Room List", "Current Holding", "You are close to", "Current Room"
WEARING, POSTURE = "Current Wearing", "Current Posture"

_HANDLED = frozenset({Affordance.GRASPABLE, Affordance.SWITCHABLE})
_WORDS = {Relation.INSIDE: "IN", Relation.ON: "ON", Relation.UNDER: "UNDER"}
_INSIDE, _ROOM = Relation.INSIDE, Kind.ROOM


class _Seen(NamedTuple):
    """Where a thing was last seen, as JSON data.

    relation: a word. place: None if none was seen. lists: the letters of the lists with the thing.
    """

    relation: str
    place: int | None
    lists: str


_Memory = Mapping[int, _Seen]


class LlmState(Dialect):
    """The dialect; its state is where each thing was last seen."""

    name = "llm_state"
    words_things_alike = True

    def start(self, names: Names, view: View) -> tuple[str, DialectState]:
        return self._observation(names, view, {})

    def after(
        self, names: Names, view: View, action: Action, outcome: Outcome, state: DialectState
    ) -> tuple[str, DialectState]:
        failure = outcome.failure
        result = SUCCESS if failure is None else with_detail(FAIL, failure, NOT_ALLOWED)
        text, state = self._observation(names, view, state)
        return f"{result}\n{text}", state

    def word(self, names: Names, action: Action) -> str:
        return grammar.word(names, action)

    def called(self, thing: Named) -> str:
        return f"{grammar.stem(thing.category)}{thing.number}"

    def forms(self, verbs: frozenset[Verb]) -> tuple[str, ...]:
        """The calls, with letters for names: "placein(a,b)"."""
        return tuple(dict.fromkeys(map(grammar.form, kinds_of_action(verbs))))

    def parse(
        self, text: str, names: Names, perceived: Container[int], state: DialectState
    ) -> Action:
        return grammar.parse(text, names, perceived)

    def _observation(
        self, names: Names, view: View, state: DialectState
    ) -> tuple[str, DialectState]:
        before = {thing: _Seen(*seen) for thing, *seen in state.get(_SEEN, ())}
        memory = _updated(before, names, view)
        data = [[thing, *seen] for thing, seen in memory.items()]
        return _observation_text(memory, names, view), {_SEEN: data}


DIALECT = LlmState()


def observed(text: str) -> str:
    """The observation in a text, without the result before it."""
    return text.partition("\n")[2] if text.startswith(("(Success", "(Fail")) else text


def failure_in(text: str) -> str:
    """The result "(Fail)" in the text after a failed action, with the reason of a denial."""
    first = text.partition("\n")[0]
    return first if first.startswith(FAIL) else FAIL


# --- the lists of names in an observation --------------------------------------------------------


def _updated(memory: _Memory, names: Names, view: View) -> dict[int, _Seen]:
    """The memory with the content of a view.

    Things that are no longer where they were last seen are forgotten, and so are things with the
    agent.
    """
    graph = view.graph
    mine = set(graph.below(graph.agent().id)) | set(view.held())
    visible = {
        node.id: _seen(graph, node, lists)
        for node in graph.nodes()
        if node.kind in HANDLED_KINDS and node.id not in mine and (lists := _lists_of(node))
    }
    kept = {
        thing: visible.pop(thing, seen)
        for thing, seen in memory.items()
        if thing not in mine and (thing in visible or not _is_gone(view, seen))
    }
    new = sorted(visible, key=names.number)
    return {**kept, **{thing: visible[thing] for thing in new}}


def _observation_text(memory: _Memory, names: Names, view: View) -> str:
    """The observation: everything seen so far, in lists, and the agent's situation."""
    graph = view.graph
    me = graph.agent()
    room = graph.room_of(me.id)
    held, worn = view.held(), view.worn()
    close = [thing for thing in view.within_reach() if thing not in held]
    posture = next(iter(me.states & POSTURES), None)

    def plain(things: Iterable[int]) -> str:
        return _listed(grammar.name(names, thing) for thing in things)

    lines = [f"{title}: {_placed(memory, letter, names)}" for title, letter in _LETTERS.items()]
    lines += [
        f"{ROOMS}: {plain(sorted((node.id for node in graph.nodes(_ROOM)), key=names.number))}",
        f"{HOLDING}: {plain(held)}",
        f"{CLOSE}: {plain(sorted(close, key=names.number))}",
        f"{ROOM}: {'unknown' if room is None else grammar.name(names, room)}",
    ]
    if worn:
        lines.append(f"{WEARING}: {plain(worn)}")
    if posture is not None:
        lines.append(f"{POSTURE}: {posture}")
    return "\n".join(lines)


def without_things(observation: str) -> str:
    """An observation without the lists of things: the rooms and the agent's situation."""
    titles = tuple(f"{title}:" for title in _LETTERS)
    return "\n".join(line for line in lines_of(observation) if not line.startswith(titles))


def _lists_of(node: Node) -> str:
    """The letters of the lists with a thing; "" for a thing that affords nothing."""
    can = node.affordances
    if not can and node.kind is Kind.FIXTURE:
        return ""
    places = "c" * (Affordance.CONTAINER in can) + "s" * (Affordance.SURFACE in can)
    is_object = not places or node.kind is Kind.OBJECT or not _HANDLED.isdisjoint(can)
    return "o" * is_object + places


def _seen(graph: SceneGraph, node: Node, lists: str) -> _Seen:
    """Where a thing is: in, on or under another thing, else in the room."""
    places = [(relation, place) for relation, place in graph.places(node.id) if relation in _WORDS]
    things = [each for each in places if graph[each[1]].kind in HANDLED_KINDS]
    for relation, place in things or places:
        return _Seen(_WORDS[relation], place, lists)
    room = graph.room_of(node.id)
    return _Seen(_WORDS[_INSIDE], room, lists)


def _is_gone(view: View, seen: _Seen) -> bool:
    """Whether a thing is no longer where it was, since it would be in view there."""
    return seen.place is None or view.covered.get(seen.place, False)


def _placed(memory: _Memory, letter: str, names: Names) -> str:
    return _listed(
        grammar.name(names, thing)
        if seen.place is None
        else f"{grammar.name(names, thing)} {seen.relation} {grammar.name(names, seen.place)}"
        for thing, seen in memory.items()
        if letter in seen.lists
    )


def _listed(items: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, items))}]"


_quoted: Callable[[str], str] = "'{}'".format
