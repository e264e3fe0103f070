"""The planner `zsp`: its prompts, the skills of its lines, and that it keeps to its plan."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import peephole
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.cli.main import app
from peephole.episodes.environment import Environment
from peephole.errors import BadInput
from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.served_model import ModelEndpoint
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.dialects.reactree.plain import PLAIN_DIALECT as PLAIN
from peephole.planners.contract import Act, Done, GiveUp, Grant, Internal, Note, counts
from peephole.planners.kits.memory.episodic import EpisodicMemory
from peephole.planners.kits.written_plans.house import described
from peephole.planners.kits.written_plans.skills import Skills
from peephole.planners.zsp.planner import PLANNER, Options
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.scene_graph.rules import Ends, Feedback, Rules
from peephole.scene_graph.task import Task
from peephole.skills.actions import Verb
from peephole.skills.embodiment import Embodiment

SURFACE, GRASP = frozenset({Affordance.SURFACE}), frozenset({Affordance.GRASPABLE})
DRAWER = frozenset({Affordance.OPENABLE, Affordance.CONTAINER})
SHUT = frozenset({State.CLOSED})
ME = Node(1, "character", Kind.AGENT, 1)
HALL, STUDY = Node(2, "hall", Kind.ROOM, 2), Node(3, "study", Kind.ROOM, 3)
#: The houses of the fixed examples.
HOUSES = [
    SceneGraph(
        [
            ME,
            HALL,
            STUDY,
            Node(4, "bench", Kind.FIXTURE, 4, affordances=SURFACE),
            Node(5, "shoe rack", Kind.FIXTURE, 5),
            Node(6, "armchair", Kind.FIXTURE, 6, affordances=SURFACE),
            Node(7, "writing desk", Kind.FIXTURE, 7, affordances=SURFACE),
            Node(8, "writing desk", Kind.FIXTURE, 8, affordances=SURFACE),
            Node(9, "newspaper", Kind.OBJECT, 9, affordances=GRASP),
            Node(10, "newspaper", Kind.OBJECT, 10, affordances=GRASP),
            Node(11, "pen", Kind.OBJECT, 11, affordances=GRASP),
            Node(12, "scarf", Kind.OBJECT, 12, affordances=GRASP),
        ],
        [
            *(Edge(thing, Relation.INSIDE, 2) for thing in (1, 4, 5)),
            *(Edge(thing, Relation.INSIDE, 3) for thing in (6, 7, 8)),
            *(Edge(thing, Relation.ON, 7) for thing in (10, 11)),
            *(Edge(thing, Relation.ON, 8) for thing in (9,)),
            Edge(12, Relation.ON, 4),
        ],
    ),
    SceneGraph(
        [
            ME,
            HALL,
            Node(3, "bench", Kind.FIXTURE, 3, affordances=SURFACE),
            Node(4, "drawer", Kind.FIXTURE, 4, SHUT, DRAWER),
            Node(5, "glove", Kind.OBJECT, 5, affordances=GRASP),
            Node(6, "scarf", Kind.OBJECT, 6, affordances=GRASP),
        ],
        [
            *(Edge(thing, Relation.INSIDE, 2) for thing in (1, 3, 4)),
            *(Edge(thing, Relation.ON, 3) for thing in (5, 6)),
        ],
    ),
]
#: The bodies that a prompt describes.
BODIES = [
    Embodiment(),
    Embodiment(hands=1),
    Embodiment(hands=1, needs_free_hand=frozenset({Verb.OPEN, Verb.CLOSE})),
]
Episode = Callable[..., list[Any]]


def environment(
    folder: Path,
    number: int = 0,
    more: frozenset[Grant] = frozenset(),
    dialect: Any = DIALECT,
    feedback: Feedback = Feedback.NONE,
    body: Embodiment = Embodiment(),  # noqa: B008
) -> Environment:
    path = folder / "house.json"
    write_graph(HOUSES[number], path)
    rules = Rules(ends=Ends.PLANNER_DONE, feedback=feedback)
    task = Task("example", "", And(()), f"json:{path}")
    adapter = SymbolicAdapter()
    adapter.spec = replace(adapter.spec, embodiment=body)
    return Environment(adapter, task, dialect, rules=rules, grants=PLANNER.grants | more)


@pytest.fixture
def play(endpoint: Any, tmp_path: Path) -> Iterator[Episode]:
    """Play with these replies; returns decisions and the texts after actions."""
    where = ModelEndpoint(endpoint.url, "stand-in")
    with ModelConnection(ModelConfig("stand-in"), where) as connection:

        def played(replies: Sequence[str], **options: Any) -> list[Any]:
            left = list(replies)
            endpoint.text = lambda body: left.pop(0) if left else "done"
            chosen = Options(**options)
            world = environment(tmp_path, more=PLANNER.more_grants(chosen))
            percept = world.reset()

            brief = replace(
                world.brief(),
                instruction="Bring a newspaper to the bench.",
                models={"planner": connection.for_episode("planner", lambda event: None)},
                options=chosen,
            )
            turns = PLANNER.plan(brief, percept)
            found: list[Any] = [next(turns)]
            while not isinstance(found[-1], Done | GiveUp):
                if isinstance(found[-1], Act):
                    percept = world.step(found[-1].action)
                    found.append(percept)
                found.append(turns.send(percept))
            return found

        yield played


def actions(found: Sequence[Any]) -> list[Any]:
    return [each.action for each in found if isinstance(each, Act)]


def asked(endpoint: Any, number: int = 0) -> str:
    content: str = endpoint.requests[number]["messages"][1]["content"]
    return content


@pytest.mark.parametrize("dialect", [DIALECT, PLAIN], ids=["reactree", "reactree_plain"])
@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("body", BODIES, ids=["two hands", "one hand", "a free hand for doors"])
def test_the_fixed_examples_have_the_form_of_prompts_and_work(
    body: Embodiment, number: int, dialect: Any, tmp_path: Path
) -> None:
    name = f"examples_{dialect.name}.jinja"
    text = (
        Path(peephole.__file__).parent / "planners/kits/written_plans/prompts" / name
    ).read_text()
    example = text.partition(f"Example {number + 1}\n")[2].partition("\n\nExample")[0].strip()
    house, _, rest = example.partition("\nYour task is to: ")
    world = environment(tmp_path, number, dialect=dialect, body=body)
    percept = world.reset()
    brief = world.brief()
    assert described(brief, percept) == house
    skills = Skills(brief)
    *lines, last = rest.splitlines()[2:]
    assert last == "done"
    for line in lines:
        skill = skills.meant_by(line)
        assert skill.text == line
        percept = world.step(skills.action(skill, percept))
        assert percept.outcome is not None
        assert percept.outcome.success, line


def test_the_prompt_has_furniture_by_room_and_objects_without_their_places(
    play: Episode, endpoint: Any
) -> None:
    play([])
    told = asked(endpoint).splitlines()
    assert "- study 1: armchair (1), writing desk (1, 2)" in told
    assert "Objects in the house: newspaper (1, 2), pen (1), scarf (1)" in told
    assert not any(line.startswith(("Where they are", "Closed")) for line in told)


def test_with_the_map_the_prompt_says_what_is_closed(tmp_path: Path) -> None:
    world = environment(tmp_path, 1, more=frozenset({Grant.MAP}))
    first = world.reset()
    told = described(world.brief(), first).splitlines()
    assert [line for line in told if line.startswith("Closed")] == ["Closed: drawer 1"]


def test_with_the_map_the_prompt_has_their_places(play: Episode, endpoint: Any) -> None:
    play([], map=True)
    told = asked(endpoint)
    assert "newspaper 1 on writing desk 1; pen 1 on writing desk 1" in told
    assert Grant.MAP in PLANNER.granted_by(Options(map=True)).grants
    assert Grant.MAP not in PLANNER.granted_by(Options()).grants


def test_each_line_is_asked_for_after_the_skills_that_the_others_became(
    play: Episode, endpoint: Any
) -> None:
    found = play(["1. walk over to writing desk 1.", "grab the newspaper", "done"])
    assert asked(endpoint, 2).splitlines()[-3:] == [
        "Plan:",
        "go to writing desk 1",
        "pick up newspaper",
    ]
    decided = [each for each in found if isinstance(each, Internal | Act | Done) and counts(each)]
    assert [type(each).__name__ for each in decided] == ["Internal", "Internal", "Done"]
    assert actions(found) == ["go to writing desk 1", "pick up newspaper 1"]


def test_a_plan_that_says_the_same_over_and_over_ends(play: Episode) -> None:
    found = play(["go to bench 1", *["pick up scarf"] * 50])
    assert actions(found) == ["go to bench 1", *["pick up scarf 1"] * 3]
    assert isinstance(found[-1], Done)


def test_a_line_ends_with_the_line(play: Episode, endpoint: Any) -> None:
    play(["go to bench 1"])
    assert endpoint.requests[0]["stop"] == ["\n"]
    assert endpoint.requests[0]["max_tokens"] < 100


def test_a_plan_at_once_is_one_sample(play: Episode, endpoint: Any) -> None:
    plan = "```\n- go to writing desk 2\n- pick up newspaper\n- done\n- go to bench 1\n```"
    found = play([plan], line_by_line=False)
    assert len(endpoint.requests) == 1
    assert actions(found) == ["go to writing desk 2", "pick up newspaper 1"]
    assert sum(isinstance(each, Internal) for each in found) == 1


def test_what_was_not_perceived_fails_and_the_plan_goes_on(play: Episode) -> None:
    found = play(["pick up newspaper", "go to bench 1", "pick up scarf", "put down pen", "done"])
    came = [each.outcome.success for each in found if getattr(each, "outcome", None) is not None]
    assert came == [False, True, True, False]
    assert isinstance(found[-1], Done)


@pytest.mark.parametrize(
    ("plan", "last"),
    [
        (["go to writing desk 2", "pick up newspaper"] * 2, "pick up newspaper 1"),
        (
            [
                "go to writing desk 2",
                "pick up newspaper",
                "go to writing desk 1",
                "pick up newspaper",
            ],
            "pick up newspaper 2",
        ),
        (
            [
                "go to writing desk 1",
                "pick up newspaper",
                "go to writing desk 2",
                "put down newspaper",
            ],
            "put down newspaper 1",
        ),
        (
            ["go to bench 1", "pick up scarf", "go to writing desk 1", "put down scarf on pen"],
            "put down scarf 1 on pen 1",
        ),
    ],
    ids=["held again", "within reach", "in hand", "onto an object"],
)
def test_an_object_is_the_nearest_perceived(play: Episode, plan: list[str], last: str) -> None:
    assert actions(play([*plan, "done"]))[-1] == last


def test_a_plan_has_no_more_lines_than_allowed(play: Episode) -> None:
    found = play(["go to bench 1", "go to hall 1"] * 9, plan_length=4)
    assert actions(found) == ["go to bench 1", "go to hall 1"] * 2


def test_without_an_answer_it_gives_up(play: Episode) -> None:
    found = play(["…"] * 9)
    assert isinstance(found[-1], GiveUp)


def test_a_plan_that_does_not_reach_the_goal_is_the_end(tmp_path: Path, endpoint: Any) -> None:
    endpoint.text = lambda body: "done"
    where = ModelEndpoint(endpoint.url, "stand-in")
    with ModelConnection(ModelConfig("stand-in"), where) as connection:
        world = environment(tmp_path, feedback=Feedback.GOAL_CHECK)
        percept = world.reset()

        model = connection.for_episode("planner", lambda event: None)
        turns = PLANNER.plan(replace(world.brief(), models={"planner": model}), percept)
        assert isinstance(next(turns), Note)
        assert isinstance(turns.send(percept), Done)
        checked = replace(percept, feedback="The task is not fulfilled yet.")
        assert isinstance(turns.send(checked), GiveUp)


@pytest.mark.parametrize(
    ("line", "skill"),
    [
        ("GO TO writing desk 2.", "go to writing desk 2"),
        ("3) go to writing desk (2)", "go to writing desk 2"),
        ("pick up newspaper 2", "pick up newspaper"),
        ("put down newspaper 1 on bench 1", "put down newspaper"),
        ("put down newspaper on the bench", "put down newspaper"),
        ("take the pen", "pick up pen"),
        ("Done.", "done"),
    ],
)
def test_a_line_becomes_the_skill_that_it_means(line: str, skill: str, tmp_path: Path) -> None:
    world = environment(tmp_path)
    world.reset()
    assert Skills(world.brief()).meant_by(line).text == skill


def test_examples_come_from_runs_of_the_rule(tmp_path: Path) -> None:
    train, memory = tmp_path / "train", tmp_path / "memory.jsonl"
    peephole.run("zsp_examples", "wah:train", tasks=2, out=train)
    built = CliRunner().invoke(app, ["memory", "build", str(train), "--out", str(memory)])
    assert built.exit_code == 0, built.output
    (example, _) = EpisodicMemory.load(memory).experiences
    assert example.text.splitlines()[-1] == "done"
    assert f"Your task is to: {example.goal}\nPlan:\ngo to " in example.text
    options = {"memory": str(memory), "map": "true"}
    played = peephole.run(
        "zsp", "wah", tasks=2, model="scripted", options=options, out=tmp_path / "run"
    )
    assert [result.success for result in played.results] == [True, True]
    lines = (tmp_path / "run" / "episodes").glob("*.jsonl")
    recorded = json.loads(next(line for line in next(lines).open() if "model_replied" in line))
    assert example.text in recorded["request"]["messages"][0]["content"]
    with pytest.raises(BadInput, match="which this run plays"):
        peephole.run(
            "zsp", "wah:train", tasks=1, model="scripted", options=options, out=tmp_path / "seen"
        )
