"""Answers of models that were refused, and calls that were completed, counted in results."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import peephole
from peephole.episodes.recording import episode_files, read_episode
from peephole.planners.contract import Act, Brief, Decisions, Internal, Percept, Planner
from peephole.results.metrics import summarize
from peephole.results.report.page import write_report
from peephole.results.show.episode_view import episode_view
from peephole.results.show.runs import run_view
from peephole.results.tables.rows import episodes_csv, run_document
from peephole.results.wording import refusals_text

Run = Callable[..., Path]


def call(function: str, node: str = "", **more: str) -> str:
    """A reply of lookplangraph's model."""
    action = {"function_name": function, "node": node, **more}
    return json.dumps({"reason": "Well.", "action": action})


BRING = call("rearrange", "pen-1", relation="ontop", destination="sofa-1")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Plays one task of `office` with these replies."""

    def played(planner: str, replies: Sequence[str]) -> Path:
        listed = tmp_path / "replies.json"
        listed.write_text(json.dumps(replies))
        folder = tmp_path / planner
        peephole.run(planner, "office", tasks=1, model=f"replies:{listed}", out=folder)
        return folder

    return played


def result(folder: Path) -> Any:
    (path,) = episode_files(folder)
    return list(read_episode(path))[-1].result  # type: ignore[union-attr]


def shown(view: Any) -> str:
    console = Console(width=100)
    with console.capture() as capture:
        console.print(view)
    return " ".join(capture.get().split())


def test_what_lookplangraph_refuses_and_completes_is_counted_by_kind(run: Run) -> None:
    replies = [
        "I would open the cabinet.",
        call("open", "wardrobe-1"),
        call("open", "counter-7"),
        call("discover_objects", "kitchen-1"),
        call("discover_objects", "counter-1"),
        BRING,
        call("open", "counter-1"),
        call("done", "kitchen-1"),
    ]
    # three refusals in a row would end the episode
    replies.insert(3, call("go_to", "sofa-1"))
    folder = run("lookplangraph", replies)
    found = result(folder)
    assert found.refused == {
        "unknown node": 2,
        "unusable reply: the reply is not JSON": 1,
        "no place to discover": 1,
        "impossible call": 1,
    }
    assert found.corrections == 1
    assert found.ended == "done"


def test_figures_text_and_documents_have_the_counts(run: Run, tmp_path: Path) -> None:
    folder = run(
        "lookplangraph", ["Well.", call("discover_objects", "counter-1"), BRING, call("done")]
    )
    kind = "unusable reply: the reply is not JSON"
    told = f"Answers: 1 refused ({kind} 1); 1 completed by rule"
    assert told in shown(run_view(folder))
    assert told in shown(episode_view(folder, "1"))
    document = run_document(folder)
    assert document["refused"] == {kind: 1}
    assert document["results"]["refused_answers"]["mean"] == 1.0
    assert document["results"]["corrections"]["mean"] == 1.0
    assert document["rows"][0]["refused"] == {kind: 1}
    assert {"refused", "corrections"} <= set(episodes_csv(folder).splitlines()[0].split(","))
    write_report([folder], tmp_path / "page.html")
    assert told.partition(": ")[2] in (tmp_path / "page.html").read_text()


def test_what_needs_no_correction_is_told_of_nowhere(run: Run) -> None:
    folder = run("lookplangraph", [call("go_to", "kitchen-1"), call("done")])
    assert refusals_text([result(folder)]) == ""
    assert "Answers" not in shown(run_view(folder))
    assert not {"refused_answers", "corrections"} & summarize([result(folder)]).keys()


def test_commands_and_plans_that_sayplan_refuses_are_counted(run: Run) -> None:
    def turn(command: str, node: str = "", plan: Sequence[str] = ()) -> str:
        told = {"command_name": command, "node_name": node, "plan": plan}
        return json.dumps(
            {"mode": "exploring", "chain_of_thought": [], "reasoning": "", "command": told}
        )

    expand = turn("expand_node", "reception-1")
    replies = [turn("expand_node", "garden-1"), expand, expand]
    replies += [turn("verify_plan", plan=["open(sofa-1)"])]
    replies += [turn("verify_plan", plan=["go_to(kitchen-1)"])]
    found = result(run("sayplan", replies))
    assert found.refused == {"unknown node": 1, "search command": 1, "plan": 1}
    assert found.steps == 1


def test_a_plan_that_is_no_json_and_nodes_that_are_none_are_counted(run: Run) -> None:
    plans = [json.dumps({"plan": [text]}) for text in ("open(garden-1)", "go_to(kitchen-1)")]
    refused = {"unusable reply: the reply is not JSON": 1, "unusable reply": 1}
    assert result(run("llm_as_planner", ["A plan.", *plans])).refused == refused


def test_problem_files_that_are_none_are_counted(run: Run) -> None:
    pytest.importorskip("up_fast_downward")
    found = result(run("llm_plus_p", ["(define (problem p) (:init (on a b)))"] * 2))
    assert found.refused == {"problem file": 2}


def test_words_that_are_no_action_are_counted(tmp_path: Path) -> None:
    def plan(brief: Brief, percept: Percept) -> Decisions:
        yield Act("fly away")
        yield Internal("refused", "a file", {"refused": "problem file"})
        yield Internal("recall", "the mug", {"answer": "nowhere"})

    flyer = Planner("flyer", "says no action", plan)
    peephole.run(flyer, "houses", tasks=1, out=tmp_path / "run")
    assert result(tmp_path / "run").refused == {
        "words: there is no such action": 1,
        "problem file": 1,
    }


def test_actions_that_cannot_be_done_are_counted_by_the_worlds_reason(run: Run) -> None:
    """Without the numbers of things, and without what the model said."""
    said = ("go to garden 1", "dance", "done")
    turns = [json.dumps({"thought": "", "action": action}) for action in said]
    assert result(run("react", turns)).refused == {
        "unusable reply: you have seen no such thing so far": 1,
        "unusable reply: there is no such action": 1,
    }
