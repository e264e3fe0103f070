"""Actions as plain data: what is written is read back, and what is malformed is named."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.errors import BadInput
from peephole.scene_graph.node import Relation
from peephole.skills.actions import (
    OPTIONAL_TARGET,
    PUT_RELATIONS,
    WITH_PLACE,
    WITH_POSE,
    WITHOUT_TARGET,
    Action,
    Verb,
    from_data,
    look,
    pick_up,
    place,
    pour,
    put,
    reach,
    to_data,
    wait,
)

numbers = st.floats(-10, 10)
poses = st.one_of(*(st.lists(numbers, min_size=n, max_size=n) for n in (6, 7)))
plain = (WITHOUT_TARGET | OPTIONAL_TARGET) - WITH_POSE
ids = st.integers(-(2**40), 2**40)
actions = st.one_of(
    st.builds(put, ids, st.sampled_from(PUT_RELATIONS), ids),
    st.builds(pour, ids, ids),
    st.builds(Action, st.sampled_from(sorted(set(Verb) - WITHOUT_TARGET - WITH_PLACE)), ids),
    st.sampled_from([Action(verb) for verb in sorted(plain)]),
    st.builds(reach, poses),
    st.builds(place, poses),
    st.builds(wait, st.floats(0, 1e6)),
)


@given(actions)
def test_every_action_survives_json(action):
    assert from_data(json.loads(json.dumps(to_data(action)))) == action


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"pose": ("0.5", 0, 0.3, 1, 0, 0, 0)}, "The 'pose' of place is"),
        ({"pose": [0.5, 0, 0.3, 1, 0, 0, 0]}, "The 'pose' of place is"),
        ({"seconds": "5"}, "The 'seconds' of place is '5'; expected numbers."),
    ],
)
def test_an_action_made_by_hand_holds_numbers_too(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput) as refused:
        Action(Verb.PLACE, **fields)
    assert told in str(refused.value)


def test_the_data_holds_only_what_the_action_has():
    assert to_data(wait()) == {"verb": "wait"}
    assert to_data(pick_up(3)) == {"verb": "pick_up", "target": 3}
    assert to_data(put(3, Relation.ON, 4)) == {
        "verb": "put",
        "target": 3,
        "relation": "on",
        "place": 4,
    }


def test_things_are_listed_in_the_order_of_the_arguments():
    assert put(3, Relation.ON, 4).things == pour(3, 4).things == (3, 4)
    assert pick_up(3).things == (3,)
    assert look().things == wait().things == ()


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({}, "'verb' is None"),
        ({"verb": "fly", "target": 1}, "'verb' is 'fly'"),
        ({"verb": ["open"], "target": 1}, "'verb'"),
        ({"verb": "open"}, "open has no 'target'"),
        ({"verb": "open", "target": "1"}, "'target' of open is '1'"),
        ({"verb": "open", "target": 1.5}, "'target' of open is 1.5"),
        ({"verb": "open", "target": True}, "'target' of open is True"),
        ({"verb": "open", "target": 1, "place": 2}, "open takes no 'place'"),
        ({"verb": "open", "target": 1, "relation": "on"}, "open takes no 'relation'"),
        ({"verb": "pour", "target": 1}, "pour has no 'place'"),
        ({"verb": "pour", "target": 1, "relation": "on", "place": 2}, "pour takes no 'relation'"),
        ({"verb": "sleep", "target": 1}, "sleep takes no 'target'"),
        ({"verb": "wait", "target": 1}, "wait takes no 'target'"),
        ({"verb": "put", "relation": "on", "place": 2}, "put has no 'target'"),
        ({"verb": "put", "target": 1, "relation": "on"}, "put has no 'place'"),
        ({"verb": "put", "target": 1, "place": 2}, "'relation' of put is None"),
        ({"verb": "put", "target": 1, "relation": "holds", "place": 2}, "'relation' of put"),
        ({"verb": "put", "target": 1, "relation": "on", "place": "x"}, "'place' of put is 'x'"),
    ],
)
def test_malformed_data_is_refused_naming_the_field(data, named):
    with pytest.raises(BadInput) as refused:
        from_data(data)
    assert named in str(refused.value)
