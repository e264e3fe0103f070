"""An adapter's world: its start, its true state, and its restoration."""

from __future__ import annotations

from collections.abc import Callable

from ...adapters.contract import Capability
from ...errors import BadInput
from ...scene_graph.goal_evaluation import Progress
from ...scene_graph.graph import SceneGraph
from ...scene_graph.json_codec import check_well_formed, graph_from_data, graph_to_data
from ...scene_graph.node import OPPOSITE
from ..assumption import CannotTell, Checks, Differs, Topic, expect
from ..bench import Bench, Broke, Hung, Refused
from .walk import walk

CHECKS = Checks("")

_CONTRACT = "adapters/contract.py"
_EXECUTOR = "skills/executor.py: Executor.restore"
#: Tries that are repeated in a new engine.
_REPEATED = 8


@CHECKS.assume(
    Topic.SCENE,
    "`reset` loads the scene of a task within the spec's time, and raises nothing unexpected.",
    source=f"{_CONTRACT}: Adapter.reset",
    bare=True,
)
def reset_loads(bench: Bench) -> str:
    try:
        bench.begin(again=True)
    except (Broke, Hung) as error:
        raise Differs(str(error)) from None
    return bench.steps[-1]


@CHECKS.assume(
    Topic.CONTRACT,
    "`graph` gives a SceneGraph with the capability graph, and None without it.",
    source=f"{_CONTRACT}: Adapter.graph",
)
def graph_is_as_said(bench: Bench) -> str:
    found = bench.call("graph", bench.adapter.graph, said=False)
    said = Capability.GRAPH in bench.spec.capabilities
    fits = isinstance(found, SceneGraph) if said else found is None
    return expect(fits, f"{type(found).__name__}, {'with' if said else 'without'} the capability")


@CHECKS.assume(
    Topic.CONTRACT,
    "The true state is well formed at every moment, with an agent in a room.",
    source="scene_graph/json_codec.py: check_well_formed",
)
def graph_is_well_formed(bench: Bench) -> str:
    states = walk(bench).states()
    for when, graph in states:
        try:
            check_well_formed(graph, "the state")
            agent = graph.agent()
        except BadInput as error:
            raise Differs(f"{when}: {error}") from None
        if graph.room_ids and graph.room_of(agent.id) is None:
            raise Differs(f"{when}: the agent is in no room")
    return f"{len(states)} states with {len(states[0][1])} nodes"


@CHECKS.assume(
    Topic.STATES,
    "No thing is in two states that exclude each other, such as open and closed.",
    source="scene_graph/node.py: OPPOSITE",
)
def states_exclude_each_other(bench: Bench) -> str:
    for when, graph in walk(bench).states():
        for node in graph.nodes():
            both = [state for state in node.states if OPPOSITE.get(state) in node.states]
            if both:
                raise Differs(f"{when}: {node.category} {node.id} is {' and '.join(sorted(both))}")
    return "none is"


@CHECKS.assume(
    Topic.NAMES,
    "A node keeps its id, its category and its native id for the whole episode.",
    source="DESIGN, section 2; names by first sight rest on it",
)
def ids_stay(bench: Bench) -> str:
    (_, start), *later = walk(bench).states()
    for when, graph in later:
        for node in graph.nodes():
            was = start.get(node.id)
            if was is not None and (was.category, was.native_id) != (node.category, node.native_id):
                raise Differs(f"{when}: node {node.id}, a {was.category}, is a {node.category}")
        if graph.agent().id != start.agent().id:
            raise Differs(f"{when}: the agent is node {graph.agent().id}, not {start.agent().id}")
    return f"{len(start)} nodes kept them over {len(later)} actions"


@CHECKS.assume(
    Topic.CONTRACT,
    "The graph belongs to the caller: changing it changes neither the world nor the next graph.",
    source=f"{_CONTRACT}: Adapter.graph",
)
def graph_is_the_callers(bench: Bench) -> str:
    before, mine = bench.graph().copy(), bench.graph()
    victim = next((n.id for n in mine.nodes() if n.id != mine.agent().id), None)
    if victim is None:
        raise CannotTell("there is nothing but the agent")
    mine.remove_node(victim)
    after = bench.graph()
    bench.begin(again=True)
    return _same(before, after, f"node {victim} was removed from a copy")


@CHECKS.assume(
    Topic.CONTRACT,
    "Reading the state or the view changes nothing.",
    source=f"{_CONTRACT}: Adapter.graph, Adapter.view",
)
def reading_changes_nothing(bench: Bench) -> str:
    before = bench.graph()
    first, second = bench.view(), bench.view()
    if first != second:
        raise Differs("two views in a row differ")
    return _same(before, bench.graph(), "read twice")


@CHECKS.assume(
    Topic.CONTRACT,
    "The true state survives JSON, in which it is recorded and sent.",
    source="scene_graph/json_codec.py; adapters/process",
)
def graph_survives_json(bench: Bench) -> str:
    for when, graph in walk(bench).states():
        try:
            again = graph_from_data(graph_to_data(graph), "the state")
        except (BadInput, TypeError, ValueError, AttributeError) as error:
            raise Differs(f"{when}: {error}") from None
        _same(graph, again, when)
    return "it does at every moment"


@CHECKS.assume(
    Topic.RESTART,
    "The same task and seed begin in the same state.",
    source=f"{_CONTRACT}: Capability.SEED; {_EXECUTOR}",
)
def starts_are_the_same(bench: Bench) -> str:
    _needs(bench, Capability.SEED, Capability.REPLAYABLE)
    before = bench.graph()
    bench.begin(again=True)
    return _same(before, bench.graph(), "reset twice")


@CHECKS.assume(
    Topic.RESTART,
    "A reset undoes all that was done.",
    source=f"{_EXECUTOR}; episodes are played one after another in one adapter",
)
def reset_undoes(bench: Bench) -> str:
    _needs(bench, Capability.SEED, Capability.REPLAYABLE)
    (_, start), *later = walk(bench).states()
    bench.begin(again=True)
    return _same(start, bench.graph(), f"reset after {len(later)} actions")


@CHECKS.assume(
    Topic.RESTART,
    "The same tries from the same start lead to the same state.",
    source=_EXECUTOR,
)
def tries_repeat(bench: Bench) -> str:
    return _repeated(bench, lambda: bench.begin(again=True), None)


@CHECKS.assume(
    Topic.RESTART,
    "The same tries lead to the same state in an engine that was started again.",
    source=_EXECUTOR,
)
def tries_repeat_after_a_restart(bench: Bench) -> str:
    return _repeated(bench, bench.restart, _REPEATED)


def _repeated(bench: Bench, start_again: Callable[[], None], most: int | None) -> str:
    """Do the tries of the walk again after a new start."""
    _needs(bench, Capability.REPLAYABLE)
    steps = walk(bench).steps[:most]
    (_, wanted) = walk(bench).states()[len(steps)]
    start_again()
    for step in steps:
        bench.do(step.action)
    return _same(wanted, bench.graph(), f"{len(steps)} tries again")


@CHECKS.assume(
    Topic.RESTART,
    "An adapter may be closed at any time and more than once; a reset brings it back.",
    source=f"{_CONTRACT}: Adapter.close",
)
def closing_is_harmless(bench: Bench) -> str:
    adapter = bench.adapter
    try:
        for _ in range(2):
            bench.call("close", adapter.close, changes=True)
        bench.begin(again=True)
    except (Broke, Hung, Refused) as error:
        raise Differs(str(error)) from None
    return "closed twice, and back"


@CHECKS.assume(
    Topic.RESTART,
    "An episode that can be replayed is not continued in the world as it is: `resume` says so.",
    source=f"{_CONTRACT}: Adapter.resume",
)
def resume_is_for_real_rooms(bench: Bench) -> str:
    _needs(bench, Capability.REPLAYABLE)
    try:
        bench.call("resume", lambda: bench.adapter.resume(bench.task, 0), changes=True)
    except Refused as error:
        return str(error)
    except Broke as error:
        raise Differs(str(error)) from None
    raise Differs("it continued")


@CHECKS.assume(
    Topic.CONTRACT,
    "`judge` gives a Progress with the capability judge, and None without it.",
    source=f"{_CONTRACT}: Adapter.judge",
)
def judge_is_as_said(bench: Bench) -> str:
    found = bench.call("judge", lambda: bench.adapter.judge(bench.task))
    said = Capability.JUDGE in bench.spec.capabilities
    fits = isinstance(found, Progress) if said else found is None
    return expect(fits, f"{found!r}, {'with' if said else 'without'} the capability")


def _needs(bench: Bench, *abilities: Capability) -> None:
    """Raise CannotTell for an adapter that promises none of these."""
    if bench.spec.capabilities.isdisjoint(abilities):
        raise CannotTell(f"the adapter does not promise {' or '.join(abilities)}")


def _same(one: SceneGraph, other: SceneGraph, when: str) -> str:
    """Words for two equal states. Raises Differs, with what differs first."""
    if one == other:
        return f"{when}: the same state"
    things = {n.id: n for n in one.nodes()}
    changed = [
        n.id
        for n in other.nodes()
        if things.get(n.id) != n or {*one.outgoing(n.id)} != {*other.outgoing(n.id)}
    ]
    gone = [each for each in things if each not in other]
    named = [f"{(other.get(i) or things[i]).category} {i}" for i in (*changed, *gone)]
    raise Differs(f"{when}: {len(named)} nodes differ: {', '.join(named[:4])}")
