"""Every planner that asks a model plays offline, end to end, with the stand-in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole import plugins
from peephole.planners.registry import load_planner

#: Planner, suite, dialect, tasks, how many of them it does, options.
PLAYS: list[tuple[str, str, str, int, int, dict[str, Any]]] = [
    ("react", "robothow", "reactree", 4, 4, {}),
    ("react", "ithor", "reactree_thor", 3, 3, {}),
    ("react", "ithor", "alfworld", 2, 2, {}),
    ("react", "behavior:dynamic", "lookplangraph", 2, 2, {}),
    ("react", "wah:small", "compact", 2, 2, {}),
    ("chat_tools", "houses", "reactree_plain", 1, 1, {}),
    ("chat_tools", "kitchens:easy", "tru_pomdp", 1, 1, {}),
    ("reactree", "houses", "reactree_plain", 2, 2, {}),
    ("reactree", "wah", "reactree", 1, 1, {"working_memory": True}),
    ("reflexion", "household", "llm_state", 2, 2, {}),
    ("inner_monologue", "houses", "reactree_plain", 2, 2, {}),
    ("progprompt", "houses", "reactree_plain", 2, 2, {}),
    ("progprompt", "household", "llm_state", 2, 2, {}),
    ("llm_state", "household", "llm_state", 2, 2, {}),
    ("lookplangraph", "office:real", "lookplangraph", 2, 1, {}),
    ("zsp", "ithor", "reactree_thor", 4, 1, {}),
    ("tree_planner", "ithor", "reactree_thor", 4, 1, {"plans": 5}),
    ("llm_as_planner", "office:real", "lookplangraph", 3, 1, {}),
    ("sayplan", "office:real", "lookplangraph", 3, 1, {}),
    ("sayplan_lite", "office", "lookplangraph", 2, 2, {}),
    ("llm_plus_p", "office:real", "lookplangraph", 2, 1, {}),
    ("llm_pop", "blocks", "blocks", 2, 2, {}),
    ("llm_pop", "blocks", "blocks", 1, 1, {"questions": "cot"}),
    ("llm_mcts", "kitchens:easy", "tru_pomdp", 1, 1, {"simulations": 20}),
    ("tru_pomdp", "kitchens:easy", "tru_pomdp", 1, 1, {"seconds": 0.5}),
]


def first_of_each_planner() -> list[Any]:
    """The rows; those that come after a planner's first one are slow."""
    seen: set[str] = set()
    rows = []
    for row in PLAYS:
        rows.append(pytest.param(*row, marks=[pytest.mark.slow] if row[0] in seen else []))
        seen.add(row[0])
    return rows


@pytest.mark.parametrize(
    ("planner", "suite", "dialect", "tasks", "done", "options"), first_of_each_planner()
)
def test_it_plays_offline(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    planner: str,
    suite: str,
    dialect: str,
    tasks: int,
    done: int,
    options: dict[str, Any],
) -> None:
    monkeypatch.setenv("PEEPHOLE_AI2THOR_EXECUTABLE", "stand_in")
    reason = load_planner(planner).missing()
    if reason is not None:
        pytest.skip(reason)
    results = peephole.run(
        planner,
        suite,
        tasks=tasks,
        dialect=dialect,
        model="scripted",
        options=options,
        out=tmp_path / "run",
    ).results
    assert {result.ended for result in results}.isdisjoint({"planner_error", "no_answer"})
    assert sum(bool(result.success) for result in results) >= done


def test_no_planner_that_asks_a_model_is_left_out() -> None:
    played = {planner for planner, *_ in PLAYS}
    asking = {name for name in plugins.names("planner") if "planner" in load_planner(name).models}
    assert asking == played
