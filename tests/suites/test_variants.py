"""Suites by `family:variant`: their names, plain functions beside families, and old recordings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import peephole
from peephole import plugins
from peephole.episodes.run_file import read_run
from peephole.errors import BadInput
from peephole.suites.contract import Suite
from peephole.suites.registry import load_suite, suite_names, suite_status


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite whose entry point names a function, as those of other packages may."""
    known, load = plugins.names, plugins.load

    def make(data: Path | None) -> Suite:
        return Suite("plain_old", str(data), load_suite("office").tasks[:1], "symbolic")

    monkeypatch.setattr(plugins, "names", lambda kind: sorted([*known(kind), "plain_old"]))
    monkeypatch.setattr(
        plugins, "load", lambda kind, name: make if name == "plain_old" else load(kind, name)
    )


def test_every_variant_is_listed_with_what_it_is_even_where_it_cannot_be_played() -> None:
    rows = {row.name: row for row in suite_status()}
    assert {"kitchens", "kitchens:easy", "kitchens:medium", "kitchens:hard"} < set(rows)
    assert rows["office:real"].tasks == 15
    assert list(rows) == suite_names()
    assert all(row.summary for row in rows.values() if row.name != "alfred")


@pytest.mark.parametrize(
    ("wanted", "offered"),
    [
        ("kitchens:hrad", "Did you mean kitchens:hard or"),
        ("kitchens:", "Did you mean kitchens or"),
        ("vh_dynamic:easy", "Did you mean vh_dynamic or vh_dynamic:lived_in?"),
        ("kitchens_hard", "Did you mean kitchens:hard?"),
        ("kitchens_ambiguous_hard", "Did you mean kitchens_ambiguous:hard?"),
        ("nothing", "Choose one of: .*houses.*office"),
    ],
)
def test_an_unknown_name_offers_those_that_there_are(wanted: str, offered: str) -> None:
    with pytest.raises(BadInput, match=f"^There is no suite '{wanted}'. {offered}"):
        load_suite(wanted)


@pytest.mark.usefixtures("plain")
def test_a_function_is_a_suite_without_variants() -> None:
    assert load_suite("plain_old", Path("given")).summary == "given"
    assert "plain_old" in suite_names()
    with pytest.raises(BadInput, match=r"There is no suite 'plain_old:x'\. Did you mean plain_old"):
        load_suite("plain_old:x")


def test_no_folder_has_a_colon_in_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = peephole.run("random", "kitchens:easy", tasks=1).folder
    assert folder.name.startswith("kitchens_easy-random-")


def test_a_recording_of_before_suites_had_variants_is_read_and_continued(tmp_path: Path) -> None:
    run = peephole.run("random", "kitchens:easy", tasks=2, out=tmp_path / "run").folder
    file = run / "run.json"
    stored = json.loads(file.read_text())
    stored["config"]["suite"] = "kitchens_easy"
    file.write_text(json.dumps(stored))
    last = sorted(run.rglob("*.jsonl"))[-1]
    whole = last.read_text().splitlines(keepends=True)
    last.write_text("".join(whole[: len(whole) // 2]))

    assert read_run(run).config.suite == "kitchens:easy"
    assert len(peephole.resume(run).results) == 2
    assert len(last.read_text().splitlines()) == len(whole)
    stored["config"]["suite"] = "gone_hard"
    file.write_text(json.dumps(stored))
    assert read_run(run).config.suite == "gone_hard"
