"""Graphs that are read by what has changed in them are those that are read as a whole."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from peephole.adapters.virtualhome.graph_import import to_scene_graph
from peephole.adapters.virtualhome.unity.graph_text import GraphText
from peephole.adapters.virtualhome.unity.state import UnityGraphReader

ROOM, TABLE, BOX, PLATE, APPLE, LAMP, CHARACTER = 11, 12, 13, 14, 15, 16, 1

_STATES = st.sets(st.sampled_from(["ON", "OPEN", "DIRTY"]))


def node(node_id: int, name: str, category: str, properties: str, states: Any = ()) -> Any:
    return {
        "id": node_id,
        "class_name": name,
        "category": category,
        "properties": properties.split(),
        "states": sorted(states),
        "prefab_name": 'odd } { "edges": [',
    }


def edge(source: int, relation: str, target: int) -> dict[str, Any]:
    return {"from_id": source, "relation_type": relation, "to_id": target}


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, Any]:
    """A room with a few things, any of which may be here or there, in any order and told twice."""
    nodes = [
        node(CHARACTER, "character", "Characters", ""),
        node(ROOM, "kitchen", "Rooms", ""),
        node(TABLE, "table", "Furniture", "SURFACES"),
        node(BOX, "box", "Props", "CAN_OPEN CONTAINERS GRABBABLE", draw(_STATES)),
        node(PLATE, "plate", "Props", "GRABBABLE SURFACES", draw(_STATES)),
        node(APPLE, "apple", "Food", "GRABBABLE"),
        node(LAMP, "lamp", "Lamps", "HAS_SWITCH", draw(_STATES)),
    ]
    edges = [edge(i, "INSIDE", ROOM) for i in (CHARACTER, TABLE, LAMP, PLATE, BOX, APPLE)]
    for thing, places in ((PLATE, (TABLE,)), (BOX, (TABLE, PLATE)), (APPLE, (TABLE, BOX, PLATE))):
        place = draw(st.sampled_from((None, CHARACTER, *places)))
        if place == CHARACTER:
            edges.append(edge(CHARACTER, draw(st.sampled_from(["HOLDS_RH", "HOLDS_LH"])), thing))
        elif place is not None:
            edges.append(edge(thing, "INSIDE" if place == BOX else "ON", place))
    near = st.lists(st.sampled_from([TABLE, LAMP, PLATE, BOX]), max_size=3)
    edges += [edge(CHARACTER, "CLOSE", i) for i in draw(near)]
    edges += [edge(LAMP, "CLOSE", i) for i in draw(near)]
    edges += [edge(CHARACTER, "FACING", i) for i in draw(near)]
    if draw(st.booleans()):
        edges = draw(st.permutations(edges))
    return {"nodes": nodes, "edges": edges}


def texts(graph: dict[str, Any], draw: st.DrawFn) -> str:
    """A graph's JSON as this or that server writes it."""
    if draw(st.booleans()):
        graph = {"edges": graph["edges"], "nodes": graph["nodes"]}
    return json.dumps(graph, separators=(",", ":") if draw(st.booleans()) else None)


@given(data=st.data())
def test_graphs_are_parsed_by_their_differences(data):
    parser = GraphText()
    tidy = data.draw(st.booleans())
    for graph in data.draw(st.lists(graphs(), min_size=1, max_size=5)):
        text = json.dumps(graph) if tidy else texts(graph, data.draw)
        assert parser.parse(text) == json.loads(text)


@given(st.lists(graphs(), min_size=1, max_size=5))
def test_graphs_are_read_by_their_differences(several):
    reader, parser, parsed = UnityGraphReader("a"), GraphText(), UnityGraphReader("b")
    for graph in several:
        found = reader.read(graph)
        assert parsed.read(parser.parse(json.dumps(graph))) == found
        if graph is several[0]:
            assert found == to_scene_graph(graph, "c")


@given(graphs())
def test_what_is_no_json_is_refused_after_what_is(graph):
    parser, text = GraphText(), json.dumps(graph)
    parser.parse(text)
    for broken in (text[:-1], text.replace("}, {", "} {", 1), text[1:], text + "]"):
        try:
            json.loads(broken)
        except ValueError:
            refused = False
            try:
                parser.parse(broken)
            except ValueError:
                refused = True
            assert refused, broken
    assert parser.parse(text) == graph


def test_the_character_keeps_the_id_that_the_task_knows():
    graph = {
        "nodes": [
            node(CHARACTER, "character", "Characters", ""),
            node(ROOM, "kitchen", "Rooms", ""),
            node(TABLE, "table", "Furniture", "SURFACES"),
        ],
        "edges": [edge(CHARACTER, "INSIDE", ROOM), edge(TABLE, "INSIDE", ROOM)],
    }
    reader = UnityGraphReader("a", agent=65)
    read = reader.read(graph)
    assert read.agent().id == 65
    assert read.room_of(65) == ROOM
    assert reader.word(65) == f"<character> ({CHARACTER})"
    taken = UnityGraphReader("a", agent=TABLE).read(graph)
    assert taken.agent().id == CHARACTER, "another thing has that id"


def test_what_is_on_two_things_is_on_the_nearer_one_below():
    """Unity also puts a thing on what is merely near."""

    def boxed(raw: Any, x: float, height: float) -> Any:
        size = {"center": [x, height / 2, 0.0], "size": [1.0, height, 1.0]}
        return {**raw, "bounding_box": size}

    plate = node(PLATE, "plate", "Props", "GRABBABLE SURFACES")
    plate["bounding_box"] = {"center": [0.0, 0.95, 0.0], "size": [0.2, 0.1, 0.2]}
    graph = {
        "nodes": [
            node(CHARACTER, "character", "Characters", ""),
            node(ROOM, "kitchen", "Rooms", ""),
            boxed(node(TABLE, "table", "Furniture", "SURFACES"), 0.0, 0.9),
            boxed(node(LAMP, "bench", "Furniture", "SURFACES"), 2.0, 0.4),
            plate,
        ],
        "edges": [edge(i, "INSIDE", ROOM) for i in (CHARACTER, TABLE, LAMP, PLATE)]
        + [edge(PLATE, "ON", TABLE), edge(PLATE, "ON", LAMP)],
    }
    read = UnityGraphReader("a").read(graph)
    assert [place for _, place in read.places(PLATE)] == [TABLE]
    assert read[TABLE].box is None, "boxes differ in their last digits from run to run"
