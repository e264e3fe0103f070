"""Questions of one level are asked at once, over a real connection."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager

from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.served_model import ModelEndpoint
from peephole.planners.kits.hypotheses.asking import ask_tree
from peephole.planners.kits.hypotheses.situation import Situation, TreeAsking

NOW = Situation("Tea, please.", ("drawer", "fridge"), ("table",), {})
#: As many as one answer may name by default.
THINGS = tuple(f"{kind}_{part}" for kind in ("tea", "milk") for part in "abcde")
GOALS = (THINGS[:4], THINGS[4:8], THINGS[6:])


@contextmanager
def asked(endpoint, on_place):
    """The model of an endpoint; `on_place` is called with each question about a thing."""

    def says(body):
        told = str(body["messages"])
        if "Propose up to 3 goals" in told:
            combinations = [
                {"objects": [{"object": t, "area": "table"} for t in goal], "probability": 1 / 3}
                for goal in GOALS
            ]
            return json.dumps({"reasoning": "", "combinations": combinations})
        on_place(body["messages"][-1]["content"])
        return json.dumps({"reasoning": "", "areas": [{"area": "fridge", "probability": 1}]})

    endpoint.text = says
    where = ModelEndpoint(endpoint.url, "stand-in")
    with ModelConnection(ModelConfig("stand-in"), where) as connection:
        yield connection.for_episode("planner", lambda event: None)


def test_all_queries_of_a_level_are_under_way_at_once(endpoint):
    all_there, alone = threading.Barrier(len(THINGS), timeout=60), []

    def wait_for_the_others(told):
        try:
            all_there.wait()
        except threading.BrokenBarrierError:
            alone.append(told)

    with asked(endpoint, wait_for_the_others) as model:
        answered = ask_tree(model, NOW, TreeAsking())
    assert not alone, "some were asked after others had been answered"
    assert set(answered.places) == set(THINGS)
    assert all(set(each.places.values()) == {"fridge"} for each in answered.hypotheses)


def test_a_level_takes_hardly_longer_than_its_longest_query(endpoint):
    answer_s, begun = 3.0, []

    def answer_slowly(told):
        begun.append(time.monotonic())
        time.sleep(answer_s)

    with asked(endpoint, answer_slowly) as model:
        ask_tree(model, NOW, TreeAsking())
    took = time.monotonic() - begun[0]
    print(f"{len(begun)} queries: {took:.2f} s, {took / answer_s:.2f} times the longest")
    assert len(begun) == len(THINGS)
    assert took < 1.5 * answer_s
