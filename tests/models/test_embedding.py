"""Sentence embeddings from the package that brings its weights."""

from __future__ import annotations

import numpy as np
import pytest

from peephole.errors import Missing
from peephole.models import embedding
from peephole.models.embedding import PackagedEmbedder, packaged, unit_length


def test_texts_of_like_meaning_are_near_each_other() -> None:
    juice, wine, dishwasher = packaged().embed(
        ["find and pick up the juice", "find and pick up the wine", "turn on the dishwasher"]
    )
    assert juice @ wine > juice @ dishwasher + 0.3


def test_vectors_are_of_unit_length_whatever_was_asked_before() -> None:
    both = packaged().embed(["a red apple", "milk", "a red apple"])
    assert both.shape == (3, 256)
    assert both.dtype == np.float32
    assert np.linalg.norm(both, axis=1) == pytest.approx([1, 1, 1], abs=1e-6)
    assert (both[0] == both[2]).all()
    assert (packaged().embed(["milk"])[0] == both[1]).all()


def test_a_row_of_zeros_has_no_direction() -> None:
    rows = np.array([[3, 4], [0, 0]], dtype=np.float32)
    assert unit_length(rows) == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))


def test_what_is_missing_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "folder_of", lambda module: None)
    with pytest.raises(Missing, match=r"the package wordllama; .*pip install 'wordllama<"):
        PackagedEmbedder()
