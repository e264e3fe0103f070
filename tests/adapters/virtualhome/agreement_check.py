"""Our model of household actions beside VirtualHome's simulator, step by step.

`AgreementCheck` does an action in both worlds and says how they differ: both allow or refuse it,
and after both have done it their states are equal, or the difference is one of `KINDS`. Anything
else is a difference without an explanation, which the tests do not let pass. `programs` has the
simulator's own programs played in this way. docs/simulators/virtualhome.md lists
the kinds; benchmarks/agreement.py prints the counts.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from peephole.adapters.virtualhome.commands import VERBS, lines_of
from peephole.adapters.virtualhome.evolving_graph import EvolvingGraphAdapter
from peephole.adapters.virtualhome.package import simulator
from peephole.adapters.virtualhome.server import EvolvingGraph
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Relation
from peephole.scene_graph.task import Task
from peephole.skills.actions import WITHOUT_TARGET, Action, Verb, pour, put
from peephole.skills.dynamics import apply, candidates, check, legal_actions, reach
from peephole.skills.outcomes import Failure, Reason

AGREE = "both do the same"
REFUSE = "both refuse"

#: Kinds of difference, with their reasons: what the simulator does and we refuse …
ONLY_IT = {
    "reach": "it reaches all that is close to something close, often across the room",
    "closed": "it looks into the next container only, for some verbs into none",
    "other room": "it turns to, looks at and greets what is in another room",
    "facing": "it also faces what is faced by what it faces",
    "running": "it unplugs what is on: the check is there, and has no effect",
    "any place": "it puts things on what is no surface and into what is no container",
    "into itself": "it puts and pours a thing into itself, or into what that carries",
    "in hand": "it walks to what it holds, and sits and lies down on it",
    "own body": "it acts on the character, walks to its hands, pulls out its hair",
    "own seat": "it lifts what it sits on",
    "cut again": "it keeps no state of what was cut",
}
#: … what it refuses and we do …
ONLY_WE = {
    "one relation": "VirtualHome reaches things one relation away from what the agent is close to; "
    "our world also reaches things nested deeper in it",
    "hidden things": "it counts what the scene graph leaves out among the things on a seat",
    "no door": "it counts what is marked closed as closed, though it has no door",
}
#: … and what both do, but not alike.
UNLIKE = {
    "falls out": "what is in or on a thing falls out when it is picked up or carried",
    "carried off": "from a seat it still faces what was carried off",
    "neighbour": "it comes close to a neighbour of what it grabs, to the mat under what it goes to",
}
KINDS = {**ONLY_IT, **ONLY_WE, **UNLIKE}

_WE_REFUSE = {
    Reason.NOT_CLOSE: "reach",
    Reason.ENCLOSED: "closed",
    Reason.NOT_IN_SIGHT: "other room",
    Reason.NOT_FACING: "facing",
    Reason.STILL_ON: "running",
    Reason.NOT_A_SURFACE: "any place",
    Reason.NOT_A_CONTAINER: "any place",
    Reason.INTO_ITSELF: "into itself",
    Reason.HELD: "in hand",
    Reason.ON_BODY: "own body",
    Reason.NOT_SUPPORTED: "own body",
    Reason.IN_USE: "own seat",
    Reason.ALREADY_SLICED: "cut again",
}
_IT_REFUSES = {
    Reason.UNREACHABLE: "one relation",
    Reason.OCCUPIED: "hidden things",
    Reason.ENCLOSED: "no door",
}


@dataclass
class AgreementCheck:
    """The two worlds in one scene. Both go on from the simulator's state after every step.

    counts: how the steps came out. done: the verbs of those that the simulator has done.
    unexplained: those that fit no kind, in words.
    """

    scene: str
    counts: Counter[str] = field(default_factory=Counter)
    done: Counter[Verb] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._world = EvolvingGraph(simulator())
        self.adapter = EvolvingGraphAdapter(self._world)
        self.adapter.reset(Task("agreement", "", And(()), self.scene), 0)

    def graph(self) -> SceneGraph:
        return self.adapter.graph()

    def step(self, action: Action) -> bool:
        """Do an action in both worlds. Whether the simulator has done it, at last."""
        before = self.graph()
        failure = check(before, action, self.adapter.spec.embodiment)
        if failure is not None:
            self._count(action, self._refused(before, action, failure))
            return False
        result = self.adapter.attempt(action, 0)
        if result.failure is not None:
            kind = _IT_REFUSES.get(result.failure.reason)
            if self.graph() != before:
                kind = None
            self._count(action, kind or f"the simulator refuses: {result.message}")
            return self.adapter.attempt(action, 1).success
        self.done[action.verb] += 1
        model = before.copy()
        apply(model, action)
        self._count(action, _compared(before, action, self.graph(), model))
        return True

    def _refused(self, before: SceneGraph, action: Action, failure: Failure) -> str:
        """How the simulator answers to what we refuse."""
        lines = lines_of(action)
        if not lines or not _would_do(self._world, *lines[0]):
            return REFUSE
        me = before.agent().id
        if me in action.things:
            return "own body"
        if failure.reason is Reason.NOT_GRASPABLE and before.has_edge(
            action.things[0], Relation.ATTACHED, me
        ):
            return "own body"
        return _WE_REFUSE.get(failure.reason, f"we refuse: {failure.reason}")

    def _count(self, action: Action, outcome: str) -> None:
        if outcome not in KINDS and outcome not in (AGREE, REFUSE):
            self.unexplained.append(f"{self.scene}: {action}: {outcome}")
            outcome = "unexplained"
        self.counts[outcome] += 1


def _would_do(world: EvolvingGraph, command: str, things: Sequence[int]) -> bool:
    """Whether the simulator would do a line, without a change."""
    if command == "GRAB":
        world._forget_grabbed(things)
    executor = world._executor()
    try:
        return bool(executor.check_one_step(world._line(command, things), world._state))
    except (world._modules.common.Error, AssertionError, AttributeError, KeyError, TypeError):
        return False


def _compared(before: SceneGraph, action: Action, real: SceneGraph, model: SceneGraph) -> str:
    """How the two worlds differ after an action that both have done."""
    changed = [node.id for node in real.nodes() if node != model.get(node.id)]
    more, less = set(real.edges()) - set(model.edges()), set(model.edges()) - set(real.edges())
    if not changed and not more and not less:
        return AGREE
    me = before.agent().id
    if action.verb is Verb.SIT and not changed and not less:
        views = {edge for edge in more if edge.source == me and edge.relation is Relation.FACING}
        return "carried off" if views == more else f"{_worded(more)} more"
    if action.verb in (Verb.GO_TO, Verb.PICK_UP) and not changed:
        carriers = {action.target, *before.held(me)}
        fallen = {edge.source for edge in less if edge.target in carriers}
        further = {e for e in more if e.source != me or e.relation is not Relation.CLOSE}
        if {edge.source for edge in less} == fallen and all(
            edge.source in fallen and real[edge.target].kind is Kind.ROOM for edge in further
        ):
            return "falls out" if fallen else "neighbour"
    return f"changed {changed}, {_worded(more)} more, {_worded(less)} less"


def _worded(edges: Iterable[Edge]) -> str:
    return ", ".join(f"{e.source} {e.relation} {e.target}" for e in sorted(edges)) or "nothing"


# --- random actions ------------------------------------------------------------------------------


def random_steps(scene: str, count: int, seed: int) -> AgreementCheck:
    """Random actions in a scene: half of them legal, a quarter that could be, a quarter any."""
    comparison = AgreementCheck(scene)
    chance = random.Random(f"{scene} {seed}")
    for _ in range(count):
        comparison.step(_choose(chance, comparison.graph()))
    return comparison


def _choose(chance: random.Random, graph: SceneGraph) -> Action:
    body = EvolvingGraphAdapter.spec.embodiment
    draw = chance.random()
    if draw < 0.5:
        return _of_any_verb(chance, graph, legal_actions(graph, body))
    if draw < 0.75:
        return _of_any_verb(chance, graph, candidates(graph))
    return _anything(chance, graph)


def _of_any_verb(chance: random.Random, graph: SceneGraph, actions: Iterable[Action]) -> Action:
    """One of the actions: walks a third of the time, else every verb alike.

    Half of the time every affordance of the target is alike too: few things can be read, worn or
    cut, and most of a house would never be done with them otherwise.
    """
    by_verb: dict[Verb, list[Action]] = defaultdict(list)
    for action in actions:
        by_verb[action.verb].append(action)
    walking = Verb.GO_TO in by_verb and chance.random() < 0.3
    chosen = by_verb[Verb.GO_TO if walking else chance.choice(sorted(by_verb))]
    if chance.random() < 0.5:
        by_affordance: dict[Affordance, list[Action]] = defaultdict(list)
        for action in chosen:
            for affordance in () if action.target is None else graph[action.target].affordances:
                by_affordance[affordance].append(action)
        if by_affordance:
            chosen = by_affordance[chance.choice(sorted(by_affordance))]
    return chance.choice(chosen)


def _anything(chance: random.Random, graph: SceneGraph) -> Action:
    """Any verb on any things: those in reach, those in the room, or all there are."""
    me = graph.agent().id
    room = graph.room_of(me)
    everywhere = [node.id for node in graph.nodes()]
    here = [thing for thing in everywhere if graph.room_of(thing) == room]
    things = chance.choice((sorted(reach(graph, me)) or here, here, everywhere))
    held = graph.held(me) or things
    verb = chance.choice(sorted(VERBS))
    if verb in WITHOUT_TARGET:
        return Action(verb)
    if verb is Verb.PUT:
        relation = chance.choice((Relation.ON, Relation.INSIDE))
        return put(chance.choice(held), relation, chance.choice(things))
    if verb is Verb.POUR:
        return pour(chance.choice(held), chance.choice(things))
    return Action(verb, chance.choice(things))
