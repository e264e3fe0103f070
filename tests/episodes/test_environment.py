"""The world of one episode, stepped by whoever wants to, without a planner."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import peephole
from peephole.adapters.contract import Capability
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import GOAL_NOT_REACHED, GOAL_REACHED, Environment
from peephole.episodes.events import Perceived, RecordedEvent, from_line, to_line
from peephole.episodes.journal import Diverged, Journal
from peephole.episodes.recording import EpisodeLog
from peephole.errors import BadInput, Missing
from peephole.observation_text.dialect import Dialect
from peephole.observation_text.dialects.alfworld.dialect import DIALECT as ALFWORLD
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.view import View, Visibility
from peephole.observation_text.view_change import ViewReader
from peephole.planners.contract import Grant, Percept
from peephole.scene_graph.changes import applied
from peephole.scene_graph.goals import EventOccurred, HasState, Related
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Kind, Node, Relation, State
from peephole.scene_graph.rules import Budgets, Ends, RefusedText, Rewards, Rules
from peephole.scene_graph.task import Task
from peephole.skills import actions
from peephole.skills.actions import Action, Verb
from peephole.skills.outcomes import Reason

#: How the task of the small house is done: the apple from the fridge (2) to the table (3).
SOLUTION = (
    actions.go_to(2),
    actions.open_(2),
    actions.pick_up(1),
    actions.close(2),
    actions.go_to(5),
    actions.go_to(3),
    actions.put(1, Relation.ON, 3),
)
#: The same in the dialect's words.
WORDS = (
    "go to fridge 1",
    "open fridge 1",
    "pick up apple 1",
    "close fridge 1",
    "go to living room 1",
    "go to table 1",
    "put down apple 1 on table 1",
)


def begun(task: Task, **options: Any) -> Environment:
    """An environment of the built-in world that was reset."""
    options = {"dialect": DIALECT, "adapter": SymbolicAdapter(), **options}
    environment = Environment(options.pop("adapter"), task, options.pop("dialect"), **options)
    environment.reset()
    return environment


# --- reset, step, score, close -------------------------------------------------------------------


def test_an_environment_is_stepped_by_typed_actions(task: Task) -> None:
    environment = begun(task)
    assert environment.instruction == "Put apple 1 on table 1 and leave fridge 1 closed."
    assert environment.text.startswith("You are in the house")
    assert environment.score().success is False
    for action in SOLUTION[:-1]:
        percept = environment.step(action)
        assert percept.ended is None
        assert percept.outcome is not None
        assert percept.outcome.success
        assert percept.text == environment.text
    percept = environment.step(SOLUTION[-1])
    assert (percept.ended, percept.step) == ("goal_reached", 7)
    score = environment.score()
    assert (score.success, score.progress, score.steps, score.reward) == (True, 1.0, 7, 1.0)
    assert all(subgoal.done for subgoal in score.subgoals)
    assert score.failures == {}


def test_an_environment_is_stepped_by_words(task: Task) -> None:
    typed, said = begun(task), begun(task)
    for action, words in zip(SOLUTION, WORDS, strict=True):
        if action == actions.go_to(2):
            assert words in said.menu()
        assert said.step(words).text == typed.step(action).text
    assert said.score() == replace(typed.score(), duration_s=said.score().duration_s)
    assert said.score().success


def test_words_that_are_no_action_cost_nothing(task: Task) -> None:
    environment = begun(task)
    percept = environment.step("make breakfast")
    assert percept.refused == percept.text
    assert percept.refused
    assert percept.outcome is None
    assert (percept.step, percept.ended) == (0, None)
    assert environment.step("go to fridge 1").refused is None


def test_an_environment_begins_anew(task: Task) -> None:
    environment = begun(task)
    first = environment.text
    for action in SOLUTION[:3]:
        environment.step(action)
    assert environment.reset().text == first
    assert environment.score() == begun(task).score()
    assert environment.steps == 0


@pytest.mark.parametrize("ask", ["step", "menu", "text", "score", "check_goal", "new_trial"])
def test_an_environment_that_has_not_begun_says_so(task: Task, ask: str) -> None:
    environment = Environment(SymbolicAdapter(), task, DIALECT)

    def asked() -> Any:
        found = getattr(environment, ask)
        return found if isinstance(found, str) else found(*(["look"] if ask == "step" else []))

    with pytest.raises(BadInput, match=r"^The episode has not begun; call reset\(\) first\.$"):
        asked()
    with environment:
        environment.reset()
    with pytest.raises(BadInput, match="has not begun"):  # closed
        asked()


def test_an_environment_that_has_ended_says_so(task: Task) -> None:
    environment = begun(task)
    for action in SOLUTION:
        environment.step(action)
    for late in (SOLUTION[0], "go to fridge 1", "nonsense"):
        with pytest.raises(BadInput) as caught:
            environment.step(late)
        assert str(caught.value) == (
            "The episode has ended (goal_reached); begin another with reset()."
        )
    assert environment.steps == 7
    assert environment.reset().ended is None


def test_a_goal_about_what_the_scene_does_not_have_is_never_reached(task: Task) -> None:
    environment = begun(replace(task, goal=Related(1, Relation.ON, 17)))
    (subgoal,) = environment.score().subgoals
    assert (subgoal.text, subgoal.done) == ("apple 1 is on #17", False)
    assert environment.step(SOLUTION[0]).ended is None


def test_only_what_succeeded_counts_towards_a_goal_about_events(task: Task) -> None:
    environment = begun(replace(task, goal=EventOccurred(("open",), (2,))))
    percept = environment.step("open fridge 1")  # from across the room
    assert percept.outcome is not None
    assert percept.outcome.failure is not None
    assert percept.outcome.failure.reason is Reason.NOT_CLOSE
    assert percept.ended is None
    assert environment.score().progress == 0.0
    environment.step("go to fridge 1")
    assert environment.step("open fridge 1").ended == "goal_reached"


@pytest.mark.parametrize(
    ("malformed", "sentence"),
    [
        (Action(Verb.OPEN), "The action open has no 'target'; expected a node id."),
        (Action(Verb.PUT, 1, Relation.ON), "The action put has no 'place'; expected a node id."),
        (Action(Verb.PICK_UP, 6.5), "The 'target' of pick_up is 6.5; expected a node id"),
        (None, "A step takes an action or words of the dialect, not None."),
    ],
)
def test_what_is_no_action_is_refused(task: Task, malformed: Any, sentence: str) -> None:
    environment = begun(task)
    with pytest.raises(BadInput) as caught:
        environment.step(malformed)
    assert str(caught.value).startswith(sentence)
    assert environment.steps == 0


# --- continued from a recording ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("otherwise", "field"),
    [(actions.go_to(4), "action"), (WORDS[0], "said")],
    ids=["another", "in words"],
)
def test_what_is_done_otherwise_than_recorded_is_told(
    task: Task, tmp_path: Path, otherwise: Action | str, field: str
) -> None:
    for action in (SOLUTION[0], otherwise):
        with EpisodeLog(tmp_path / "e.jsonl") as log:
            environment = begun(task, journal=Journal(log))
            if action is SOLUTION[0]:
                environment.step(action)
                continue
            with pytest.raises(Diverged) as caught:
                environment.step(action)
    assert str(caught.value) == f"At step 1 '{field}' of 'stepped' differs from the recording."


# --- rules ---------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("refused", list(RefusedText))
def test_too_many_infeasible_actions_in_a_row_end_an_episode(
    task: Task, refused: RefusedText
) -> None:
    environment = begun(task, rules=Rules(infeasible_in_a_row=3, refused=refused))
    environment.step("nonsense")
    environment.step(actions.pick_up(1))
    environment.step(actions.go_to(2))  # feasible: counting begins anew
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
    with pytest.raises(BadInput, match=r"^The task may be begun 2 times, and was\.$"):
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


# --- grants --------------------------------------------------------------------------------------


def test_what_is_not_granted_is_not_told(task: Task) -> None:
    environment = begun(task)
    brief = environment.brief()
    assert (brief.goal, brief.goal_things, brief.fixtures) == (None, None, None)
    assert (brief.inventory, brief.map) == (None, None)
    percept = environment.step("look")
    assert percept.truth is None
    assert percept.image() is None
    assert set(percept.names) == {2, 4, 5, 6}  # neither the table next door nor the apple


def test_an_inventory_gives_names_and_no_places(task: Task) -> None:
    environment = begun(task, grants=frozenset({Grant.INVENTORY}))
    brief = environment.brief()
    assert brief.inventory is not None
    assert [(thing.id, thing.name, thing.room) for thing in brief.inventory] == [
        (1, "apple 1", None)
    ]
    assert brief.fixtures is None
    percept = environment.step("pick up apple 1")
    assert percept.refused is None
    assert percept.outcome is not None
    assert percept.outcome.failure is not None
    assert percept.outcome.failure.reason is Reason.NOT_SEEN
    assert percept.names[1] == "apple 1"
    assert 1 not in percept.view.graph


def test_fixtures_are_granted_with_their_rooms(task: Task) -> None:
    environment = begun(task, grants=frozenset({Grant.FIXTURES}))
    brief = environment.brief()
    assert brief.fixtures is not None
    assert [(thing.name, thing.room) for thing in brief.fixtures] == [
        ("fridge 1", 4),
        ("table 1", 5),
    ]
    assert brief.inventory is None
    assert environment.menu() == begun(task).menu()  # offers what the view shows, as ever
    # One may walk to furniture that one knows of, and handle it only where it is.
    percept = environment.step("pick up table 1")
    assert percept.outcome is not None
    assert percept.outcome.failure is not None
    assert percept.outcome.failure.reason is Reason.NOT_CLOSE
    percept = environment.step("go to table 1")
    assert percept.outcome is not None
    assert percept.outcome.success
    assert 3 in percept.view.graph


def test_a_map_is_the_scene_as_it_was_recorded(
    task: Task, house: SceneGraph, tmp_path: Path
) -> None:
    """It has a stove that was taken away since, and the apple still lies on the table."""
    stale = house.copy()
    stale.add_node(Node(9, "stove", Kind.FIXTURE, 9, affordances=frozenset({Affordance.SURFACE})))
    stale.add_edge(9, Relation.INSIDE, 5)
    stale.add_node(Node(8, "cat", Kind.AGENT, 8))
    stale.add_edge(8, Relation.INSIDE, 5)
    stale.remove_edge(1, Relation.INSIDE, 2)
    stale.add_edge(1, Relation.ON, 3)
    write_graph(stale, tmp_path / "stale.json")
    mapped = replace(task, map=f"json:{tmp_path / 'stale.json'}")
    environment = begun(mapped, grants=frozenset({Grant.MAP}))
    brief = environment.brief()
    assert brief.map is not None
    assert told(View(brief.map, {})) == told(View(stale, {}))
    ids = {name: node for node, name in environment.step("look").names.items()}
    apple, table, stove, cat = map(ids.get, ("apple 1", "table 1", "stove 1", "cat 1"))
    assert brief.map.has_edge(apple, Relation.ON, table)
    for action, reason in (
        (actions.go_to(apple), Reason.NOT_SEEN),
        (actions.pick_up(apple), Reason.NOT_SEEN),
        (actions.go_to(cat), Reason.NOT_SEEN),  # who moves is not where the map has it
        (actions.open_(stove), Reason.NOT_CLOSE),
    ):
        outcome = environment.step(action).outcome
        assert outcome is not None
        assert outcome.failure is not None
        assert outcome.failure.reason is reason, action
    percept = environment.step(actions.go_to(stove))
    assert percept.outcome is not None
    assert percept.outcome.failure is not None
    assert percept.outcome.failure.reason is Reason.NOT_SEEN  # what is known is never unknown
    assert percept.text == "You have not seen the stove yet."
    outcome = environment.step(actions.go_to(table)).outcome
    assert outcome is not None
    assert outcome.success


def test_a_map_that_nobody_recorded_is_the_scene_as_it_is(task: Task, house: SceneGraph) -> None:
    assert begun(task, grants=frozenset({Grant.MAP})).brief().map == house


def test_the_goal_is_granted_with_its_things(task: Task) -> None:
    brief = begun(task, grants=frozenset({Grant.GOAL})).brief()
    assert brief.goal == task.goal
    assert brief.goal_things is not None
    assert {i: thing.name for i, thing in brief.goal_things.items()} == {
        3: "table 1",
        2: "fridge 1",
        1: "apple 1",
    }


def test_the_truth_is_given_where_it_is_granted(task: Task, house: SceneGraph) -> None:
    environment = begun(task, grants=frozenset({Grant.TRUTH}))
    environment.step(actions.go_to(2))
    truth = environment.step(actions.open_(2)).truth
    assert truth is not None
    assert truth == environment.adapter.graph()
    assert truth != house


class Camera(SymbolicAdapter):
    """The built-in world with pictures of one colour."""

    spec = replace(
        SymbolicAdapter.spec, capabilities=SymbolicAdapter.spec.capabilities | {Capability.IMAGES}
    )

    def image(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        return np.full((2, 3, 3), 7, np.uint8)


def test_images_are_given_where_they_are_granted(task: Task) -> None:
    assert begun(task, adapter=Camera()).step("look").image() is None
    environment = begun(task, adapter=Camera(), grants=frozenset({Grant.IMAGES}))
    image = environment.step("look").image()
    assert image is not None
    assert image.shape == (2, 3, 3)


@pytest.mark.parametrize("dialect", [DIALECT, ALFWORLD])
def test_an_overview_tells_the_place_and_leaves_the_dialect_as_it_was(
    task: Task, dialect: Dialect
) -> None:
    told, untold = begun(task, dialect=dialect), begun(task, dialect=dialect)
    for action in (*SOLUTION[:3], actions.look(), *SOLUTION[3:]):
        percept = told.step(action)
        assert percept.overview() == percept.overview()
        assert percept.text == untold.step(action).text
        if percept.ended is None:
            assert told.menu() == untold.menu()
        assert "fridge" in percept.overview() or "table" in percept.overview()


def test_what_is_known_and_not_seen_is_worded_so(task: Task) -> None:
    for dialect, words, told in (
        (DIALECT, "pick up apple 1", "You have not seen the apple yet."),
        (ALFWORLD, "take apple 1", "Nothing happens."),
    ):
        environment = begun(task, dialect=dialect, grants=frozenset({Grant.INVENTORY}))
        text = environment.step(words if dialect is DIALECT else actions.pick_up(1)).text
        assert told in text
        assert "fridge" not in text


# --- every house, every action -------------------------------------------------------------------

NOWHERE = 70001  # an id that no house has
FORMS = ("{}", "go to {}", "open {}", "pick up {}", "put down {} on {}", "take {} from {}", "x {}")


class AnyHouse(SymbolicAdapter):
    """The built-in world of a house that is given, under a visibility profile."""

    def __init__(self, house: SceneGraph, visibility: Visibility) -> None:
        super().__init__()
        self.spec = replace(SymbolicAdapter.spec, visibility=visibility)
        self._house = house

    def reset(self, task: Task, seed: int) -> None:
        self.restore(self._house)


def any_action(data: st.DataObject, percept: Percept, truth: SceneGraph) -> Action | str:
    """A legal or illegal action or text, about things that are seen, hidden or nowhere."""
    kind = data.draw(st.sampled_from(["menu", "menu", "menu words", "typed", "words"]))
    offers = percept.options()
    if kind.startswith("menu") and offers:
        words, action = data.draw(st.sampled_from(offers))
        return action if kind == "menu" else words
    if kind == "words":
        named = [f"{node.category} {number}" for node in truth.nodes() for number in (1, 2)]
        said = data.draw(st.tuples(*[st.sampled_from([*named, "", "door", "¼"])] * 2))
        return data.draw(st.sampled_from(FORMS)).format(*said)
    verb = data.draw(st.sampled_from(list(Verb)))
    thing = st.sampled_from([*truth.by_id, NOWHERE])
    fields: dict[str, Any] = {"verb": verb}
    if verb in actions.WITH_POSE:
        fields["pose"] = [0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0]
    elif verb not in actions.WITHOUT_TARGET:
        fields["target"] = data.draw(thing)
    if verb in actions.WITH_PLACE:
        fields["place"] = data.draw(thing)
    if verb is Verb.PUT:
        fields["relation"] = str(data.draw(st.sampled_from(actions.PUT_RELATIONS)))
    return actions.from_data(fields)


class Reread:
    """The world and the views of an episode, made again of its recorded events alone."""

    def __init__(self) -> None:
        self.truth = SceneGraph()
        self.view: View | None = None
        self._views = ViewReader()

    def take_in(self, event: RecordedEvent) -> None:
        event = from_line(to_line(event))
        if isinstance(event, Perceived) and event.observation and getattr(event, "action", 1):
            if event.world is not None:
                self.truth = applied(self.truth, event.world, "the test")
            self.view = self._views.read(event.view, self.truth, event.sensors, "the test")


def told(view: View) -> Any:
    """What a view tells, whatever the ids."""
    return (
        Counter(replace(node, id=0, native_id=0) for node in view.graph.nodes()),
        Counter(
            (view.graph[e.source].category, e.relation, view.graph[e.target].category)
            for e in view.graph.edges()
        ),
        Counter((view.graph[place].category, whole) for place, whole in view.covered.items()),
        view.arm,
    )


@given(data=st.data())
@settings(max_examples=60)
@pytest.mark.parametrize("visibility", [Visibility.NEAR, Visibility.ROOM])
def test_whatever_is_done_its_record_makes_the_same_world_and_views(
    visibility: Visibility, house_strategy: SearchStrategy[SceneGraph], data: st.DataObject
) -> None:
    house = data.draw(house_strategy)
    adapter = AnyHouse(house, visibility)
    reread = Reread()
    grants = frozenset(set(Grant) - {Grant.GOAL})
    environment = Environment(
        adapter,
        Task("any", "Do as you like.", HasState(house.agent().id, State.SLICED), "json:any"),
        data.draw(st.sampled_from([DIALECT, ALFWORLD])),
        rules=Rules(
            refused=data.draw(st.sampled_from(list(RefusedText))),
            trials=99,
            infeasible_in_a_row=data.draw(st.sampled_from([None, 2])),
        ),
        grants=data.draw(st.sampled_from([grants, frozenset()])),
        journal=Journal(watch=reread.take_in),
    )

    def check(percept: Percept) -> None:
        assert reread.truth == adapter.graph()
        assert reread.view is not None
        assert reread.view == adapter.view()
        assert told(percept.view) == told(reread.view)
        if Grant.TRUTH in environment.grants:
            assert percept.view == reread.view

    percept = environment.reset()
    check(percept)
    for _ in range(data.draw(st.integers(1, 8))):
        if percept.ended is not None:
            break
        if data.draw(st.integers(0, 9)) == 9:
            percept = environment.new_trial()
        else:
            percept = environment.step(any_action(data, percept, reread.truth))
        assert percept.text
        assert percept.overview()
        check(percept)
    assert environment.score().success is False


@pytest.mark.parametrize("suite", ["houses", "ithor", "behavior", "blocks"])
def test_in_every_adapter_its_record_makes_the_same_world_and_views(
    suite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By actions on offer: what a camera sees, what is close, and what an arm feels."""
    monkeypatch.setenv("PEEPHOLE_AI2THOR_EXECUTABLE", "stand_in")
    try:
        made = peephole.make(suite)
    except Missing as error:
        pytest.skip(str(error))
    reread = Reread()
    with Environment(
        made.adapter, made.task, made.dialect, journal=Journal(watch=reread.take_in)
    ) as environment:
        percept = environment.reset()
        for turn in range(12):
            assert reread.truth == environment.adapter.graph()
            assert reread.view is not None
            view = environment.adapter.view()
            assert reread.view.graph.by_id == view.graph.by_id
            assert reread.view.covered == view.covered
            assert reread.view.arm == view.arm
            assert reread.view == view
            assert told(percept.view) == told(view)
            if percept.ended is not None:
                break
            offers = percept.options()
            percept = environment.step(offers[turn * 7 % len(offers)][1])
