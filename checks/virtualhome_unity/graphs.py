"""What is assumed of the graph: its words, its ids, and that it stays while nobody acts."""

from __future__ import annotations

import time
from collections import Counter

from ...adapters.virtualhome.ontology import PROPERTIES, RELATIONS, STATES
from ..assumption import CannotTell, Checks, Differs, Topic, expect
from ..bench import Bench
from .engine import RawGraph, graph_now, load
from .errands import Errand, box_errand, hands_errand, open_something

CHECKS = Checks("virtualhome_unity")

_IMPORT = "adapters/virtualhome/graph_import.py"
_STATE = "adapters/virtualhome/unity/state.py"
#: Seconds that nobody acts.
_STILL_S = 0.25


@CHECKS.assume(
    Topic.NAMES,
    "Nodes have id, class_name, category, properties and states; ids are whole and unique.",
    source=f"{_IMPORT}: read_kind",
)
def nodes_have_their_fields(bench: Bench) -> str:
    graph = graph_now(bench)
    raw = graph.data["nodes"]
    lacking = [
        f"{field} of {node!r:.60}"
        for node in raw
        for field in ("id", "class_name", "category", "properties", "states")
        if field not in node
    ]
    twice = len(raw) - len({node["id"] for node in raw})
    whole = all(type(node["id"]) is int for node in raw)
    words = f"{len(raw)} nodes, {twice} ids twice, lacking: {'; '.join(lacking[:3]) or 'nothing'}"
    return expect(not lacking and not twice and whole, words)


@CHECKS.assume(
    Topic.STATES,
    "Every property and every state of a node is one that we know.",
    source=f"{_IMPORT}: a node with another one makes the graph unreadable",
)
def words_of_nodes_are_known(bench: Bench) -> str:
    nodes = graph_now(bench).nodes.values()
    properties = {word for node in nodes for word in node["properties"]}
    states = {word for node in nodes for word in node["states"]}
    strange = sorted((properties - PROPERTIES) | (states - STATES.keys()))
    known = f"{len(properties)} properties and {len(states)} states"
    return expect(not strange, f"not known: {', '.join(strange)}" if strange else known)


@CHECKS.assume(
    Topic.NAMES,
    "Every relation is one that we know, between nodes of the graph.",
    source=f"{_IMPORT}: read_edges",
)
def relations_are_known(bench: Bench) -> str:
    graph = graph_now(bench)
    strange = sorted({word for _, word, _ in graph.edges} - RELATIONS)
    loose = [edge for edge in graph.edges if not {edge[0], edge[2]} <= graph.nodes.keys()]
    counts = Counter(word for _, word, _ in graph.edges)
    words = ", ".join(f"{count} {word}" for word, count in sorted(counts.items()))
    return expect(
        not strange and not loose, f"{words}; not known: {strange}; to no node: {loose[:2]}"
    )


@CHECKS.assume(
    Topic.NAMES,
    "The character's node has the class 'character' and the category 'Characters'.",
    source="adapters/virtualhome/ontology.py: kind_of",
)
def character_is_called_so(bench: Bench) -> str:
    graph = graph_now(bench)
    named = {i for i, node in graph.nodes.items() if node["category"] == "Characters"}
    words = f"of the class: {graph.characters}; of the category: {sorted(named)}"
    return expect(bool(named) and named == {*graph.characters}, words)


@CHECKS.assume(
    Topic.NAMES,
    "Ids and classes stay while the character acts, and no node comes or goes.",
    source=f"{_STATE}; names by first sight rest on it",
)
def ids_stay_while_acting(bench: Bench) -> str:
    for errand in (box_errand(bench), hands_errand(bench)):
        for step in errand.steps():
            _same_nodes(errand.start, step.after, step.text)
    return f"{len(errand.start.nodes)} nodes kept theirs"


@CHECKS.assume(
    Topic.RESTART,
    "The same apartment has the same ids and classes each time it is loaded.",
    source="skills/executor.py: a lost episode is restored by replay",
)
def ids_last(bench: Bench) -> str:
    load(bench)
    first = graph_now(bench)
    load(bench)
    _same_nodes(first, graph_now(bench), "loaded again")
    return f"{len(first.nodes)} nodes, the same twice"


@CHECKS.assume(
    Topic.RESTART,
    "Loading an apartment undoes all that was done, and removes the characters.",
    source="adapters/virtualhome/unity/adapter.py: _load",
)
def loading_undoes(bench: Bench) -> str:
    load(bench)
    first = graph_now(bench)
    opened = open_something(Errand(bench))
    load(bench)
    again = graph_now(bench)
    if again.characters:
        raise Differs(f"there are {len(again.characters)} characters")
    moved = first.edges ^ again.edges
    other = [i for i in first.nodes if first.states(i) != again.states(i)]
    words = f"{len(moved)} relations and the states of {len(other)} nodes differ"
    return expect(not moved and not other, f"{opened.text}; loaded again, {words}")


@CHECKS.assume(
    Topic.RESTART,
    "While nobody acts, states and relations stay as they are.",
    source="skills/executor.py: a restored state is compared with the one before",
)
def nothing_changes_alone(bench: Bench) -> str:
    before = graph_now(bench)
    for _ in range(2):
        time.sleep(_STILL_S)
        after = graph_now(bench)
        moved = before.edges ^ after.edges
        other = [i for i in before.nodes if before.states(i) != after.states(i)]
        words = f"after {_STILL_S:g} s {len(moved)} relations and {len(other)} nodes differ"
        expect(not moved and not other, words)
    return f"looked at twice: {words}"


@CHECKS.assume(
    Topic.STATES,
    "What opens is open or closed, and never both; what is on is not off.",
    source="scene_graph/node.py: OPPOSITE; adapters/virtualhome/ontology.py: states_of",
)
def opposite_words_exclude_each_other(bench: Bench) -> str:
    steps = box_errand(bench).steps()
    for graph in (box_errand(bench).start, *(step.after for step in steps)):
        for node_id in graph.nodes:
            states = graph.states(node_id)
            if {"OPEN", "CLOSED"} <= states or {"ON", "OFF"} <= states:
                raise Differs(f"{graph.named(node_id)} is {', '.join(sorted(states))}")
    return f"none is both in {1 + len(steps)} graphs"


@CHECKS.assume(
    Topic.VISIBILITY,
    "The graph has everything, also what is inside closed furniture.",
    source="adapters/virtualhome/unity/adapter.py: graph is the true state",
)
def graph_has_what_is_enclosed(bench: Bench) -> str:
    graph = graph_now(bench)
    shut = {i for i in graph.things("CAN_OPEN", "CONTAINERS") if "CLOSED" in graph.states(i)}
    if not shut:
        raise CannotTell("no furniture is closed")
    inside = [start for start, word, to in graph.edges if word == "INSIDE" and to in shut]
    return expect(bool(inside), f"{len(inside)} things are inside {len(shut)} closed containers")


def _same_nodes(first: RawGraph, other: RawGraph, when: str) -> None:
    """Raise Differs where ids or classes differ."""
    gone = [first.named(i) for i in first.nodes if i not in other.nodes]
    new = [other.named(i) for i in other.nodes if i not in first.nodes]
    renamed = [
        f"{first.named(i)} is {other.named(i)}"
        for i in first.nodes.keys() & other.nodes.keys()
        if first.nodes[i]["class_name"] != other.nodes[i]["class_name"]
    ]
    found = [*(f"{each} is gone" for each in gone), *(f"{each} is new" for each in new), *renamed]
    if found:
        raise Differs(f"{when}: {len(found)} differ: {'; '.join(found[:3])}")
