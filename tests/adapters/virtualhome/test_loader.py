"""The user's own VirtualHome graphs: both ontologies, and a sentence for what is wrong."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import pytest

from peephole.adapters.scenes import load_scene
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.adapters.virtualhome import package
from peephole.adapters.virtualhome.evolving_graph import EvolvingGraphAdapter
from peephole.adapters.virtualhome.houses.scenes import read as read_house
from peephole.errors import BadInput
from peephole.scene_graph.node import Kind, Relation
from peephole.skills.actions import go_to, open_, pick_up, put, turn_off, turn_on

needs_package = pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))

CHARACTER, KITCHEN, LIVING_ROOM = 1, 11, 12
COUNTER, FRIDGE, DISHWASHER, TABLE, SOFA, LAMP = 21, 22, 23, 26, 27, 28
PLATE, CUPCAKE, KNIFE, GLASS = 31, 32, 33, 34


@pytest.fixture
def write(tmp_path):
    """Writes a document to a file of its own and gives the scene that refers to it."""

    def write(document):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        path = folder / "house.json"
        text = document if isinstance(document, str) else json.dumps(document)
        path.write_text(text, encoding="utf-8")
        return f"virtualhome:{path}"

    return write


def edge(source, relation, target):
    return {"from_id": source, "relation_type": relation, "to_id": target}


def without(graph, *node_ids):
    """A graph without some nodes and their edges."""
    return {
        "nodes": [node for node in graph["nodes"] if node["id"] not in node_ids],
        "edges": [
            e for e in graph["edges"] if e["from_id"] not in node_ids and e["to_id"] not in node_ids
        ],
    }


def spoiled(graph, node_id, **changes):
    """Give a node of a graph other fields."""
    next(node for node in graph["nodes"] if node["id"] == node_id).update(changes)


# --- what is accepted ----------------------------------------------------------------------------


def test_a_graph_of_the_first_ontology_is_loaded(write):
    assert load_scene(write(read_house("1"))) == load_scene("house:1")


def test_a_graph_of_the_unity_scenes_is_loaded(write, unity_house):
    graph = load_scene(write(unity_house))
    assert graph[TABLE].category == "kitchen table"
    assert set(graph.places(CUPCAKE)) == {(Relation.ON, PLATE), (Relation.INSIDE, FRIDGE)}
    assert graph.held(CHARACTER) == [GLASS]


@pytest.mark.parametrize("wrapper", ["init_graph", "graph"])
def test_a_graph_inside_a_larger_document_is_found(write, unity_house, wrapper):
    larger = {wrapper: unity_house, "final_graph": {"nodes": [], "edges": []}, "task": "any"}
    assert load_scene(write(larger)) == load_scene(write(unity_house))


def test_a_house_without_a_character_gets_one_in_its_first_room(write, unity_house):
    empty = without(unity_house, CHARACTER)
    graph = load_scene(write(empty))
    agent = graph.agent()
    assert agent.id == 1, "the lowest id that is free"
    assert agent.category == "character"
    assert list(graph.outgoing(agent.id)) == [(Relation.INSIDE, KITCHEN)]
    empty["nodes"][0]["id"] = CHARACTER  # the kitchen takes that number
    for e in empty["edges"]:
        e.update({key: CHARACTER for key in ("from_id", "to_id") if e[key] == KITCHEN})
    graph = load_scene(write(empty))
    assert graph.agent().id == 2
    assert graph.room_of(2) == CHARACTER


def test_of_several_characters_the_first_acts(write, unity_house):
    unity_house["nodes"].append({**unity_house["nodes"][0], "id": 2})
    unity_house["edges"].append(edge(2, "INSIDE", LIVING_ROOM))
    graph = load_scene(write(unity_house))
    assert graph.agent().id == CHARACTER
    assert graph.room_of(2) == LIVING_ROOM
    assert [node.id for node in graph.nodes(Kind.AGENT)] == [CHARACTER, 2]


def test_things_may_lie_on_what_lies_on_something(write, unity_house):
    unity_house["edges"] += [edge(CUPCAKE, "ON", TABLE), edge(PLATE, "CLOSE", TABLE)]
    graph = load_scene(write(unity_house))
    assert graph.targets(CUPCAKE, Relation.ON) == [TABLE, PLATE], "the plate is on the table"


def test_seats_that_the_simulator_never_forgets_are_no_reason_to_refuse(write, unity_house):
    unity_house["edges"].append(edge(CHARACTER, "ON", TABLE))
    assert load_scene(write(unity_house)).room_of(CHARACTER) == KITCHEN


def boxed(graph, **bounds):
    """A graph with bounding boxes of some nodes, n21=(center, size)."""
    for node in graph["nodes"]:
        if f"n{node['id']}" in bounds:
            center, size = bounds[f"n{node['id']}"]
            node["bounding_box"] = {"center": center, "size": size}
    return graph


def test_of_several_supports_unity_names_the_nearest_counts(write, unity_house):
    unity_house["edges"].append(edge(KNIFE, "ON", COUNTER))
    unity_house["edges"].append(edge(KNIFE, "ON", TABLE))
    unity_house["edges"].append(edge(KNIFE, "ON", SOFA))
    boxed(
        unity_house,
        n21=([0, 0.5, 0], [2, 1.0, 1]),
        n26=([3, 0.4, 0], [2, 0.8, 1]),
        n27=([3, 0.4, 0], [2, 0.3, 1]),
        n33=([2.5, 0.81, 0.2], [0.2, 0.02, 0.02]),
    )
    scene = write(unity_house)
    assert load_scene(scene).places(KNIFE) == [(Relation.ON, TABLE)]
    spoiled(unity_house, TABLE, bounding_box=None)
    with pytest.raises(BadInput, match="knife 33 is on kitchen counter 21 and kitchen table 26"):
        load_scene(write(unity_house))


def test_a_class_may_be_unknown_if_its_properties_or_category_are_not(write, unity_house):
    nodes = {node["id"]: node for node in unity_house["nodes"]}
    nodes[COUNTER].update(class_name="zorbtron", category=None)
    nodes[SOFA].update(class_name="flurb", properties=[])
    graph = load_scene(write(unity_house))
    assert graph[COUNTER].category == "zorbtron"
    assert graph[SOFA].category == "flurb"
    assert graph[SOFA].affordances == frozenset()


# --- both worlds ---------------------------------------------------------------------------------


class SameBody(SymbolicAdapter):
    """The built-in world with the body of VirtualHome's agent."""

    spec = replace(SymbolicAdapter.spec, embodiment=EvolvingGraphAdapter.spec.embodiment)


@needs_package
@pytest.mark.parametrize("change", ["as it is", "no character", "no rooms of things"])
def test_both_worlds_play_the_users_house(write, unity_house, task, change):
    """The plate's room in the file is a wrong one, and the walk to it leads to the right one."""
    unity_house = without(unity_house, CUPCAKE)  # on the plate, from which it would fall
    if change == "no character":
        unity_house = without(unity_house, CHARACTER)
    if change == "no rooms of things":
        things = (PLATE, KNIFE, GLASS)
        unity_house["edges"] = [
            e
            for e in unity_house["edges"]
            if e["from_id"] not in things or e["to_id"] not in (KITCHEN, LIVING_ROOM)
        ]
        unity_house["edges"].append(edge(KNIFE, "ON", COUNTER))
    scene = write(unity_house)
    real, model = EvolvingGraphAdapter(), SameBody()
    for world in (real, model):
        world.reset(task(scene), 0)
    assert real.graph() == model.graph() == load_scene(scene)
    script = (
        go_to(PLATE),
        put(GLASS, Relation.ON, TABLE),
        pick_up(PLATE),
        pick_up(KNIFE),
        go_to(LAMP),
        turn_off(LAMP),
        turn_on(LAMP),
        turn_off(LAMP),
        go_to(KNIFE),
        pick_up(KNIFE),
        go_to(FRIDGE),
        open_(FRIDGE),
        put(PLATE, Relation.INSIDE, FRIDGE),
        open_(FRIDGE),
        put(PLATE, Relation.INSIDE, FRIDGE),
        go_to(DISHWASHER),
        turn_on(DISHWASHER),
        put(KNIFE, Relation.INSIDE, DISHWASHER),
        go_to(PLATE),
    )
    succeeded = 0
    for action in script:
        result, expected = real.attempt(action, 0), model.attempt(action, 0)
        assert result.failure == expected.failure, action
        assert real.graph() == model.graph(), action
        succeeded += result.success
        if action == go_to(PLATE) and result.success:
            assert real.graph().room_of(real.graph().agent().id) == KITCHEN
    assert len(script) / 2 < succeeded < len(script)
    real.close()


# --- what is refused -----------------------------------------------------------------------------


MALFORMED = [
    (lambda d: d.pop("edges"), "the field 'edges' is missing"),
    (lambda d: d.pop("nodes"), "the field 'nodes' is missing"),
    (lambda d: spoiled(d, FRIDGE, states=["AJAR"]), "nodes[4].states[0] is 'AJAR'; expected one"),
    (
        lambda d: spoiled(d, FRIDGE, properties=["CAN_OPEN", "CAN_FLY"]),
        "nodes[4].properties[1] is 'CAN_FLY'; expected one of BODY_PART, CAN_OPEN",
    ),
    (
        lambda d: d["edges"][3].update(relation_type="BELOW"),
        "edges[3].relation_type is 'BELOW'; expected one of BETWEEN",
    ),
    (
        lambda d: spoiled(d, SOFA, class_name="flurb", category="Gadgets", properties=[]),
        "nodes[9].class_name is 'flurb'; expected a class of VirtualHome, or properties or a "
        "category that define node 27",
    ),
    (
        lambda d: spoiled(d, SOFA, class_name="flurb", category=None, properties=[]),
        "nodes[9].class_name is 'flurb'",
    ),
    (
        lambda d: d["edges"].append(edge(PLATE, "INSIDE", CUPCAKE)),
        "remove a relation of this circle",
    ),
    (
        lambda d: d["edges"].append(edge(PLATE, "ON", COUNTER)),
        "plate 31 is on kitchen counter 21 and kitchen table 26; expected one of these",
    ),
    (
        lambda d: d["edges"].append(edge(CUPCAKE, "INSIDE", DISHWASHER)),
        "cupcake 32 is inside fridge 22 and dishwasher 23; expected one of these",
    ),
    (
        lambda d: d["edges"].append(edge(KNIFE, "INSIDE", LIVING_ROOM)),
        "knife 33 is inside kitchen 11 and living room 12; expected one of these",
    ),
    (
        lambda d: [spoiled(d, room, category="Walls") for room in (KITCHEN, LIVING_ROOM)],
        "there is no room; expected a node of category 'Rooms'",
    ),
    (
        lambda d: d["edges"].remove(edge(CHARACTER, "INSIDE", KITCHEN)),
        "character 1 is in no room; add an edge INSIDE to one",
    ),
    (
        lambda d: spoiled(d, CHARACTER, class_name="robot"),
        "nodes[0].class_name is 'robot'; expected 'character'",
    ),
    (
        lambda d: spoiled(d, PLATE, bounding_box={"center": [0, 0, 0], "size": [1, 1, 1], "x": 1}),
        "the field 'x' of nodes[12].bounding_box is unknown",
    ),
]


@pytest.mark.parametrize(("spoil", "told"), MALFORMED, ids=[told for _, told in MALFORMED])
def test_a_malformed_house_is_refused_with_file_and_field(write, unity_house, spoil, told):
    data = copy.deepcopy(unity_house)
    spoil(data)
    with pytest.raises(BadInput) as refused:
        load_scene(write(data))
    message = str(refused.value)
    assert "house.json" in message
    assert told in message
    assert message.count(".") - message.count("house.json") < 4, "one sentence"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "house.json is not JSON"),
        ("[]", "house.json, the document is []; expected an object"),
        ('{"init_graph": 7}', "house.json, the document is 7; expected an object"),
        ("{}", "the field 'nodes' is missing"),
    ],
)
def test_a_file_that_holds_no_graph_is_refused(write, text, told):
    with pytest.raises(BadInput) as refused:
        load_scene(write(text))
    assert told in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"There is no file .*none\.json"):
        load_scene(f"virtualhome:{tmp_path / 'none.json'}")
