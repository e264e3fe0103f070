"""The planner `progprompt`: programs, assertions with recovery, and replanning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

import peephole
from peephole.errors import BadInput
from peephole.models.config import ModelConfig, ModelEndpoint
from peephole.models.connection import ModelConnection
from peephole.observation_text.dialects.llm_state.dialect import DIALECT as LISTS
from peephole.observation_text.dialects.reactree.plain import PLAIN_DIALECT as PLAIN
from peephole.observation_text.view import View
from peephole.planners.contract import (
    Act,
    Brief,
    Done,
    GiveUp,
    Internal,
    Note,
    Percept,
    counts,
)
from peephole.planners.options import parse_options
from peephole.planners.progprompt.planner import PLANNER, Options, action_functions
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.skills.actions import HOUSEHOLD_VERBS, open_
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Failure, Outcome, Reason
from peephole.suites.registry import load_suite

SCENE = "Object List: ['cup1 ON table1']\nCurrent Room: kitchen1"
FETCH = "move('cup1')\nassert('close' to 'cup1')\n    else: move('table1')\npickup('cup1')"
VIEW = View(SceneGraph([Node(1, "robot", Kind.AGENT, 1)]), {})
Play = Callable[..., list[Any]]


def succeeded(text: str = SCENE) -> Percept:
    return _percept(f"(Success)\n{text}", outcome=Outcome(None))


def failed() -> Percept:
    return _percept(f"(Fail)\n{SCENE}", outcome=Outcome(Failure(Reason.NOT_CLOSE)))


def _percept(text: str, **fields: Any) -> Percept:
    names = {2: "coffee table 1", 3: "cup 1"}
    return Percept(text, VIEW, names, 0, overview=lambda: "You are in the kitchen 1.", **fields)


@pytest.fixture
def play(endpoint: Any) -> Iterator[Play]:
    """Play with these replies and percepts until either is used up; returns the decisions."""
    where = ModelEndpoint(endpoint.url, "stand-in")
    with ModelConnection(ModelConfig("stand-in", attempts=2), where) as connection:

        def played(
            replies: Sequence[str],
            *percepts: Percept,
            rules: Rules = Rules(),  # noqa: B008
            dialect: str = "llm_state",
            **options: Any,
        ) -> list[Any]:
            left = list(replies)
            endpoint.text = lambda body: left.pop(0) if left else "wait()"
            words = {"llm_state": LISTS, "reactree_plain": PLAIN}[dialect]
            brief = Brief(
                instruction="Fetch the cup.",
                agent=1,
                rooms=(),
                embodiment=Embodiment(),
                actions=HOUSEHOLD_VERBS,
                budgets=Budgets(),
                dialect=dialect,
                seed=0,
                rules=rules,
                models={"planner": connection.for_episode("planner", lambda event: None)},
                options=Options(**options),
                forms=words.forms(HOUSEHOLD_VERBS),
            )
            turns, to_come = PLANNER.plan(brief, _percept(SCENE)), list(percepts)
            found = [next(turns)]
            while not isinstance(found[-1], GiveUp):
                acts = isinstance(found[-1], Act | Done)
                if acts and not to_come:
                    break
                try:
                    found.append(turns.send(to_come.pop(0) if acts else _percept("")))
                except StopIteration:
                    break
            return found

        yield played


def said(endpoint: Any, request: int) -> str:
    """The user's message of a request."""
    return str(endpoint.requests[request]["messages"][1]["content"])


def test_a_program_is_one_decision_and_each_assertion_another(play: Play) -> None:
    found = play([FETCH, "True"], succeeded(), succeeded())
    assert found == [
        Internal("plan", FETCH),
        Act("move(cup1)", continued=True),
        Internal("assert", "'close' to 'cup1'", {"holds": True}),
        Act("pickup(cup1)", continued=True),
        Internal("plan", "wait()"),
        Act("wait()", continued=True),
    ]
    assert [counts(decision) for decision in found[:4]] == [True, False, True, False]


def test_recovery_runs_where_the_model_says_that_an_assertion_does_not_hold(play: Play) -> None:
    found = play([FETCH, "False"], succeeded(), succeeded(), succeeded())
    actions = [each.action for each in found if isinstance(each, Act)]
    assert actions[:3] == ["move(cup1)", "move(table1)", "pickup(cup1)"]


def test_without_assertions_none_is_asked(play: Play) -> None:
    found = play([FETCH], succeeded(), succeeded(), assertions=False)
    assert not [each for each in found if getattr(each, "name", "") == "assert"]


def test_without_assertions_none_is_taught(play: Play, endpoint: Any) -> None:
    play([FETCH], succeeded(), assertions=False)
    system = endpoint.requests[0]["messages"][0]["content"]
    assert "assert" not in system
    assert "else:" not in system


def test_without_recovery_one_program_is_carried_out_to_its_end(play: Play, endpoint: Any) -> None:
    checked = _percept("", feedback="The task is not done yet.")
    program = "move('cup1')\npickup('cup1')"
    found = play([program], failed(), failed(), checked, recovery=False)
    actions = [each.action for each in found if isinstance(each, Act)]
    assert actions == ["move(cup1)", "pickup(cup1)"]
    assert isinstance(found[-2], Done)
    assert isinstance(found[-1], GiveUp)
    assert len(endpoint.requests) == 1
    assert "carried out once" in endpoint.requests[0]["messages"][0]["content"]


def test_an_option_without_meaning_is_refused() -> None:
    with pytest.raises(BadInput, match="idle has no meaning with recovery=false"):
        parse_options(PLANNER, {"recovery": "false", "idle": "2"})


def test_what_is_so_already_does_not_stop_a_program(play: Play, endpoint: Any) -> None:
    fridge = Node(2, "coffee table", Kind.FIXTURE, 2, {State.OPEN})
    graph = SceneGraph([*VIEW.graph.nodes(), fridge], [Edge(1, Relation.CLOSE, 2)])
    again = Outcome(Failure(Reason.ALREADY_OPEN, 2))
    opened = replace(failed(), view=View(graph, {}), action=open_(2), outcome=again)
    play(["open('coffeetable1')\nmove('cup1')"], opened, failed())
    assert ("# open('coffeetable1')  (Fail: it is so already)\n# move('cup1')  (Fail)\n") in said(
        endpoint, 1
    )


def test_an_assertion_is_judged_by_what_is_open_close_by(play: Play, endpoint: Any) -> None:
    table = Node(2, "coffee table", Kind.FIXTURE, 2, {State.CLOSED}, {Affordance.OPENABLE})
    graph = SceneGraph([*VIEW.graph.nodes(), table], [Edge(1, Relation.CLOSE, 2)])
    arrived = replace(succeeded(), view=View(graph, {}))
    asserts = "assert('coffeetable1' is 'opened')\n    else: open('coffeetable1')"
    play([f"move('coffeetable1')\n{asserts}", "False"], arrived)
    assert (
        "# States of what is close:\n# 'coffeetable1' is closed\n\n"
        "assert('coffeetable1' is 'opened')"
    ) in said(endpoint, 1)


def test_the_prompt_is_python(play: Play, endpoint: Any) -> None:
    play(["move('cup1')"])
    system, user = (m["content"] for m in endpoint.requests[0]["messages"])
    assert "from actions import move(a), pickup(a), placein(a, b), placeon(a, b), open(a)" in system
    assert "plugin" not in system
    assert user == (
        "objects = ['coffeetable1', 'cup1']\n\n# Done so far:\n# nothing\n\n# Observed now:\n"
        "# Object List: ['cup1 ON table1']\n# Current Room: kitchen1\n\n"
        'def do_fetch_the_cup():\n    """Fetch the cup."""'
    )


def test_a_failed_action_stops_the_program_and_the_next_prompt_has_it(
    play: Play, endpoint: Any
) -> None:
    play(["move('cup1')\npickup('cup1')\nmove('x1')", "move('table1')"], succeeded(), failed())
    done = said(endpoint, 1).partition("# Done so far:\n")[2]
    assert done.startswith("# move('cup1')  (Success)\n# pickup('cup1')  (Fail)\n\n")


def test_the_next_prompt_has_the_end_of_a_program(play: Play, endpoint: Any) -> None:
    play(["move('cup1')", "move('table1')"], succeeded())
    assert "# move('cup1')  (Success)\n# the program came to its end\n" in said(endpoint, 1)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("import os", "Line 1: nothing can be imported."),
        ("cup.pickup()", "Line 1: there are no attributes or methods"),
        ("fly('cup1')", "Line 1: there is no function 'fly'; there are close, move"),
        ("pickup()", "Line 1: 'pickup' takes 1 argument, not 0."),
        ("x = 1", "The program does nothing; call an action."),
        ("pickup('cup1'", "Line 1 is not Python"),
    ],
)
def test_a_malformed_program_is_asked_for_again_with_the_reason(
    play: Play, endpoint: Any, reply: str, told: str
) -> None:
    found = play([reply, "move('cup1')"])
    assert told in endpoint.requests[1]["messages"][-1]["content"]
    assert found == [Internal("plan", "move('cup1')"), Act("move(cup1)", continued=True)]


def test_too_many_malformed_programs_end_the_episode(play: Play) -> None:
    (given_up,) = play(["import os", "import os"])
    assert isinstance(given_up, GiveUp)
    assert "nothing can be imported" in given_up.reason


@pytest.mark.parametrize(
    "reply",
    [
        "```python\nmove('cup1')\npickup('cup1')\n```",
        "    move('cup1')\n    pickup('cup1')",
        "move('cup1')\n    pickup('cup1')",
        'def do_fetch_the_cup():\n    """Fetch the cup."""\n    move("cup1")\n    pickup("cup1")',
        "Here it is:\n```\nfor x in ['cup1']:\n    move(x)\n    pickup(x)\n```\nThat is it.",
    ],
)
def test_bodies_and_whole_functions_are_read(play: Play, reply: str) -> None:
    found = play([reply], succeeded())
    actions = [each.action for each in found if isinstance(each, Act)]
    assert actions == ["move(cup1)", "pickup(cup1)"]


def test_an_endless_program_is_stopped_and_the_model_reads_why(play: Play, endpoint: Any) -> None:
    endless = "while True:\n    x = 1\nmove('cup1')"
    found = play([endless, "move('cup1')"], steps=200)
    note = found[1]
    assert isinstance(note, Note)
    assert "Line 2: the program was stopped after 200 steps" in note.data["stopped"]
    assert "# the program was stopped: Line 2" in said(endpoint, 1)


def test_programs_that_do_nothing_end_the_episode(play: Play) -> None:
    found = play(["if 1 > 2:\n    move('cup1')"] * 3)
    assert found[-1] == GiveUp("3 programs in a row did nothing.")
    assert len(found) == 4


def test_done_is_offered_only_where_the_planner_says_it(play: Play, endpoint: Any) -> None:
    found = play(["done()"], rules=Rules(ends=Ends.PLANNER_DONE))
    assert found == [Internal("plan", "done()"), Done()]
    found = play(["done()", "move('cup1')"])
    assert "there is no function 'done'" in endpoint.requests[-1]["messages"][-1]["content"]


def test_in_other_dialects_functions_are_phrases(play: Play, endpoint: Any) -> None:
    first = succeeded("You arrive at the cup 1.")
    found = play(
        ["go_to('cup 1')\nput_down_on('cup 1', 'table 1')", "wait()"],
        first,
        failed(),
        dialect="reactree_plain",
    )
    actions = [each.action for each in found if isinstance(each, Act)]
    assert actions[:2] == ["go to cup 1", "put down cup 1 on table 1"]
    assert "go_to('cup 1')  ok: (Success) You arrive at the cup 1." in said(endpoint, 1)
    assert "# At first:\n# Object List" in said(endpoint, 1)
    assert "# Observed now:\n# You are in the kitchen 1." in said(endpoint, 1)


@pytest.mark.parametrize("dialect", [LISTS, PLAIN])
def test_every_form_of_a_dialect_is_a_function_of_its_own(dialect: Any) -> None:
    forms = dialect.forms(HOUSEHOLD_VERBS)
    functions = action_functions(forms)
    assert sum(len(function.wordings) for function in functions.values()) == len(forms)
    assert all(name.isidentifier() for name in functions)
    said = {
        function.action(("thing 1", "place 1")[:count])
        for function in functions.values()
        for count in function.wordings
    }
    if dialect is PLAIN:
        assert said == {form.replace("go to place", "go to thing") for form in forms}


@pytest.mark.parametrize("dialect", ["llm_state", "reactree_plain"])
def test_it_reaches_goals_with_the_stand_in(tmp_path: Any, dialect: str) -> None:
    tasks = tuple(task.id for task in load_suite("houses").tasks[:16:8])
    run = peephole.run(
        "progprompt",
        "houses",
        tasks=tasks,
        model="scripted",
        dialect=dialect,
        out=tmp_path / "run",
    )
    assert [result.task for result in run.results if not result.success] == []
