"""The table from instructions to what they ask for, as it is read."""

from __future__ import annotations

import pytest

from peephole.errors import BadInput
from peephole.stand_ins.scripted.household.requirements import (
    Requirement,
    Term,
    named_in,
    requirements_of,
    to_table,
)


def test_an_entry_is_read():
    entry = {"relation": "inside", "thing": ["apple", "pear"], "count": "all", "place": "fridge"}
    table = to_table({"Put all the fruit in the fridge.": [entry]})
    requirements = requirements_of(table, "put all the fruit  in the fridge.")
    assert requirements == (
        Requirement("inside", Term(("apple", "pear")), Term(("fridge",)), None),
    )


def test_instructions_that_are_not_there_are_unknown():
    assert requirements_of(to_table({}), "Put all the fruit in the fridge.") is None


@pytest.mark.parametrize(
    "entry",
    [
        [],
        {},
        {"relation": 3},
        {"relation": "on", "id": 12},
        {"relation": "on", "thing": 12},
        {"relation": "on", "thing": []},
        {"relation": "on", "thing": "apple", "thing_named": 0},
        {"relation": "on", "thing": "apple", "count": 0},
        {"relation": "on", "thing": "apple", "count": True},
        {"relation": "state", "thing": "apple", "state": 1},
        {"relation": "event", "verbs": "wash"},
    ],
)
def test_malformed_entries_are_refused(entry):
    with pytest.raises(BadInput):
        to_table({"Do it.": [entry]})


@pytest.mark.parametrize("data", [[], None, {"Do it.": {}}])
def test_malformed_tables_are_refused(data):
    with pytest.raises(BadInput):
        to_table(data)


def test_names_are_found_in_the_order_in_which_an_instruction_has_them():
    text = "Put apple 12, pineapple 3 and apple 1 beside Apple 12."
    assert named_in(text, "apple") == ("apple 12", "apple 1")
    assert named_in(text, "pear") == ()
