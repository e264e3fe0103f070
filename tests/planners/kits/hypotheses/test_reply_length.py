"""The longest answers to questions on hypotheses fit the tokens that the questions ask for."""

from __future__ import annotations

import json

import pytest

from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.served_model import ModelEndpoint
from peephole.planners.kits.hypotheses.asking import ask_flat
from peephole.planners.kits.hypotheses.situation import Asking, Situation

CLOSED = tuple(f"seasonal_item_cabinet_{number}" for number in range(12))
NOW = Situation("Tea, please.", CLOSED, ("small_appliance_station_surface",), {})
#: Characters of a token, in names.
TOKEN = 3


def _longest(count: int, objects: int) -> str:
    """An answer with all that may be in it, as a model indents it."""
    hypotheses = [
        {
            "objects": [
                {
                    "object": f"gluten_free_crackers_{number}_{letter}",
                    "target_area": NOW.opened[0],
                    "current_area": CLOSED[number % len(CLOSED)],
                }
                for letter in "abcdefgh"[:objects]
            ],
            "probability": 0.11,
        }
        for number in range(count)
    ]
    return json.dumps({"reasoning": "So. " * 500, "hypotheses": hypotheses}, indent=1)


@pytest.mark.parametrize(("count", "objects"), [(1, 4), (9, 4), (9, 8), (20, 4)])
def test_a_flat_answer_of_full_length_is_not_cut_off(endpoint, count, objects):
    endpoint.text = lambda body: _longest(count, objects)[: TOKEN * body["max_tokens"]]
    where = ModelEndpoint(endpoint.url, "stand-in")
    asking = Asking(combination=objects, objects=count * objects)
    with ModelConnection(ModelConfig("stand-in", attempts=1), where) as connection:
        model = connection.for_episode("planner", lambda event: None)
        assert len(ask_flat(model, NOW, asking, count).hypotheses) == count
