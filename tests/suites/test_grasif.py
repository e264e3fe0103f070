"""The suite grasif: goals between two graphs, the selection by the paper's rules, and files."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.adapters.omnigibson import package as bddl
from peephole.adapters.virtualhome import package
from peephole.errors import BadInput
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.hierarchical_codec import from_hierarchy
from peephole.suites.grasif.goals import goal_between
from peephole.suites.grasif.suites import load
from peephole.suites.grasif.virtualhome import ALLOWED, EXCLUDED, programs, selected
from peephole.suites.registry import load_suite


def two_graphs(
    apples: str = "table-1 table-1 table-1", fridge: str = "closed", agent: str = ""
) -> dict[str, Any]:
    """A kitchen as GraSIF tells one: three apples, two bowls, a fridge and a lamp."""
    able = ["pick_up"]
    objects = [
        {"name": f"bowl-{i}", "relation": "ontop_of", "related_to": "table-1", "states": []}
        | {"affordances": [*able, "put_inside"]}
        for i in (1, 2)
    ]
    objects += [
        {"name": f"apple-{i}", "relation": "ontop_of" if "table" in place else "inside_of"}
        | {"related_to": place, "states": [], "affordances": able}
        for i, place in enumerate(apples.split(), start=1)
    ]
    asset = [
        {"name": "table-1", "room": "kitchen-1", "states": [], "affordances": ["put_on"]},
        {"name": "fridge-1", "room": "kitchen-1", "states": [fridge]}
        | {"affordances": ["open", "close", "put_inside"]},
        {"name": "lamp-1", "room": "kitchen-1", "states": ["off"]}
        | {"affordances": ["turn_on", "turn_off"]},
    ]
    me = {"name": "agent-1", "location": "kitchen-1", "holding": agent or "nothing"}
    nodes = {"rooms": [{"name": "kitchen-1"}], "asset": asset, "objects": objects, "agent": me}
    return {"nodes": nodes}


def graph(*args: str, **more: str) -> SceneGraph:
    return from_hierarchy(two_graphs(*args, **more))


# --- goals ---------------------------------------------------------------------------------------


def test_a_goal_asks_for_what_changes_by_counts() -> None:
    goal = goal_between(graph(), graph("fridge-1 fridge-1 table-1", "open"))
    assert goal is not None
    assert satisfied(goal, graph("table-1 fridge-1 fridge-1", "open"))  # whichever they are
    assert satisfied(goal, graph("fridge-1 fridge-1 fridge-1", "open"))
    assert not satisfied(goal, graph("table-1 table-1 fridge-1", "open"))
    assert not satisfied(goal, graph("fridge-1 fridge-1 table-1", "closed"))


def test_what_is_there_already_counts_too() -> None:
    goal = goal_between(graph("fridge-1 table-1 table-1"), graph("fridge-1 fridge-1 table-1"))
    assert goal is not None
    assert not satisfied(goal, graph("table-1 fridge-1 table-1"))
    assert satisfied(goal, graph("table-1 fridge-1 fridge-1"))


def test_a_place_that_can_be_carried_is_any_of_its_category() -> None:
    goal = goal_between(graph(), graph("bowl-1 bowl-1 table-1"))
    assert goal is not None
    assert satisfied(goal, graph("table-1 bowl-2 bowl-2"))
    assert not satisfied(goal, graph("table-1 bowl-2 bowl-1"))
    assert not satisfied(goal, graph("table-1 table-1 bowl-1"))
    assert not satisfied(goal, graph("table-1 fridge-1 bowl-1"))


BASKETS = ["basket-1", "basket-2"]


def two_baskets(*places: str) -> dict[str, Any]:
    """Two candles and two bows at these places, in this order, and two baskets."""

    def thing(name: str, place: str, can: str = "pick_up") -> dict[str, Any]:
        relation = "ontop_of" if place.startswith("table") else "inside_of"
        node = {"name": name, "relation": relation, "related_to": place, "states": []}
        return node | {"affordances": ["pick_up", can]}

    found = two_graphs()
    found["nodes"]["objects"] = [
        *(thing(basket, "table-1", "put_inside") for basket in BASKETS),
        *map(thing, ("candle-1", "candle-2", "bow-1", "bow-2"), places),
    ]
    return found


def in_baskets(*places: str) -> SceneGraph:
    return from_hierarchy(two_baskets(*places))


def test_each_basket_gets_its_own_whichever_it_is() -> None:
    one, other, table = *BASKETS, "table-1"
    goal = goal_between(in_baskets(*[table] * 4), in_baskets(one, other, one, other))
    assert goal is not None
    assert satisfied(goal, in_baskets(other, one, one, other))
    assert not satisfied(goal, in_baskets(one, one, one, one))
    assert not satisfied(goal, in_baskets(one, one, other, other))


def test_a_basket_counts_for_the_contents_of_one_only() -> None:
    one, other, table = *BASKETS, "table-1"
    goal = goal_between(in_baskets(*[table] * 4), in_baskets(one, one, other, other))
    assert goal is not None
    assert satisfied(goal, in_baskets(other, other, one, one))
    assert not satisfied(goal, in_baskets(one, one, one, one))
    assert not satisfied(goal, in_baskets(one, other, one, other))


def test_graphs_that_are_alike_ask_for_nothing() -> None:
    assert goal_between(graph(), graph()) is None


# --- the selection -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))
@pytest.mark.skipif(bddl.missing() is not None, reason=str(bddl.missing()))
def test_the_selection_is_the_papers_rule_over_the_data_that_there_is() -> None:
    assert (len(ALLOWED), len(EXCLUDED)) == (13, 34)
    suite = load()
    parts = Counter(task.labels["category"] for task in suite.tasks)
    assert parts == {"office": 29, "behavior": 187, "virtualhome": 97}
    assert sum(suite.skipped.values()) == 518 - 97
    skipped: Counter[str] = Counter()
    for program in selected(skipped):
        assert program.actions <= ALLOWED
        assert program.activity.lower() not in EXCLUDED
    assert skipped == suite.skipped
    for part in ("behavior", "virtualhome"):
        alone = [each.id for each in load(part).tasks]
        assert alone == [each.id for each in suite.tasks if each.labels["category"] == part]
        with pytest.raises(BadInput, match="play files by --suite grasif"):
            load_suite(f"grasif:{part}", Path("x"))


@pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))
def test_the_programs_that_change_nothing_are_those_listed() -> None:
    from peephole.adapters.virtualhome.scenes import load as begins
    from peephole.adapters.virtualhome.scenes import load_final as ends
    from peephole.suites.grasif.virtualhome import UNCHANGED

    able = [
        p.number for p in programs() if p.actions <= ALLOWED and p.activity.lower() not in EXCLUDED
    ]
    assert set(able) >= UNCHANGED
    for number in UNCHANGED:
        assert goal_between(begins(number), ends(number)) is None


@pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))
@pytest.mark.skipif(bddl.missing() is not None, reason=str(bddl.missing()))
def test_the_expert_does_them(tmp_path: Path) -> None:
    tasks = ("office/simple-close_cabinet", "behavior/installing_alarms", "virtualhome/1004_2")
    results = peephole.run("expert", "grasif", tasks=tasks, out=tmp_path / "run").results
    assert [result.success for result in results] == [True] * 3


# --- files ---------------------------------------------------------------------------------------


def written(folder: Path, *tasks: dict[str, Any]) -> Path:
    path = folder / "kitchens.json"
    path.write_text(json.dumps(tasks))
    return path


def task(name: str = "cool-0", **more: Any) -> dict[str, Any]:
    two = "fridge-1 fridge-1 table-1"
    asked = {
        "name": name,
        "task": "Cool two apples.",
        "init": two_graphs(),
        "goal": two_graphs(two, "closed"),
    }
    return asked | more


def test_a_users_file_is_played(tmp_path: Path) -> None:
    path = written(tmp_path, task(), task("lamp-0", goal=two_graphs()))
    suite = load_suite("grasif", path)
    assert [each.id for each in suite.tasks] == ["kitchens/cool-0"]
    assert suite.skipped == {"the goal graph asks for no change": 1}
    results = peephole.run("expert", "grasif", data=path, out=tmp_path / "run").results
    assert [(r.success, r.infeasible, r.changed_nodes) for r in results] == [(True, 0, 2)]


def test_the_expert_fills_each_basket(tmp_path: Path) -> None:
    one, other, table = *BASKETS, "table-1"
    graphs = [two_baskets(*[table] * 4), two_baskets(one, other, one, other)]
    path = written(tmp_path, task("fill-0", init=graphs[0], goal=graphs[1]))
    (result,) = peephole.run("expert", "grasif", data=path, out=tmp_path / "run").results
    assert result.success


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("nonsense", "is not JSON"),
        ("{}", "expected a list"),
        ("[]", "has no task that changes anything"),
        (json.dumps([{"name": "a", "task": "b", "init": {}}]), "the field 'goal' of [0] is miss"),
        (json.dumps([task(), task()]), "expected a name that no other task has"),
        (json.dumps([task(goal=two_graphs("shelf-9 table-1 table-1"))]), "[0].goal"),
        (json.dumps([task(init=two_graphs(agent="pear-1"))]), "expected the name of a node"),
        (
            json.dumps([task(init={"nodes": two_graphs()["nodes"] | {"agent": []}})]),
            "not exactly one agent",
        ),
        (
            json.dumps([task(goal=two_graphs("table-1 table-1 table-1 table-1"))]),
            "'apple-4' is not a node",
        ),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content)
    with pytest.raises(BadInput) as refused:
        list(load_suite("grasif", path).tasks)
    assert said in str(refused.value)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        load_suite("grasif", tmp_path / "none.json")
