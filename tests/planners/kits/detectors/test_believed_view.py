"""What a detector found before, in the view of now."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from peephole.planners.contract import Percept
from peephole.planners.kits.detectors.believed_view import BelievedThings
from peephole.planners.kits.detectors.choice import ViewDetector
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Relation, State

from .conftest import FRIDGE, MILK


@pytest.mark.parametrize(("relation", "hidden"), [(Relation.INSIDE, True), (Relation.ON, False)])
def test_what_was_found_in_a_container_is_out_of_sight_once_that_is_closed(
    kitchen: SceneGraph,
    percept_of: Callable[..., Percept],
    relation: Relation,
    hidden: bool,
) -> None:
    kitchen.add_edge(kitchen.agent().id, Relation.CLOSE, FRIDGE)
    kitchen.detach(MILK)
    kitchen.add_edge(MILK, relation, FRIDGE)
    percept = percept_of(kitchen)
    believed = BelievedThings()
    believed.add(ViewDetector().detect(FRIDGE, percept, {}), percept.view)
    assert MILK in believed.view(percept.view).graph
    kitchen.set_state(FRIDGE, State.CLOSED)
    assert (MILK not in believed.view(percept_of(kitchen).view).graph) == hidden
