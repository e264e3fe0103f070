"""The five kitchens as data, and kitchens of the user's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.kitchens.layouts import layout_of, layouts, read_layout
from peephole.errors import BadInput

#: By name: standing places, areas, those closed at first, the longest way, and edges.
FACTS = {
    "one_wall": (6, 23, 14, 16),
    "one_wall_large": (7, 27, 19, 15),
    "l_shaped": (8, 31, 21, 23),
    "l_shaped_large": (9, 31, 21, 27),
    "galley": (11, 41, 28, 21),
}


def test_the_kitchens_are_those_of_the_paper() -> None:
    assert [layout.name for layout in layouts()] == list(FACTS)
    for layout in layouts():
        longest = max(length for ends in layout.distances.values() for length in ends.values())
        counted = (len(layout.distances), len(layout.areas), len(layout.closed), longest)
        assert counted == FACTS[layout.name], layout.name
        assert "Human_Hand" in layout.open
        assert {"Fridge_Cooler_Layer", "Oven_Inner_Space"} <= set(layout.closed)


def test_ways_are_the_shortest() -> None:
    galley = layout_of("galley")
    # by way of the second cabinet 4 + 3 + 3, round the other end 3 + 5 + 4
    assert galley.distance("Human_Hand", "Breakfast_Prep_Surface") == 7
    assert galley.distance("Human_Hand", "Oven_Inner_Space") == 10
    for layout in layouts():
        for start, ends in layout.distances.items():
            assert ends[start] == 0
            for end, length in ends.items():
                assert layout.distances[end][start] == length
                assert all(
                    length <= ends[via] + layout.distances[via][end] for via in layout.distances
                )


KITCHEN: dict[str, Any] = {
    "room": {
        "left": {"unit": {"Tin_Drawer": {"is_open": False, "objects": []}}},
        "right": {"table": {"Table_Top": {"is_open": True, "objects": []}}},
    },
    "edges": [{"link": ["left", "right"], "cost": 4}],
}


def written(tmp_path: Path, document: Any) -> Path:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_a_kitchen_in_the_published_form_is_read(tmp_path: Path) -> None:
    layout = layout_of(str(written(tmp_path, KITCHEN)))
    assert (layout.closed, layout.open) == (("Tin_Drawer",), ("Table_Top",))
    assert layout.distance("Tin_Drawer", "Table_Top") == 4


@pytest.mark.parametrize(
    ("room", "edges", "told"),
    [
        ({"left": {"unit": {"Tin_Drawer": {"is_open": True}}}}, [], "no area is closed"),
        (KITCHEN["room"], [], "no way leads from left to right; add an edge"),
        (KITCHEN["room"], [{"link": ["left", "rihgt"], "cost": 1}], "Did you mean right?"),
        (KITCHEN["room"], [{"link": ["left", "right"], "cost": -1}], "whole number from 0"),
        ({"left": {"unit": {"Tin_Drawer": {"is_open": "no"}}}}, [], "expected true or false"),
    ],
)
def test_a_bad_kitchen_is_refused_in_a_sentence(
    tmp_path: Path, room: Any, edges: Any, told: str
) -> None:
    path = written(tmp_path, {"room": room, "edges": edges})
    with pytest.raises(BadInput, match=told):
        read_layout(path)


def test_an_unknown_kitchen_is_named_with_those_there_are() -> None:
    with pytest.raises(BadInput, match="Did you mean galley"):
        layout_of("galey")
