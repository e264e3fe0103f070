"""The planner `lookplangraph`: one action at a time, chosen on a memory graph.

After Onishchenko et al., LookPlanGraph (2025), Algorithm 1. The map is a graph of priors: places
and furniture are trusted, objects have to be confirmed. The wording is Peephole's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, Field

from ...models.contract import LONG_ANSWER, Unusable
from ...scene_graph.node import Kind
from ...skills.actions import Action, Verb
from ...skills.dynamics import achieved
from ...skills.outcomes import Failure, Reason
from ..contract import (
    Act,
    Brief,
    Decisions,
    Done,
    GiveUp,
    Grant,
    Internal,
    Note,
    OnlyWith,
    Percept,
    Planner,
    SubPlan,
)
from ..kits.detectors import choice as detectors
from ..kits.map.layout import layout_of
from ..kits.map.memory_graph import MemoryGraph, part_of_view, view_without_looking
from ..kits.map.names import NodeNames
from ..kits.map.shown_scene import (
    ShownScene,
    about_scene,
    full_scene,
    json_scene,
    local_scene,
    prose,
)
from ..kits.prompting.conversation import ask_within_context, giving_up, prompt
from ..kits.prompting.templates import Templates
from .simulator import (
    VERBS,
    FunctionCall,
    FunctionName,
    Resolved,
    SceneGraphSimulator,
    answer_shape,
)

_PROMPTS = Templates(__file__)
#: Failures of an action on a thing that is not at its remembered place.
_ELSEWHERE = frozenset({Reason.NOT_HERE, Reason.UNKNOWN, Reason.NOT_SEEN, Reason.NOT_IN_SIGHT})


class Options(BaseModel):
    """Options of `lookplangraph`."""

    graph: Literal["prose", "json"] = Field(
        "prose",
        description="format of the graph in the prompt (json: the paper's ablation Json graph)",
    )
    scope: Literal["memory", "full"] = Field(
        "memory",
        description="part of the graph in the prompt: the present room and what was found "
        "(memory), or everything known (full: ablation Full Graph)",
    )
    priors: bool = Field(
        True,
        description="start with the objects of the map, unconfirmed (false: ablation No Priors)",
    )
    correction: bool = Field(
        True, description="add missing steps to actions by rule (false: ablation No Correction)"
    )
    augmentation: detectors.Augmentation = Field(
        detectors.Augmentation.VIEW,
        description="what detects the objects at a place: the true view (the paper's rows GT), a "
        "vision model, or none, which trusts the map",
    )
    images: Annotated[detectors.ImagesPath | None, OnlyWith("augmentation", "vision")] = Field(
        None, description="folder of images by place, for vision; none: the agent's camera"
    )
    infeasible_in_a_row: int = Field(
        3, ge=1, description="number of refused or failed actions in a row that ends the episode"
    )
    reason_length: int = Field(
        600, ge=0, description="most characters of a reason; the rest is cut"
    )
    reasons: int = Field(
        3, ge=0, description="number of latest actions that are shown with their reasons"
    )


class _Done(NamedTuple):
    """A previous call: its reason, why it failed or "", and the place that it only looked at."""

    reason: str
    call: str
    failure: str = ""
    looked_at: int | None = None


@giving_up
def plan(brief: Brief, percept: Percept) -> Decisions:
    """Choose an action, carry it out, and look, until the model says that it is done."""
    yield from _Episode(brief, percept).play()


class _Episode:
    """The memory graph and the calls so far."""

    def __init__(self, brief: Brief, percept: Percept) -> None:
        self._brief = brief
        self._options = options = brief.options_of(Options)
        self._percept = percept
        self._detector = detectors.detector(options, brief)
        known = brief.map
        if known is not None and not options.priors:
            known = known.part(n.id for n in known.nodes() if n.kind is not Kind.OBJECT)
        self._memory = MemoryGraph(known)
        self._looked_around: int | None = None
        self._looks = options.augmentation is detectors.Augmentation.VISION
        self._made_up: dict[int, str] = {}
        self._own_names: dict[int, str] = {}
        named = self._own_names if self._looks else percept.names
        self._names = NodeNames(self._made_up, named)
        self._see(percept)
        self._simulator = SceneGraphSimulator(
            self._memory,
            self._names,
            brief.embodiment,
            corrects=options.correction,
            confirms=self._detector is not None,
        )
        self._interacted: set[int] = set()
        self._history: list[_Done] = []
        self._feedback = ""
        self._infeasible = 0
        self._functions = _functions(brief, discovers=self._detector is not None)
        self._shape = answer_shape(options.reason_length, self._functions)
        self._system = _PROMPTS.render(
            "system",
            functions=[str(function) for function in self._functions],
            discovers=self._detector is not None,
            graph=options.graph,
            full=options.scope == "full",
            walks=Verb.GO_TO in brief.actions,
            hands=brief.embodiment.hands,
            corrects=options.correction,
            reasons=options.reasons,
        )

    def play(self) -> Decisions:
        """Algorithm 1, with a bound on infeasible actions in a row."""
        while True:
            yield from self._look_around()
            answer = yield from self._ask()
            call: FunctionCall = answer.action
            if call.function_name is FunctionName.DONE:
                percept = yield Done(answer.reason)
                if percept.feedback is None:
                    return
                self._feedback = percept.feedback
                continue
            try:
                resolved = self._simulator.resolve(call, self._functions)
            except Unusable as error:
                refused = {"refused": error.kind or "call", "call": str(call)}
                refused |= {"sentence": str(error), "reason": answer.reason}
                yield Internal("refused", f"{call}: {error}", refused)
                failed, looked_at = str(error), None
            else:
                failed = yield from self._carry_out(call, answer.reason, resolved)
                looked_at = None if failed else resolved.discover
            self._history.append(_Done(answer.reason, str(call), failed, looked_at))
            self._feedback, self._infeasible = "", self._infeasible + 1 if failed else 0
            if self._infeasible >= self._options.infeasible_in_a_row:
                yield GiveUp(
                    f"{self._infeasible} actions in a row could not be done, the last because: "
                    f"{self._history[-1].failure}"
                )
                return

    def _ask(self) -> SubPlan[Any]:
        """The model's answer on the graph as it is now."""

        def ask() -> Any:
            full = self._options.scope == "full"
            memory, interacted = self._memory, self._interacted
            scene = full_scene(memory) if full else local_scene(memory, interacted)
            write = prose if self._options.graph == "prose" else json_scene
            asked = _PROMPTS.render(
                "turn",
                instruction=self._brief.instruction,
                scene=write(scene, self._names),
                layout=layout_of(memory.graph, self._brief, self._names),
                history=self._shown_history(scene),
                reasons=self._options.reasons,
                feedback=self._feedback,
            )
            return self._brief.model.answer(
                prompt(self._system, asked),
                self._shape,
                purpose="plan",
                needs=LONG_ANSWER,
                about=partial(self._about, scene),
            )

        return ask_within_context(self._history, ask, "actions")

    def _about(self, scene: ShownScene) -> dict[str, object]:
        """The data of a question: the shown part of the graph, and failures."""
        names = {**self._percept.names, **self._made_up}
        return about_scene(scene, names) | {
            "kind": "graph_call",
            "functions": [str(function) for function in self._functions],
            "failures": [done.call for done in self._history if done.failure],
        }

    def _shown_history(self, scene: ShownScene) -> list[_Done]:
        """The previous calls without older looks at places that the scene shows as discovered."""
        older = max(0, len(self._history) - self._options.reasons)
        return [
            done
            for number, done in enumerate(self._history)
            if number >= older or done.failure or done.looked_at not in scene.discovered
        ]

    # --- acting and looking ----------------------------------------------------------------------

    def _carry_out(self, call: FunctionCall, reason: str, resolved: Resolved) -> SubPlan[str]:
        """Do the actions of a call, up to the first that fails; why it failed, or ""."""
        self._interacted.update(resolved.nodes)
        if resolved.added:
            steps = ", ".join(resolved.added)
            corrected = {"call": str(call), "added": list(resolved.added)}
            yield Note("plan", f"{call} needs {steps}", {"corrected": corrected})
        for number, action in enumerate(resolved.actions):
            added = call.function_name is not FunctionName.OPEN and action.verb is Verb.OPEN
            if added and achieved(self._memory.graph, action):
                continue  # somebody has opened it since the map was recorded
            percept = yield Act(action, reason if number == 0 else "", continued=number > 0)
            failed = self._take_in(percept, action)
            if failed:
                return failed
        if resolved.discover is None:
            return ""
        if not resolved.actions:
            yield Internal(str(FunctionName.DISCOVER), str(call), {"reason": reason})
        return (yield from self._discover(resolved.discover))

    def _take_in(self, percept: Percept, action: Action) -> str:
        """Update the graph after an action; why it failed, or ""."""
        self._percept = percept
        outcome = percept.outcome
        if outcome is not None and outcome.failure is None and self._looks:
            self._memory.acted(action)
        opened = action.things if action.verb is Verb.OPEN and percept.succeeded else ()
        self._see(percept, action.things, opened)
        if outcome is None or outcome.failure is None:
            return percept.refused or ""
        for thing in action.things:
            if self._is_object(thing) and self._is_gone(thing, outcome.failure):
                self._memory.forget_place(thing)
        return self._simulator.failure_text(outcome.failure, action)

    def _see(
        self, percept: Percept, things: Iterable[int] = (), opened: Iterable[int] = ()
    ) -> None:
        """Add what is seen without a detector.

        things: those that the action handled. opened: those whose contents came into sight by it.
        """
        view, looks = percept.view, self._looks
        seen = view_without_looking(view) if looks else part_of_view(view, opened, things)
        self._memory.take_in(seen, percept.step)
        if looks:
            self._name_known()

    def _name_known(self) -> None:
        """Name the nodes that the agent knows, and no others of the view."""
        names = self._percept.names
        granted = () if self._brief.map is None else self._brief.map.by_id
        for node_id in (*granted, *self._memory.graph.by_id):
            if node_id in names and node_id not in self._made_up:
                self._own_names[node_id] = names[node_id]

    def _is_gone(self, thing: int, failure: Failure) -> bool:
        """Whether an object was not at the place where an action needed it."""
        if self._looks:
            return failure.thing == thing and failure.reason in _ELSEWHERE
        return self._percept.view.get(thing) is None

    def _look_around(self) -> SubPlan[None]:
        """Look at the free-standing things of a new room, with a vision model."""
        graph = self._memory.graph
        room = graph.room_of(graph.agent().id)
        if self._looks and room is not None and room != self._looked_around:
            self._looked_around = room
            if room not in self._memory.looked_at:
                yield from self._discover(room)

    def _discover(self, place: int) -> SubPlan[str]:
        """Add what is found at a place, and remove what is gone; why detection failed, or ""."""
        assert self._detector is not None, "discovery is not offered without a detector"
        graph = self._memory.graph
        priors = [thing for thing in graph.below(place) if self._is_object(thing)]
        names = dict(self._percept.names)
        detection = self._detector.detect(place, self._percept, names, priors, graph.by_id.keys())
        self._made_up.update(
            (thing.id, thing.name)
            for thing in detection.things
            if thing.id not in self._percept.names
        )
        if not detection.problem:
            self._memory.augment(detection, self._percept.step)
            self._name_known()
        yield detection.note()
        return detection.problem

    def _is_object(self, node_id: int) -> bool:
        node = self._memory.graph.get(node_id)
        return node is not None and node.kind is Kind.OBJECT


def _functions(brief: Brief, *, discovers: bool) -> tuple[FunctionName, ...]:
    """The functions that the actions of the simulator can do."""
    needed = {FunctionName.REARRANGE: {Verb.PICK_UP, Verb.PUT}}
    needed |= {function: {verb} for function, verb in VERBS.items()}
    return tuple(
        function
        for function in FunctionName
        if needed.get(function, set()) <= brief.actions
        and (discovers or function is not FunctionName.DISCOVER)
    )


PLANNER = Planner(
    name="lookplangraph",
    summary="a language model on a memory graph that grows by looking (LookPlanGraph)",
    plan=plan,
    grants=frozenset({Grant.MAP}),
    dialects=("lookplangraph",),
    models=("planner",),
    options=Options,
    more_grants=detectors.grants,
    more_models=detectors.models,
)
