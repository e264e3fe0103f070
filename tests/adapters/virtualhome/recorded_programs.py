"""The programs of virtualhome-eval, played through our adapter.

A program is a list of lines of VirtualHome's script language, with the graphs before and after it
as the simulator left them. Its lines become actions by this rule:

- FIND and WALK are `go_to`; FIND is nothing where the thing is in reach already, or where the agent
  sits or lies and could not walk.
- PUTBACK onto what is a container and no surface (the sink) is `put` into it.
- PUTOBJBACK is `put` back to where the thing was picked up, or `drop` where that was no place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from peephole.adapters.virtualhome import scenes
from peephole.adapters.virtualhome.commands import VERB_OF, Line
from peephole.adapters.virtualhome.graph_import import to_scene_graph
from peephole.adapters.virtualhome.package import graphs_path, programs_path, simulator
from peephole.adapters.virtualhome.server import EvolvingGraph
from peephole.errors import BadInput
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import POSTURES, Affordance, Relation, State
from peephole.skills.actions import WITHOUT_TARGET, Action, Verb, drop, go_to, pour, put
from peephole.skills.dynamics import PUTS_BY_AFFORDANCE
from peephole.skills.reach import reaches

#: The programs that do not end as recorded through our adapter, and why.
REFUSED = {
    "341_1": "grabs, sitting in one room, what is in a cupboard of another",
    "538_1": "unplugs a television that is on, which the simulator itself means to refuse",
    "624_1": "grabs what it holds; the simulator refuses that as well",
    "688_1": "grabs what it holds; the simulator refuses that as well",
}

#: Does an action and says whether it succeeded.
Doing = Callable[[Action], bool]


@dataclass
class ProgramRun:
    """How a program went.

    refused: the line at which it stopped. wrong: the things whose states are not those that the
    simulator recorded at the end.
    """

    program: str
    refused: str = ""
    wrong: list[int] = field(default_factory=list)

    @property
    def same(self) -> bool:
        return not self.refused and not self.wrong


def references() -> list[str]:
    """The names of all programs, "1004_2". Raises Missing."""
    return sorted(path.stem.removeprefix("file") for path in programs_path().glob("file*.txt"))


def read(reference: str) -> list[Line]:
    """The lines of a program."""
    path = programs_path() / f"file{reference}.txt"
    lines = []
    for text in path.read_text(encoding="utf-8").splitlines():
        if text.strip().startswith("["):
            command = re.match(r"\[(\w+)\]", text.strip())
            if command is None:
                raise BadInput(f"{path} has the line '{text}'; reinstall virtualhome-eval.")
            things = tuple(int(number) for number in re.findall(r"\(\d+\.(\d+)\)", text))
            lines.append((command[1].upper(), things))
    return lines


def play(reference: str, do: Doing, graph: Callable[[], SceneGraph]) -> ProgramRun:
    """Play a program in its scene. graph: the state now."""
    played = ProgramRun(reference)
    grabbed_from: dict[int, tuple[Relation, int] | None] = {}
    for line in read(reference):
        for action in _actions(line, graph(), grabbed_from):
            if action.verb is Verb.PICK_UP:
                assert action.target is not None
                grabbed_from[action.target] = _place(graph(), action.target)
            if not do(action):
                played.refused = f"{_worded(line)}: {action.verb}"
                return played
    played.wrong = _wrong_states(reference, graph())
    return played


def play_alone(reference: str) -> ProgramRun:
    """Play a program in the simulator itself, line by line, without our model and adapter."""
    played = ProgramRun(reference)
    world = EvolvingGraph(simulator())
    scene = scenes.read(reference)
    characters = [node["id"] for node in scene["nodes"] if node["class_name"] == "character"]
    world.reset(scene, [node["id"] for node in scene["nodes"]], characters)
    for command, things in read(reference):
        if world.do(command, things) is not None:
            played.refused = _worded((command, things))
            return played
    states = world.read()["states"]
    for node in _final(reference)["nodes"]:
        if sorted(node["states"]) != states[node["id"]]:
            played.wrong.append(node["id"])
    return played


def _actions(
    line: Line,
    graph: SceneGraph,
    grabbed_from: dict[int, tuple[Relation, int] | None],
) -> Iterator[Action]:
    """The action of one line, if it has one."""
    command, things = line
    if command in ("WALK", "RUN", "FIND"):
        (thing,) = things
        me = graph.agent().id
        resting = not POSTURES.isdisjoint(graph[me].states)
        carried = graph.holder(thing) is not None or me in graph.above(thing)
        found = command == "FIND" and (resting or reaches(graph, me, thing))
        if not carried and not found:
            yield go_to(thing)
    elif command == "PUTOBJBACK":
        (thing,) = things
        place = grabbed_from.get(thing)
        yield drop(thing) if place is None else put(thing, *place)
    else:
        yield _action(command, things, graph)


def _action(command: str, things: tuple[int, ...], graph: SceneGraph) -> Action:
    if command in ("PUTBACK", "PUTIN"):
        thing, place = things
        can = graph[place].affordances
        into = command == "PUTIN" or (Affordance.SURFACE not in can and Affordance.CONTAINER in can)
        return put(thing, Relation.INSIDE if into else Relation.ON, place)
    if command == "POUR":
        return pour(*things)
    verb = VERB_OF[command]
    return Action(verb) if verb in WITHOUT_TARGET else Action(verb, things[0])


def _place(graph: SceneGraph, thing: int) -> tuple[Relation, int] | None:
    """The place of a thing, if it can be put back there."""
    for relation, place in graph.places(thing):
        if any(
            relation is how and can in graph[place].affordances for can, how in PUTS_BY_AFFORDANCE
        ):
            return relation, place
    return None


def _wrong_states(reference: str, graph: SceneGraph) -> list[int]:
    expected = to_scene_graph(_final(reference), f"the end of program {reference}")
    return [
        node.id
        for node in expected.nodes()
        if node.states != graph[node.id].states - {State.SLICED}
    ]


def _final(reference: str) -> dict[str, Any]:
    path = graphs_path() / f"file{reference}.json"
    graph: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["final_graph"]
    return graph


def _worded(line: Line) -> str:
    command, things = line
    return " ".join([f"[{command}]", *map(str, things)])
