"""The tree of agents as `show` and the report draw it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from peephole.episodes.events import Decided
from peephole.planners.contract import Act, Internal, Note, Think
from peephole.results.notes import grown_lines, tree_lines


def note(*nodes: Any) -> Decided:
    return Decided(step=0, decision=Note("tree", "grown", {"nodes": list(nodes)}), planning_s=0.0)


def node(number: int, parent: int | None, goal: str, state: str, **more: Any) -> dict[str, Any]:
    data = {"id": number, "parent": parent, "goal": goal, "state": state}
    return {"kind": "agent", "decisions": 0, **data, **more}


def test_the_newest_of_each_node_is_drawn_below_what_it_is_part_of() -> None:
    lines = tree_lines(
        [
            note(
                node(0, None, "lay the table", "expand", decisions=2),
                node(1, 0, "", "running", kind="fallback"),
                *(node(i, 1, f"way {i}", "running") for i in (2, 3, 4)),
            ),
            note(node(2, 1, "way 2", "failure", decisions=5)),
            note(node(3, 1, "way 3", "success", decisions=1)),
            note(node(1, 0, "", "success", kind="fallback")),
        ]
    )
    assert [(line.depth, line.mark, line.goal, line.figures) for line in lines] == [
        (0, "✓", "lay the table", "fallback, 2 decisions"),
        (1, "✗", "way 2", "5 decisions"),
        (1, "✓", "way 3", "1 decision"),
        (1, "–", "way 4", "left out"),
    ]


def test_what_is_under_way_is_marked_so() -> None:
    lines = tree_lines([note(node(0, None, "a", "expand"), node(1, 0, "", "running", kind="x"))])
    assert [line.mark for line in lines] == ["…"]


def test_notes_of_another_form_draw_nothing() -> None:
    assert tree_lines([note("a", {"id": 1}, {**node(1, None, "a", "success"), "id": "1"})]) == []
    bare = Decided(step=0, decision=Note("tree", "of behaviours", {"nodes": 3}), planning_s=0.0)
    assert tree_lines([bare]) == []


def test_each_line_tells_what_it_was_at_every_step() -> None:
    def at(step: int, *nodes: Any) -> Decided:
        return replace(note(*nodes), step=step)

    lines = grown_lines(
        [
            at(0, node(0, None, "lay the table", "running", decisions=1)),
            at(0, node(0, None, "lay the table", "running", decisions=2)),
            at(2, node(1, 0, "", "running", kind="sequence"), node(2, 1, "plates", "running")),
            at(3, node(2, 1, "plates", "success", decisions=4)),
            at(5, node(1, 0, "", "success", kind="sequence")),
        ]
    )
    assert [(grown.line.goal, grown.history) for grown in lines] == [
        (
            "lay the table",
            (
                (0, "running", "…", "2 decisions so far"),
                (2, "running", "…", "sequence, 2 decisions"),
                (5, "success", "✓", "sequence, 2 decisions"),
            ),
        ),
        ("plates", ((2, "running", "…", "0 decisions so far"), (3, "success", "✓", "4 decisions"))),
    ]


def test_the_agent_that_acts_has_its_decisions_so_far_and_those_after_it_have_not_begun() -> None:
    def at(step: int, decision: Any) -> Decided:
        return Decided(step=step, decision=decision, planning_s=0.0)

    events = [
        note(
            node(0, None, "lay the table", "expand", decisions=2),
            node(1, 0, "", "running", kind="sequence"),
            *(node(i, 1, f"part {i}", "running") for i in (2, 3)),
        ),
        at(0, Think("the plates first")),
        at(0, Act("go to cupboard 1")),
        at(1, Act("open cupboard 1", continued=True)),
        at(2, Internal("recall", "plates")),
        replace(note(node(2, 1, "part 2", "success", decisions=4)), step=2),
        at(2, Internal("subtask_end", "success")),
        at(2, Act("go to table 1")),
    ]
    first, acts, waits = tree_lines(events[:5])
    assert (acts.figures, acts.mark) == ("3 decisions so far", "…")
    assert (waits.figures, waits.mark, waits.state) == ("not begun", "·", "not begun")
    assert first.figures == "sequence, 2 decisions"
    assert [line.figures for line in tree_lines(events)][1:] == ["4 decisions", "1 decision so far"]
    assert [step for step, *_ in grown_lines(events)[1].history] == [0, 1, 2]
