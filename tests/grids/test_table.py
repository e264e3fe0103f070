"""The table of a grid, as other programs read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from peephole.errors import PeepholeError
from peephole.grids.table import COLUMNS, NAME, write_table


@pytest.fixture
def table(session: Any, play: Any, tmp_path: Path) -> Path:
    opened = session(suites=["houses"], seeds=[0, 5], planners=[{"planner": "explore"}])
    play(opened)
    return write_table(opened)


def test_it_is_read_by_pandas_polars_and_duckdb(table: Path) -> None:
    import duckdb
    import pandas as pd
    import polars as pl

    frames = [pd.read_parquet(table), pl.read_parquet(table), duckdb.sql(f"from '{table}'").df()]
    for frame in frames:
        assert list(frame.columns) == list(COLUMNS)
        assert frame["success"].sum() == len(frame) == 4
    (rate,) = duckdb.sql(
        f"select avg(success::int) from '{table}' where row = 'explore'"
    ).fetchall()[0]
    assert rate == 1.0


def test_a_row_says_what_was_played_and_what_came_of_it(table: Path) -> None:
    import pyarrow.parquet as pq

    row = pq.read_table(table).to_pylist()[-1]
    assert row["run"] == "houses/01-explore-5"
    assert (row["suite"], row["planner"], row["adapter"]) == ("houses", "explore", "symbolic")
    assert (row["seed"], row["repeat"], row["episode"]) == (5, 0, 2)
    assert (row["success"], row["progress"], row["failure_class"]) == (True, 1.0, None)
    assert row["limit_steps"] > row["steps"] > 0
    assert row["model"] is None
    assert json.loads(row["options"]) == {}
    assert 0 < row["planning_s"] < row["wall_s"]


def test_rows_are_the_same_from_the_recordings_alone(
    session: Any, play: Any, endpoint: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet as pq

    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    endpoint.pick = lambda body, menu: "done" if "done" in menu else menu[0]
    changes = {"planners": [{"planner": "react"}], "suites": ["houses"], "models": ["stand-in"]}
    opened = session(**changes)
    play(opened, 1)
    path = write_table(opened)
    before = _without_wall_s(path)
    path.unlink()
    opened = session(**changes)
    play(opened, 0)
    assert _without_wall_s(write_table(opened)) == before
    row = before[0]
    assert row["served_model"] == "stand-in-2026"
    tokens = json.loads(row["tokens_by_purpose"])
    assert sum(part["in"] for part in tokens.values()) == row["tokens_in"] > 0
    assert row["failure_class"]
    kept = pq.read_table(path).to_pylist()
    play(session(**changes))
    opened = session(**changes)
    play(opened, 0)
    rows = pq.read_table(write_table(opened)).to_pylist()
    assert len(rows) == 2
    assert [row for row in rows if row["episode"] == kept[0]["episode"]] == kept


def _without_wall_s(path: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    return [{**row, "wall_s": None} for row in pq.read_table(path).to_pylist()]


def test_a_table_that_cannot_be_written_leaves_the_one_before(
    session: Any, play: Any, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = table.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    opened = session(suites=["houses"], seeds=[0, 5], planners=[{"planner": "explore"}])
    play(opened)
    monkeypatch.setattr("pyarrow.parquet.write_table", full)
    with pytest.raises(PeepholeError, match="No space left on device"):
        write_table(opened)
    assert table.read_bytes() == before
    assert [path.name for path in table.parent.glob(f"{NAME}*")] == [NAME]
