"""How things lie to each other, as planners in LIBERO read it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import peephole

LEFT_TO_RIGHT = "from left to right"


def test_the_first_text_and_overviews_tell_it_and_later_ones_where_a_thing_stands_elsewhere():
    with peephole.make("libero:goal", task="3/0", dialect="reactree_plain") as environment:
        first = environment.reset()
        assert LEFT_TO_RIGHT in first.text
        assert LEFT_TO_RIGHT in first.overview()
        picked = environment.step("pick up black bowl 1")
        assert picked.succeeded
        assert LEFT_TO_RIGHT not in picked.text, "nothing stands elsewhere"
        assert LEFT_TO_RIGHT in picked.overview()
        put = environment.step("put down black bowl 1 on area before the stove 1")
        assert put.succeeded
        again = environment.step("pick up black bowl 1")
        put = environment.step("put down black bowl 1 on table 1")
        assert again.succeeded
        assert put.succeeded
        assert LEFT_TO_RIGHT in put.text


@pytest.mark.parametrize(
    "planner",
    [
        "react",
        "lookplangraph",
        "sayplan",
        "sayplan_lite",
        "llm_as_planner",
        "llm_plus_p",
        "llm_state",
        "tru_pomdp",
    ],
)
def test_the_model_of_every_kind_of_planner_reads_it(planner: str, tmp_path: Path) -> None:
    if planner == "llm_plus_p":
        pytest.importorskip("unified_planning")
    peephole.run(planner, "libero:goal", model="scripted", tasks="0/0", out=tmp_path)
    asked = [*requests(tmp_path)]
    assert any(LEFT_TO_RIGHT in message for message in asked)


def test_a_planner_that_looks_at_the_table_goes_on_to_read_it(tmp_path: Path) -> None:
    peephole.run("lookplangraph", "libero:goal", model="scripted", tasks="1/0", out=tmp_path)
    asked = [*requests(tmp_path)]
    told = asked[-1].rpartition(LEFT_TO_RIGHT)[2].partition(".")[0]
    assert "(discovered)" in asked[-1]
    assert "plate-1" in told


def requests(run: Path) -> Iterator[str]:
    for file in run.rglob("*.jsonl"):
        for line in file.read_text().splitlines():
            event: dict[str, Any] = json.loads(line)
            if event["event"] == "model_replied":
                yield json.dumps(event["request"])
