"""The planner `inner_monologue`: one action at a time, feedback in words, and the window."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

import peephole
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import Environment
from peephole.episodes.resolve import load_dialect
from peephole.models.config import ModelConfig, ModelEndpoint
from peephole.models.connection import ModelConnection
from peephole.observation_text.view import Visibility
from peephole.planners.contract import Act, Brief, Done, GiveUp, Percept, counts
from peephole.planners.inner_monologue.planner import PLANNER, Options
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.scene_graph.task import Task
from peephole.skills.actions import HOUSEHOLD_VERBS, Verb
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Failure, Outcome, Reason
from peephole.suites.registry import load_suite

HOUSE = SceneGraph(
    [
        Node(1, "character", Kind.AGENT, 1),
        Node(2, "hall", Kind.ROOM, 2),
        Node(3, "bench", Kind.FIXTURE, 3, affordances=frozenset({Affordance.SURFACE})),
        Node(4, "scarf", Kind.OBJECT, 4, affordances=frozenset({Affordance.GRASPABLE})),
        Node(5, "bookshelf", Kind.FIXTURE, 5, affordances=frozenset({Affordance.SURFACE})),
    ],
    [*(Edge(n, Relation.INSIDE, 2) for n in (1, 3, 5)), Edge(4, Relation.ON, 3)],
)
#: The world of the example for bodies that do not walk.
BENCH = SceneGraph(
    [
        *(HOUSE[number] for number in range(1, 5)),
        Node(
            5,
            "drawer",
            Kind.FIXTURE,
            5,
            frozenset({State.CLOSED}),
            frozenset({Affordance.CONTAINER, Affordance.OPENABLE}),
        ),
    ],
    [*HOUSE.edges(), *(Edge(1, Relation.CLOSE, number) for number in (3, 5))],
)
HANDLING = frozenset({Verb.PICK_UP, Verb.PUT, Verb.OPEN})
MOVE = "Robot thought: Off I go.\nRobot action: move(bench1)"
DONE = Percept("(Success)\nRoom List: ['hall1']", None, {}, 0, outcome=Outcome(None))  # type: ignore[arg-type]
Play = Callable[..., list[Any]]


@pytest.fixture
def play(endpoint: Any) -> Iterator[Play]:
    """Play with these replies and one percept for each action; returns the decisions."""
    where = ModelEndpoint(endpoint.url, "stand-in")
    with ModelConnection(ModelConfig("stand-in"), where) as connection:

        def played(
            replies: Sequence[str],
            percept: Percept = DONE,
            dialect: str = "llm_state",
            hands: int = 2,
            verbs: frozenset[Verb] = HOUSEHOLD_VERBS,
            **options: Any,
        ) -> list[Any]:
            left = list(replies)
            endpoint.text = lambda body: left.pop(0)
            brief = Brief(
                instruction="Put the scarf away.",
                agent=1,
                rooms=(),
                embodiment=Embodiment(hands),
                actions=verbs,
                budgets=Budgets(),
                dialect=dialect,
                seed=0,
                models={"planner": connection.for_episode("planner", lambda event: None)},
                options=Options(**options),
                forms=("go to place 1", "sit on thing 1"),
            )
            view: Any = None
            turns = PLANNER.plan(brief, Percept("Start.", view, {}, 0))
            found = [next(turns)]
            while left and not isinstance(found[-1], GiveUp):
                found.append(turns.send(percept))
            return found

        yield played


def messages(endpoint: Any, number: int = -1) -> list[dict[str, str]]:
    found: list[dict[str, str]] = endpoint.requests[number]["messages"]
    return found


def test_a_thought_and_an_action_are_one_sample(play: Play, endpoint: Any) -> None:
    found = play([MOVE, "Robot action: open(bench1)."])
    assert found == [Act("move(bench1)", thought="Off I go."), Act("open(bench1)")]
    assert sum(map(counts, found)) == len(endpoint.requests) == 2


def test_the_outcome_of_an_action_comes_with_the_scene(play: Play, endpoint: Any) -> None:
    play([MOVE, MOVE])
    _, task, said, told = messages(endpoint)
    assert task["content"] == "Task: Put the scarf away.\nScene:\nStart."
    assert said == {"role": "assistant", "content": MOVE}
    assert told["content"] == "Success: True\nScene:\nRoom List: ['hall1']"


def test_the_model_reads_failures_and_refusals(play: Play, endpoint: Any) -> None:
    view: Any = None
    outcome = Outcome(Failure(Reason.NOT_CLOSE))
    text = "The bench is not close to you."
    play([MOVE, MOVE], Percept(text, view, {}, 0, outcome=outcome), dialect="reactree")
    assert messages(endpoint)[-1]["content"] == f"Success: False\nScene:\n{text}"
    play([MOVE, MOVE], Percept("No.", view, {}, 0, refused="No such thing."))
    assert messages(endpoint)[-1]["content"] == "Success: False\nNo such thing."
    play([MOVE, MOVE], Percept("No.", view, {}, 0, feedback="The task is not done yet."))
    assert messages(endpoint)[-1]["content"] == "The task is not done yet."


def test_the_latest_exchanges_alone_are_kept(play: Play, endpoint: Any) -> None:
    replies = [f"Robot thought: {n}\nRobot action: move(place{n})" for n in range(1, 7)]
    play(replies, window=2)
    told = messages(endpoint)
    assert [m["content"] for m in told if m["role"] == "assistant"] == replies[3:5]
    assert told[1]["content"].startswith("Task: Put the scarf away.\nScene:\nStart.")
    assert len(told) == 2 + 2 * 2


@pytest.mark.parametrize("said", ["done", "Done.", "done()"])
def test_it_ends_when_the_model_says_so(play: Play, said: str) -> None:
    assert play([f"Robot thought: All there.\nRobot action: {said}"]) == [Done("All there.")]


def test_a_reply_without_an_action_is_asked_for_again(play: Play, endpoint: Any) -> None:
    assert play(["move(bench1)", MOVE]) == [Act("move(bench1)", thought="Off I go.")]
    assert "begins with 'Robot action:'" in messages(endpoint)[-1]["content"]
    endpoint.requests.clear()
    assert isinstance(play(["Hm."] * 30)[-1], GiveUp)
    assert len(endpoint.requests) < 10


def test_the_prompt_knows_the_body_and_the_actions(play: Play, endpoint: Any) -> None:
    play([MOVE], hands=1)
    assert "hold one thing at a time" in messages(endpoint)[0]["content"]
    assert "switchoff(a), wait()" in messages(endpoint)[0]["content"]
    play([MOVE], actions="all")
    assert "go to place 1, sit on thing 1" in messages(endpoint)[0]["content"]
    play([MOVE], dialect="reactree")
    assert "go to place 1, sit on thing 1" in messages(endpoint)[0]["content"]


class InReach(SymbolicAdapter):
    """The built-in world with a body that stands before all there is, and does not walk."""

    spec = replace(SymbolicAdapter.spec, actions=HANDLING, visibility=Visibility.ROOM)


@pytest.mark.parametrize("dialect", PLANNER.dialects)
@pytest.mark.parametrize(
    ("house", "world", "actions", "steps"),
    [(HOUSE, SymbolicAdapter, HOUSEHOLD_VERBS, 4), (BENCH, InReach, HANDLING, 3)],
    ids=["walks", "in reach"],
)
def test_the_example_is_what_the_dialect_says(
    play: Play,
    endpoint: Any,
    tmp_path: Any,
    dialect: str,
    house: SceneGraph,
    world: type[SymbolicAdapter],
    actions: frozenset[Verb],
    steps: int,
) -> None:
    play([MOVE], dialect=dialect, verbs=actions)
    example = messages(endpoint)[0]["content"].partition("Example\nTask: ")[2]
    example = re.sub(r"\nOn bench 1, from left to right: .*", "", example)  # worlds with directions
    parts = example.split("\n\n")
    write_graph(house, tmp_path / "house.json")
    task = Task("example", "", And(()), f"json:{tmp_path / 'house.json'}")
    rules = Rules(ends=Ends.PLANNER_DONE)
    environment = Environment(world(), task, load_dialect(dialect), rules=rules)
    assert parts[0].partition("Scene:\n")[2] == environment.reset().text
    for said, told in zip(parts[1::2], parts[2::2], strict=False):
        percept = environment.step(said.partition("Robot action: ")[2])
        assert percept.outcome is not None
        assert percept.outcome.success
        assert told == f"Success: True\nScene:\n{percept.text.removeprefix('(Success)').strip()}"
    assert parts[-1].endswith("\nRobot action: done")
    assert environment.steps == steps


@pytest.mark.parametrize(("dialect", "window"), [("llm_state", 20), ("reactree_plain", 100)])
def test_it_reaches_goals_with_the_stand_in(tmp_path: Any, dialect: str, window: int) -> None:
    """Lists repeat all that was seen; in other dialects it has to be in the window."""
    tasks = tuple(task.id for task in load_suite("houses").tasks[:16:8])
    run = peephole.run(
        "inner_monologue",
        "houses",
        tasks=tasks,
        model="scripted",
        dialect=dialect,
        options={"window": window},
        out=tmp_path / "run",
    )
    assert [result.task for result in run.results if not result.success] == []
