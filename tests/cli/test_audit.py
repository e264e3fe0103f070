"""`peephole audit` from the command line."""

from __future__ import annotations

import csv
import io
import json

import pytest

from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State


@pytest.fixture
def strange(package, tmp_path):
    """A suite `strange`: a lamp to be turned off, and one that is to be hot."""
    can = frozenset({Affordance.SWITCHABLE})
    graph = SceneGraph(
        [
            Node(1, "kitchen", Kind.ROOM, 1),
            Node(2, "robot", Kind.AGENT, 2),
            Node(3, "lamp", Kind.FIXTURE, 3, frozenset({State.ON}), can),
        ],
        [Edge(2, Relation.INSIDE, 1), Edge(3, Relation.INSIDE, 1)],
    )
    write_graph(graph, tmp_path / "house.json")
    package(
        f"""
from peephole.suites.contract import Suite
from peephole.scene_graph.goals import HasState
from peephole.scene_graph.node import State
from peephole.scene_graph.task import Task

SCENE = "json:{tmp_path / "house.json"}"


def load(data):
    tasks = (
        Task("off", "Turn off {{3}}.", HasState(3, State.OFF), SCENE),
        Task("hot", "Heat {{3}}.", HasState(3, State.HOT), SCENE),
    )
    print("loaded")
    return Suite("strange", "made up", tasks, "symbolic")


from dataclasses import replace
from peephole.adapters.contract import Capability
from peephole.adapters.symbolic import SymbolicAdapter


class Blind(SymbolicAdapter):
    spec = replace(
        SymbolicAdapter.spec, capabilities=SymbolicAdapter.spec.capabilities - {{Capability.GRAPH}}
    )
""",
        {"suites": "load", "adapters": "Blind"},
    )


def test_what_is_listed_and_how_far_it_is(peephole, strange):
    done = peephole("audit", "strange", COLUMNS="80")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "strange: 2 tasks, 1 fulfillable, 0 hold already, 1 impossible" in lines[1]
    assert "hot: impossible" in lines
    assert "  fact: no action makes lamp #3 hot" in lines
    assert "off:" not in done.stdout
    assert "2/2 tasks, 1 listed" in done.stderr


def test_one_json_document_or_table_and_nothing_else(peephole, strange):
    data = json.loads(peephole("audit", "strange", "--json").stdout)
    assert data["counts"]["impossible"] == 1
    assert data["tasks"][1]["facts"] == ["no action makes lamp #3 hot"]
    rows = list(csv.DictReader(io.StringIO(peephole("audit", "strange", "--csv").stdout)))
    assert [(row["task"], row["verdict"]) for row in rows] == [
        ("off", "fulfillable"),
        ("hot", "impossible"),
    ]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("strange", "--json", "--csv"), "--json and --csv exclude each other"),
        (("strange", "--tasks", "of"), "off"),
        (("strange", "--adapter", "strange"), "the audit reads the true state"),
        (("nowhere",), "nowhere"),
    ],
)
def test_what_cannot_be_audited_is_refused_in_a_sentence(peephole, strange, arguments, sentence):
    done = peephole("audit", *arguments)
    assert (done.returncode, done.stdout.replace("loaded\n", "")) == (2, "")
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
