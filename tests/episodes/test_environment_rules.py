"""The world of one episode under the rules and budgets of its suite or task."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from peephole.episodes.environment import GOAL_NOT_REACHED, GOAL_REACHED
from peephole.errors import BadInput
from peephole.scene_graph.node import Relation
from peephole.scene_graph.rules import Budgets, Ends, RefusedText, Rewards, Rules
from peephole.scene_graph.task import Task
from peephole.skills import actions
from peephole.skills.actions import Action, Verb
from peephole.skills.outcomes import Reason

from .small_house import SOLUTION, begun


def test_where_the_planner_says_when_it_is_done_a_reached_goal_ends_nothing(task: Task) -> None:
    environment = begun(task, rules=Rules(ends=Ends.PLANNER_DONE))
    for action in SOLUTION:
        percept = environment.step(action)
    assert percept.ended is None
    assert environment.score().success
    environment.step(actions.pick_up(1))
    assert environment.score().success is False


def test_words_that_are_refused_may_cost_a_step(task: Task) -> None:
    rules = Rules(refused=RefusedText.STEP, rewards=Rewards(step=-0.25, failed=-1.0))
    environment = begun(task, rules=rules, budgets=Budgets(steps=2))
    percept = environment.step("open the wardrobe 7")
    assert percept.outcome is not None
    assert percept.outcome.failure is not None
    assert percept.outcome.failure.reason is Reason.UNKNOWN
    assert percept.refused == percept.text
    assert (percept.step, percept.ended) == (1, None)
    assert environment.step("nonsense").ended == "steps"
    score = environment.score()
    assert (score.steps, score.failures, score.reward) == (2, {"unknown": 2}, -2.5)


def test_a_body_that_has_to_walk_may_have_more_steps(task: Task) -> None:
    """The small house's agent goes to what it acts on by actions of its own."""
    walks = begun(task, budgets=Budgets(steps=1, walking_steps=2))
    assert walks.step(actions.go_to(2)).ended is None
    assert walks.step(actions.go_to(2)).ended == "steps"
    limits = Budgets(steps=1, walking_steps=2)
    assert limits.of_body(approaches=True).steps == 1
    assert Budgets(steps=1).of_body(approaches=False).steps == 1


@pytest.mark.parametrize("refused", list(RefusedText))
def test_too_many_infeasible_actions_in_a_row_end_an_episode(
    task: Task, refused: RefusedText
) -> None:
    environment = begun(task, rules=Rules(infeasible_in_a_row=3, refused=refused))
    environment.step("nonsense")
    environment.step(actions.pick_up(1))
    environment.step(actions.go_to(2))  # feasible: the count is reset
    environment.step(actions.close(2))
    assert environment.step("nonsense").ended is None
    assert environment.step(actions.pick_up(1)).ended == "infeasible"


@pytest.mark.parametrize("refused", list(RefusedText))
def test_an_action_that_cannot_be_done_fails_the_task_where_the_rules_say_so(
    task: Task, refused: RefusedText
) -> None:
    def played(rules: Rules, *first: Action | str) -> tuple[bool | None, float | None, int | None]:
        environment = begun(task, rules=rules)
        for action in (*first, *SOLUTION):
            environment.step(action)
        score = environment.score()
        return score.success, score.progress, score.infeasible

    strict = Rules(ends=Ends.PLANNER_DONE, refused=refused, infeasible_fails=True)
    assert played(strict) == (True, 1.0, 0)
    assert played(strict, actions.open_(3), actions.pick_up(1)) == (False, 1.0, 2)
    assert played(replace(strict, infeasible_fails=False), actions.open_(3)) == (True, 1.0, None)
    tried = refused is RefusedText.STEP  # else the world stood still
    assert played(strict, "nonsense") == (not tried, 1.0, int(tried))


def test_a_new_trial_is_not_failed_by_what_could_not_be_done_before(task: Task) -> None:
    environment = begun(task, rules=Rules(trials=2, infeasible_fails=True))
    environment.step(actions.open_(3))
    environment.new_trial()
    for action in SOLUTION:
        environment.step(action)
    assert environment.score().success is True


def test_another_trial_begins_in_the_same_world_and_budgets_go_on(task: Task) -> None:
    rules = Rules(trials=2, rewards=Rewards(goal=5.0, progress=2.0, step=-1.0))
    environment = begun(task, rules=rules, budgets=Budgets(steps=10))
    first = environment.text
    for action in SOLUTION[:2]:
        environment.step(action)
    assert environment.score().progress == 0.0  # the fridge is open
    percept = environment.new_trial()
    assert (percept.text, percept.step, percept.ended) == (first, 2, None)
    assert environment.score().progress == 0.5
    for action in SOLUTION:
        percept = environment.step(action)
    assert (percept.step, percept.ended) == (9, "goal_reached")
    score = environment.score()
    assert (score.trials, score.steps, score.success) == (2, 9, True)
    assert score.reward == (-2 - 1.0) + (-7 - 1.0 + 2.0 + 5.0)
    with pytest.raises(BadInput, match=r"^All 2 trials of the task are used\.$"):
        environment.new_trial()
    assert environment.reset().step == 0
    assert environment.score().trials == 1
    assert environment.score().reward == 0.0


def test_a_goal_is_checked_on_demand(task: Task) -> None:
    environment = begun(task, rules=Rules(ends=Ends.PLANNER_DONE))
    percept = environment.check_goal()
    assert (percept.feedback, percept.ended) == (GOAL_NOT_REACHED, None)
    for action in SOLUTION:
        assert environment.step(action).feedback is None
    percept = environment.check_goal()
    assert (percept.feedback, percept.ended) == (GOAL_REACHED, "goal_reached")


def test_steps_are_rewarded_by_the_rules(task: Task) -> None:
    rewards = Rewards(goal=10.0, progress=4.0, step=-1.0, failed=-2.0, verbs={Verb.OPEN: -0.5})
    environment = begun(task, rules=Rules(rewards=rewards))
    environment.step(actions.go_to(2))
    assert environment.score().reward == -1.0
    environment.step(actions.open_(2))  # a half of the goal held, and is undone
    assert environment.score().reward == -1.0 + (-1.0 - 0.5 - 2.0)
    environment.step(actions.open_(2))  # is open
    assert environment.score().reward == -4.5 + (-1.0 - 2.0)
    for action in SOLUTION[2:]:
        environment.step(action)
    assert environment.score().reward == -7.5 + 5 * -1.0 + 4.0 + 10.0


def test_ways_between_furniture_are_rewarded_by_the_rules(task: Task) -> None:
    ways = {"fridge": {"table": -3.0}, "table": {"fridge": -7.0}}
    environment = begun(task, rules=Rules(rewards=Rewards(goal=0.0, travel=ways)))
    for place, reward in ((2, 0.0), (5, 0.0), (3, 0.0), (2, -7.0), (2, 0.0), (3, -3.0)):
        before = environment.score().reward
        environment.step(actions.go_to(place))
        assert environment.score().reward - before == reward, place


def test_what_lies_where_the_goal_has_it_is_told_where_the_rules_say_so(task: Task) -> None:
    told = begun(task, rules=Rules(ends=Ends.PLANNER_DONE, confirms_placements=True))
    untold = begun(task, rules=Rules(ends=Ends.PLANNER_DONE))
    for action in SOLUTION:
        percept, other = told.step(action), untold.step(action)
        assert other.confirmed == ()
        assert other.text == percept.text.partition(" Already where")[0]
    assert [percept.names[thing] for thing in percept.confirmed] == ["apple 1"]
    assert percept.text.endswith("Already where the task may have them: apple 1.")


def test_the_goal_is_rewarded_once(task: Task) -> None:
    environment = begun(task, rules=Rules(ends=Ends.PLANNER_DONE))
    for action in (*SOLUTION, actions.pick_up(1), actions.put(1, Relation.ON, 3)):
        environment.step(action)
    assert environment.score().success
    assert environment.score().reward == 1.0


def test_budgets_and_rules_of_a_task_come_before_those_of_its_suite(task: Task) -> None:
    own = replace(
        task, budgets=Budgets(steps=3, decisions=5), rules=Rules(ends=Ends.PLANNER_DONE, trials=4)
    )
    suite: dict[str, Any] = {"budgets": Budgets(steps=1), "rules": Rules(trials=2)}
    environment = begun(own, **suite)
    brief = environment.brief()
    assert (brief.budgets, brief.rules) == (own.budgets, own.rules)
    assert environment.step(SOLUTION[0]).ended is None
    environment.step(SOLUTION[1])
    assert environment.step(SOLUTION[2]).ended == "steps"
    brief = begun(task, **suite).brief()
    assert (brief.budgets, brief.rules) == (suite["budgets"], suite["rules"])
