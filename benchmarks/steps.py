"""Steps a second of the built-in world beside its peers, in one process.

    make bench                                    # sets up the peers as well
    .venv/bin/python benchmarks/steps.py          # only the evolving graph, without the others

Every round runs us and each peer in turn; printed are medians of the rounds' ratios. The evolving
graph executes the very same actions, all of which succeed, on the same houses (virtualhome-eval's
1004_2 and a generated one of 199 nodes), in its copying mode, in place, and copying with its
full-state dump after every step, which is how an observation is got from it. TextWorld plays a game
of its own generator, and the ALFWorld-style game is ALFWorld's PDDL domain and grammar on a
generated kitchen: there we too make the menu of actions each step, because theirs is part of every
step.
All times are CPU seconds of this process, so that other work on the machine counts less.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from peephole.adapters.scenes import load_scene
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.adapters.virtualhome.houses import scenes as houses
from peephole.adapters.virtualhome.package import simulator
from peephole.adapters.virtualhome.scenes import read
from peephole.episodes.environment import Environment
from peephole.episodes.events import SCHEMA_VERSION, RecordedEvent, Stepped
from peephole.episodes.journal import Journal
from peephole.episodes.recording import EpisodeLog
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.incremental_view import IncrementalView
from peephole.observation_text.names import Names
from peephole.observation_text.observer import Observer
from peephole.observation_text.view import Visibility, visible
from peephole.planners.contract import Grant
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Kind, Relation, State
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.skills import actions
from peephole.skills.actions import Action, Verb
from peephole.skills.dynamics import step
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Outcome
from peephole.suites.registry import load_suite

PROGRAM = "1004_2"
GENERATED = "8?rooms=5"
BODY = Embodiment()
_LINES = {
    Verb.GO_TO: "WALK",
    Verb.OPEN: "OPEN",
    Verb.CLOSE: "CLOSE",
    Verb.PICK_UP: "GRAB",
    Verb.PUT: "PUTBACK",
}


def errands(house: SceneGraph, count: int, seed: int = 0) -> list[Action]:
    """Actions that all succeed: visit places, open them, take things out and put them back.

    A place in another room is visited through that room: from elsewhere the agent does not know it.
    """
    dice = random.Random(seed)
    world = house.copy()
    places = [n.id for n in world.nodes(Kind.FIXTURE) if world.closed_around(n.id) is None]
    done: list[Action] = []

    def try_(action: Action) -> bool:
        if step(world, action, BODY) is not None:
            return False
        done.append(action)
        return True

    me = world.agent().id
    while len(done) < count:
        place = dice.choice(places)
        room = world.room_of(place)
        if room is not None and room != world.room_of(me):
            try_(actions.go_to(room))
        try_(actions.go_to(place))
        opened = State.CLOSED in world[place].states and try_(actions.open_(place))
        if Affordance.SURFACE in world[place].affordances:
            for thing in world.contents(place)[:2]:
                if try_(actions.pick_up(thing)):
                    try_(actions.put(thing, Relation.ON, place))
        if opened:
            try_(actions.close(place))
    return done[:count]


def ours(house: SceneGraph, script: list[Action], *, menu: bool = False) -> float:
    """CPU seconds for a script in the built-in world, with the view and its text at every step."""
    world = house.copy()
    sight = IncrementalView(world, Visibility.NEAR)
    observer = Observer(Names(), DIALECT, frozenset(Verb))
    observer.start(sight.view())
    done = Outcome(None)
    began = time.process_time()
    for action in script:
        failure = observer.admit(action) or step(world, action, BODY)
        assert failure is None, "errands succeed"
        observer.after(sight.view(), action, done)
        if menu:
            observer.menu()
    return time.process_time() - began


def evolving_graph(
    house: dict[str, Any], script: list[Action], *, in_place: bool, dump: bool
) -> float:
    """CPU seconds for the same script in VirtualHome's simulator."""
    modules = simulator()
    graph = modules.environment.EnvironmentGraph(house)
    state = modules.environment.EnvironmentState(graph, {}, instance_selection=True)
    executor = modules.execution.ScriptExecutor(graph, {}, char_index=0)
    lines = []
    for action in script:
        things = " ".join(f"<{state.get_node(i).class_name}> ({i})" for i in action.things)
        line = f"[{_LINES[action.verb]}] {things}"
        lines.append(modules.scripts.Script([modules.scripts.parse_script_line(line, 0)]))
    began = time.process_time()
    for line in lines:
        _, state = executor.execute_one_step(line, state, in_place=in_place)
        if dump:
            state.to_dict()
    return time.process_time() - began


def textworld_game(folder: Path) -> str:
    """A game by TextWorld's own generator: 8 rooms, 40 objects."""
    import textworld

    options = textworld.GameOptions()
    options.path = str(folder / "house.z8")
    options.nb_rooms, options.nb_objects, options.quest_length = 8, 40, 5
    options.seeds = 1234
    options.file_ext = ".z8"
    game = textworld.generator.make_game(options)
    return str(textworld.generator.compile_game(game, options))


def kitchen() -> dict[str, str]:
    """An ALFWorld-style game: its domain and grammar, 30 receptacles and 60 objects."""
    spec = find_spec("alfworld")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    data = Path(spec.submodule_search_locations[0]) / "data"
    receptacles = [f"cabinet_{i}" for i in range(20)] + [f"counter_{i}" for i in range(10)]
    things = [f"apple_{i}" for i in range(60)]
    facts = ["(atLocation agent_1 place_30)", "(= (total-cost) 0)"]
    for i, name in enumerate(receptacles):
        sort = name.split("_")[0]
        facts += [
            f"(receptacleAtLocation {name} place_{i})",
            f"(receptacleType {name} {sort}_type)",
        ]
        facts += [f"(openable {name})"] if sort == "cabinet" else []
    for i, name in enumerate(things):
        at = i % len(receptacles)
        facts += [f"(objectType {name} apple_type)", f"(pickupable {name})"]
        facts += [
            f"(inReceptacle {name} {receptacles[at]})",
            f"(objectAtLocation {name} place_{at})",
        ]
    facts += [f"(canContain {sort}_type apple_type)" for sort in ("cabinet", "counter")]
    places = " ".join(f"place_{i}" for i in range(len(receptacles) + 1))
    problem = (
        f"(define (problem kitchen) (:domain alfred) (:objects agent_1 - agent {places} - location "
        f"{' '.join(receptacles)} - receptacle {' '.join(things)} - object "
        f"cabinet_type counter_type - rtype apple_type - otype) (:init {' '.join(facts)}) "
        f"(:goal (inReceptacle apple_0 counter_0)) (:metric minimize (total-cost)))"
    )
    return {
        "pddl_domain": (data / "alfred.pddl").read_text(),
        "grammar": (data / "alfred.twl2").read_text(),
        "pddl_problem": problem,
    }


def play(environment: Any, steps: int) -> float:
    """CPU seconds for random admissible commands, the menu among what each step gives."""
    state = environment.reset()
    dice = random.Random(0)
    began = time.process_time()
    for _ in range(steps):
        state, _, done = environment.step(dice.choice(state.admissible_commands))
        if done:
            state = environment.reset()
    return time.process_time() - began


def peers(folder: Path) -> dict[str, tuple[Callable[[], float], int]]:
    """The text games that are installed: seconds for a number of steps."""
    if find_spec("textworld") is None:
        print("TextWorld is not installed here; `make bench` sets it up.", file=sys.stderr)
        return {}
    import textworld

    wanted = textworld.EnvInfos(admissible_commands=True, feedback=True)
    found: dict[str, tuple[Callable[[], float], int]] = {}
    game = textworld.start(textworld_game(folder), wanted)
    found["TextWorld, 8 rooms, 40 objects"] = (lambda: play(game, 200), 200)
    if find_spec("alfworld") is not None and find_spec("fast_downward") is not None:
        from textworld.envs.pddl import PddlEnv

        alfworld = PddlEnv(wanted)
        alfworld.load(kitchen())
        found["ALFWorld-style, 30 receptacles, 60 objects"] = (lambda: play(alfworld, 20), 20)
    return found


@contextmanager
def log_in_memory() -> Iterator[EpisodeLog]:
    """A recording that waits for no disk, where the system has files in memory."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with (
        tempfile.TemporaryDirectory(dir=memory) as folder,
        EpisodeLog(Path(folder) / "episode.jsonl") as log,
    ):
        yield log


def environment_steps(script: list[Action], journal: Journal | None = None) -> float:
    """CPU seconds for a step of an environment: all that an episode does but for its planner."""
    tasks = load_suite("robothow").tasks
    environment = Environment(
        SymbolicAdapter(),
        next(task for task in tasks if task.scene == f"virtualhome-eval:{PROGRAM}"),
        DIALECT,
        rules=Rules(ends=Ends.PLANNER_DONE),
        budgets=Budgets(steps=len(script) + 1),
        grants=frozenset({Grant.TRUTH}),  # the script has the simulator's ids
        journal=journal,
    )
    environment.reset()
    began = time.process_time()
    for action in script:
        percept = environment.step(action)
        assert percept.outcome is not None
        assert percept.outcome.success, "errands succeed"
    return (time.process_time() - began) / len(script)


def recorded_steps(script: list[Action]) -> float:
    """The same with a recording."""
    with log_in_memory() as log:
        return environment_steps(script, Journal(log))


def steps_to_record(script: list[Action]) -> list[Stepped]:
    """The events of a script's steps, with the changes of the world and the view."""
    events: list[RecordedEvent] = []
    environment_steps(script, Journal(watch=events.append))
    return [event for event in events if isinstance(event, Stepped)]


def recording(events: Sequence[Stepped], repeats: int = 10) -> float:
    """CPU seconds an event, encoded and written to a file in memory."""
    with log_in_memory() as log:
        began = time.process_time()
        for _ in range(repeats):
            for event in events:
                log.write(event)
        return (time.process_time() - began) / (repeats * len(events))


def text_after_one_change(house: SceneGraph, repeats: int = 2000) -> float:
    """CPU seconds for the text after an action that changes one object, its view at hand."""
    world = house.copy()
    observer = Observer(Names(), DIALECT, frozenset(Verb))
    observer.start(visible(world, Visibility.NEAR))
    graspable = (
        n.id
        for n in world.nodes(Kind.OBJECT)
        if Affordance.GRASPABLE in n.affordances and world.closed_around(n.id) is None
    )
    thing = next(graspable)
    step(world, actions.go_to(thing), BODY)
    step(world, actions.pick_up(thing), BODY)
    view = visible(world, Visibility.NEAR)
    began = time.process_time()
    for _ in range(repeats):
        observer.after(view, actions.pick_up(thing), Outcome(None))
    return (time.process_time() - began) / repeats


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    beside = {
        f"virtualhome-eval:{PROGRAM}": read(PROGRAM),
        f"house:{GENERATED}": houses.read(GENERATED),
    }
    results = {scene: compared(scene, data, options.rounds) for scene, data in beside.items()}
    house = load_scene(f"virtualhome-eval:{PROGRAM}")
    script = errands(house, 500)
    events = steps_to_record(script)
    measures: dict[str, Callable[[], float]] = {
        "text_us": lambda: text_after_one_change(house),
        "recording_us": lambda: recording(events),
        "environment_us": lambda: environment_steps(script),
        "recorded_us": lambda: recorded_steps(script),
    }
    found: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(options.rounds):
        for name, measure in measures.items():
            found[name].append(1e6 * measure())
    times = {name: statistics.median(each) for name, each in found.items()}
    if options.json:
        print(json.dumps({"houses": results, **times}, indent=2))
        return 0
    for scene, result in results.items():
        print(
            f"{scene}, {result['nodes']} nodes; medians of {options.rounds} rounds on one core.\n"
        )
        print(f"{'':46}{'steps/s':>10}{'we are faster by':>18}")
        for name, median in result["steps_per_s"].items():
            factor = result["ratio"].get(name)
            print(f"{name:46}{median:10,.0f}" + (f"{factor:17,.1f}x" if factor else ""))
        print()
    print(f"text after an action that changes one object: {times['text_us']:.1f} us")
    print(f"recording a step (schema version {SCHEMA_VERSION}): {times['recording_us']:.1f} us")
    print(
        f"a step of the environment, with truth and score: {times['environment_us']:.1f} us, "
        f"recorded {times['recorded_us']:.1f} us"
    )
    return 0


def compared(scene: str, data: dict[str, Any], rounds: int) -> dict[str, Any]:
    """Medians in one house: our steps a second and the peers', and the ratios to ours."""
    house = load_scene(scene)
    long, short = errands(house, 2000), errands(house, 200)
    figures: dict[str, list[float]] = {}
    ratios: dict[str, list[float]] = {}
    modes = {
        "evolving graph, copying": {"in_place": False, "dump": False},
        "evolving graph, in place": {"in_place": True, "dump": False},
        "evolving graph, copying, full-state dump": {"in_place": False, "dump": True},
    }
    with tempfile.TemporaryDirectory() as scratch:
        others = peers(Path(scratch)) if scene.startswith("virtualhome") else {}
        for _ in range(rounds):
            rate = len(long) / ours(house, long)
            menu_rate = len(long) / ours(house, long, menu=True)
            figures.setdefault("Peephole: world, view and text", []).append(rate)
            figures.setdefault("Peephole: the same with the menu", []).append(menu_rate)
            ratios.setdefault("Peephole: the same with the menu", []).append(rate / menu_rate)
            for name, mode in modes.items():
                theirs = len(short) / evolving_graph(data, short, **mode)
                figures.setdefault(name, []).append(theirs)
                ratios.setdefault(name, []).append(rate / theirs)
            for name, (run, steps) in others.items():
                theirs = steps / run()
                figures.setdefault(name, []).append(theirs)
                ratios.setdefault(name, []).append(menu_rate / theirs)
    return {
        "nodes": len(house),
        "steps_per_s": {name: statistics.median(rates) for name, rates in figures.items()},
        "ratio": {name: statistics.median(found) for name, found in ratios.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
