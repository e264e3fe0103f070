"""The prompt and the choices of the planner `react`."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import Environment
from peephole.errors import BadInput
from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.served_model import ModelEndpoint
from peephole.observation_text.view import View, Visibility, visible
from peephole.planners.contract import (
    HOMES,
    Act,
    Brief,
    Decision,
    Done,
    GiveUp,
    Internal,
    Note,
    Percept,
    Preparation,
    counts,
)
from peephole.planners.kits.memory.episodic import EpisodicMemory, Experience
from peephole.planners.kits.memory.working import WorkingMemory
from peephole.planners.kits.prompting.menus import MenuForm
from peephole.planners.kits.turns import UNCHANGED
from peephole.planners.react.planner import PLANNER, Options
from peephole.plugins import load
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.scene_graph.task import Task, scene_digest
from peephole.skills.actions import Verb, go_to
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Outcome

SURFACE, GRASP = frozenset({Affordance.SURFACE}), frozenset({Affordance.GRASPABLE})
DRAWER = frozenset({Affordance.OPENABLE, Affordance.CONTAINER})
ME = Node(1, "character", Kind.AGENT, 1)
HALL = Node(2, "hall", Kind.ROOM, 2)
EXAMPLES = [
    SceneGraph(
        [
            ME,
            HALL,
            Node(3, "study", Kind.ROOM, 3),
            Node(4, "coat rack", Kind.FIXTURE, 4),
            Node(5, "shoe rack", Kind.FIXTURE, 5),
            Node(6, "armchair", Kind.FIXTURE, 6, affordances=SURFACE),
            Node(7, "writing desk", Kind.FIXTURE, 7, affordances=SURFACE),
            Node(8, "newspaper", Kind.OBJECT, 8, affordances=GRASP),
            Node(9, "pen", Kind.OBJECT, 9, affordances=GRASP),
        ],
        [
            *(Edge(thing, Relation.INSIDE, 2) for thing in (1, 4, 5)),
            *(Edge(thing, Relation.INSIDE, 3) for thing in (6, 7)),
            *(Edge(thing, Relation.ON, 7) for thing in (8, 9)),
        ],
    ),
    SceneGraph(
        [
            ME,
            HALL,
            Node(3, "bench", Kind.FIXTURE, 3, affordances=SURFACE),
            Node(4, "drawer", Kind.FIXTURE, 4, frozenset({State.CLOSED}), DRAWER),
            Node(5, "scarf", Kind.OBJECT, 5, affordances=GRASP),
        ],
        [*(Edge(thing, Relation.INSIDE, 2) for thing in (1, 3, 4)), Edge(5, Relation.ON, 3)],
    ),
]
CLOSED = frozenset({State.CLOSED})
#: The houses of the examples in the dialects of AI2-THOR.
ROOMS = [
    SceneGraph(
        [
            ME,
            Node(2, "bedroom", Kind.ROOM, 2),
            Node(3, "wardrobe", Kind.FIXTURE, 3, CLOSED, DRAWER),
            Node(4, "laundry hamper", Kind.FIXTURE, 4, CLOSED, DRAWER),
            Node(5, "dresser", Kind.FIXTURE, 5, affordances=SURFACE),
            Node(6, "scarf", Kind.OBJECT, 6, affordances=GRASP),
            Node(7, "comb", Kind.OBJECT, 7, affordances=GRASP),
        ],
        [
            *(Edge(thing, Relation.INSIDE, 2) for thing in (1, 3, 4, 5)),
            *(Edge(thing, Relation.ON, 5) for thing in (6, 7)),
        ],
    ),
    SceneGraph(
        [
            ME,
            Node(2, "pantry", Kind.ROOM, 2),
            Node(3, "shelf", Kind.FIXTURE, 3, affordances=SURFACE),
            Node(4, "fridge", Kind.FIXTURE, 4, CLOSED, DRAWER),
            Node(5, "jar", Kind.OBJECT, 5, affordances=GRASP),
        ],
        [*(Edge(thing, Relation.INSIDE, 2) for thing in (1, 3, 4)), Edge(5, Relation.ON, 3)],
    ),
]
BODIES = [
    Embodiment(),
    Embodiment(hands=1, needs_free_hand=frozenset({Verb.OPEN, Verb.CLOSE})),
]


def only(place: int) -> View:
    """A view of one place alone."""
    return View(SceneGraph([Node(place, "place", Kind.FIXTURE, place)]), {})


#: A view of nothing.
NOWHERE = View(SceneGraph(), {})


@pytest.fixture
def model(endpoint: Any) -> Generator[Any]:
    config = ModelConfig("stand-in")
    with ModelConnection(config, ModelEndpoint(endpoint.url, "stand-in")) as connection:
        yield connection.for_episode("planner", lambda event: None)


def brief(model: Any, hands: int = 2, menu: str = "full", **options: Any) -> Brief:
    return Brief(
        instruction="Find the milk.",
        agent=1,
        rooms=(),
        embodiment=Embodiment(hands),
        actions=frozenset(Verb),
        budgets=Budgets(),
        dialect="reactree",
        seed=0,
        models={"planner": model},
        options=Options(menu=MenuForm(menu), **options),
        forms=("go to place 1", "wait"),
    )


def percept(text: str, *options: str, view: View = NOWHERE, **fields: Any) -> Percept:
    found = [(option, go_to(number)) for number, option in enumerate(options)]
    names = {n: option[6:] for n, option in enumerate(options) if option[-1].isdigit()}
    return Percept(text, view, names, 0, menu=lambda: found, **fields)


def decisions(turns: Any, count: int, then: Percept) -> list[Decision]:
    found = [next(turns)]
    while len(found) < count:
        found.append(turns.send(then))
    return found


def seen_names(graph: SceneGraph) -> dict[int, str]:
    return {node.id: f"{node.category} 1" for node in graph.nodes()}


@pytest.mark.parametrize(("number", "recalls"), [(1, False), (1, True), (2, False)])
@pytest.mark.parametrize("body", BODIES, ids=["two hands", "one hand, needed by doors"])
@pytest.mark.parametrize("dialect", HOMES)
def test_the_examples_of_the_prompt_are_what_the_dialect_says(
    dialect: str,
    body: Embodiment,
    number: int,
    recalls: bool,
    endpoint: Any,
    model: Any,
    tmp_path: Any,
) -> None:
    seen = WorkingMemory(dialect)
    graph = (ROOMS if "thor" in dialect else EXAMPLES)[number - 1]
    given = replace(brief(model, working_memory=recalls), dialect=dialect)
    view = visible(graph, Visibility.NEAR)
    first = replace(percept("You are here.", "wait", view=view), names=seen_names(graph))
    next(PLANNER.plan(given, first))
    prompt = endpoint.requests[0]["messages"][0]["content"]
    example = prompt.partition(f"Example {number}\n")[2].partition("\n\nExample")[0]
    _, *lines = example.splitlines()
    path = tmp_path / "house.json"
    write_graph(graph, path)
    task = Task("example", "", And(()), f"json:{path}")
    rules = Rules(ends=Ends.PLANNER_DONE)
    adapter = SymbolicAdapter()
    adapter.spec = replace(adapter.spec, embodiment=body)
    environment = Environment(adapter, task, load("dialect", dialect), rules=rules)
    now = environment.reset()
    assert lines[0] == now.text
    turns = [json.loads(line) for line in lines[1::2]]
    assert turns[-1]["action"] == "done"
    for turn, observed in zip(turns[:-1], lines[2::2], strict=True):
        seen.update(now)
        if turn["action"].startswith("recall"):
            assert recalls
            assert seen.recall(turn["action"].removeprefix("recall location of ")) == observed
            continue
        assert turn["action"] in dict(now.sayable())
        now = environment.step(turn["action"])
        assert now.outcome is not None
        assert now.outcome.success
        assert now.text == observed


def test_only_the_newest_observation_carries_the_menu(endpoint: Any, model: Any) -> None:
    endpoint.pick = lambda body, options: options[0]
    turns = PLANNER.plan(brief(model), percept("Start.", "go to kitchen 1"))
    later = percept("You arrive.", "open fridge 1", "wait")
    decisions(turns, 8, later)
    for body in endpoint.requests:
        *before, last = body["messages"]
        assert not any("Possible actions" in message["content"] for message in before[1:])
        assert last["content"].splitlines()[-1].startswith("Possible actions: ")
        assert last["content"].endswith("; done; give up")
    for earlier, now in pairwise(endpoint.requests):
        assert now["messages"][: len(earlier["messages"]) - 1] == earlier["messages"][:-1]


def test_the_schema_offers_the_menu_of_the_moment_and_the_ends(endpoint: Any, model: Any) -> None:
    next(PLANNER.plan(brief(model), percept("Start.", "go to kitchen 1", "wait")))
    schema = endpoint.requests[0]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["action"]["enum"] == ["go to kitchen 1", "wait", "done", "give up"]
    assert schema["required"] == ["thought", "action"]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize(("said", "kind"), [("done", Done), ("give up", GiveUp)])
def test_the_model_ends_the_episode(
    endpoint: Any, model: Any, said: str, kind: type[Decision]
) -> None:
    endpoint.pick = lambda body, options: said
    turns = PLANNER.plan(brief(model), percept("Start.", "wait"))
    assert next(turns) == kind("I see.")


def test_a_thought_and_its_action_are_one_decision(endpoint: Any, model: Any) -> None:
    endpoint.pick = lambda body, options: "wait"
    turns = PLANNER.plan(brief(model), percept("Start.", "wait"))
    found = decisions(turns, 3, percept("Still here.", "wait"))
    assert found == [Act("wait", thought="I see.")] * 3
    assert sum(map(counts, found)) == len(endpoint.requests) == 3


def test_a_goal_check_that_fails_is_reported_and_the_conversation_goes_on(
    endpoint: Any, model: Any
) -> None:
    endpoint.pick = lambda body, options: "done"
    turns = PLANNER.plan(brief(model), percept("Start.", "wait"))
    checked = percept("Start.", "wait", feedback="The milk is not in the fridge yet.")
    assert decisions(turns, 2, checked) == [Done("I see.")] * 2
    said = endpoint.requests[1]["messages"][-2:]
    assert json.loads(said[0]["content"]) == {"thought": "I see.", "action": "done"}
    assert said[1]["content"].startswith("The milk is not in the fridge yet.\nPossible actions: ")


def test_a_long_thought_is_cut_and_not_asked_for_again(endpoint: Any, model: Any) -> None:
    endpoint.text = lambda body: json.dumps({"thought": "so " * 500, "action": "wait"})
    for options, length in (({}, 300), ({"thought_length": 20}, 20)):
        decision = next(PLANNER.plan(brief(model, **options), percept("Start.", "wait")))
        assert isinstance(decision, Act)
        assert len(decision.thought) == length
    assert len(endpoint.requests) == 2


def test_a_conversation_that_is_too_long_loses_its_oldest_turns(endpoint: Any, model: Any) -> None:
    endpoint.pick = lambda body, options: "wait"
    endpoint.always = lambda body: "context" if len(body["messages"]) > 6 else None
    turns = PLANNER.plan(brief(model), percept("Start.", "wait"))
    found = decisions(turns, 8, percept("Still here.", "wait"))
    notes = [decision for decision in found if isinstance(decision, Note)]
    assert notes[0] == Note("memory", "the oldest 2 turns are left out of the prompt")
    for body in endpoint.requests:
        roles = [message["role"] for message in body["messages"]]
        assert roles == ["system", "user", *["assistant", "user"] * (len(roles) // 2 - 1)]
        assert body["messages"][1]["content"].startswith("Task: Find the milk.\nStart.")


def test_a_model_that_keeps_to_no_form_makes_it_give_up(endpoint: Any, model: Any) -> None:
    endpoint.always = lambda body: "free_text"
    end = next(PLANNER.plan(brief(model), percept("Start.", "wait")))
    assert isinstance(end, GiveUp)
    assert "unusable replies" in end.reason


def test_the_prompt_knows_the_body(endpoint: Any, model: Any) -> None:
    next(PLANNER.plan(brief(model, hands=1), percept("Start.", "wait")))
    assert re.search(r"hold one thing at a time", endpoint.requests[0]["messages"][0]["content"])


def prompts(endpoint: Any) -> list[str]:
    return [
        "\n".join(message["content"] for message in body["messages"]) for body in endpoint.requests
    ]


def test_without_a_menu_messages_are_only_added_and_the_schema_holds_the_actions(
    endpoint: Any, model: Any
) -> None:
    endpoint.pick = lambda body, options: options[0]
    turns = PLANNER.plan(brief(model, menu="none"), percept("Start.", "go to kitchen 1"))
    decisions(turns, 6, percept("You arrive.", "open fridge 1", "wait"))
    for earlier, now in pairwise(endpoint.requests):
        assert now["messages"][: len(earlier["messages"])] == earlier["messages"]
        schema = now["response_format"]["json_schema"]["schema"]
        assert schema["properties"]["action"]["enum"][:2] == ["open fridge 1", "wait"]
    assert not any("open fridge 1;" in prompt for prompt in prompts(endpoint))
    assert "Actions are said like this: go to place 1; wait." in prompts(endpoint)[0]


def test_a_grouped_menu_has_a_line_for_each_beginning(endpoint: Any, model: Any) -> None:
    start = percept("Start.", "go to kitchen 1", "go to chair 1", "go to chair 2")
    next(PLANNER.plan(brief(model, menu="grouped"), start))
    assert endpoint.requests[0]["messages"][-1]["content"].splitlines()[-4:] == [
        "Possible actions:",
        "go to: kitchen 1; chair 1, 2",
        "done",
        "give up",
    ]


@pytest.mark.parametrize(("fault", "form"), [(None, "none"), ("free_text", "grouped")])
def test_whether_a_menu_is_needed_is_asked_of_the_server(
    endpoint: Any, model: Any, fault: str | None, form: str
) -> None:
    endpoint.always = lambda body: fault
    given = Preparation(
        suite="houses",
        dialect="reactree",
        actions=frozenset(),
        embodiment=Embodiment(),
        rules=Rules(),
        seed=0,
        models={"planner": model},
        options=Options(),
    )
    assert PLANNER.prepare is not None
    assert PLANNER.prepare(given) == {"menu": form}
    assert len(endpoint.requests) == 1
    settled = replace(given, options=Options(menu=MenuForm.FULL))
    assert PLANNER.prepare(settled) == {"menu": "full"}
    assert len(endpoint.requests) == 1


def test_a_log_tells_what_was_done_and_no_thought(endpoint: Any, model: Any) -> None:
    endpoint.pick = lambda body, options: options[0]
    turns = PLANNER.plan(brief(model, history="log"), percept("Start.", "go to kitchen 1"))
    decisions(turns, 3, percept("You arrive.", "wait", outcome=Outcome(None)))
    _, told = endpoint.requests[-1]["messages"]
    assert told["content"].splitlines() == [
        "Task: Find the milk.",
        "Start.",
        "> go to kitchen 1",
        f"You arrive. {UNCHANGED}",
        "> wait",
        f"You arrive. {UNCHANGED}",
        "Possible actions: wait; done; give up",
    ]


def test_an_action_is_not_offered_for_ever_where_nothing_changes(endpoint: Any, model: Any) -> None:
    endpoint.pick = lambda body, options: options[0]
    turns = PLANNER.plan(brief(model, repeats=2), percept("Start.", "open box 1", "wait"))
    found = decisions(turns, 6, percept("No.", "open box 1", "wait", outcome=Outcome(None)))
    kept = [decision for decision in found if isinstance(decision, Act)]
    assert [act.action for act in kept] == ["open box 1"] * 3 + ["wait"] * 2
    assert found[3] == Note("menu", "not offered again: open box 1", {"actions": ["open box 1"]})


def test_a_walk_to_what_is_remembered_is_not_offered_for_ever(endpoint: Any, model: Any) -> None:
    def here(**outcome: Any) -> Percept:
        told = percept("Here.", "wait", **outcome)
        return replace(told, sayable=lambda: [("wait", go_to(0)), ("go to desk 1", go_to(1))])

    endpoint.pick = lambda body, options: options[1] if len(options) == 4 else options[0]
    turns = PLANNER.plan(brief(model, repeats=1), here())
    found = decisions(turns, 4, here(outcome=Outcome(None)))
    kept = [decision.action for decision in found if isinstance(decision, Act)]
    assert kept == ["go to desk 1"] * 2 + ["wait"]
    assert found[2] == Note("menu", "not offered again: go to desk 1", {"actions": kept[:1]})


def test_a_round_of_places_is_left_as_well(endpoint: Any, model: Any) -> None:
    """Walking to and fro changes the view, and is no progress."""
    endpoint.pick = lambda body, options: options[0]
    turns = PLANNER.plan(brief(model, repeats=1), percept("Start.", "go to a", view=only(1)))
    at = {
        "go to a": percept("At a.", "go to b", "wait", view=only(2), outcome=Outcome(None)),
        "go to b": percept("At b.", "go to a", "wait", view=only(3), outcome=Outcome(None)),
    }
    said, found = [], next(turns)
    while not said or said[-1] != "wait":
        if isinstance(found, Act):
            said.append(found.action)
        found = turns.send(at.get(said[-1], at["go to a"]))
    assert said == ["go to a", "go to b", "go to a", "go to b", "go to a", "wait"]


def test_the_domain_is_described_where_it_is_wanted(endpoint: Any, model: Any) -> None:
    next(PLANNER.plan(brief(model), percept("You are here.", "wait")))
    plain = endpoint.requests[-1]["messages"][0]["content"]
    next(PLANNER.plan(brief(model, domain=True), percept("You are here.", "wait")))
    described = endpoint.requests[-1]["messages"][0]["content"]
    assert described.endswith(plain)
    titles = re.findall(r"^# (.*)$", described.removesuffix(plain), re.MULTILINE)
    assert titles == ["Actions", "Body", "Goals", "Limits and costs"]


# --- memories ------------------------------------------------------------------------------------


def seen(*things: str) -> Percept:
    """A percept of a hall with some things on a bench."""
    nodes = [Node(number, name, Kind.OBJECT, number) for number, name in enumerate(things, 10)]
    bench = Node(3, "bench", Kind.FIXTURE, 3, affordances=SURFACE)
    edges = [
        *(Edge(i, Relation.INSIDE, 2) for i in (1, 3)),
        *(Edge(n.id, Relation.ON, 3) for n in nodes),
    ]
    view = View(SceneGraph([ME, HALL, bench, *nodes], edges), {2: True, 3: True})
    names = {node.id: f"{node.category} 1" for node in view.graph.nodes()}
    return Percept("You see.", view, names, 0, menu=lambda: [("wait", go_to(2))])


def test_what_was_seen_can_be_recalled_for_a_decision_and_no_step(
    endpoint: Any, model: Any
) -> None:
    endpoint.pick = lambda body, options: options[-3] if len(options) > 3 else options[0]
    turns = PLANNER.plan(brief(model, menu="none", working_memory=True), seen())
    assert next(turns).action == "wait"
    recalled = turns.send(seen("mug", "scarf"))
    answer = "You saw scarf 1 near bench 1 in hall 1."
    assert isinstance(recalled, Internal)
    assert (recalled.name, recalled.text, recalled.data["answer"]) == ("recall", "scarf", answer)
    assert counts(recalled)
    turns.send(seen("mug", "scarf"))
    asked, told = endpoint.requests[-1]["messages"][-2:]
    assert json.loads(asked["content"])["action"] == "recall location of scarf"
    assert told["content"] == answer
    schema = endpoint.requests[-1]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["action"]["enum"] == [
        *("wait", "recall location of mug", "recall location of scarf"),
        *("done", "give up"),
    ]
    assert '"recall location of NAME"' in prompts(endpoint)[0]


def test_without_working_memory_nothing_is_recalled(endpoint: Any, model: Any) -> None:
    next(PLANNER.plan(brief(model, menu="none"), seen("mug")))
    assert "recall" not in json.dumps(endpoint.requests)


def experience(goal: str, **fields: Any) -> Experience:
    given = {"suite": "wah:train", "task": goal, "scene": "house:201", "planner": "react"}
    return Experience(goal, f"Task: {goal}\nYou look.", "success", **(given | fields))


def test_the_examples_are_the_nearest_episodes_and_stay_for_the_episode(
    endpoint: Any, model: Any, tmp_path: Any
) -> None:
    found = [experience("Find the milk."), experience("Switch on the lamp.")]
    EpisodicMemory.build(found, "reactree").save(tmp_path / "memory.jsonl")
    endpoint.pick = lambda body, options: options[0]
    given = brief(model, menu="none", memory=tmp_path / "memory.jsonl")
    decisions(PLANNER.plan(given, percept("Start.", "wait")), 3, percept("More.", "wait"))
    systems = {body["messages"][0]["content"] for body in endpoint.requests}
    assert len(systems) == 1
    examples = systems.pop().partition("Example 1\n")[2]
    assert examples == (  # the most similar last
        "Task: Switch on the lamp.\nYou look.\n\nExample 2\nTask: Find the milk.\nYou look."
    )


@pytest.mark.parametrize(
    ("fields", "scene", "told"),
    [
        ({}, "house:201", "which this run plays"),
        ({"planner": "reactree"}, "house:105", "has experiences of reactree"),
    ],
)
def test_a_memory_that_does_not_fit_ends_the_run(
    model: Any, tmp_path: Any, fields: dict[str, str], scene: str, told: str
) -> None:
    path = tmp_path / "memory.jsonl"
    EpisodicMemory.build([experience("Find the milk.", **fields)], "reactree").save(path)
    given = Preparation(
        suite="wah",
        dialect="reactree",
        actions=frozenset(),
        embodiment=Embodiment(),
        rules=Rules(),
        seed=0,
        scenes=frozenset({scene_digest(scene)}),
        models={"planner": model},
        options=Options(menu=MenuForm.NONE, memory=path),
    )
    assert PLANNER.prepare is not None
    with pytest.raises(BadInput, match=told):
        PLANNER.prepare(given)
