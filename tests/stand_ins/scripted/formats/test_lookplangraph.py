"""The stand-in for `lookplangraph`: scenes in words and JSON, and whole episodes."""

from __future__ import annotations

import json

import pytest

import peephole
from peephole.adapters.omnigibson import package
from peephole.stand_ins.scripted.formats import lookplangraph
from peephole.stand_ins.scripted.household.requirements import to_table
from peephole.suites.registry import load_suite

needs_behavior = pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))
TASK = "Put the milk on the shelf."
TABLE = to_table({TASK: [{"relation": "on", "thing": "milk", "place": "wall shelf"}]})
SYSTEM = (
    "You are a robot that acts in a building, which you know as a graph of nodes.\n"
    "- discover_objects(node)"
)
HERE = """\
Places: attic-1, kitchen-1.
You are in kitchen-1 and hold nothing.
Assets here:
fridge-1, closed
wall_shelf-1"""


def replied(scene: str, previous: str = " none", system: str = SYSTEM):
    """The reply."""
    asked = f"Instruction: {TASK}\nScene:\n{scene}\nPrevious actions:{previous}"
    messages = [{"role": "system", "content": system}, {"role": "user", "content": asked}]
    assert lookplangraph.recognises(messages, {})
    return json.loads(lookplangraph.write(lookplangraph.read(messages, {})(TABLE)))


def answered(scene: str, previous: str = " none", system: str = SYSTEM):
    """The call that is answered, as text."""
    call = replied(scene, previous, system)["action"]
    more = [call[key] for key in ("relation", "destination") if key in call]
    return f"{call['function_name']}({', '.join([call['node'], *more])})"


def test_what_is_remembered_is_confirmed_before_it_is_moved():
    remembered = "Objects remembered here, not confirmed:\nmilk-1 inside fridge-1"
    assert answered(f"{HERE}\n{remembered}") == "discover_objects(fridge-1)"
    found = HERE.replace("fridge-1, closed", "fridge-1, open, discovered")
    found += "\nObjects discovered here:\nmilk-1 inside fridge-1"
    assert answered(found) == "rearrange(milk-1, ontop, wall_shelf-1)"


def test_without_discovery_what_is_told_is_moved_at_once():
    told = f"{HERE}\nObjects remembered here, not confirmed:\nmilk-1 inside fridge-1"
    system = SYSTEM.partition("\n")[0]
    assert answered(told, system=system) == "rearrange(milk-1, ontop, wall_shelf-1)"


def test_what_a_reason_noted_is_remembered_in_other_rooms():
    attic = "Places: attic-1, kitchen-1.\nYou are in attic-1 and hold nothing."
    noted = "\nNoted in kitchen-1: wall_shelf-1; milk-1 inside fridge-1.\naction: go_to(attic-1)"
    assert answered(attic, noted) == "discover_objects(fridge-1)"


def test_what_only_the_oldest_reason_notes_is_noted_again_while_it_holds():
    attic = "Places: attic-1, kitchen-1.\nYou are in attic-1 and hold nothing."
    note = "Noted in kitchen-1: milk-1 inside fridge-1; wall_shelf-1."
    first = f"\ngo_to(kitchen-1)\nI see. {note}\naction: go_to(attic-1)"
    assert replied(attic, first)["reason"].endswith(f" {note}")
    newer = f"{first}\nIt is not here. {note}\naction: go_to(attic-1)"
    assert "Noted" not in replied(attic, newer)["reason"]
    gone = f"{attic}\nIn other rooms you know of:\nkitchen-1: fridge-1, open, discovered"
    assert replied(gone, first)["reason"].endswith(" Noted in kitchen-1: wall_shelf-1.")


def test_advice_is_followed():
    previous = (
        "\nI take it.\naction: pick_up(milk-1) (failed: milk-1 is only remembered and may be "
        "elsewhere by now; confirm it with discover_objects(fridge-1) first.)"
    )
    assert answered(HERE, previous) == "discover_objects(fridge-1)"


def test_the_scene_as_json_is_understood_alike():
    nodes = {
        "rooms": [{"name": "kitchen-1"}],
        "asset": [
            {"name": "fridge-1", "room": "kitchen-1", "states": ["closed"], "affordances": []},
            {"name": "wall_shelf-1", "room": "kitchen-1", "states": [], "affordances": []},
        ],
        "objects": [
            {
                "name": "milk-1",
                "relation": "inside_of",
                "related_to": "fridge-1",
                "states": [],
                "remembered": True,
            }
        ],
        "agent": {"name": "agent-1", "location": "kitchen-1", "holding": "nothing"},
    }
    assert answered(json.dumps({"nodes": nodes})) == "discover_objects(fridge-1)"


@needs_behavior
@pytest.mark.parametrize("options", [{}, {"graph": "json"}, {"scope": "full"}])
def test_it_reaches_goals_where_things_were_moved(tmp_path, options):
    tasks = tuple(task.id for task in load_suite("behavior:dynamic").tasks[1:5])
    played = peephole.run(
        "lookplangraph",
        "behavior:dynamic",
        tasks=tasks,
        model="scripted",
        options=options,
        out=tmp_path / "run",
    )
    assert [result.task for result in played.results if not result.success] == []


@needs_behavior
def test_with_the_paper_s_react_on_the_same_dialect_it_reaches_goals(tmp_path):
    played = peephole.run(
        "react",
        "behavior",
        tasks=("bag_groceries", "bringing_water"),
        model="scripted",
        dialect="lookplangraph",
        out=tmp_path / "run",
    )
    assert [result.success for result in played.results] == [True] * 2
