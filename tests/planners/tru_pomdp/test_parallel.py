"""Questions of one level are asked at once, over a real connection."""

from __future__ import annotations

import json
import threading

from peephole.planners.llm.config import ModelConfig
from peephole.planners.llm.connection import ModelConnection
from peephole.planners.tru_pomdp.asking import ask_tree
from peephole.planners.tru_pomdp.options import Asking
from peephole.planners.tru_pomdp.situation import Situation
from peephole.served_model import ModelEndpoint

NOW = Situation("Tea, please.", ("drawer", "fridge"), ("table",), {})
THINGS = ("tea_cup", "tea_box", "honey_jar", "milk")


def test_all_queries_of_a_level_are_under_way_at_once(endpoint):
    all_there = threading.Barrier(len(THINGS), timeout=60)

    def says(body):
        if "Propose up to 3 goals" in str(body["messages"]):
            objects = [{"object": thing, "area": "table"} for thing in THINGS]
            return json.dumps(
                {"reasoning": "", "combinations": [{"objects": objects, "probability": 1}]}
            )
        all_there.wait()  # breaks where they are asked one after the other
        return json.dumps({"reasoning": "", "areas": [{"area": "fridge", "probability": 1}]})

    endpoint.text = says
    where = ModelEndpoint(endpoint.url, "stand-in")
    with ModelConnection(ModelConfig("stand-in"), where) as connection:
        model = connection.for_episode("planner", lambda event: None)
        found = ask_tree(model, NOW, Asking())
    (hypothesis,) = found.found
    assert hypothesis.places == dict.fromkeys(THINGS, "fridge")
