"""The real metadata of all 120 floor plans as scene graphs."""

from __future__ import annotations

import copy
import random
from itertools import pairwise
from typing import Any

import pytest

from peephole.adapters.ai2thor import objects
from peephole.adapters.ai2thor.graph import AGENT, ROOM, ThorGraphReader, graph_of, room_of
from peephole.adapters.ai2thor.object_types import category_of
from peephole.errors import BadInput
from peephole.scene_graph.json_codec import check_well_formed
from peephole.scene_graph.node import Affordance, Kind, Relation, State

pytestmark = pytest.mark.skipif(objects.missing() is not None, reason=str(objects.missing()))


def metadata_of(scene: str, held: str | None = None) -> dict[str, Any]:
    inventory = [] if held is None else [{"objectId": held}]
    return {
        "objects": objects.objects(scene),
        "inventoryObjects": inventory,
        "sceneName": f"{scene}_physics",
    }


def the(metadata: dict[str, Any], object_type: str) -> dict[str, Any]:
    return next(o for o in metadata["objects"] if o["objectType"] == object_type)


def test_every_floor_plan_becomes_a_graph_that_a_world_can_be_in() -> None:
    rooms = set()
    for scene in objects.SCENES:
        metadata = metadata_of(scene)
        graph = graph_of(metadata)
        check_well_formed(graph, scene)
        rooms.add(graph[ROOM].category)
        things = {o["objectId"]: o for o in metadata["objects"] if o["objectType"] != "Floor"}
        ids = {node.native_id: node.id for node in graph.nodes() if node.id not in (ROOM, AGENT)}
        assert ids.keys() == things.keys()
        # by their types; of what moves by names, for its objectId tells where it was
        ordered = [things[name] for name in sorted(ids, key=ids.__getitem__)]
        for one, other in pairwise(ordered):
            assert one["objectType"] <= other["objectType"]
            if one["objectType"] == other["objectType"] and one["pickupable"]:
                assert one["name"] < other["name"]
        for name, raw in things.items():
            node = graph[ids[name]]
            assert (node.kind is Kind.OBJECT) == raw["pickupable"]
            assert (State.OPEN in node.states) == (raw["openable"] and raw["isOpen"])
            assert (State.ON in node.states) == (raw["toggleable"] and raw["isToggled"])
            assert graph.room_of(node.id) == ROOM
            if raw["pickupable"]:
                told = {ids[p] for p in raw["parentReceptacles"] or () if p in ids}
                assert {place for _, place in graph.places(node.id)} == (told or {ROOM})
    assert rooms == {"kitchen", "living room", "bedroom", "bathroom"}


def test_ids_do_not_depend_on_the_order_in_which_things_are_reported() -> None:
    metadata = metadata_of("FloorPlan10")
    shuffled = copy.deepcopy(metadata)
    random.Random(0).shuffle(shuffled["objects"])
    assert graph_of(metadata) == graph_of(shuffled)


def test_slices_are_appended_and_what_was_cut_is_good_for_nothing() -> None:
    """Whether the simulator goes on telling of the whole thing or not."""
    for told_on in (True, False):
        reader = ThorGraphReader()
        metadata = metadata_of("FloorPlan10")
        before = reader.read(metadata)
        apple = the(metadata, "Apple")
        pieces = [
            {
                **apple,
                "objectId": f"{apple['objectId']}|AppleSliced_{number}",
                "objectType": "AppleSliced",
                "sliceable": False,
            }
            for number in range(1, 4)
        ]
        apple["isSliced"] = True
        rest = [o for o in metadata["objects"] if told_on or o is not apple]
        after = reader.read({**metadata, "objects": [*pieces, *rest]})
        for node in before.nodes():
            assert after[node.id].native_id == node.native_id
        whole = after[reader.ids[apple["objectId"]]]
        assert State.SLICED in whole.states
        assert Affordance.GRASPABLE not in whole.affordances
        assert after.outgoing(whole.id) == ((Relation.INSIDE, ROOM),)
        new = [node for node in after.nodes() if node.id not in before]
        assert [node.native_id for node in new] == [piece["objectId"] for piece in pieces]
        for node in new:
            assert node.category == "apple"
            assert State.SLICED in node.states
            assert Affordance.GRASPABLE in node.affordances
            assert after.places(node.id) == before.places(whole.id)


def test_what_is_held_is_in_the_hand_and_nowhere_else() -> None:
    metadata = metadata_of("FloorPlan10")
    mug = the(metadata, "Mug")["objectId"]
    graph = graph_of({**metadata, "inventoryObjects": [{"objectId": mug}]})
    (held,) = graph.held(AGENT)
    assert graph[held].native_id == mug
    assert graph.places(held) == []


def test_what_is_in_a_held_pot_stays_in_it_when_the_engine_does_not_report_it() -> None:
    """As in allenai/ai2thor issue 1209; some versions also report what the pot stood on."""
    reader = ThorGraphReader()
    metadata = metadata_of("FloorPlan1")
    pot, bowl, egg = (the(metadata, kind) for kind in ("Pot", "Bowl", "Egg"))
    stood_on = list(pot["parentReceptacles"])

    def read(**places: list[str] | None) -> dict[str, set[str]]:
        bowl["parentReceptacles"], egg["parentReceptacles"] = places["bowl"], places["egg"]
        graph = reader.read(metadata)
        ids = {each["objectType"]: reader.ids[each["objectId"]] for each in (pot, bowl, egg)}
        return {
            name: {graph[place].category for _, place in graph.places(node_id)}
            for name, node_id in ids.items()
        }

    in_pot, in_bowl = [pot["objectId"]], [bowl["objectId"]]
    assert read(bowl=in_pot, egg=in_bowl)["Egg"] == {"bowl"}
    metadata["inventoryObjects"] = [{"objectId": pot["objectId"]}]
    for bowl_in, egg_in in ((None, None), ([*in_pot, *stood_on], in_bowl), ([], None)):
        assert read(bowl=bowl_in, egg=egg_in) == {"Pot": set(), "Bowl": {"pot"}, "Egg": {"bowl"}}
    metadata["inventoryObjects"] = []
    assert read(bowl=in_pot, egg=None) == {
        "Pot": {"counter top"},
        "Bowl": {"pot"},
        "Egg": {"kitchen"},
    }


def test_a_faucet_stands_by_the_basin_that_it_fills() -> None:
    graph = graph_of(metadata_of("FloorPlan10"))
    faucet = next(node for node in graph.nodes() if node.category == "faucet")
    (basin,) = graph.targets(faucet.id, Relation.CLOSE)
    assert graph[basin].category == "sink basin"
    assert graph.has_edge(basin, Relation.CLOSE, faucet.id)
    for knob in (node for node in graph.nodes() if node.category == "stove knob"):
        (burner,) = graph.targets(knob.id, Relation.CLOSE)
        assert graph[burner].category == "stove burner"


def test_the_frame_has_z_up() -> None:
    metadata = metadata_of("FloorPlan10")
    fridge = the(metadata, "Fridge")
    node = next(node for node in graph_of(metadata).nodes() if node.category == "fridge")
    assert node.pose is not None
    assert node.box is not None
    at = fridge["position"]
    assert node.pose.position == (at["x"], at["z"], at["y"])
    assert node.box.size[2] == fridge["axisAlignedBoundingBox"]["size"]["y"]


@pytest.mark.parametrize(
    ("object_type", "category"),
    [
        ("CounterTop", "counter top"),
        ("TVStand", "tv stand"),
        ("CD", "cd"),
        ("AppleSliced", "apple"),
        ("EggCracked", "egg"),
        ("ToiletPaperHanger", "toilet paper hanger"),
    ],
)
def test_types_are_reported_in_english(object_type: str, category: str) -> None:
    assert category_of(object_type) == category


def test_rooms_are_known_by_the_floor_plan() -> None:
    assert [room_of(f"FloorPlan{n}_physics") for n in (30, 201, 330, 401)] == [
        "kitchen",
        "living room",
        "bedroom",
        "bathroom",
    ]
    assert room_of("Procedural") == "room"


def test_what_is_no_metadata_is_refused_in_words() -> None:
    with pytest.raises(BadInput, match=r"The simulator's metadata cannot be read \(KeyError"):
        graph_of({"objects": [{}], "inventoryObjects": [], "sceneName": "FloorPlan1"})
