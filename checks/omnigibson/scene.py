"""What is assumed of the start of an activity, of names, and of starting again."""

from __future__ import annotations

import re

from ...adapters.omnigibson import activities
from ...adapters.omnigibson.goals import to_goal
from ...adapters.omnigibson.primitives import Primitive
from ...adapters.omnigibson.scenes import ids_of
from ...adapters.scenes import load_scene, split_scene
from ...scene_graph.goal_evaluation import satisfied
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind, State
from ..assumption import CannotTell, Checks, Topic, expect
from ..bench import Bench
from .episode import engine_of, episode_of, holding, raw_state_of, result_text, run

CHECKS = Checks("omnigibson")

_BACKEND = "adapters/omnigibson/omnigibson_backend.py"
_SIMULATOR = "adapters/omnigibson/simulator.py"
_ROOM = re.compile(r"[a-z][a-z_]*_\d+")
_GROUND = ("floor", "lawn", "driveway")


@CHECKS.assume(
    Topic.NAMES,
    "Names of things are unique in a scene.",
    source=f"{_BACKEND}: _name gives ids by names; Scene.object_registry(name)",
)
def names_are_unique(bench: Bench) -> str:
    names = [thing["name"] for thing in raw_state_of(bench)["objects"]]
    twice = sorted({name for name in names if names.count(name) > 1})
    return expect(not twice, f"{len(names)} names, twice: {', '.join(twice[:5]) or 'none'}")


@CHECKS.assume(
    Topic.SCENE,
    "Every object of the activity is in the scene, under the activity's name for it.",
    source=f"{_SIMULATOR}: _scope reads task.object_scope; goals name these objects",
)
def the_activitys_things_are_there(bench: Bench) -> str:
    graph, own = bench.graph(), _own(bench)
    lacking = [str(own[thing].native_id) for thing in own.by_id if thing not in graph]
    return expect(not lacking, f"of {len(own)} objects are lacking: {', '.join(lacking) or 'none'}")


@CHECKS.assume(
    Topic.SCENE,
    "At the start the activity's objects are where its definition puts them.",
    source="bddl: (:init) of problem0.bddl; adapters/omnigibson/scenes.py",
)
def the_start_is_as_declared(bench: Bench) -> str:
    graph, own = bench.graph(), _own(bench)
    wrong = [
        f"{own[source].native_id} is not {relation} {own[target].native_id}"
        for source, relation, target in own.edges()
        if source in graph and not graph.has_edge(source, relation, target)
    ]
    return expect(not wrong, "; ".join(wrong[:3]) or f"all {sum(1 for _ in own.edges())} relations")


@CHECKS.assume(
    Topic.SCENE,
    "At the start the activity's furniture is in the sort of room that its definition names.",
    source="bddl: inroom; adapters/omnigibson/simulator.py: in_rooms",
)
def furniture_is_in_its_room(bench: Bench) -> str:
    graph, known = bench.graph(), load_scene(bench.task.scene)
    rooms = {
        str(node.native_id): (_room(known, node.id), _room(graph, node.id))
        for node in _own(bench).nodes(Kind.FIXTURE)
        if node.id in graph
    }
    wrong = [f"{name}: {got}, not {want}" for name, (want, got) in rooms.items() if want != got]
    return expect(not wrong, "; ".join(wrong[:3]) or f"{len(rooms)} of {len(rooms)}")


@CHECKS.assume(
    Topic.HANDS,
    "At the start the hand is empty.",
    source="bddl: no definition begins with a thing in the hand",
)
def the_hand_is_empty_at_the_start(bench: Bench) -> str:
    graph = bench.graph()
    held = graph.held(graph.agent().id)
    return expect(not held, f"it holds {', '.join(map(str, held)) or 'nothing'}")


@CHECKS.assume(
    Topic.STATES,
    "At the start doors are shut and devices are off, but for what the definition says.",
    source="adapters/omnigibson/scenes.py; plans of the expert open what is shut",
)
def doors_are_shut_at_the_start(bench: Bench) -> str:
    own = set(_own(bench).by_id)
    odd = [
        f"{node.category} {node.id}"
        for node in bench.graph().nodes(Kind.FIXTURE)
        if node.states & {State.OPEN, State.ON} and node.id not in own
    ]
    return expect(not odd, f"open or on: {', '.join(odd[:5]) or 'none'}")


@CHECKS.assume(
    Topic.STATES,
    "What can be opened has the state Open, and nothing else has it.",
    source=f"{_BACKEND}: affordances from abilities; {_SIMULATOR}: states from object_states.Open",
)
def the_openable_have_a_door(bench: Bench) -> str:
    return _agree(bench.graph(), Affordance.OPENABLE, State.OPEN, State.CLOSED)


@CHECKS.assume(
    Topic.STATES,
    "What can be switched has the state ToggledOn, and nothing else has it.",
    source=f"{_BACKEND}: affordances from abilities; {_SIMULATOR}: object_states.ToggledOn",
)
def the_switchable_have_a_switch(bench: Bench) -> str:
    return _agree(bench.graph(), Affordance.SWITCHABLE, State.ON, State.OFF)


@CHECKS.assume(
    Topic.NAMES,
    "Rooms are named by their sort and a number, such as kitchen_0.",
    source=f"{_BACKEND}: _category; SegmentationMap.get_room_instance_by_point",
)
def rooms_are_named_by_sort_and_number(bench: Bench) -> str:
    names = [str(node.native_id) for node in bench.graph().nodes(Kind.ROOM)]
    odd = [name for name in names if not _ROOM.fullmatch(name)]
    return expect(bool(names) and not odd, f"{len(names)} rooms; otherwise: {', '.join(odd[:5])}")


@CHECKS.assume(
    Topic.SCENE,
    "Every room with things in it has a floor.",
    source=f"{_SIMULATOR}: _object goes to the floor of a room",
)
def rooms_have_floors(bench: Bench) -> str:
    graph = bench.graph()
    used = {graph.room_of(node.id) for node in graph.nodes(Kind.FIXTURE)} - {None}
    floors = {
        graph.room_of(node.id)
        for node in graph.nodes()
        if node.category.startswith(_GROUND) and node.kind is Kind.FIXTURE
    }
    bare = [str(graph[room].native_id) for room in used - floors if room is not None]
    return expect(bool(floors) and not bare, f"{len(used)} rooms; no floor: {', '.join(bare[:5])}")


@CHECKS.assume(
    Topic.SCENE,
    "The robot is in a room at the start.",
    source=f"{_SIMULATOR}: _room_at; views are of rooms",
)
def the_robot_is_in_a_room(bench: Bench) -> str:
    graph = bench.graph()
    room = graph.room_of(graph.agent().id)
    return expect(room is not None, f"it is in {'no room' if room is None else _room(graph, room)}")


@CHECKS.assume(
    Topic.SCENE,
    "Every thing is in a room.",
    source=f"{_BACKEND}: _relate; instructions and views name things by their rooms",
)
def things_are_in_rooms(bench: Bench) -> str:
    graph = bench.graph()
    handled = [node for kind in (Kind.FIXTURE, Kind.OBJECT) for node in graph.nodes(kind)]
    outside = [str(node.native_id) for node in handled if graph.room_of(node.id) is None]
    return expect(not outside, f"{len(handled)} things; in none: {', '.join(outside[:5])}")


@CHECKS.assume(
    Topic.STATES,
    "No two things are on or in one another in a circle.",
    source=f"{_BACKEND}: _relate leaves out a relation that closes a circle",
)
def things_lie_without_circles(bench: Bench) -> str:
    pairs = {(name, place) for _, name, place in raw_state_of(bench)["relations"]}
    odd = sorted(f"{name} and {place}" for name, place in pairs if (place, name) in pairs)
    return expect(not odd, f"{len(pairs)} pairs; in a circle: {', '.join(odd[:3]) or 'none'}")


@CHECKS.assume(
    Topic.SCENE,
    "A thing without a fixed base is in the room where it is now, also after it was carried there.",
    source=f"{_SIMULATOR}: in_rooms is of the start; _room_at tells the room by the position",
)
def carried_things_change_their_room(bench: Bench) -> str:
    things = episode_of(bench).things
    step = episode_of(bench).step("place on top", needs=holding(things.thing))
    before, after = (
        _room_id(episode_of(bench).start, things.thing),
        _room_id(step.after, things.thing),
    )
    table = _room_id(step.after, things.table)
    if before == table:
        raise CannotTell("the table of the scene is in the thing's own room")
    return expect(after == table, f"{step.answer}; it is in the room {after}, the table in {table}")


@CHECKS.assume(
    Topic.SCENE,
    "OmniGibson's own goal holds just when the goal holds that we read from the definition.",
    source="adapters/omnigibson/goals.py; info['done']['goal_status'] of BehaviorTask",
)
def goals_agree(bench: Bench) -> str:
    engine_of(bench)
    known = load_scene(bench.task.scene)
    name = split_scene(bench.task.scene)[1]
    goal = to_goal(activities.read(name), ids_of(known))
    named = {str(node.native_id): node.id for node in known.nodes()}
    cans = [thing for native, thing in named.items() if native.startswith("can__of__soda")]
    bins = [thing for native, thing in named.items() if native.startswith("ashcan")]
    if not cans or not bins:
        raise CannotTell("the scene has no cans and no bin")
    answers, agree = [], True
    for number, can in enumerate(cans, 1):
        for primitive, about in ((Primitive.GRASP, can), (Primitive.PLACE_INSIDE, bins[0])):
            result = run(bench, primitive, about)
            if result.error is not None:
                raise CannotTell(f"{primitive}: {result_text(result)}")
        told_goal = raw_state_of(bench)["goal"]
        if told_goal is None:
            raise CannotTell("no goal_status in the last step's info")
        ours, theirs = satisfied(goal, bench.graph()), not told_goal["unsatisfied"]
        agree &= ours == theirs
        answers.append(f"{number} in the bin: {told_goal}, ours {'holds' if ours else 'does not'}")
    return expect(agree, "; ".join(answers))


@CHECKS.assume(
    Topic.NAMES,
    "Names of things stay the same through an episode.",
    source=f"{_BACKEND}: ids are kept by names; recordings refer to ids",
)
def names_stay(bench: Bench) -> str:
    episode = episode_of(bench)
    if not episode.steps:
        raise CannotTell(f"nothing was played: {episode.lost}")
    start, end = episode.start, list(episode.steps.values())[-1].after
    first, last = ({(n.id, n.native_id) for n in graph.nodes()} for graph in (start, end))
    answer = f"{len(episode.steps)} primitives; {len(first - last)} gone, {len(last - first)} new"
    return expect(first == last, answer)


@CHECKS.assume(
    Topic.RESTART,
    "A reset brings back the start, with its names, places and states.",
    source="adapters/contract.py: reset; Environment.reset",
)
def a_reset_brings_back_the_start(bench: Bench) -> str:
    before = bench.graph()
    thing = episode_of(bench).things.thing
    run(bench, Primitive.GRASP, thing)
    bench.begin(again=True)
    return _same(before, bench.graph())


@CHECKS.assume(
    Topic.RESTART,
    "The same primitives from the same start lead to the same places and states.",
    source="adapters/contract.py: REPLAYABLE; poses are sampled from the seed",
)
def a_replay_leads_to_the_same_state(bench: Bench) -> str:
    things = episode_of(bench).things
    ends = []
    for _ in range(2):
        bench.begin(again=True)
        for primitive, about in (
            (Primitive.GRASP, things.thing),
            (Primitive.PLACE_ON_TOP, things.table),
        ):
            result = run(bench, primitive, about)
            if result.error is not None:
                raise CannotTell(f"{primitive}: {result_text(result)}")
        ends.append(bench.graph())
    return _same(*ends)


@CHECKS.assume(
    Topic.RESTART,
    "A new process starts the activity with the same names, places and states.",
    source="skills/executor.py: a simulator that died is started again, and the episode restored",
)
def a_new_process_starts_the_same(bench: Bench) -> str:
    before = bench.graph()
    bench.restart()
    return _same(before, bench.graph())


def _own(bench: Bench) -> SceneGraph:
    """The activity's own objects, as its definition has them."""
    known = load_scene(bench.task.scene)
    return known.part(
        node.id
        for kind in (Kind.FIXTURE, Kind.OBJECT)
        for node in known.nodes(kind)
        if ".n." in str(node.native_id)
    )


def _room(graph: SceneGraph, node: int) -> str:
    room = graph.room_of(node)
    return "no room" if room is None else graph[room].category


def _room_id(graph: SceneGraph, node: int) -> int | None:
    return graph.room_of(node)


def _agree(graph: SceneGraph, affordance: Affordance, *states: State) -> str:
    """Whether just those things have one of the states that have the affordance."""
    able = {node.id for node in graph.nodes() if affordance in node.affordances}
    have = {node.id for node in graph.nodes() if not node.states.isdisjoint(states)}
    odd = [f"{graph[node].category} {node}" for node in sorted(able ^ have)]
    answer = f"{len(able)} are {affordance}, {len(have)} have the state; odd: {', '.join(odd[:5])}"
    return expect(bool(able) and not odd, answer)


def _same(one: SceneGraph, other: SceneGraph) -> str:
    """Whether two states have the same names, relations and states of things."""
    facts = []
    for graph in (one, other):
        found = {f"{node.id} is named {node.native_id}" for node in graph.nodes()}
        found |= {f"{node.id} is {state}" for node in graph.nodes() for state in node.states}
        found |= {f"{source} {relation} {target}" for source, relation, target in graph.edges()}
        facts.append(found)
    odd = sorted(facts[0] ^ facts[1])
    answer = f"of {len(facts[0])} facts {len(odd)} differ{': ' if odd else ''}{'; '.join(odd[:3])}"
    return expect(not odd, answer)
