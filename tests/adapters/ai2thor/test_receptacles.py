"""Which types the engine places where, and what that says of slices."""

from __future__ import annotations

import pytest

from peephole.adapters.ai2thor.object_types import ALLOWED, ONE_SLOT, allowed, whole_of


def test_keys_go_on_shelves_and_not_into_cabinets():
    """The engine's table names shelves alone for them."""
    assert allowed("KeyChain", "Shelf")
    assert not allowed("KeyChain", "Cabinet")


def test_a_slice_goes_wherever_its_whole_does():
    pieces = [kind for kind in ALLOWED if whole_of(kind) != kind]
    assert pieces
    for piece in pieces:
        assert ALLOWED[piece] >= ALLOWED[whole_of(piece)]


@pytest.mark.parametrize("place", ONE_SLOT)
def test_what_fits_a_slot_is_allowed_there(place):
    assert all(allowed(thing, place) for thing in ONE_SLOT[place])
