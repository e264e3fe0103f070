"""The prompts of `lookplangraph`."""

from __future__ import annotations

import json

from .episodes import Play, call


def test_the_first_prompt_tells_the_room_and_what_is_remembered_there(play: Play) -> None:
    assert play().prompt(1) == (
        "Instruction: Bring the apple.\n"
        "Scene:\n"
        "Places: hall-1, kitchen-1.\n"
        "You are in kitchen-1 and hold nothing.\n"
        "Assets here:\n"
        "fridge-1 (closed)\n"
        "kitchen_table-1\n"
        "Objects remembered here, not confirmed:\n"
        "apple-1 ontop kitchen_table-1\n"
        "milk-1 inside fridge-1\n"
        "Previous actions: none"
    )


def test_found_things_are_shown_everywhere_and_remembered_ones_only_there(play: Play) -> None:
    played = play(call("discover_objects", "kitchen_table-1"), call("go_to", "hall-1"))
    assert played.prompt(3) == (
        "Instruction: Bring the apple.\n"
        "Scene:\n"
        "Places: hall-1, kitchen-1.\n"
        "You are in hall-1 and hold nothing.\n"
        "Assets here:\n"
        "shelf-1\n"
        "Objects remembered here, not confirmed:\n"
        "pear-1 ontop shelf-1\n"
        "In other rooms you know of:\n"
        "kitchen-1: apple-1 ontop kitchen_table-1; kitchen_table-1 (discovered)\n"
        "Previous actions:\n"
        "Because of discover_objects.\n"
        "action: discover_objects(kitchen_table-1)\n"
        "Because of go_to.\n"
        "action: go_to(hall-1)"
    )


def previous_actions(prompt: str) -> str:
    return prompt.partition("Previous actions:\n")[2]


def test_only_the_newest_actions_are_shown_with_their_reasons(play: Play) -> None:
    calls = [call("open", "fridge-1"), call("close", "fridge-1"), call("go_to", "hall-1")]
    assert previous_actions(play(*calls, reasons=2).prompt(4)) == (
        "open(fridge-1)\n"
        "Because of close.\n"
        "action: close(fridge-1)\n"
        "Because of go_to.\n"
        "action: go_to(hall-1)"
    )


def test_older_looks_are_left_out_where_the_scene_tells_what_they_found(play: Play) -> None:
    calls = [
        call("discover_objects", "kitchen_table-1"),
        call("discover_objects", "kitchen-1"),
        call("go_to", "hall-1"),
    ]
    assert previous_actions(play(*calls, reasons=1).prompt(4)) == (
        "discover_objects(kitchen-1) (failed: kitchen-1 is a room; discover_objects takes an asset "
        "or an object in it.)\n"
        "Because of go_to.\n"
        "action: go_to(hall-1)"
    )


def test_the_full_graph_is_shown_on_request(play: Play) -> None:
    full = play(scope="full").prompt(1)
    assert "Assets in hall-1:\nshelf-1\n" in full
    assert "pear-1 ontop shelf-1" in full


def test_without_priors_no_object_is_shown(play: Play) -> None:
    told = play(priors=False).prompt(1)
    assert "apple" not in told.partition("Scene:")[2]
    assert "fridge-1 (closed)" in told


def test_the_graph_as_json_has_the_same_nodes(play: Play) -> None:
    told = play(graph="json").prompt(1)
    scene = told.partition("Scene:\n")[2].partition("\nPrevious actions")[0]
    nodes = json.loads(scene)["nodes"]
    assert [room["name"] for room in nodes["rooms"]] == ["kitchen-1", "hall-1"]
    assert nodes["agent"] == {"name": "agent-1", "location": "kitchen-1", "holding": "nothing"}
    assert {"name": "apple-1", "relation": "ontop_of", "related_to": "kitchen_table-1"}.items() <= {
        entry["name"]: entry for entry in nodes["objects"]
    }["apple-1"].items()
    assert all(entry["remembered"] for entry in nodes["objects"])


def test_the_schema_leaves_relation_and_destination_to_rearrange(play: Play) -> None:
    (asked,) = play(augmentation="none").requests
    schema = asked["response_format"]["json_schema"]["schema"]
    others, rearrange = schema["properties"]["action"]["anyOf"]
    assert others["required"] == ["function_name", "node"]
    assert "discover_objects" not in others["properties"]["function_name"]["enum"]
    assert rearrange["required"] == ["function_name", "node", "relation", "destination"]
    assert rearrange["properties"]["function_name"]["enum"] == ["rearrange"]
