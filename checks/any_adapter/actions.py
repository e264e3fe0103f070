"""What an adapter answers to actions, and what becomes of the world."""

from __future__ import annotations

from collections.abc import Callable

from ...observation_text.view import HANDLED_KINDS
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Relation
from ...skills.actions import WITH_POSE, Action, Verb, go_to, pick_up, reach
from ...skills.dynamics import unachieved
from ...skills.outcomes import Failure, FailureClass, RawResult, Reason
from ..assumption import CannotTell, Checks, Differs, Topic, expect
from ..bench import Bench, Broke, Died, Hung, Refused
from .walk import impossible, said, walk

CHECKS = Checks("")

_CONTRACT = "adapters/contract.py: Adapter.attempt"
_OUTCOMES = "skills/outcomes.py"


@CHECKS.assume(
    Topic.CONTRACT,
    "An attempt raises nothing but SimulatorDied, whatever is attempted.",
    source=f"{_CONTRACT}; skills/executor.py",
)
def attempts_raise_nothing(bench: Bench) -> str:
    _unexpected(lambda: walk(bench), Broke, Refused)
    return f"nothing was raised in {len(walk(bench).steps)} actions that our model allows"


@CHECKS.assume(
    Topic.TIMING,
    "An attempt, a state and a view come within the time that the spec says.",
    source="adapters/contract.py: AdapterSpec.attempt_s",
)
def attempts_end_in_time(bench: Bench) -> str:
    _unexpected(lambda: walk(bench), Hung)
    return f"each of {len(walk(bench).steps)} took less than {bench.spec.attempt_s:g} s"


@CHECKS.assume(
    Topic.RESTART,
    "The simulator lives through two dozen actions that our model allows.",
    source=_CONTRACT,
)
def simulator_lives(bench: Bench) -> str:
    _unexpected(lambda: walk(bench), Died)
    return f"it lived through {len(walk(bench).steps)} actions"


def _unexpected(ask: Callable[[], object], *kinds: type[CannotTell]) -> None:
    """Raise Differs for an error of these kinds."""
    try:
        ask()
    except CannotTell as error:
        if isinstance(error, kinds):
            raise Differs(str(error)) from None
        raise


@CHECKS.assume(
    Topic.CONTRACT,
    "An attempt gives a RawResult: a typed failure or none, a message, simulated seconds from 0.",
    source=f"{_OUTCOMES}: RawResult",
)
def results_are_typed(bench: Bench) -> str:
    for step in walk(bench).steps:
        result = step.result
        if not isinstance(result, RawResult):
            raise Differs(f"{step.text}: {result!r:.100}")
        failure = result.failure
        typed = failure is None or (
            isinstance(failure, Failure) and isinstance(failure.reason, Reason)
        )
        if not typed or not isinstance(result.message, str) or not result.sim_time_s >= 0:
            raise Differs(f"{step.text}: {result!r:.200}")
    return f"{len(walk(bench).steps)} of them"


@CHECKS.assume(
    Topic.ACTIONS,
    "What is answered with success is so in the next true state.",
    source="DESIGN, section 4; skills/dynamics.py: unachieved",
)
def success_shows(bench: Bench) -> str:
    shown = 0
    walk(bench).states()
    for step in walk(bench).steps:
        if step.result.success and step.after is not None:
            left = unachieved(step.after, step.action)
            if left:
                raise Differs(f"{step.text} succeeded, but afterwards {left}")
            shown += 1
    if not shown:
        raise CannotTell("no action succeeded")
    return f"{shown} successes of {len(walk(bench).steps)} actions showed"


@CHECKS.assume(
    Topic.ACTIONS,
    "Most of what our model allows is done: the spec's body is that of the simulator.",
    source="skills/dynamics.py: check; AdapterSpec.embodiment",
)
def possible_is_done(bench: Bench) -> str:
    steps = walk(bench).steps
    refused = [
        f"{step.text}: {step.result.failure.reason}"
        for step in steps
        if step.result.failure and step.result.failure.kind is FailureClass.PRECONDITION
    ]
    words = f"{len(refused)} of {len(steps)} were refused"
    return expect(2 * len(refused) <= len(steps), "; ".join([words, *refused[:4]]))


@CHECKS.assume(
    Topic.ACTIONS,
    "Every verb of the spec is supported.",
    source="adapters/contract.py: AdapterSpec.actions",
)
def own_verbs_are_supported(bench: Bench) -> str:
    tried = set()
    for step in walk(bench).steps:
        failure = step.result.failure
        if failure is not None and failure.reason is Reason.NOT_SUPPORTED:
            raise Differs(f"{step.text}: not supported")
        tried.add(str(step.action.verb))
    return f"tried: {', '.join(sorted(tried))}"


@CHECKS.assume(
    Topic.REFUSALS,
    "A verb that is not in the spec fails as not supported.",
    source=_CONTRACT,
)
def foreign_verbs_are_refused(bench: Bench) -> str:
    graph = bench.graph()
    foreign = [verb for verb in Verb if verb not in bench.spec.actions]
    thing = next((n.id for n in graph.nodes() if n.kind in HANDLED_KINDS), graph.agent().id)
    made = [_action(verb, thing) for verb in foreign[:3]]
    if not made:
        raise CannotTell("the adapter has every verb")
    for action in made:
        failure = _answer(bench, action).failure
        if failure is None or failure.reason is not Reason.NOT_SUPPORTED:
            raise Differs(f"{said(action)}: {failure.reason if failure else 'success'}")
    return f"{', '.join(map(said, made))}: not supported"


def _action(verb: Verb, thing: int) -> Action:
    """Any action of a verb."""
    if verb in WITH_POSE:
        return Action(verb, pose=reach((0.4, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0)).pose)
    if verb is Verb.RESET:
        return Action(verb)
    relation = Relation.ON if verb is Verb.PUT else None
    return Action(verb, thing, relation, thing if verb in (Verb.PUT, Verb.POUR) else None)


@CHECKS.assume(
    Topic.REFUSALS,
    "An action on a thing that does not exist fails, and raises nothing.",
    source=f"{_OUTCOMES}: Reason.UNKNOWN",
)
def unknown_things_are_refused(bench: Bench) -> str:
    unknown = max(node.id for node in bench.graph().nodes()) + 1000
    verb = Verb.GO_TO if Verb.GO_TO in bench.spec.actions else Verb.PICK_UP
    result = _answer(bench, Action(verb, unknown))
    failed = result.failure
    words = f"{verb} {unknown}: {failed.reason if failed else 'success'}"
    return expect(failed is not None and failed.kind is FailureClass.PRECONDITION, words)


@CHECKS.assume(
    Topic.REFUSALS,
    "What our model calls impossible fails, such as picking up furniture.",
    source="skills/dynamics.py: check",
)
def impossible_is_refused(bench: Bench) -> str:
    answers = []
    for action in impossible(bench):
        failure = _answer(bench, action).failure
        if failure is None:
            raise Differs(f"{said(action)}: success, where a failure was due")
        answers.append(f"{said(action)}: {failure.reason}")
    return "; ".join(answers)


@CHECKS.assume(
    Topic.REFUSALS,
    "A failed precondition leaves the state as it was.",
    source=f"{_OUTCOMES}: FailureClass.PRECONDITION is never retried",
)
def refusals_change_nothing(bench: Bench) -> str:
    before = bench.graph()
    tried = []
    for action in impossible(bench):
        failure = _answer(bench, action).failure
        after = bench.graph()
        if failure is not None and failure.kind is FailureClass.PRECONDITION:
            if before != after:
                raise Differs(f"{said(action)}: {failure.reason}, and the state changed")
            tried.append(said(action))
        before = after
    return f"nothing changed by {', '.join(tried)}"


@CHECKS.assume(
    Topic.CONTRACT,
    "A try with variation 1 or 2 is a try like the first.",
    source=f"{_CONTRACT}; skills/executor.py: RetryPolicy.attempts",
)
def variations_are_taken(bench: Bench) -> str:
    action = walk(bench).steps[0].action
    for variation in (1, 2):
        bench.begin(again=True)
        result = _answer(bench, action, variation)
        left = unachieved(bench.graph(), action) if result.success else ""
        if left:
            raise Differs(f"{said(action)}, variation {variation}: success, but {left}")
    return f"{said(action)} with variations 1 and 2"


@CHECKS.assume(
    Topic.HANDS,
    "The agent never holds more things than its body has hands.",
    source="skills/embodiment.py: Embodiment.hands",
)
def hands_are_as_said(bench: Bench) -> str:
    hands = bench.spec.embodiment.hands
    taken = _taken(bench, hands + 1)
    held = _held(bench.graph())
    return expect(len(held) <= hands, f"{len(taken)} picked up, {len(held)} held, {hands} hands")


@CHECKS.assume(
    Topic.CARRYING,
    "What is held goes with the agent from place to place.",
    source="skills/dynamics.py: the effect of go_to",
)
def held_things_go_along(bench: Bench) -> str:
    if Verb.GO_TO not in bench.spec.actions:
        raise CannotTell("the agent does not walk")
    (thing,) = _taken(bench, 1)
    graph = bench.graph()
    here = graph.room_of(graph.agent().id)
    there = [room for room in graph.room_ids if room != here] or [
        node.id for node in graph.nodes() if node.kind in HANDLED_KINDS and node.id != thing
    ]
    bench.must(go_to(there[0]))
    graph = bench.graph()
    me = graph.agent().id
    words = (
        f"{graph[thing].category} {thing} is held by {graph.holder(thing)} and in room "
        f"{graph.room_of(thing)}, the agent {me} in room {graph.room_of(me)}"
    )
    return expect(
        graph.holder(thing) == me and graph.room_of(thing) in (None, graph.room_of(me)), words
    )


def _taken(bench: Bench, most: int) -> list[int]:
    """Pick up some things that lie about; raises CannotTell where too few can be."""
    taken: list[int] = []
    graph = bench.graph()
    able = [n.id for n in graph.nodes() if Affordance.GRASPABLE in n.affordances]
    if Verb.PICK_UP not in bench.spec.actions:
        raise CannotTell("the agent has no hands for things")
    for thing in able:
        if graph.closed_around(thing) is not None or graph.holder(thing) is not None:
            continue
        if Verb.GO_TO in bench.spec.actions:
            bench.do(go_to(thing))
        full = len(taken) >= bench.spec.embodiment.hands
        if bench.do(pick_up(thing)).success or full:
            taken.append(thing)
        if len(taken) >= most:
            return taken
    raise CannotTell(f"only {len(taken)} things could be picked up")


def _held(graph: SceneGraph) -> list[int]:
    return graph.held(graph.agent().id)


def _answer(bench: Bench, action: Action, variation: int = 0) -> RawResult:
    """One try; what it raises differs from the contract."""
    try:
        return bench.do(action, variation)
    except (Broke, Hung, Refused) as error:
        raise Differs(str(error)) from None
