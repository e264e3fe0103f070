"""`peephole show` for other programs, and what every row of results says of stand-ins."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

import peephole
from peephole.cli.main import app
from peephole.episodes.events import Ended, from_line, to_line
from peephole.episodes.recording import episode_files, episode_path
from peephole.episodes.run_file import read_run, write_run
from peephole.errors import BadInput
from peephole.results.report.page import write_report
from peephole.results.show.runs import compare_view, label_view, run_view

from ..opened_page import OpenedPage

ENGINE = "a stand-in of the engine"
TABLE = "a table of what the instructions ask for, made from the goals"


def command(*arguments: object) -> str:
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.stdout


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tasks: one fulfilled, one whose detail has newlines, one not begun."""
    folder = tmp_path_factory.mktemp("show") / "run"
    peephole.run("explore", "houses", tasks=3, out=folder)
    _, second, third = episode_files(folder)
    third.unlink()
    lines = second.read_bytes().splitlines(keepends=True)
    ended = from_line(lines[-1])
    assert isinstance(ended, Ended)
    odd = replace(ended.result, detail='two\nlines, a "quote", and ;', success=False)
    second.write_bytes(b"".join(lines[:-1]) + to_line(replace(ended, result=odd)))
    return folder


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a stand-in of a model, marked as one with a stand-in of an engine as well."""
    folder = tmp_path_factory.mktemp("show") / "scripted"
    peephole.run("react", "houses", tasks=2, model="scripted", out=folder)
    content = read_run(folder)
    write_run(folder, replace(content, adapter={**content.adapter, "stand_in": ENGINE}))
    return folder


# --- JSON ----------------------------------------------------------------------------------------


def test_a_run_is_one_json_document_with_a_row_a_task(run: Path) -> None:
    document = json.loads(command("show", run, "--json"))
    assert (document["episodes"], document["scored"], document["voided"]) == (2, 2, 0)
    assert document["results"]["gsr"]["mean"] == 0.5
    assert (document["suite"], document["planner"], document["dialect"]) == (
        "houses",
        "explore",
        "reactree_plain",
    )
    assert document["stand_ins"] == []
    assert [row["status"] for row in document["rows"]] == ["finished", "finished", "not begun"]
    first, _, third = document["rows"]
    assert first["task"] == read_run(run).config.tasks[0]
    assert first["success"] is True
    assert first["steps"] > 0
    assert first["correct_nodes"] == first["changed_nodes"] > 0
    assert third["steps"] is None
    assert set(third) == set(first)


def test_several_runs_are_one_document(run: Path, scripted: Path) -> None:
    document = json.loads(command("show", run, scripted, "--json"))
    assert [part["run"] for part in document["runs"]] == [str(run), str(scripted)]


def test_an_episode_is_one_document_with_its_events_as_recorded(run: Path) -> None:
    document = json.loads(command("show", run, "2", "--json"))
    path = episode_path(run, 2, document["task"])
    assert document["events"] == [json.loads(line) for line in path.read_text().splitlines()]
    assert document["episode"] == 2
    assert document["detail"].startswith("two\nlines")
    assert document["events"][0]["event"] == "started"
    assert document["damage"] == []


def test_what_is_not_there_is_told_in_a_sentence(run: Path) -> None:
    for arguments, sentence in (
        ((run, "3", "--json"), "Episode 3 of"),
        ((run, "1", "--csv"), "--csv has one row for an episode"),
        ((run, "--json", "--csv"), "exclude each other"),
    ):
        done = CliRunner().invoke(app, ["show", *map(str, arguments)])
        assert done.exit_code != 0
        assert sentence in str(done.exception)


# --- CSV -----------------------------------------------------------------------------------------


def test_a_run_as_csv_has_a_row_a_task_whatever_is_in_its_texts(run: Path) -> None:
    text = command("show", run, "--csv")
    found = rows(text)
    assert [row["task"] for row in found] == list(read_run(run).config.tasks)
    assert found[1]["detail"] == 'two\nlines, a "quote", and ;'
    assert [row["success"] for row in found] == ["True", "False", ""]
    document = json.loads(command("show", run, "--json"))
    for row, other in zip(found, document["rows"], strict=True):
        assert json.loads(row["failures"] or "null") == other["failures"]
        assert row["steps"] == ("" if other["steps"] is None else str(other["steps"]))


def test_pandas_reads_it(run: Path) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(io.StringIO(command("show", run, "--csv")))
    assert len(table) == 3
    assert table["steps"].mean() > 0
    assert table["episode"].tolist() == [1, 2, 3]


def test_several_runs_as_csv_have_a_row_each_with_their_figures(run: Path, scripted: Path) -> None:
    first, second = rows(command("show", run, scripted, "--csv"))
    assert (first["run"], first["scored"], float(first["gsr"])) == (str(run), "2", 0.5)
    assert float(first["gsr_low"]) < 0.5 < float(first["gsr_high"])
    assert float(second["tpa"]) > 0
    assert first["tpa"] == ""
    assert (first["stand_in"], second["stand_in"]) == ("", "model and engine")


# --- stand-ins -----------------------------------------------------------------------------------


def printed(view: Any, width: int) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(view)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [120, 80, 60])
def test_every_row_that_is_shown_says_what_was_a_stand_in(scripted: Path, width: int) -> None:
    shown = printed(run_view(scripted), width)
    episodes, _, figures = shown.partition("Results [")
    assert episodes.count("model") == episodes.count("and engine") == 2
    words = " ".join(figures.split())
    assert "stand-in engine" in words
    granted = f"granted besides the messages: {TABLE}"
    assert f"The model scripted is a stand-in, not a language model, {granted}" in words
    assert f"Mechanism check: The engine is {ENGINE}." in words


def test_runs_side_by_side_are_told_apart_by_their_stand_ins(scripted: Path, run: Path) -> None:
    words = " ".join(printed(compare_view([run, scripted]), 200).split())
    assert "react, scripted (mechanism check), stand-in engine" in words
    assert ENGINE in words


def test_documents_and_csv_say_it_in_every_row(scripted: Path) -> None:
    document = json.loads(command("show", scripted, "--json"))
    assert [row["stand_in"] for row in document["rows"]] == ["model and engine"] * 2
    model, engine = document["stand_ins"]
    assert (model["kind"], model["name"], model["granted"][0]) == ("model", "scripted", TABLE)
    assert (engine["kind"], engine["name"]) == ("engine", ENGINE)
    assert [row["stand_in"] for row in rows(command("show", scripted, "--csv"))] == [
        "model and engine"
    ] * 2
    episode = json.loads(command("show", scripted, "1", "--json"))
    assert (episode["stand_in"], len(episode["stand_ins"])) == ("model and engine", 2)


def test_the_document_of_a_run_says_it(tmp_path: Path) -> None:
    text = command(
        *("run", "--suite", "houses", "--planner", "react", "--model", "scripted"),
        *("--tasks", 1, "--json", "--out", tmp_path / "run"),
    )
    document = json.loads(text)
    assert document["stand_in"] == "model"
    assert document["stand_ins"][0]["granted"][0] == TABLE
    assert TABLE in document["note"]


def test_the_report_says_it_of_every_run_and_episode(scripted: Path, tmp_path: Path) -> None:
    write_report([scripted], tmp_path / "page.html")
    page = OpenedPage(tmp_path / "page.html")
    assert [run["mark"] for run in page.index["runs"]] == ["stand-in model and engine"]
    assert "stand-in model and engine" in page.text
    assert TABLE in page.text
    assert ENGINE in page.text
    assert "react, scripted (mechanism check), stand-in engine" in page.text


def test_a_run_does_not_go_on_with_another_engine(
    scripted: Path, copied: Callable[[Path], Path]
) -> None:
    folder = copied(scripted)
    next(episode_files(folder)).unlink()
    done = CliRunner().invoke(app, ["run", "--resume", "--out", str(folder)])
    assert done.exit_code != 0
    problem = f"was begun with {ENGINE} and would continue with the engine itself"
    assert problem in str(done.exception)


def test_a_grant_is_kept_with_the_run(scripted: Path) -> None:
    model = read_run(scripted).config.models["planner"]
    assert model.granted[0] == TABLE
    assert any("blocks" in grant for grant in model.granted)


def test_voided_episodes_are_shown_beside_the_figures(
    run: Path, tmp_path: Path, copied: Callable[[Path], Path]
) -> None:
    folder = copied(run)
    path = next(episode_files(folder))
    lines = path.read_bytes().splitlines(keepends=True)
    ended = from_line(lines[-1])
    assert isinstance(ended, Ended)
    lost = replace(ended.result, success=None, progress=None, ended="voided")
    path.write_bytes(b"".join(lines[:-1]) + to_line(replace(ended, result=lost)))
    shown = printed(run_view(folder), 80)
    assert "+1 voided" in shown
    assert "The figures are over 1 scored episode, 1 voided." in shown
    assert "voided: the simulator" in shown
    write_report([folder], tmp_path / "page.html")
    assert "+ 1 voided" in (tmp_path / "page.html").read_text()
    assert json.loads(command("show", folder, "--json"))["voided"] == 1


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[Path], Path]:
    import shutil

    return lambda folder: Path(shutil.copytree(folder, tmp_path / "copy"))


def test_repeats_tell_how_much_of_the_variance_is_the_tasks(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    peephole.run("explore", "houses", tasks=2, repeats=2, out=folder)
    paths = list(episode_files(folder))
    for path, success in zip(paths, (True, False, False, False), strict=True):
        lines = path.read_bytes().splitlines(keepends=True)
        ended = from_line(lines[-1])
        assert isinstance(ended, Ended)
        result = replace(ended.result, success=success)
        path.write_bytes(b"".join(lines[:-1]) + to_line(replace(ended, result=result)))
    words = " ".join(command("show", folder).split())
    # Means 1/2 and 0: within tasks 1/4, between their means no more than that leaves over.
    assert "Success over repeats: 0% of the variance is between tasks and 100% between" in words
    assert "twice the repeats would bring the standard error of the mean to 0.177" in words
    once = tmp_path / "once"
    peephole.run("explore", "houses", tasks=2, out=once)
    assert "over repeats" not in command("show", once)


# --- comparisons ---------------------------------------------------------------------------------


def test_runs_of_the_same_tasks_are_compared_task_by_task(run: Path, scripted: Path) -> None:
    words = " ".join(command("show", scripted, run).split())
    assert "Of 2 tasks that both have, react" in words
    assert "on houses (engine a stand-in of the engine) alone solved 1 and explore on" in words
    assert "houses (engine none) alone 0, 1 tie (1 solved by both, 0 by neither)" in words
    assert "exact McNemar p = 1;" in words
    assert "Assumed: paired by task and seed; a task is one draw" in words
    (pair,) = json.loads(command("show", scripted, run, "--json"))["paired"]
    assert (pair["first"], pair["second"]) == (str(scripted), str(run))
    success = pair["success"]
    counts = success["tasks"], success["first_better"], success["second_better"], success["ties"]
    assert (counts, success["p"]) == ((2, 1, 0, 1), 1.0)


def test_runs_that_cannot_be_paired_are_told_so(run: Path, tmp_path: Path) -> None:
    words = " ".join(command("show", run, run).split())
    assert "are not compared: the same run is named twice; name two runs." in words
    other = tmp_path / "other"
    peephole.run("explore", "robothow", tasks=1, out=other)
    words = " ".join(command("show", run, other).split())
    assert "are not compared: no task was scored in both" in words
    (pair,) = json.loads(command("show", run, other, "--json"))["paired"]
    assert pair["problem"].startswith("no task was scored in both")


def test_tasks_are_grouped_by_a_label(scripted: Path) -> None:
    shown = command("show", scripted, "--by", "category")
    assert "By category: successes" in shown
    found = [row["labels"]["category"] for row in rows_of(scripted)]
    assert len(set(found)) == 2
    for category in found:
        assert re.search(rf"{category} .*1/1 ", shown)
    with pytest.raises(BadInput, match="Did you mean category"):
        label_view([scripted], "categorie")


def rows_of(run: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(command("show", run, "--json"))["rows"]
    return found


def test_informed_successes_are_a_figure_of_their_own(tmp_path: Path) -> None:
    """What depends on something hidden counts there alone, and luck does not."""
    tasks = ["stack/1", "heavier/1"]
    for planner in ("expert", "llm_pop"):
        options = {"questions": "cot"} if planner == "llm_pop" else {}
        peephole.run(
            planner,
            "blocks",
            tasks=tasks,
            model="scripted" if options else None,
            adapter="symbolic_blocks",
            options=options,
            out=tmp_path / planner,
        )
    figures = ("--table", "csv", "--figure", "gsr", "--figure", "informed")
    listed = rows(command("show", tmp_path / "expert", tmp_path / "llm_pop", *figures))
    means = {(row["figure"], row["planner"].split("(")[0]): row["mean"] for row in listed}
    assert means == {
        ("GSR %", "expert"): "100.0",
        ("GSR %", "llm_pop"): "100.0",
        ("informed %", "expert"): "0.0",
        ("informed %", "llm_pop"): "100.0",
    }
