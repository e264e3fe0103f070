"""Plans as lists of calls, "pick_up(apple-1)", and their effect on a scene graph.

After the functions of SayPlan (Rana et al., 2023) and of LookPlanGraph's baselines (Onishchenko et
al., 2025, appendix F). The agent goes to rooms, and reaches furniture by `access`. SayPlan's plans
say `access`; in the others it is inserted. The effect of a plan follows from the graph that it was
made for, never from the world. Verification explains to the model why the first impossible step is
impossible; it is the scene graph simulator of SayPlan.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from ....models.contract import Unusable
from ....observation_text.dialects.lookplangraph.dialect import failure_text
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Kind, Relation, State
from ....skills.actions import Action, Verb, go_to, put
from ....skills.dynamics import step
from ....skills.embodiment import Embodiment
from ....skills.outcomes import Failure, Reason
from ....skills.reach import bases, reachable
from .names import NodeNames

_CALL = re.compile(r"\s*(\w+)\s*\((.*)\)\s*[.;]?\s*")
#: The most letters quoted of a call that cannot be read.
_SHOWN = 80


class PutStyle(Enum):
    """How plans put things down."""

    PUT = auto()  # put_on and put_inside; access is inserted
    RELEASE = auto()  # access and release, as in SayPlan


class PlanFunction(NamedTuple):
    """A function that plans may call. form: the call; purpose: its text for the prompt."""

    form: str
    purpose: str
    verb: Verb
    relation: Relation | None = None

    @property
    def name(self) -> str:
        return self.form.partition("(")[0]


_GO_TO = PlanFunction("go_to(<room>)", "Go to a room. It takes rooms only.", Verb.GO_TO)
_ACCESS = PlanFunction(
    "access(<asset>)",
    "Step up to an asset or object of the room you are in. What it keeps can be handled then.",
    Verb.GO_TO,
)
_PICK_UP = PlanFunction("pick_up(<object>)", "Take an object into your hand.", Verb.PICK_UP)
_PUTS = (
    PlanFunction("put_on(<node>)", "Put what you hold on top of a node.", Verb.PUT, Relation.ON),
    PlanFunction("put_inside(<node>)", "Put what you hold into a node.", Verb.PUT, Relation.INSIDE),
    PlanFunction("put_under(<node>)", "Put what you hold under a node.", Verb.PUT, Relation.UNDER),
)
_RELEASE = PlanFunction(
    "release(<object>)",
    "Put an object that you hold down at what you accessed last: inside where that stands open or "
    "takes things only inside, else on top. release(<object>, inside_of) and release(<object>, "
    "ontop_of) say which.",
    Verb.PUT,
)
_SWITCHES = (
    PlanFunction("open(<node>)", "Open a node.", Verb.OPEN),
    PlanFunction("close(<node>)", "Close a node.", Verb.CLOSE),
    PlanFunction("turn_on(<node>)", "Switch a node on.", Verb.TURN_ON),
    PlanFunction("turn_off(<node>)", "Switch a node off.", Verb.TURN_OFF),
    PlanFunction("plug_in(<node>)", "Connect a node to power.", Verb.PLUG_IN),
    PlanFunction("plug_out(<node>)", "Disconnect a node from power.", Verb.PLUG_OUT),
)
_STAND_UP = PlanFunction(
    "stand_up()", "Get up from where you sit or lie; nothing else works before.", Verb.STAND_UP
)
#: The end of a plan; it has no effect.
_DONE = "done"
_HOWS = {
    "inside": Relation.INSIDE,
    "inside_of": Relation.INSIDE,
    "on": Relation.ON,
    "ontop": Relation.ON,
    "ontop_of": Relation.ON,
}


@dataclass(frozen=True)
class PlanCall:
    """A call that was read."""

    text: str
    """The call as it is written."""
    function: PlanFunction
    """The called function."""
    node: int | None
    """Its argument; None for a function of the body alone."""
    thing: int | None = None
    """The held thing, for puts that name it."""
    how: Relation | None = None
    """The relation, for releases that name it."""


class PlanLanguage:
    """The functions of a body, and the names of nodes."""

    def __init__(
        self, names: NodeNames, verbs: frozenset[Verb], placing: PutStyle = PutStyle.PUT
    ) -> None:
        """verbs: the verbs of the adapter. Without one to go to things there is no access."""
        self.walks = Verb.GO_TO in verbs
        self.placing = placing = placing if self.walks else PutStyle.PUT
        placings = (
            (_ACCESS, _PICK_UP, _RELEASE) if placing is PutStyle.RELEASE else (_PICK_UP, *_PUTS)
        )
        functions = (_GO_TO, *placings, *_SWITCHES, _STAND_UP)
        self.names = names
        self.functions = tuple(function for function in functions if function.verb in verbs)
        self._by_name = {function.name: function for function in self.functions}

    def call(self, text: str) -> PlanCall:
        """Read a call. Raises Unusable with one sentence for the model."""
        match = _CALL.fullmatch(text)
        shown = " ".join(text.split())[:_SHOWN]
        if match is None:
            raise Unusable(f"'{shown}' is no call of a function, such as pick_up(apple-1).")
        function = self._by_name.get(match[1].lower())
        if function is None:
            known = ", ".join(self._by_name)
            raise Unusable(f"There is no function {match[1][:_SHOWN]}; there are {known}.")
        if function is _STAND_UP:
            return PlanCall(function.form, function, None)
        first, *more = match[2].split(",")
        thing = how = None
        if more and function is _RELEASE:
            how = _HOWS.get(more[0].strip().strip("\"'").lower())
        elif more and function.relation is not None:
            thing = self.names.id(more[0])
        if len(more) > 1 or (more and thing is None and how is None):
            raise Unusable(f"'{shown}' has other arguments than {function.form}.")
        node = self.names.id(first)
        said = [self.names.name(node)]
        said += [more[0].strip()] if how else [] if thing is None else [self.names.name(thing)]
        return PlanCall(f"{function.name}({', '.join(said)})", function, node, thing, how)

    def calls(self, texts: Iterable[str]) -> list[PlanCall]:
        """Read a plan; a final "done()" may be left out. Raises Unusable as `call`."""
        calls = []
        for text in texts:
            if text.strip().lower() in (_DONE, f"{_DONE}()"):
                break
            calls.append(self.call(text))
        return calls


class ImaginedRun:
    """A plan executed on a copy of the graph that it was made for.

    graph: the state after the actions so far.
    """

    def __init__(self, graph: SceneGraph, body: Embodiment, placing: PutStyle) -> None:
        self.graph = graph.copy()
        self._body = body
        self._inserts_access = placing is PutStyle.PUT
        self._me = graph.agent().id
        self._in_hand = list(graph.held(self._me))  # as the plan has it, possible or not
        self._accessed: int | None = None

    def actions(self, call: PlanCall) -> list[Action]:
        """The actions that a call stands for now, walks to furniture included."""
        function, node = call.function, call.node
        if node is None:
            return [Action(function.verb)]
        if function is _GO_TO:
            return [go_to(node)]
        if function is _ACCESS:
            self._accessed = node
            return self._approach(node)
        if function is _RELEASE:
            place = node if self._accessed is None else self._accessed
            return [put(node, call.how or self._usual(place), place)]
        if function.relation is not None:
            last = self._in_hand[-1] if self._in_hand else node
            wanted = put(last if call.thing is None else call.thing, function.relation, node)
        else:
            wanted = Action(function.verb, node)
        return [*(self._approach(node) if self._inserts_access else ()), wanted]

    def do(self, action: Action) -> Failure | None:
        """Do an action. Returns why it is impossible, with the graph unchanged, or None."""
        if action.verb is Verb.PICK_UP and action.target is not None:
            self._in_hand.append(action.target)
        elif action.verb is Verb.PUT and action.target in self._in_hand:
            self._in_hand.remove(action.target)
        return step(self.graph, action, self._body, self._me)

    def _approach(self, node: int) -> list[Action]:
        """The walk to a node or its keeper; empty where none is needed.

        None is needed where it is in reach, or in another room, which the plan has to go to first.
        """
        graph, me = self.graph, self._me
        in_reach = reachable(graph, me, node, approaches=self._body.approaches)
        if node == me or in_reach or graph[node].kind is Kind.ROOM:
            return []
        if graph.room_of(node) != graph.room_of(me):
            return []
        around = (node, *graph.above(node))
        furniture = [place for place in around if graph[place].kind is Kind.FIXTURE]
        places = furniture or bases(graph, node)
        return [go_to(places[0])] if places else []

    def _usual(self, place: int) -> Relation:
        """The relation of a release whose call names none."""
        node = self.graph[place]
        if Affordance.CONTAINER in node.affordances and State.OPEN in node.states:
            return Relation.INSIDE
        return Relation.ON if Affordance.SURFACE in node.affordances else Relation.INSIDE


def actions_of(
    calls: Iterable[PlanCall], graph: SceneGraph, body: Embodiment, placing: PutStyle
) -> list[Action]:
    """All the actions of a plan, possible on the graph or not."""
    run = ImaginedRun(graph, body, placing)
    actions: list[Action] = []
    for call in calls:
        for action in run.actions(call):
            run.do(action)
            actions.append(action)
    return actions


# --- verification, before the robot moves ---------------------------------------------------------


@dataclass(frozen=True)
class PlanProblem:
    """Why a plan cannot be executed.

    step: the first impossible step, from 1. sentence: for the model, in its names. reason: why the
    action is impossible; None for a call that cannot be read.
    """

    step: int
    sentence: str
    reason: Reason | None = None


def verify(
    plan: Sequence[str], language: PlanLanguage, graph: SceneGraph, body: Embodiment
) -> list[Action] | PlanProblem:
    """The actions of a plan if each is possible in its turn, else its first problem."""
    run = ImaginedRun(graph, body, language.placing)
    actions: list[Action] = []
    for number, text in enumerate(plan, start=1):
        try:
            calls = language.calls([text])
        except Unusable as error:
            return PlanProblem(number, f"Step {number} cannot be read. {error}")
        if not calls:
            break
        why = _misuse(calls[0], language, run.graph)
        if why is not None:
            return PlanProblem(number, f"Step {number}, {calls[0].text}, is impossible: {why}.")
        for action in run.actions(calls[0]):
            failure = run.do(action)
            if failure is not None:
                why = _why(failure, action, run.graph, language.names)
                sentence = f"Step {number}, {calls[0].text}, is impossible: {why}"
                return PlanProblem(number, sentence, failure.reason)
            actions.append(action)
    return actions if actions else PlanProblem(0, "The plan has no step.")


def _misuse(call: PlanCall, language: PlanLanguage, graph: SceneGraph) -> str | None:
    """Why a function does not apply to a node that one could walk to; None where it applies."""
    node = None if call.node is None else graph.get(call.node)
    if node is None or call.function.verb is not Verb.GO_TO:
        return None
    named = language.names.name
    name, here, room = named(node.id), graph.room_of(graph.agent().id), graph.room_of(node.id)
    where = "" if room is None else f", which is in {named(room)}"
    if call.function.name == "go_to":
        return None if node.kind is Kind.ROOM else f"{name}{where}, is no room"
    if node.kind is Kind.ROOM:
        return f"{name} is a room, to which one goes by go_to"
    if room == here or here is None:
        return None
    return f"you are in {named(here)}, and not at {name}{where}"


def _why(failure: Failure, action: Action, graph: SceneGraph, names: NodeNames) -> str:
    thing = failure.thing
    room = None if thing is None or thing not in graph else graph.room_of(thing)
    if failure.reason is Reason.NOT_CLOSE and thing is not None and room is not None:
        return f"You are not at {names.name(thing)}, which is in {names.name(room)}."
    return failure_text(names.name, None, action, failure)
