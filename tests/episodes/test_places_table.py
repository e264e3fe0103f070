"""The table of where things lie has categories alone."""

from __future__ import annotations

import peephole
from peephole.episodes.instruction_table import places_table


def test_every_object_of_a_kitchen_is_in_the_table():
    with peephole.make("kitchens:easy") as environment:
        environment.reset()
        graph = environment.adapter.graph()
        table = places_table([environment.task], lambda task: graph)
        ((instruction, places),) = table.items()
    assert instruction == environment.task.instruction
    assert len(places) == 20
    assert all(areas and not any(ch.isdigit() for ch in str(areas)) for areas in places.values())
