"""`peephole export`: what it prints."""

from __future__ import annotations

import json

FIRST = ("run", "--suite", "robothow", "--planner", "explore", "--tasks", "1", "--out", "run")


def test_what_was_written_is_told(peephole, tmp_path):
    assert peephole(*FIRST).returncode == 0
    done = peephole("export", "run", "--to", "parquet", "--out", "tables", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["file"], document["format"], document["episodes"]) == ("tables", "parquet", 1)
    assert {path.name for path in (tmp_path / "tables").iterdir()} == {
        "episodes.parquet",
        "steps.parquet",
    }
    again = peephole("export", "run", "--to", "parquet", "--out", "tables")
    assert again.returncode == 2
    assert again.stderr == (
        "peephole: tables exists already; remove it, or choose another --out.\n"
    )


def test_every_format_is_named_in_the_help(peephole):
    from peephole.results.exports.export import FORMATS

    shown = peephole("export", "--help", COLUMNS="200").stdout
    assert ", ".join(sorted(FORMATS)) in shown
