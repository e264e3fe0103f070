"""Codes on pictures: what is written is read, and what is damaged is not."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from peephole.observation_text.tile_codes import (
    CELL,
    LONGEST,
    MOST_ROWS,
    TileCode,
    cells,
    located_codes,
)
from peephole.scene_graph.node import PLACEMENTS, Kind, State

codes = st.builds(
    TileCode,
    st.integers(0, 254),
    st.integers(0, 255),
    st.sampled_from([None, *PLACEMENTS]),
    st.sampled_from(Kind),
    st.frozensets(st.sampled_from(State)),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=60),
)


def drawn(*written: tuple[TileCode, int, int]) -> Any:
    """A picture with codes at cells (across, down)."""
    image = np.full((400, 400, 3), 255, np.uint8)
    for code, across, down in written:
        black = np.kron(cells(code), np.ones((CELL, CELL), bool))
        y, x = down * CELL, across * CELL
        image[y : y + black.shape[0], x : x + black.shape[1]][black] = 0
    return image


def read_codes(image: Any) -> list[TileCode]:
    return [code for code, _ in located_codes(image)]


@given(codes, codes, st.integers(0, 60), st.integers(0, 30))
def test_codes_are_read_where_they_stand(
    one: TileCode, other: TileCode, across: int, down: int
) -> None:
    found = read_codes(drawn((one, across, down), (other, 5, down + MOST_ROWS + 2)))
    assert [cut(code) for code in found] == [cut(one), cut(other)]


def cut(code: TileCode) -> tuple[object, ...]:
    text = code.category.encode()[:LONGEST].decode(errors="ignore")
    return code.index, code.parent, code.relation, code.kind, code.states, text


@given(codes, st.integers(CELL, CELL * 4 - 1), st.integers(0, CELL * 32 - 1))
def test_a_code_with_a_wrong_cell_is_left_out(code: TileCode, down: int, across: int) -> None:
    image = drawn((code, 0, 0))
    y, x = down // CELL * CELL, across // CELL * CELL
    image[y : y + CELL, x : x + CELL] = 255 - image[y : y + CELL, x : x + CELL]
    found = read_codes(image)
    assert found in ([], read_codes(drawn((code, 0, 0))))  # beyond its end nothing is checked
    if down < 2 * CELL:
        assert found == []


@given(st.integers(1, 40), st.integers(1, 40))
def test_any_image_can_be_searched(height: int, width: int) -> None:
    chance = np.random.default_rng(height * 41 + width)
    assert read_codes(chance.integers(0, 256, (height, width, 3), np.uint8)) == []
