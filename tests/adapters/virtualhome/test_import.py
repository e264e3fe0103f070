"""VirtualHome graphs become canonical scene graphs, and malformed ones are refused in words."""

from __future__ import annotations

import copy
import json

import pytest

from peephole.adapters.virtualhome import package, scenes
from peephole.adapters.virtualhome.graph_import import to_scene_graph
from peephole.adapters.virtualhome.ontology import english
from peephole.errors import BadInput
from peephole.scene_graph.json_codec import check_well_formed
from peephole.scene_graph.node import Affordance, Edge, Kind, Relation, State

needs_package = pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))


def edges_from(graph, node_id):
    return {(r, graph[t].category) for r, t in graph.outgoing(node_id)}


def test_the_canonical_form_of_a_unity_scene(unity_house):
    graph = to_scene_graph(unity_house, "house.json")
    names = {node.id: node.category for node in graph.nodes()}
    assert names == {
        1: "character",
        11: "kitchen",
        12: "living room",
        21: "kitchen counter",
        22: "fridge",
        23: "dishwasher",
        25: "rug",
        26: "kitchen table",
        27: "sofa",
        28: "table lamp",
        31: "plate",
        32: "cupcake",
        33: "cutlery knife",
        34: "water glass",
        35: "cooking pot",
        36: "hair",
    }
    assert list(names) == sorted(names)
    assert graph[33].native_id == 33
    assert [n.id for n in graph.nodes(Kind.OBJECT)] == [25, 31, 32, 33, 34, 35, 36]

    assert edges_from(graph, 1) == {
        ("inside", "kitchen"),
        ("holds", "water glass"),
        ("close", "kitchen table"),  # for the plate; the sofa is in another room
    }, "on no sofa, for it stands"
    assert graph.places(34) == [], "what is held has no place"
    assert edges_from(graph, 26) == {("inside", "kitchen")}, "furniture stands on no rug"
    assert edges_from(graph, 31) == {("on", "kitchen table")}, "its room was a stale one"
    assert edges_from(graph, 32) == {("on", "plate"), ("inside", "fridge")}
    assert edges_from(graph, 33) == {("inside", "kitchen")}, "there is no floor"
    assert edges_from(graph, 35) == {("inside", "fridge")}, "nothing is inside itself"
    assert edges_from(graph, 36) == {("attached", "character")}, "hair is wherever one goes"


def add(house, *edges):
    for start, relation, end in edges:
        house["edges"].append({"from_id": start, "relation_type": relation, "to_id": end})


def test_who_sits_is_on_the_seat(unity_house):
    unity_house["nodes"][0]["states"] = ["SITTING"]
    graph = to_scene_graph(unity_house, "house.json")
    assert graph[1].states == {State.SITTING}
    assert graph.has_edge(1, Relation.ON, 27)


def test_clothes_on_the_character_are_worn(unity_house):
    add(unity_house, (25, "ON", 1))
    assert to_scene_graph(unity_house, "house.json").places(25) == [(Relation.ON, 1)]


def test_what_stays_in_place_stands_side_by_side(unity_house):
    """The knife on the floor is close to the fridge, as is the plate on the table, which moves."""
    add(unity_house, (33, "CLOSE", 22), (31, "CLOSE", 22), (23, "CLOSE", 27), (28, "CLOSE", 27))
    graph = to_scene_graph(unity_house, "house.json")
    beside = {(e.source, e.target) for e in graph.edges() if e.relation is Relation.CLOSE}
    assert beside == {(1, 26), (22, 33), (33, 22), (27, 28), (28, 27)}, "each way, in one room"


def test_only_seats_and_the_character_face_things(unity_house):
    add(unity_house, (27, "FACING", 28), (27, "FACING", 22), (1, "FACING", 21), (1, "FACING", 28))
    graph = to_scene_graph(unity_house, "house.json")
    facing = {(e.source, e.target) for e in graph.edges() if e.relation is Relation.FACING}
    assert facing == {(27, 28), (1, 21)}, "in the same room"


def test_an_outer_container_is_implied_by_an_inner_one(unity_house):
    unity_house["edges"] = [e for e in unity_house["edges"] if e["from_id"] not in (32, 31)]
    for start, relation, end in ((31, "INSIDE", 22), (32, "ON", 31), (32, "INSIDE", 22)):
        unity_house["edges"].append({"from_id": start, "relation_type": relation, "to_id": end})
    graph = to_scene_graph(unity_house, "house.json")
    assert graph.places(32) == [(Relation.ON, 31)]
    assert graph.is_inside(32, 22)


def test_what_can_be_done_with_things(unity_house):
    graph = to_scene_graph(unity_house, "house.json")
    counter, fridge, dishwasher = graph[21], graph[22], graph[23]
    assert counter.states == frozenset(), "a counter without a door is not closed"
    assert fridge.states == {State.CLOSED}
    assert Affordance.SWITCHABLE not in fridge.affordances, "it is neither on nor off"
    assert fridge.affordances >= {Affordance.OPENABLE, Affordance.CONTAINER, Affordance.SURFACE}
    assert dishwasher.affordances == {
        Affordance.OPENABLE,
        Affordance.SWITCHABLE,
        Affordance.CONTAINER,
        Affordance.SURFACE,
        Affordance.TYPEABLE,  # the simulator types on every switch
    }
    assert graph[27].affordances == {Affordance.SURFACE, Affordance.SITTABLE}
    assert Affordance.GRASPABLE not in graph[36].affordances, "nobody takes hair off"
    assert Affordance.SLICEABLE in graph[32].affordances
    assert Affordance.CUTS in graph[33].affordances
    assert Affordance.CONTAINER in graph[35].affordances, "it opens, and something is in it"


def test_what_the_simulators_executors_know_by_its_class(unity_house):
    spelled = {31: "water", 32: "hands_both", 33: "keyboard", 34: "dish_soap", 35: "wineglass"}
    for node in unity_house["nodes"]:
        node["class_name"] = spelled.get(node["id"], node["class_name"])
        if node["id"] == 31:
            node["properties"] = ["DRINKABLE", "POURABLE"]
        if node["id"] == 35:
            node["properties"] = ["GRABBABLE", "RECIPIENT"]
    graph = to_scene_graph(unity_house, "house.json")
    assert graph[31].kind is Kind.OBJECT
    assert graph[31].affordances == {
        Affordance.GRASPABLE,
        Affordance.LIQUID,
        Affordance.POURABLE,
        Affordance.DRINKABLE,
    }
    assert graph[32].category == "hands"
    assert Affordance.RECIPIENT in graph[32].affordances
    assert Affordance.TYPEABLE in graph[33].affordances
    assert Affordance.SQUEEZABLE in graph[34].affordances
    assert graph[35].affordances >= {Affordance.RECIPIENT, Affordance.DRINKABLE}


def test_poses_and_boxes_are_kept(unity_house):
    unity_house["nodes"][3]["obj_transform"] = {"position": [1, 2, 3], "rotation": [0, 0, 0, 1]}
    unity_house["nodes"][3]["bounding_box"] = {"center": [1, 2, 3], "size": [2, 1, 0.5]}
    node = to_scene_graph(unity_house, "house.json")[21]
    assert node.pose is not None
    assert node.pose.position == (1, 2, 3)
    assert node.box is not None
    assert node.box.size == (2, 1, 0.5)


def test_both_spellings_of_a_class_give_one_name():
    assert english("kitchen_counter") == english("kitchencounter") == "kitchen counter"
    assert english("coffe_maker") == english("coffeemaker") == "coffee maker"
    assert english("food_food") == "food"
    assert english("clothes_pants") == english("clothespants") == "pants"
    assert english("kitchen_cabinet") == english("kitchencabinets") == "kitchen cabinet"
    assert english("tvstand") == "tv stand"
    assert english("bookshelf") == "bookshelf"
    assert english("washing_machine") == english("washingmachine") == "washing machine"
    assert english("zorbtron") == "zorbtron"


@needs_package
def test_every_class_of_the_package_has_an_english_name():
    """No class of either ontology keeps words glued together, spellings of one class agree."""
    folder = package.tasks_path().parent.parent
    classes = set()
    for name in ("properties_data", "properties_data_all", "properties_data_unity"):
        properties = json.loads((folder / f"{name}.json").read_text())
        classes |= {c for c, has in properties.items() if "BODY_PART" not in has}
    by_letters = {}
    for class_name in classes:
        name = english(class_name)
        assert name == name.lower().strip(), class_name
        assert "_" not in name, class_name
        by_letters.setdefault(class_name.replace("_", "").replace("-", ""), set()).add(name)
    assert len(by_letters) > 300
    bodies = ("hands", "eye", "arms", "feet", "legs")  # some tables do not mark them
    assert [k for k, v in by_letters.items() if len(v) > 1 and not k.startswith(bodies)] == []


@needs_package
def test_real_graphs_are_well_formed_and_everything_is_in_a_room():
    programs = sorted(path.stem.removeprefix("file") for path in package.graphs_path().glob("*"))
    for program in [p for p in programs if p[0].isdigit()][::25]:
        graph = scenes.load(program)
        check_well_formed(graph, program)
        assert [node.id for node in graph.nodes(Kind.AGENT)] == [65]
        for node in graph.nodes():
            assert graph.room_of(node.id) is not None, (program, node)
            if node.kind is Kind.FIXTURE:
                assert all(graph[p].kind is not Kind.OBJECT for _, p in graph.places(node.id))
        assert graph.held(65) == graph.targets(65, Relation.CLOSE) == []
        for source, relation, target in graph.edges():
            if relation is Relation.CLOSE:
                assert graph.has_edge(target, relation, source)
                assert graph.room_of(source) == graph.room_of(target)


@needs_package
def test_a_known_kitchen():
    graph = scenes.load("1004_2")
    freezer = next(node for node in graph.nodes() if node.category == "freezer")
    assert State.CLOSED in freezer.states
    assert sorted(graph[i].category for i in graph.contents(freezer.id)) == ["food", "food", "kiwi"]
    counter = next(node for node in graph.nodes() if node.category == "kitchen counter")
    assert Edge(231, Relation.INSIDE, counter.id) in set(graph.edges()), "the sink is in it"
    assert graph.closed_around(231) is None


BROKEN = [
    (lambda d: d.pop("edges"), "'edges'"),
    (lambda d: d.update(nodes={}), "nodes is {}; expected a list"),
    (lambda d: d["nodes"].append("table"), "nodes[18]"),
    (lambda d: d["nodes"][2].pop("states"), "'states' of nodes[2]"),
    (lambda d: d["nodes"][2].update(id="x"), "nodes[2].id is 'x'; expected a whole number"),
    (lambda d: d["nodes"][2].update(id=11), "nodes[2].id is 11; expected an id that no earlier"),
    (lambda d: d["nodes"][2].update(class_name=7), "nodes[2].class_name is 7; expected text"),
    (lambda d: d["nodes"][2].update(category=7), "nodes[2].category is 7; expected text"),
    (lambda d: d["nodes"][2].update(properties=None), "nodes[2].properties is None"),
    (lambda d: d["nodes"][4].update(states=["AJAR"]), "nodes[4].states[0] is 'AJAR'; expected one"),
    (lambda d: d["nodes"][2].update(bounding_box={"size": 1}), "'center' of nodes[2].bounding_box"),
    (lambda d: d["edges"][3].pop("to_id"), "'to_id' of edges[3]"),
    (lambda d: d["edges"][3].update(to_id=99), "edges[3].to_id is 99; expected the id of one"),
    (lambda d: d["edges"][3].update(relation_type="ATOP"), "edges[3].relation_type is 'ATOP'"),
    (lambda d: d["edges"].append([1, "ON", 2]), "edges[33]"),
    (lambda d: d["nodes"][4].update(states=["OPEN", "CLOSED"]), "fridge 22 is closed and open"),
    (
        lambda d: d["edges"].append({"from_id": 31, "relation_type": "ON", "to_id": 32}),
        "of this circle",
    ),
]


@pytest.mark.parametrize(("spoil", "told"), BROKEN, ids=[told for _, told in BROKEN])
def test_a_malformed_graph_is_refused_with_file_field_and_expectation(unity_house, spoil, told):
    data = copy.deepcopy(unity_house)
    spoil(data)
    with pytest.raises(BadInput) as refused:
        to_scene_graph(data, "house.json")
    assert "house.json" in str(refused.value)
    assert told in str(refused.value)


@pytest.mark.parametrize("data", [None, [], "graph", 3])
def test_what_is_no_graph_at_all_is_refused(data):
    with pytest.raises(BadInput, match=r"house\.json"):
        to_scene_graph(data, "house.json")


def test_a_closed_pot_does_not_tell_whether_it_holds_anything(unity_house):
    pot = {**unity_house["nodes"][-2], "id": 40}
    assert pot["class_name"] == "cookingpot"
    apple = {**unity_house["nodes"][-4], "id": 41}
    told = []
    for content in ([], [{"from_id": 41, "relation_type": "INSIDE", "to_id": 40}]):
        edges = [{"from_id": 40, "relation_type": "ON", "to_id": 26}, *content]
        if not content:
            edges.append({"from_id": 41, "relation_type": "ON", "to_id": 26})
        house = {
            "nodes": [*unity_house["nodes"], pot, apple],
            "edges": [*unity_house["edges"], *edges],
        }
        told.append(to_scene_graph(house, "the house")[40])
    assert told[0] == told[1]
    assert Affordance.CONTAINER in told[0].affordances
