"""Hand-made tasks of each kind: impossible by kind, state and search, holding, ambiguous, fine."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.audit.audit import audit
from peephole.audit.findings import (
    Audit,
    AuditedTask,
    AuditVerdict,
    Proof,
    lines_of,
    to_csv,
)
from peephole.audit.wording import is_named
from peephole.scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    EventOccurred,
    Exists,
    ForAll,
    Goal,
    HasState,
    Not,
    Or,
    Related,
)
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Relation, State
from peephole.scene_graph.rules import Budgets
from peephole.scene_graph.task import Task
from peephole.skills.embodiment import Embodiment
from peephole.suites.contract import Suite

from .houses import (
    APPLES,
    BOX,
    COIN,
    FRIDGE,
    INSIDE,
    LAMP,
    ME,
    MICROWAVE,
    ON,
    SAFE,
    TABLE,
    house,
)

Audited = Callable[..., AuditedTask]


class _LimitedAdapter(SymbolicAdapter):
    """The built-in world with a fridge for two things."""

    spec = replace(
        SymbolicAdapter.spec,
        embodiment=Embodiment(
            hands=2, capacity={"fridge": 2}, closed_to_run=frozenset({"microwave"})
        ),
    )


@pytest.fixture
def scene(tmp_path: Path) -> str:
    write_graph(house(), tmp_path / "house.json")
    return f"json:{tmp_path / 'house.json'}"


@pytest.fixture
def audited(scene: str) -> Audited:
    """Audits one task: its goal, and what one is told."""

    def one(goal: Goal, instruction: str = "", **more: object) -> AuditedTask:
        task = Task("task", instruction, goal, scene, **more)  # type: ignore[arg-type]
        return audit_of(task).tasks[0]

    return one


def audit_of(*tasks: Task) -> Audit:
    suite = Suite("made", "hand-made", tasks, "symbolic", budgets=Budgets(steps=60))
    return audit(suite, tasks, _LimitedAdapter())


def some(category: str, variable: str, body: Goal) -> Goal:
    return Exists(variable, Domain(frozenset({category})), body)


APPLE_AT = {place: some("apple", "x", Related("x", ON, place)) for place in (TABLE, LAMP)}


# --- what can be fulfilled -----------------------------------------------------------------------


def test_a_task_that_expert_plays_is_fulfillable_and_not_listed(audited):
    found = audited(And((Related(APPLES[1], ON, TABLE), HasState(FRIDGE, State.CLOSED))), "{12}")
    assert (found.verdict, found.proof, found.listed) == (
        AuditVerdict.FULFILLABLE,
        Proof.PLAYED,
        False,
    )
    assert found.steps >= 4


def test_a_goal_that_holds_at_the_start_is_told_with_the_facts(audited):
    found = audited(
        And((APPLE_AT[TABLE], HasState(LAMP, State.ON))), "Light the lamp in the kitchen"
    )
    assert (found.verdict, found.proof) == (AuditVerdict.HOLDS, Proof.STATE)
    assert found.facts == ("an apple is on table #5", "lamp #6 is on")


def test_a_doubted_goal_is_proven_by_a_plan_that_was_carried_out(audited, monkeypatch):
    """expert does not plan for a goal that it is not asked for; the state searched for, it does."""
    from peephole.planners.kits.household import search

    goal = And((Related(APPLES[0], INSIDE, FRIDGE), Related(COIN, INSIDE, SAFE)))
    plain = search.find_plan

    def at_a_loss(graph, wanted, *args, **more):
        if wanted == goal:
            return search.Plan(None, exact=False, expanded=7, reason="too much")
        return plain(graph, wanted, *args, **more)

    monkeypatch.setattr("peephole.planners.kits.household.plan_following.find_plan", at_a_loss)
    found = audited(goal)
    assert (found.verdict, found.proof) == (AuditVerdict.FULFILLABLE, Proof.PLAN)
    assert found.plan[-1] == "put apple #11 inside fridge #4"
    assert found.steps == len(found.plan)
    assert "too much" in found.facts[0]


def test_what_is_neither_fulfilled_nor_ruled_out_is_open(audited, monkeypatch):
    from peephole.planners.kits.household.search import Plan

    def at_a_loss(*args, **more):
        return Plan(None, exact=False, expanded=7, reason="too much")

    monkeypatch.setattr("peephole.planners.kits.household.plan_following.find_plan", at_a_loss)
    found = audited(Related(APPLES[0], INSIDE, FRIDGE))
    assert (found.verdict, found.proof) == (AuditVerdict.OPEN, Proof.NONE)
    assert "too much" in found.facts[0]
    assert "apple #11 is inside fridge #4" in found.facts[1]


# --- what cannot ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "fact"),
    [
        (some("unicorn", "x", Related("x", ON, TABLE)), "there is no unicorn in the scene"),
        (
            AtLeast(4, "x", Domain(frozenset({"apple"})), Related("x", ON, TABLE)),
            "there are 3 (apple), not 4, in the scene",
        ),
        (HasState(99, State.ON), "thing 99 is not in the scene"),
        (HasState(APPLES[0], State.HOT), "no action makes apple #11 hot"),
        (HasState(TABLE, State.OPEN), "no action makes table #5 open"),
        (Related(TABLE, INSIDE, FRIDGE), "table #5 cannot be picked up"),
        (Related(APPLES[0], ON, LAMP), "nothing can be put on lamp #6"),
        (Related(COIN, ON, TABLE), "coin #14 cannot be picked up"),  # it is locked in
        (Related(APPLES[0], INSIDE, SAFE), "nothing can be put inside safe #8"),
        (Not(Related(COIN, INSIDE, SAFE)), "coin #14 is inside safe #8, which no action ends"),
        (
            some("apple", "x", EventOccurred(("heated",), ("x",))),
            "nothing in the scene allows it: apple #11 has been heated",
        ),
        (ForAll("x", Domain(frozenset({"lamp"})), HasState("x", State.PLUGGED_OUT)), "lamp #6"),
        (Or((HasState(TABLE, State.ON), APPLE_AT[LAMP])), "nothing can be put on lamp #6"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_no_action_brings_about_is_impossible_by_these_facts(audited, goal, fact):
    found = audited(goal)
    assert (found.verdict, found.proof) == (AuditVerdict.IMPOSSIBLE, Proof.ARGUMENT)
    assert any(fact in each for each in found.facts), found.facts


@pytest.mark.parametrize(
    ("goal", "rules"),
    [
        (
            And((Related(APPLES[1], ON, TABLE), Related(APPLES[1], INSIDE, FRIDGE))),
            {"what is inside a place is in it, or in or on something there"},
        ),
        (
            And((Related(APPLES[1], ON, TABLE), Related(APPLES[1], INSIDE, BOX, True))),
            {"a thing is at one place at a time"},
        ),
        (
            And(tuple(Related(ME, Relation.HOLDS, apple) for apple in APPLES)),
            {"the agent has 2 hands"},
        ),
        (
            And(tuple(Related(apple, INSIDE, FRIDGE, True) for apple in APPLES)),
            {"fridge #4 takes 2 at a time"},
        ),
        (
            And((HasState(MICROWAVE, State.ON), HasState(MICROWAVE, State.OPEN))),
            {"a thing is in a state that actions bring it into"},
        ),
        (
            And(
                (
                    *(some("apple", "x", Related("x", ON, place)) for place in (TABLE,)),
                    *(Related(apple, INSIDE, BOX, True) for apple in APPLES),
                )
            ),
            {"a thing is at one place at a time"},
        ),
    ],
    ids=["two places", "two direct places", "hands", "capacity", "states", "counted"],
)
def test_what_single_facts_allow_is_impossible_by_an_exhausted_search(audited, goal, rules):
    found = audited(goal)
    assert (found.verdict, found.proof) == (AuditVerdict.IMPOSSIBLE, Proof.SEARCH)
    assert rules <= set(found.facts), found.facts


def test_the_part_of_a_goal_that_is_impossible_by_itself_is_named(audited):
    found = audited(And((Related(APPLES[0], INSIDE, FRIDGE), HasState(TABLE, State.ON))))
    assert found.facts == ("of the goal: table #5 is on", "no action makes table #5 on")


def test_a_full_place_that_things_can_be_carried_into_is_not_called_full(audited):
    """Three apples fit into a fridge for two things: in a box."""
    found = audited(And(tuple(Related(apple, INSIDE, FRIDGE) for apple in APPLES)))
    assert found.verdict is not AuditVerdict.IMPOSSIBLE


def test_a_scene_that_cannot_be_loaded_leaves_the_task_open(scene):
    found = audit_of(Task("gone", "", APPLE_AT[TABLE], f"{scene}.none")).tasks[0]
    assert (found.verdict, found.proof) == (AuditVerdict.OPEN, Proof.NONE)
    assert found.facts[0].startswith("the world could not be played")


# --- ambiguity -----------------------------------------------------------------------------------


def rules_of(found: AuditedTask) -> set[str]:
    return {each.rule for each in found.ambiguous}


def test_tasks_of_the_same_words_and_scene_with_other_goals_are_ambiguous(scene):
    told = "Put an apple in the fridge"
    inside = some("apple", "x", some("fridge", "y", Related("x", INSIDE, "y")))
    out = some("apple", "x", Not(some("fridge", "y", Related("x", INSIDE, "y"))))
    tasks = [
        Task("one", f"{told}.", inside, scene),
        Task("two", told.lower(), out, scene),
        Task("three", f"{told}.", And((inside,)), scene, labels={"scene": "elsewhere"}),
    ]
    first, second, third = audit_of(*tasks).tasks
    assert rules_of(first) == rules_of(second) == {"same_words"}
    assert "task two" in first.ambiguous[0].proof
    assert third.ambiguous == ()
    assert audit_of(tasks[0], replace(tasks[0], id="again")).tasks[0].ambiguous == ()


def test_the_order_of_a_goals_parts_makes_no_other_goal(scene):
    parts = (HasState(FRIDGE, State.OPEN), HasState(MICROWAVE, State.OPEN))
    tasks = [
        Task("one", "{4} {16}", And(parts), scene),
        Task("two", "{4} {16}", And(parts[::-1]), scene),
    ]
    assert [each.ambiguous for each in audit_of(*tasks).tasks] == [(), ()]


@pytest.mark.parametrize(
    ("instruction", "ambiguous"),
    [
        ("Turn off the lamp.", True),
        ("Turn off the lamp in the kitchen.", False),  # the other is in the bedroom
        ("Turn off {6}.", False),
    ],
)
def test_one_of_several_things_that_look_alike_has_to_be_told_apart(
    audited, instruction, ambiguous
):
    found = audited(HasState(LAMP, State.OFF), instruction)
    assert (rules_of(found) == {"one_of_several"}) is ambiguous
    if ambiguous:
        proof = found.ambiguous[0].proof
        assert "lamp #6 in kitchen #1" in proof
        assert "lamp #7 in bedroom #2" in proof


def test_a_thing_alike_with_which_the_goal_holds_already_is_no_other_meaning(audited):
    """Only one of the apples can still be put on the table."""
    found = audited(Related(APPLES[1], ON, TABLE), "Put the apple on the table.")
    assert "apple #11" not in found.ambiguous[0].proof
    assert "apple #13" in found.ambiguous[0].proof


def test_a_kind_that_no_word_speaks_of_is_ambiguous(audited):
    goal = some("apple", "x", some("fridge", "y", Related("x", INSIDE, "y")))
    assert audited(goal, "Put an apple in the refrigerator.").ambiguous == ()
    found = audited(goal, "Put some fruit where it is cold.")
    assert [each.proof for each in found.ambiguous] == [
        "the goal needs: apple; no word names it",
        "the goal needs: fridge; no word names it",
    ]


def test_what_the_suite_says_to_be_ambiguous_is(audited):
    goal = Related(APPLES[0], INSIDE, FRIDGE)
    found = audited(
        goal, "Put {11} into {4}.", candidates=Or((goal, Related(APPLES[0], ON, TABLE)))
    )
    assert rules_of(found) == {"told_so"}


@pytest.mark.parametrize(
    ("kind", "instruction", "named"),
    [
        ("knife", "Bring three knives.", True),
        ("garbage can", "Throw it into the trash.", True),
        ("basket ball", "Fetch the basketball.", True),
        ("cell phone", "Two phones on the desk", True),
        ("counter top", "put it on the coutner", True),
        ("cd", "Lay the CDs down.", True),
        ("t-shirt", "Fold his shirts.", True),
        ("mug", "Put it in the sink.", False),
        ("pen", "Open the door.", False),
        ("pepper shaker", "Put two containers of salt in the drawer.", False),
    ],
)
def test_words_for_kinds(kind, instruction, named):
    assert is_named(kind, instruction) is named


# --- how it is told ------------------------------------------------------------------------------


def test_the_audit_is_told_in_lines_json_and_csv(scene):
    found = audit_of(
        Task("fine", "Open {4}.", HasState(FRIDGE, State.OPEN), scene),
        Task("never", "Heat {11}.", HasState(APPLES[0], State.HOT), scene),
        Task("lamp", "Turn off the lamp.", HasState(LAMP, State.OFF), scene),
    )
    lines = lines_of(found)
    assert lines[0] == (
        "made: 3 tasks, 2 fulfillable, 0 hold already, 1 impossible, 0 open; 1 ambiguous."
    )
    assert not any(line.startswith("fine:") for line in lines)
    assert "never: impossible" in lines
    assert "lamp: fulfillable, ambiguous" in lines
    data = json.loads(json.dumps(found.to_data()))
    assert data["counts"] == {
        "tasks": 3,
        "fulfillable": 2,
        "holds": 0,
        "impossible": 1,
        "open": 0,
        "ambiguous": 1,
        "one_of_several": 1,
    }
    assert [each["verdict"] for each in data["tasks"]] == [
        "fulfillable",
        "impossible",
        "fulfillable",
    ]
    rows = list(csv.DictReader(io.StringIO(to_csv(found))))
    assert rows[1]["facts"] == "no action makes apple #11 hot"
    assert rows[2]["ambiguous"].startswith("one_of_several: the goal wants lamp #6")


def test_of_a_goal_that_cannot_hold_the_parts_are_told_that_exclude_each_other(audited):
    parts = (
        HasState(FRIDGE, State.OPEN),
        HasState(MICROWAVE, State.ON),
        Related(APPLES[0], INSIDE, FRIDGE),
        HasState(MICROWAVE, State.OPEN),
    )
    found = audited(And(parts))
    assert found.facts[0] == "of the goal: microwave #16 is on and microwave #16 is open"
