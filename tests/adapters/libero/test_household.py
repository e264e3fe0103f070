"""The tasks of `libero:household`: how long they are, what they hide, and the text LIBERO gets."""

import itertools

import pytest

from peephole.adapters.libero.engine.household import HouseholdTask, bddl
from peephole.adapters.libero.engine.household_tasks import SUITES, TASKS

by_name = pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])


def actions_of(task: HouseholdTask, hiding: dict[str, str]) -> int:
    """The number of actions of the shortest plan, when two drawers may be open at a time."""
    count, opened, ends_open = 0, set(), set()
    for predicate, thing, *place in task.goal:
        if predicate in ("on", "in"):
            count += 2
            opened |= {hiding[thing]} if thing in hiding else set()
            opened |= {*place} if predicate == "in" and is_drawer(place[0]) else set()
        elif predicate == "open":
            opened.add(thing)
            ends_open.add(thing)
        elif predicate in ("turnon", "turnoff"):
            count += 1
            assert (thing in task.running) == (predicate == "turnoff"), "nothing is done at first"
    shut = {thing for predicate, thing, *_ in task.goal if predicate == "close"}
    assert opened <= shut | ends_open
    return count + len(opened) + len(opened & shut)


def is_drawer(place: str) -> bool:
    return "cabinet" in place and place.endswith("_region")


def cabinet_of(drawer: str) -> str:
    return drawer.rsplit("_", 2)[0]


def test_there_are_twenty_tasks_with_names_of_their_own():
    assert len({task.name for task in TASKS}) == len(TASKS) >= 20


@by_name
def test_a_task_takes_six_actions_or_more_wherever_its_things_are_hidden(task):
    assert task.hidings()
    assert min(actions_of(task, hiding) for hiding in task.hidings()) >= 6


@by_name
def test_what_is_hidden_is_asked_for_and_lies_in_drawers_that_end_as_the_goal_says(task):
    moved = {thing for predicate, thing, *_ in task.goal if predicate in ("on", "in")}
    assert {*task.hidden} <= moved
    drawers = {thing for predicate, thing, *_ in task.goal if predicate in ("open", "close")}
    assert {*itertools.chain(*task.hidden.values())} <= drawers


@by_name
def test_no_plan_needs_two_drawers_of_one_cabinet(task):
    wanted = [place for _, _, *places in task.goal for place in places if is_drawer(place)]
    wanted += [thing for predicate, thing, *_ in task.goal if predicate == "open"]
    for hiding in task.hidings():
        drawers = {*hiding.values(), *wanted}
        assert len({cabinet_of(drawer) for drawer in drawers}) == len(drawers)


@by_name
def test_every_name_of_a_goal_is_in_the_text_that_libero_gets(task):
    text = bddl(task)
    fixtures = {each.name for each in task.fixtures}
    for _, *names in task.goal:
        for name in names:
            owner = next((each for each in (*fixtures, *task.things) if name.startswith(each)), "")
            region = name.removeprefix(owner).removeprefix("_")
            assert f"({region} (:target {owner}))" in text if region else owner in text
    assert text.count("(") == text.count(")")


def test_things_are_only_hidden_as_the_audit_plays_them():
    audits = SUITES["libero_household_audit"]
    audited = {(thing, *task.hidden[thing]) for task in audits for thing in task.hidden}
    for task in TASKS:
        for thing, places in task.hidden.items():
            assert {(thing, place) for place in places} <= audited
