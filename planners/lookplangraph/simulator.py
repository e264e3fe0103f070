"""The model's function calls, and the scene graph simulator: their actions on the known graph.

After Onishchenko et al., LookPlanGraph (2025), section IV-C. A call on an unknown node or in a
wrong form is refused with one sentence, and the model is asked again with it. A call that lacks a
step (going there, an open door, a free hand) is completed by rule; `rearrange` is expanded.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from ...models.contract import Unusable
from ...observation_text.dialects.lookplangraph.dialect import failure_text
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind, Relation, State
from ...skills.actions import Action, Verb, go_to, open_, pick_up, put
from ...skills.correction import Correction, correct, rearrange
from ...skills.embodiment import Embodiment
from ...skills.outcomes import Failure, Reason
from ...skills.reach import reaches
from ..kits.map.memory_graph import MemoryGraph
from ..kits.map.names import NodeNames
from ..kits.map.whole_plan import TEXT, Schema, any_of, one_of


class FunctionName(StrEnum):
    """The functions that the model can call."""

    DISCOVER = "discover_objects"
    GO_TO = "go_to"
    PICK_UP = "pick_up"
    REARRANGE = "rearrange"
    OPEN = "open"
    CLOSE = "close"
    TURN_ON = "turn_on"
    TURN_OFF = "turn_off"
    DONE = "done"


#: The functions that stand for one action on a node.
VERBS = {name: Verb(name.value) for name in FunctionName if name.value in {*Verb}}
#: Relations of `rearrange`, by their names in answers.
RELATIONS = {"inside": Relation.INSIDE, "ontop": Relation.ON, "under": Relation.UNDER}


class FunctionCall(BaseModel):
    """A function call. node: what it is about; relation, destination: of `rearrange`."""

    model_config = ConfigDict(extra="forbid")

    function_name: FunctionName
    node: str = ""
    relation: Literal["inside", "ontop", "under", ""] | None = None
    destination: str | None = None

    def __str__(self) -> str:
        if self.function_name is FunctionName.REARRANGE:
            return f"{self.function_name}({self.node}, {self.relation}, {self.destination})"
        return f"{self.function_name}({self.node})"


@cache
def answer_shape(reason_length: int, functions: tuple[FunctionName, ...]) -> Any:
    """The shape of an answer; a longer reason is cut, not refused.

    functions: those on offer. The schema is stricter than the check here: a server that enforces it
    permits only the arguments that each function takes.
    """

    def cut(reason: object) -> object:
        return reason[:reason_length] if isinstance(reason, str) else reason

    def narrowed(schema: Schema) -> None:
        schema["properties"]["action"] = _call_schema(functions)

    text: Any = Annotated[str, BeforeValidator(cut), Field(max_length=reason_length)]
    config = ConfigDict(json_schema_extra=narrowed)
    return create_model("Answer", __config__=config, reason=(text, ...), action=(FunctionCall, ...))


def _call_schema(functions: tuple[FunctionName, ...]) -> Schema:
    """The JSON schema of a call: `rearrange` with its four arguments, the others with a node."""
    others = [function for function in functions if function is not FunctionName.REARRANGE]
    kinds = [{"function_name": one_of(others), "node": TEXT}]
    if FunctionName.REARRANGE in functions:
        where = {"relation": one_of(("inside", "ontop")), "destination": TEXT}
        kinds.append({"function_name": one_of([FunctionName.REARRANGE]), "node": TEXT, **where})
    return any_of(*kinds)


@dataclass(frozen=True)
class Resolved:
    """The actions of a call.

    actions: in order, the call's own last. added: the inserted ones, with the reasons. nodes: those
    that the call is about. discover: the place to look at after the actions.
    """

    actions: tuple[Action, ...] = ()
    added: tuple[str, ...] = ()
    nodes: tuple[int, ...] = ()
    discover: int | None = None


class SceneGraphSimulator:
    """The simulator of one episode.

    corrects: whether to complete actions by rule. confirms: whether remembered objects have to be
    discovered before they are handled.
    """

    def __init__(
        self,
        memory: MemoryGraph,
        names: NodeNames,
        body: Embodiment,
        *,
        corrects: bool,
        confirms: bool,
    ) -> None:
        self._memory = memory
        self._names = names
        self._body = body
        self._corrects = corrects
        self._confirms = confirms

    def resolve(self, call: FunctionCall, offered: Container[FunctionName]) -> Resolved:
        """The actions of a call. Raises Unusable with a sentence for the model."""
        if call.function_name not in offered:
            raise Unusable(f"There is no function {call.function_name} here.")
        node = self._node(call.node, "node")
        if call.function_name is FunctionName.DISCOVER:
            return self._discovery(node)
        if call.function_name is FunctionName.REARRANGE:
            return self._rearrangement(node, call)
        action = Action(VERBS[call.function_name], node)
        if action != go_to(node):
            self._check_handled(node, call.function_name)
            self._check_confirmed(node)
        actions, added = self._completed(action)
        return Resolved(actions, added, (node,))

    # --- the functions -------------------------------------------------------------------------

    def _discovery(self, node: int) -> Resolved:
        """Go to a place and open it, as far as needed to see what is there."""
        graph, name = self._graph, self._names.name(node)
        self._check_handled(node, FunctionName.DISCOVER)
        self._check_confirmed(node)
        if node in self._memory.looked_at:
            there = ", ".join(self._names.name(thing) for thing in graph.below(node)) or "nothing"
            raise Unusable(
                f"{name} was discovered already, and has {there}. Do something with it, or look "
                f"elsewhere."
            )
        me = graph.agent().id
        actions: tuple[Action, ...] = ()
        added: tuple[str, ...] = ()
        if not reaches(graph, me, node):
            actions, added = self._part(correct(go_to(node), graph, self._body), go_to(node))
        place = graph[node]
        shut = State.CLOSED in place.states and Affordance.OPENABLE in place.affordances
        if self._corrects and shut:
            actions, added = self._completed(open_(node))
            added = (*added, f"{Verb.OPEN} ({Reason.ENCLOSED})")
        return Resolved(actions, added, (node,), node)

    def _rearrangement(self, thing: int, call: FunctionCall) -> Resolved:
        if not call.destination or not call.relation:
            raise Unusable(
                "rearrange takes a node, a relation (inside or ontop) and a destination."
            )
        self._check_handled(thing, FunctionName.REARRANGE)
        place, relation = self._node(call.destination, "destination"), RELATIONS[call.relation]
        for node in (thing, place):
            self._check_confirmed(node)
        if self._graph[place].kind not in (Kind.FIXTURE, Kind.OBJECT):
            raise Unusable(
                f"{self._names.name(place)} is no asset or object; say one that things can be put "
                f"on or inside."
            )
        if (relation, place) in self._graph.places(thing):
            raise Unusable(
                f"{self._names.name(thing)} is {call.relation} {self._names.name(place)} already; "
                f"say where else it has to be, or do something else."
            )
        if not self._corrects:
            held = self._graph.holder(thing) is not None
            bring = put(thing, relation, place)
            return Resolved((bring,) if held else (pick_up(thing), bring), (), (thing, place))
        correction = rearrange(thing, relation, place, self._graph, self._body)
        actions, added = self._part(correction, put(thing, relation, place))
        return Resolved(actions, added, (thing, place))

    # --- checks and corrections ----------------------------------------------------------------

    @property
    def _graph(self) -> SceneGraph:
        return self._memory.graph

    def _node(self, said: str, what: str) -> int:
        """The known node with a name. Raises Unusable."""
        if not said.strip():
            raise Unusable(f"The {what} is missing; say a name of the scene.")
        node = self._names.id(said)
        if node not in self._graph or not self._memory.is_located(node):
            raise Unusable(
                f"Nobody knows where {self._names.name(node)} is; discover likely places first."
            )
        return node

    def _check_handled(self, node: int, function: FunctionName) -> None:
        """Check that a node is furniture or an object. Raises Unusable."""
        kind = self._graph[node].kind
        if kind not in (Kind.FIXTURE, Kind.OBJECT):
            what = "room" if kind is Kind.ROOM else kind
            raise Unusable(
                f"{self._names.name(node)} is a {what}; {function} takes an asset or an object "
                f"in it.",
                "no place to discover" if function is FunctionName.DISCOVER else "impossible call",
            )

    def _check_confirmed(self, node: int) -> None:
        """Check that an object was seen at its remembered place. Raises Unusable."""
        if not self._confirms or self._graph[node].kind is not Kind.OBJECT:
            return
        if self._memory.is_prior(node):
            _, place = self._graph.places(node)[0]
            in_room = self._graph[place].kind is Kind.ROOM
            look = FunctionName.GO_TO if in_room else FunctionName.DISCOVER
            raise Unusable(
                f"{self._names.name(node)} is only remembered and may be elsewhere by now; confirm "
                f"it with {look}({self._names.name(place)}) first."
            )

    def _completed(self, action: Action) -> tuple[tuple[Action, ...], tuple[str, ...]]:
        """An action with the steps it needs, and the inserted ones. Raises Unusable."""
        if not self._corrects:
            return (action,), ()
        return self._part(correct(action, self._graph, self._body), action)

    def _part(
        self, correction: Correction, action: Action
    ) -> tuple[tuple[Action, ...], tuple[str, ...]]:
        """The actions of a correction. Raises Unusable where no rule helps."""
        if correction.failure is not None:
            raise Unusable(self.failure_text(correction.failure, action), "impossible call")
        return correction.actions, correction.added

    def failure_text(self, failure: Failure, action: Action) -> str:
        """A sentence on why an action cannot be done."""
        return failure_text(self._names.name, None, action, failure)
