"""The stand-in of VirtualHome's Unity executable with one planted fault.

python benchmarks/faults/virtualhome_unity_engine.py FAULT [options of the stand-in]
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from typing import Any

from peephole.adapters.virtualhome.commands import VERB_OF
from peephole.adapters.virtualhome.unity.stand_in import __main__, apartment
from peephole.adapters.virtualhome.unity.stand_in.apartment import Apartment
from peephole.adapters.virtualhome.unity.stand_in.server import UnityCalls

Graph = dict[str, Any]
Answer = dict[str, Any]


def _report(change: Callable[[Apartment, Graph], None]) -> None:
    """Change the graph that is sent, not what is there."""

    def text(self: Apartment, *, stale: bool = False) -> str:
        graph = json.loads(json.dumps(self._graph()))
        change(self, graph)
        return json.dumps(json.dumps(graph))[1:-1]

    Apartment.text = text  # type: ignore[method-assign]


def _say(change: Callable[[Apartment, str, bool, str], tuple[bool, str]]) -> None:
    """Change the answer to a line."""
    honest = Apartment.do

    def do(self: Apartment, line: str) -> tuple[bool, str]:
        return change(self, line, *honest(self, line))

    Apartment.do = do  # type: ignore[method-assign]


def _loaded(change: Callable[[Graph], None], *, expanded: bool) -> None:
    """Change what is loaded, or what is built from a graph."""
    if expanded:
        honest_expand = Apartment.expand

        def expand(self: Apartment, graph: Graph) -> tuple[bool, str]:
            change(graph)
            return honest_expand(self, graph)

        Apartment.expand = expand  # type: ignore[method-assign]
        return
    honest_load = Apartment.load

    def load(self: Apartment, number: int) -> bool:
        loaded = honest_load(self, number)
        if loaded:
            graph = self._graph()
            change(graph)
            self._replace(graph)
        return loaded

    Apartment.load = load  # type: ignore[method-assign]


def _answers(change: Callable[[UnityCalls, Answer, Answer], None]) -> None:
    """Change what a call is answered."""
    honest = UnityCalls._execute

    def execute(self: UnityCalls, request: Answer, fault: Any) -> Answer:
        answer = honest(self, request, fault)
        change(self, request, answer)
        return answer

    UnityCalls._execute = execute  # type: ignore[method-assign]


# --- the faults ----------------------------------------------------------------------------------


def refuses_with_success() -> None:
    _say(lambda world, line, success, words: (True, words))


def refuses_in_other_words() -> None:
    def change(world: Apartment, line: str, success: bool, words: str) -> tuple[bool, str]:
        return success, words.replace("Script is impossible to execute", "Could not be done")

    _say(change)


def names_no_way() -> None:
    def change(world: Apartment, line: str, success: bool, words: str) -> tuple[bool, str]:
        return success, words.replace("No interaction positions", "Not found")

    _say(change)


def knows_fewer_commands() -> None:
    for command in ("PLUGIN", "PLUGOUT", "WASH", "POUR"):
        del VERB_OF[command]


def shows_effects_late() -> None:
    honest = Apartment.text
    shown: dict[str, Any] = {"text": "", "since": 0.0, "old": ""}

    def text(self: Apartment, *, stale: bool = False) -> str:
        now = honest(self)
        if now != shown["text"]:
            shown.update(old=shown["text"] or now, text=now, since=time.monotonic())
        late = time.monotonic() - shown["since"] < 0.15
        return str(shown["old"] if late else now)

    Apartment.text = text  # type: ignore[method-assign]


def has_an_unknown_property() -> None:
    def change(world: Apartment, graph: Graph) -> None:
        # Walls are left out by the adapter, which reads them all the same.
        graph["nodes"][-1]["properties"] = [*graph["nodes"][-1]["properties"], "EMISSIVE"]

    _report(change)


def numbers_at_random() -> None:
    def change(graph: Graph) -> None:
        ids = [node["id"] for node in graph["nodes"]]
        new = dict(zip(ids, random.sample(range(1, 2000), len(ids)), strict=True))
        for node in graph["nodes"]:
            node["id"] = new[node["id"]]
        for edge in graph["edges"]:
            edge.update(from_id=new[edge["from_id"]], to_id=new[edge["to_id"]])

    _loaded(change, expanded=False)


def loads_nothing_twice() -> None:
    honest = Apartment.load
    loaded: dict[Apartment, int] = {}

    def load(self: Apartment, number: int) -> bool:
        if loaded.get(self) != number:
            loaded[self] = number
            return honest(self, number)
        kept = self._graph()
        agents = {*self._agents}
        kept["nodes"] = [node for node in kept["nodes"] if node["id"] not in agents]
        kept["edges"] = [e for e in kept["edges"] if not {e["from_id"], e["to_id"]} & agents]
        self._replace(kept)
        return True

    Apartment.load = load  # type: ignore[method-assign]


def flickers() -> None:
    def change(world: Apartment, graph: Graph) -> None:
        lit = [node for node in graph["nodes"] if {"ON", "OFF"} & {*node["states"]}]
        kept = [state for state in lit[0]["states"] if state not in ("ON", "OFF")]
        lit[0]["states"] = [*kept, "ON" if int(time.monotonic() * 2.5) % 2 else "OFF"]

    _report(change)


def opens_without_closing() -> None:
    def change(world: Apartment, graph: Graph) -> None:
        for node in graph["nodes"]:
            if "OPEN" in node["states"]:
                node["states"] = [*node["states"], "CLOSED"]

    _report(change)


def hides_the_enclosed() -> None:
    def change(world: Apartment, graph: Graph) -> None:
        shut = {node["id"] for node in graph["nodes"] if "CLOSED" in node["states"]}
        hidden = {
            edge["from_id"]
            for edge in graph["edges"]
            if edge["relation_type"] == "INSIDE" and edge["to_id"] in shut
        }
        graph["nodes"] = [node for node in graph["nodes"] if node["id"] not in hidden]
        graph["edges"] = [
            edge for edge in graph["edges"] if not {edge["from_id"], edge["to_id"]} & hidden
        ]

    _report(change)


def enters_the_first_room() -> None:
    honest = Apartment.add_character

    def add(self: Apartment, room_name: str) -> bool:
        names = {node["class_name"] for node in self._raw if node["category"] == "Rooms"}
        return room_name in ("", *names) and honest(self, "")

    Apartment.add_character = add  # type: ignore[method-assign]


def builds_without_states() -> None:
    def change(graph: Graph) -> None:
        for node in graph["nodes"]:
            node["states"] = ["CLOSED" if state == "OPEN" else state for state in node["states"]]

    _loaded(change, expanded=True)


def drops_the_placeless() -> None:
    def change(calls: UnityCalls, request: Answer, answer: Answer) -> None:
        if request["action"] == "expand_scene" and not answer["success"]:
            answer.update(success=True, message="{}")

    _answers(change)


def keeps_places_of_the_held() -> None:
    def change(world: Apartment, graph: Graph) -> None:
        held = {e["to_id"] for e in graph["edges"] if e["relation_type"].startswith("HOLDS")}
        first = getattr(world, "_first", None) or set()
        graph["edges"] += [
            {"from_id": a, "relation_type": relation, "to_id": b}
            for a, relation, b in sorted(first)
            if a in held and world._names[b] not in ("kitchen", "bedroom", "bathroom")
        ]

    _report(change)


def holds_a_twin() -> None:
    def change(world: Apartment, graph: Graph) -> None:
        ids: dict[str, list[int]] = {}
        for node in graph["nodes"]:
            ids.setdefault(node["class_name"], []).append(node["id"])
        for edge in graph["edges"]:
            if edge["relation_type"].startswith("HOLDS"):
                edge["to_id"] = min(ids[world._names[edge["to_id"]]])

    _report(change)


def holds_in_one_hand() -> None:
    def change(world: Apartment, graph: Graph) -> None:
        for edge in graph["edges"]:
            if edge["relation_type"] == "HOLDS_LH":
                edge["relation_type"] = "HOLDS_RH"

    _report(change)


def stays_close_to_all() -> None:
    near: set[tuple[int, int]] = set()

    def change(world: Apartment, graph: Graph) -> None:
        known = {(e["from_id"], e["relation_type"], e["to_id"]) for e in graph["edges"]}
        near.update(
            (a, b) for a, relation, b in known if relation == "CLOSE" and a in world._agents
        )
        graph["edges"] += [
            {"from_id": a, "relation_type": "CLOSE", "to_id": b}
            for a, b in sorted(near)
            if a in world._agents and (a, "CLOSE", b) not in known and b in world._names
        ]

    _report(change)


def stands_close_to_nothing() -> None:
    def change(world: Apartment, graph: Graph) -> None:
        graph["edges"] = [
            edge
            for edge in graph["edges"]
            if not (edge["relation_type"] == "CLOSE" and edge["from_id"] in world._agents)
        ]

    _report(change)


def cuts_into_nothing() -> None:
    cut: set[int] = set()

    def say(world: Apartment, line: str, success: bool, words: str) -> tuple[bool, str]:
        if success and "[cut]" in line:
            cut.update(int(number) for _, number in apartment._THING.findall(line))
        return success, words

    def change(world: Apartment, graph: Graph) -> None:
        graph["nodes"] = [node for node in graph["nodes"] if node["id"] not in cut]
        graph["edges"] = [e for e in graph["edges"] if not {e["from_id"], e["to_id"]} & cut]

    _say(say)
    _report(change)


def stands_up_to_walk() -> None:
    honest = Apartment.do

    def do(self: Apartment, line: str) -> tuple[bool, str]:
        if "[walk]" in line:
            honest(self, "<char0> [standup]")
        return honest(self, line)

    Apartment.do = do  # type: ignore[method-assign]


def brings_one_camera() -> None:
    def change(calls: UnityCalls, request: Answer, answer: Answer) -> None:
        if request["action"] == "camera_count" and calls._apartment.characters:
            answer["value"] = calls._apartment.room_count() + 1

    _answers(change)


_PLANTS: dict[str, Callable[[], None]] = {
    each.__name__: each
    for each in (
        refuses_with_success,
        refuses_in_other_words,
        names_no_way,
        knows_fewer_commands,
        shows_effects_late,
        has_an_unknown_property,
        numbers_at_random,
        loads_nothing_twice,
        flickers,
        opens_without_closing,
        hides_the_enclosed,
        enters_the_first_room,
        builds_without_states,
        drops_the_placeless,
        keeps_places_of_the_held,
        holds_a_twin,
        holds_in_one_hand,
        stays_close_to_all,
        stands_close_to_nothing,
        cuts_into_nothing,
        stands_up_to_walk,
        brings_one_camera,
    )
}

if __name__ == "__main__":
    _PLANTS[sys.argv.pop(1)]()
    sys.exit(__main__.main())
