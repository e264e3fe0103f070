"""Questions of one level are asked at once, over a real connection."""

from __future__ import annotations

import json
import threading
import time

from peephole.planners.llm.config import ModelConfig
from peephole.planners.llm.connection import ModelConnection
from peephole.planners.tru_pomdp.asking import ask_tree
from peephole.planners.tru_pomdp.options import Asking
from peephole.planners.tru_pomdp.situation import Situation
from peephole.served_model import ModelEndpoint

NOW = Situation("Tea, please.", ("drawer", "fridge"), ("table",), {})
THINGS = ("tea_cup", "tea_box", "honey_jar", "milk")
SLOW_S = 0.5


def test_a_level_takes_as_long_as_its_longest_query(endpoint):
    asked = []

    def says(body):
        told = str(body["messages"])
        if "Propose up to 3 goals" in told:
            objects = [{"object": thing, "area": "table"} for thing in THINGS]
            return json.dumps(
                {"reasoning": "", "combinations": [{"objects": objects, "probability": 1}]}
            )
        asked.append(threading.get_ident())
        time.sleep(SLOW_S)
        return json.dumps({"reasoning": "", "areas": [{"area": "fridge", "probability": 1}]})

    endpoint.text = says
    with ModelConnection(
        ModelConfig("stand-in"), ModelEndpoint(endpoint.url, "stand-in")
    ) as connection:
        model = connection.for_episode("planner", lambda event: None)
        began = time.perf_counter()
        found = ask_tree(model, NOW, Asking())
        took = time.perf_counter() - began
    assert len(asked) == len(THINGS)
    assert len(set(asked)) == len(THINGS)
    assert took < 2.5 * SLOW_S  # one after the other they take four times as long
    (hypothesis,) = found.found
    assert hypothesis.places == dict.fromkeys(THINGS, "fridge")
