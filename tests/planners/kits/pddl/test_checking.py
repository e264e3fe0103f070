"""Mistakes in a problem file: one sentence each, in words that a model can act on."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.planners.kits.pddl.checking import InvalidProblem, Scene, read_problem
from peephole.scene_graph.node import Affordance

_CAN = {
    "floor-1": {Affordance.SURFACE},
    "fridge-1": {Affordance.CONTAINER, Affordance.OPENABLE},
    "lamp-1": {Affordance.GRASPABLE, Affordance.SWITCHABLE},
    "apple-1": {Affordance.GRASPABLE},
}
SCENE = Scene(frozenset({"kitchen-1"}), {name: frozenset(can) for name, can in _CAN.items()})
FILE = """\
(define (problem task) (:domain instruction-following)
  (:objects kitchen-1 - room
    floor-1 fridge-1 lamp-1 apple-1 - thing)
  (:init (robot-in kitchen-1) (hand-empty)
    (surface floor-1) (object-room floor-1 kitchen-1)
    (container fridge-1) (openable fridge-1) (closed fridge-1) (object-room fridge-1 kitchen-1)
    (graspable lamp-1) (switchable lamp-1) (ontop lamp-1 floor-1)
    (graspable apple-1) (inside apple-1 fridge-1))
  (:goal (and (ontop apple-1 floor-1) (closed fridge-1))))
"""
GOAL = "(and (ontop apple-1 floor-1) (closed fridge-1))"


def mistakes(text: str) -> tuple[str, ...]:
    with pytest.raises(InvalidProblem) as caught:
        read_problem(text, SCENE)
    return caught.value.mistakes


def nested(goal: str) -> object:
    return read_problem(with_goal(goal), SCENE).goal


def with_goal(goal: str) -> str:
    return FILE.replace(GOAL, goal)


@pytest.mark.parametrize(
    "text",
    [FILE, f"```pddl\n{FILE}```", f"Here it is:\n{FILE}", FILE.upper(), f"; a comment\n{FILE}"],
)
def test_a_problem_is_read_in_a_fence_after_talk_and_in_any_case(text: str) -> None:
    problem = read_problem(text, SCENE)
    assert problem.rooms == ("kitchen-1",)
    assert problem.things == tuple(_CAN)
    assert ("inside", "apple-1", "fridge-1") in problem.facts
    assert problem.goal == ["and", ["ontop", "apple-1", "floor-1"], ["closed", "fridge-1"]]


@pytest.mark.parametrize(
    "goal",
    [
        "(forall (?x - thing) (imply (inside ?x fridge-1) (graspable ?x)))",
        "(exists (?x ?y - thing) (and (ontop ?x ?y) (not (= ?x ?y))))",
        "(exists (?x - thing ?r - room) (object-room ?x ?r))",
        "(exists (?x - thing ?y - thing) (forall (?r - room ?z - thing) (not (= ?y apple-1))))",
        "(or (inside apple-1 fridge-1) (not (closed fridge-1)))",
        "(on-state lamp-1)",
        "(robot-in kitchen-1)",
        "(ontop lamp-1 floor-1)",  # is so already, whatever can be done with it
    ],
)
def test_goals_may_use_all_of_the_language(goal: str) -> None:
    assert read_problem(with_goal(goal), SCENE).goal


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("(on lamp-1)", "no predicate on ((on lamp-1) in :goal)"),
        ("(and (off lamp-1))", "no predicate off"),
        ("(ontop apple-1)", "ontop takes 2 names, not 1"),
        ("(inside apple-1 floor-1)", "put inside floor-1; use (ontop apple-1 floor-1)"),
        ("(inside floor-1 fridge-1)", "floor-1 cannot be picked up"),
        ("(closed floor-1)", "floor-1 cannot be opened or closed"),
        ("(not (closed lamp-1))", ""),
        ("(on-state fridge-1)", "fridge-1 cannot be switched on or off"),
        ("(ontop apple-2 floor-1)", "There is no apple-2 in the scene. Do you mean apple-1?"),
        ("(inside apple-1 kitchen-1)", "kitchen-1 is a room, not a thing"),
        ("(ontop ?x floor-1)", "There is no ?x"),
        ("(not (= apple-1 apple-2))", "apple-2 in (= apple-1 apple-2) is not declared"),
        ("(when (closed fridge-1) (on-state lamp-1))", "is no condition"),
        ("(forall (x) (closed fridge-1))", "is no condition"),
        ("(container floor-1)", "cannot be brought about"),
        ("lamp-1", "needs one expression"),
    ],
)
def test_mistakes_in_goals_are_one_sentence_each(goal: str, expected: str) -> None:
    if not expected:
        assert read_problem(with_goal(goal), SCENE).goal
        return
    (sentence,) = mistakes(with_goal(goal))
    assert expected in sentence
    assert sentence.endswith(("?", "."))


@pytest.mark.parametrize(
    ("written", "instead", "expected"),
    [
        ("(hand-empty)", "", "either (hand-empty) or what the robot holds"),
        ("(robot-in kitchen-1)", "", "in which one room"),
        ("(ontop lamp-1 floor-1)", "", "Say in :init where lamp-1 is"),
        ("(ontop lamp-1 floor-1)", "(ontop lamp-1 lamp-1)", "lamp-1 is on or in itself"),
        ("(surface floor-1)", "(container floor-1)", "(container floor-1) is not so by the scene"),
        ("(closed fridge-1)", "(not (on-state lamp-1))", "lists only what is true"),
        ("(closed fridge-1)", "(shut fridge-1)", "no predicate shut"),
        ("kitchen-1 - room", "kitchen-1 - place", "no type place; kitchen-1 is a room"),
        ("kitchen-1 - room", "kitchen-1 - thing", "kitchen-1 is a room, not a thing"),
        ("apple-1 - thing", "apple-1", "apple-1 has no type"),
        ("apple-1 - thing", "apple-1 pear-1 - thing", "There is no pear-1 in the scene."),
        ("apple-1 - thing", "- thing", "apple-1 is not declared; add apple-1 - thing to :objects"),
        ("(:goal", "(:metric minimize (total-cost)) (:goal", "no section (:metric"),
        ("(define (problem task)", "(define (domain task)", "The file is no problem"),
        ("(closed fridge-1))))", "(closed fridge-1)))", "never closed"),
        ("(closed fridge-1))))", "(closed fridge-1)))))", "closes a parenthesis"),
    ],
)
def test_mistakes_in_files_are_reported(written: str, instead: str, expected: str) -> None:
    assert written in FILE
    assert any(expected in sentence for sentence in mistakes(FILE.replace(written, instead)))


def test_everything_that_is_wrong_is_reported_at_once_up_to_ten_mistakes() -> None:
    wrong = " ".join(f"(glows lamp-{number})" for number in range(20))
    assert len(mistakes(with_goal("(and (on lamp-1) (off lamp-1))"))) == 2
    assert len(mistakes(with_goal(f"(and {wrong})"))) == 10


def test_variables_of_several_types_are_bound_one_type_after_the_other() -> None:
    written = "(exists (?x ?y - thing ?r - room) (and (ontop ?x ?y) (object-room ?y ?r)))"
    body = ["and", ["ontop", "?x", "?y"], ["object-room", "?y", "?r"]]
    inner = ["exists", ["?r", "-", "room"], body]
    assert nested(written) == ["exists", ["?x", "?y", "-", "thing"], inner]


@given(st.text(alphabet="()?-:; \nadefinpr", max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    with pytest.raises(InvalidProblem):
        read_problem(text, SCENE)


@given(st.data())
def test_no_damaged_file_breaks_the_reader(data: st.DataObject) -> None:
    tokens = FILE.replace("(", " ( ").replace(")", " ) ").split()
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(tokens) - 1))
        tokens[at] = data.draw(st.sampled_from([*tokens, ""]))
    with suppress(InvalidProblem):
        problem = read_problem(" ".join(tokens), SCENE)
        assert read_problem(problem.text(), SCENE) == problem
