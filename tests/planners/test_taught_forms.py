"""Every form that a prompt teaches can be said, and every sensible answer is accepted or answered.

The list of answers is `sensible_answers.yaml`; each is said in the forms of each dialect.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import peephole
from peephole import plugins
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import Environment
from peephole.observation_text.dialect import Dialect
from peephole.observation_text.names import Names
from peephole.observation_text.observer import Observer
from peephole.observation_text.view import Visibility, visible
from peephole.planners.contract import Percept
from peephole.planners.kits.prompting.menus import MenuForm
from peephole.planners.kits.prompting.offers import EXHAUSTED, judge, listing, offered
from peephole.planners.registry import load_planner
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.scene_graph.rules import Ends, Rules
from peephole.scene_graph.task import Task
from peephole.skills.actions import Verb
from peephole.skills.dynamics import legal_actions, step
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Outcome, Reason

DIALECTS = (
    "reactree",
    "reactree_plain",
    "reactree_thor",
    "reactree_thor_plain",
    "alfworld",
    "lookplangraph",
)
#: With the dialect for kitchens, whose forms name nothing that is held.
ALL_DIALECTS = (*DIALECTS, "tru_pomdp")
NEEDS_HAND = frozenset({Verb.OPEN, Verb.CLOSE, Verb.TURN_ON, Verb.TURN_OFF})
BODIES = (Embodiment(), Embodiment(1, NEEDS_HAND), Embodiment(1, approaches=True))


def dialect_of(name: str) -> Dialect:
    found = plugins.load("dialect", name)
    assert isinstance(found, Dialect)
    return found


# --- every form -----------------------------------------------------------------------------------


@given(
    data=st.data(),
    name=st.sampled_from(ALL_DIALECTS),
    body=st.sampled_from(BODIES),
    profile=st.sampled_from([Visibility.NEAR, Visibility.ROOM]),
)
def test_what_may_be_done_can_be_said_in_each_taught_form(
    data: st.DataObject, house_strategy: Any, name: str, body: Embodiment, profile: Visibility
) -> None:
    """By the schema, which accepts no other text, and where a server does not hold to it."""
    house, dialect, names = data.draw(house_strategy), dialect_of(name), Names()
    observer = Observer(names, dialect, frozenset(Verb), body)
    observer.start(visible(house, profile))
    for _ in range(data.draw(st.integers(1, 6))):
        sayable, menu = observer.sayable(), observer.menu()
        legal = legal_actions(observer.view.graph, body)
        taught = {dialect.word(names, action) for action in legal}
        assert taught | {text for text, _ in menu} <= {text for text, _ in sayable}
        for text, action in sayable:
            assert observer.read(text) == (action, None)
            assert action in legal or action.verb in (Verb.GO_TO, Verb.LOOK, Verb.WAIT)
        if not legal:
            break
        action = data.draw(st.sampled_from(legal))
        outcome = Outcome(step(house, action, body))
        observer.after(visible(house, profile), action, outcome)


# --- sensible answers -----------------------------------------------------------------------------


SURFACE, INSIDE, ON = Affordance.SURFACE, Relation.INSIDE, Relation.ON
_OPENABLE = frozenset({Affordance.OPENABLE, Affordance.CONTAINER, SURFACE})
_THINGS: tuple[tuple[str, Kind, int, frozenset[Affordance], frozenset[State]], ...] = (
    ("kitchen counter", Kind.FIXTURE, 1, frozenset({SURFACE}), frozenset()),
    ("fridge", Kind.FIXTURE, 1, _OPENABLE, frozenset({State.CLOSED})),
    (
        "dishwasher",
        Kind.FIXTURE,
        1,
        _OPENABLE | {Affordance.SWITCHABLE},
        frozenset({State.CLOSED, State.OFF}),
    ),
    ("coffee table", Kind.FIXTURE, 2, frozenset({SURFACE}), frozenset()),
    ("floor lamp", Kind.FIXTURE, 2, frozenset({Affordance.SWITCHABLE}), frozenset({State.OFF})),
)
_KEPT = (
    ("apple", 4, ON, frozenset({Affordance.SLICEABLE, Affordance.EATABLE})),
    ("mug", 4, ON, frozenset({Affordance.RECIPIENT, Affordance.DRINKABLE})),
    ("knife", 4, ON, frozenset({Affordance.CUTS})),
    ("juice", 5, INSIDE, frozenset({Affordance.DRINKABLE})),
    ("book", 7, ON, frozenset({Affordance.READABLE})),
)


def rooms() -> SceneGraph:
    """A kitchen with the agent, and a living room."""
    graph = SceneGraph([Node(1, "kitchen", Kind.ROOM, 1), Node(2, "living room", Kind.ROOM, 2)])
    graph.add_node(Node(3, "character", Kind.AGENT, 3))
    graph.add_edge(*Edge(3, INSIDE, 1))
    for number, (category, kind, room, can, states) in enumerate(_THINGS, start=4):
        graph.add_node(Node(number, category, kind, number, states, can))
        graph.add_edge(*Edge(number, INSIDE, room))
    for number, (category, place, how, can) in enumerate(_KEPT, start=4 + len(_THINGS)):
        grasp = can | {Affordance.GRASPABLE}
        graph.add_node(Node(number, category, Kind.OBJECT, number, affordances=grasp))
        graph.add_edge(*Edge(number, how, place))
    return graph


class OneHanded(SymbolicAdapter):
    spec = replace(SymbolicAdapter.spec, embodiment=Embodiment(1, NEEDS_HAND))


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("scene") / "rooms.json"
    write_graph(rooms(), path)
    return f"json:{path}"


def begun(scene: str, dialect: str, hands: int = 2) -> tuple[Environment, Percept]:
    adapter = OneHanded() if hands == 1 else SymbolicAdapter()
    task = Task("answers", "Tidy up.", And(()), scene)
    rules = Rules(ends=Ends.PLANNER_DONE)
    environment = Environment(adapter, task, dialect_of(dialect), rules=rules)
    return environment, environment.reset()


def in_dialect(said: str, dialect: str) -> str:
    """An answer in the forms of `reactree`, in those of another dialect."""
    names = Names(rooms().nodes())
    action = dialect_of("reactree").parse(said, names, names.numbers, {})
    return dialect_of(dialect).word(names, action)


def texts(percept: Percept) -> list[str]:
    """All that can be said."""
    return [text for text, _ in percept.sayable()]


def failure(percept: Percept) -> Reason | None:
    """Why the last action failed."""
    assert percept.outcome is not None
    return None if percept.outcome.failure is None else percept.outcome.failure.reason


ANSWERS = yaml.safe_load(Path(__file__).with_name("sensible_answers.yaml").read_text())
CASES = [
    (dialect, situation["hands"], tuple(situation["done"]), answer, expected)
    for dialect in DIALECTS
    for situation in ANSWERS
    for answer, expected in situation["answers"].items()
]


def test_two_hundred_answers_are_listed() -> None:
    assert len(CASES) >= 200


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_sensible_answer_is_accepted_or_answered_with_the_worlds_reason(
    scene: str, dialect: str
) -> None:
    for _, hands, done, answer, expected in (case for case in CASES if case[0] == dialect):
        environment, percept = begun(scene, dialect, hands)
        for action in done:
            percept = environment.step(in_dialect(action, dialect))
            assert failure(percept) is None, action
        said, judged = in_dialect(answer, dialect), judge(environment.brief(), percept)
        assert judged is not None
        refusal = judged(said)
        if expected == "yes":
            assert refusal is None, said
            assert said in texts(percept), said
            after = environment.step(said)
            assert failure(after) is None, said
            continue
        assert refusal, said
        assert refusal != "Nothing happens.", said
        assert said not in texts(percept), said
        if expected != Reason.UNKNOWN:  # what was never seen cannot even be named
            after = environment.step(said)
            assert failure(after) == expected, said
            assert dialect == "alfworld" or after.text.startswith(refusal.partition(".")[0])


def test_an_impossible_action_is_refused_twice_and_then_done(scene: str) -> None:
    environment, percept = begun(scene, "reactree")
    judged = judge(environment.brief(), percept)
    assert judged is not None
    for _ in range(2):
        assert "not close to you" in (judged("open fridge 1") or "")
        assert judged("dance")
    assert judged("open fridge 1") is None
    assert judged("go to kitchen counter 1") is None


# --- what is listed -------------------------------------------------------------------------------


def test_inside_a_container_comes_first_and_its_top_never_alone(scene: str) -> None:
    environment, _ = begun(scene, "reactree")
    for action in ("go to kitchen counter 1", "pick up mug 1", "go to dishwasher 1"):
        percept = environment.step(action)
    assert puts(environment, percept) == []
    assert "put down mug 1 on dishwasher 1" in texts(percept)
    percept = environment.step("open dishwasher 1")
    both = ["put down mug 1 in dishwasher 1", "put down mug 1 on dishwasher 1"]
    assert puts(environment, percept) == both
    assert "put down mug 1" in texts(percept)


def puts(environment: Environment, percept: Percept) -> list[str]:
    listed = offered(environment.brief(), percept).listed
    return [text for text, action in listed if action.verb is Verb.PUT]


def test_what_makes_no_sense_for_its_thing_is_possible_and_not_listed(scene: str) -> None:
    environment, _ = begun(scene, "reactree")
    percept = environment.step("go to kitchen counter 1")
    now = offered(environment.brief(), percept)
    listed = {text for text, _ in now.listed}
    assert {"eat apple 1", "pick up mug 1", "look at kitchen counter 1"} <= listed
    absurd = {
        *("touch kitchen counter 1", "push fridge 1", "turn to mug 1", "wash knife 1"),
        *("eat kitchen counter 1", "look at knife 1"),
    } & set(now.sayable)
    assert absurd
    assert not absurd & listed


def test_the_menu_that_trained_models_learnt_stays_whole(scene: str) -> None:
    environment, _ = begun(scene, "compact")
    environment.step("go to kitchencounter1")
    percept = environment.step("go to kitchen counter1")
    now = offered(environment.brief(), percept)
    assert now.listed == percept.menu()
    assert now.sayable == [text for text, _ in percept.menu()]


def test_actions_that_a_planner_leaves_out_are_neither_offered_nor_accepted(scene: str) -> None:
    environment, percept = begun(scene, "reactree")
    few = replace(environment.brief(), actions=frozenset({Verb.GO_TO}))
    now, judged = offered(few, percept), judge(few, percept)
    assert {text.partition(" 1")[0] for text, _ in now.listed} >= {"go to fridge"}
    assert all(text.startswith("go to ") for text in now.sayable)
    assert judged is not None
    assert "no such action" in (judged("look around") or "")
    assert judged("go to fridge 1") is None


def test_what_is_exhausted_is_neither_offered_nor_accepted_in_any_form(scene: str) -> None:
    environment, _ = begun(scene, "reactree")
    environment.step("go to kitchen counter 1")
    environment.step("pick up mug 1")
    percept = environment.step("go to living room 1")
    walk = "go to kitchen counter 1"
    exhausted = {action for text, action in percept.sayable() if text == walk}
    assert walk in offered(environment.brief(), percept).sayable
    assert walk not in offered(environment.brief(), percept, exhausted).sayable
    judged = judge(environment.brief(), percept, exhausted)
    assert judged is not None
    assert judged(walk) == EXHAUSTED
    assert judged("go to kitchen 1") is None


def test_rooms_of_a_large_building_are_one_line_of_a_menu() -> None:
    with peephole.make("office", dialect="reactree_plain") as environment:
        percept = environment.reset()
        now = offered(environment.brief(), percept)
    lines = listing(MenuForm.GROUPED, now, ("done", "give up")).splitlines()
    assert len(now.rooms) == 37
    walk = "go to adas office 1 (or to another room that the first observation names)"
    assert [line for line in lines if "office" in line] == [walk]
    assert now.rooms <= set(now.sayable)
    assert all(walk in listing(MenuForm.FULL, now, ("done",)) for walk in now.rooms)


def test_after_the_last_step_only_the_ends_are_left(scene: str) -> None:
    environment, percept = begun(scene, "reactree")
    over = replace(percept, ended="steps")
    now = offered(environment.brief(), over)
    assert listing(MenuForm.NONE, now, ("done", "give up")) == (
        'No action is left: say "done" or "give up".'
    )
    assert now.sayable == []
    assert judge(environment.brief(), over) is None
    whole, percept = begun(scene, "compact")
    assert offered(whole.brief(), replace(percept, ended="steps")).sayable


# --- planners -------------------------------------------------------------------------------------


class Asked(Exception):
    """The question of a planner."""


class Questioned:
    """A model that is asked once."""

    name = "stub"

    def enforces_schema(self) -> bool:
        return True

    def answer(self, messages: Any, shape: Any, choices: Any = None, **sampling: Any) -> None:
        raise Asked(messages, choices or {}, sampling.get("judge"))


@pytest.mark.parametrize("planner", ["react", "reactree"])
@pytest.mark.parametrize("dialect", ["reactree", "reactree_plain", "reactree_thor"])
def test_the_schema_of_a_planner_has_all_that_can_be_said(
    scene: str, planner: str, dialect: str
) -> None:
    environment, percept = begun(scene, dialect)
    for action in ("go to kitchen counter 1", "pick up mug 1"):
        percept = environment.step(in_dialect(action, dialect))
    brief = replace(environment.brief(), models={"planner": Questioned()})
    with pytest.raises(Asked) as asked:
        next(load_planner(planner).plan(brief, percept))
    messages, choices, judged = asked.value.args
    (permitted,) = choices.values()
    assert set(texts(percept)) <= set(permitted)
    assert in_dialect("put down mug 1 on kitchen counter 1", dialect) in permitted
    assert judged is not None
    assert all(form in str(messages[0]["content"]) for form in brief.forms)


def test_reflexion_does_what_is_said(scene: str) -> None:
    environment, percept = begun(scene, "reactree")
    model = Questioned()
    brief = replace(environment.brief(), models={"planner": model})
    with pytest.raises(Asked) as asked:
        next(load_planner("reflexion").plan(brief, percept))
    assert asked.value.args[1:] == ({}, None)
