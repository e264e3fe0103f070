"""The prior: what people know of where things are kept, from data that no suite is made of."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from peephole.errors import Missing
from peephole.observation_text.view import View
from peephole.planners import explore
from peephole.planners.contract import Brief, Percept
from peephole.planners.kits.household import prior
from peephole.planners.kits.household.prior import Prior
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Kind, Node
from peephole.scene_graph.rules import Budgets
from peephole.skills.embodiment import Embodiment
from peephole.suites.alfred.suites import load_ithor


@pytest.fixture(scope="module")
def home() -> Prior:
    return prior.load()


@pytest.mark.parametrize(
    ("thing", "likely", "unlikely"),
    [
        ("milk", ("fridge", "kitchen"), ("bathroom cabinet", "bathroom")),
        ("egg", ("fridge", "kitchen"), ("desk", "home office")),
        ("toothbrush", ("bathroom cabinet", "bathroom"), ("fridge", "kitchen")),
        ("pillow", ("bed", "bedroom"), ("kitchen counter", "kitchen")),
        ("bread", ("kitchen counter", "kitchen"), ("couch", "living room")),
        ("laptop", ("desk", "home office"), ("sink", "bathroom")),
        ("phone", ("desk", "home office"), ("toilet", "bathroom")),
        ("towel", ("towel rack", "bathroom"), ("bookshelf", "living room")),
        ("plate", ("kitchen counter", "kitchen"), ("bed", "bedroom")),
        ("remote control", ("couch", "living room"), ("fridge", "kitchen")),
    ],
)
def test_things_are_sought_where_people_would(home, thing, likely, unlikely):
    assert home.score(thing, *likely) > home.score(thing, *unlikely) + 1.0


def test_counts_weigh_more_than_words(home):
    # "apple" and "desk": 12 of the 76 desks counted have one; hardly a toilet does.
    assert home.score("apple", "desk", None) > home.score("apple", "toilet", None)
    # A category never counted borrows from the most similar one.
    assert home.score("egg", "refrigerator", None) > home.score("egg", "dresser", None)


def test_a_room_alone_tells_something(home):
    rooms = ("kitchen", "living room", "bedroom", "bathroom")
    best = {
        thing: max(rooms, key=lambda room: home.score(thing, None, room))
        for thing in ("coffee maker", "soap", "television", "alarm clock")
    }
    assert best == {
        "coffee maker": "kitchen",
        "soap": "bathroom",
        "television": "living room",
        "alarm clock": "bedroom",
    }


def test_scores_are_the_same_in_another_process(home):
    code = (
        "from peephole.planners.kits.household import prior\n"
        "print(repr(prior.load().score('milk', 'fridge', 'kitchen')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert float(done.stdout) == home.score("milk", "fridge", "kitchen")
    assert done.stderr == ""  # nor does any package print or warn


def test_logging_is_left_alone():
    root = logging.getLogger()
    before = root.handlers[:], root.level
    Prior()
    assert (root.handlers, root.level) == before


@pytest.mark.parametrize("place", ["fridge", "counter top", "desk"])
def test_without_its_counts_the_prior_goes_by_likeness_alone(place, home, monkeypatch):
    without = prior.load(counted=False)
    assert without.score("egg", place, None) != home.score("egg", place, None)

    read = prior._read
    monkeypatch.setattr(prior, "_read", lambda name: {} if name == "receptacles" else read(name))
    assert Prior(counted=False).score("egg", place, None) == without.score("egg", place, None)


@pytest.mark.parametrize(
    ("sources", "counted"),
    [({"house"}, True), (Prior.sources, False), (load_ithor().sources, False)],
)
def test_explore_leaves_out_what_was_counted_in_the_data_of_the_suite(
    monkeypatch, home, sources, counted
):
    asked = []
    monkeypatch.setattr(prior, "load", lambda **how: asked.append(how["counted"]) or home)
    graph = SceneGraph([Node(1, "kitchen", Kind.ROOM, 1), Node(2, "agent", Kind.AGENT, 2)])
    brief = Brief(
        instruction="",
        agent=2,
        rooms=(),
        embodiment=Embodiment(),
        actions=frozenset(),
        budgets=Budgets(),
        dialect="reactree",
        seed=0,
        goal=And(()),
        goal_things={},
        sources=frozenset(sources),
    )
    next(explore.PLANNER.plan(brief, Percept("", View(graph, {}), {}, 0, list)))
    assert asked == [counted]


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "wordllama", None)  # as if it were not installed

    with pytest.raises(Missing, match="wordllama") as caught:
        Prior()
    assert "pip install 'wordllama<" in str(caught.value)
    assert explore.PLANNER.missing() == str(caught.value)


def test_importing_the_planners_loads_no_package():
    code = (
        "import sys, peephole.planners.explore, peephole.planners.kits.household.prior\n"
        "print([name for name in ('wordllama', 'procthor', 'tokenizers') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
