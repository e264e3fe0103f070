"""Tables of planners by suites: what is marked as best, what is told, and the three forms."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from peephole.cli.main import app
from peephole.episodes.events import Ended, to_line
from peephole.episodes.recording import episode_path
from peephole.episodes.result import EpisodeResult
from peephole.episodes.run_file import RunConfig, RunFile, write_run
from peephole.errors import BadInput
from peephole.results.statistics.estimates import Estimate
from peephole.results.tables.files import FORMS, as_csv, as_latex, as_markdown
from peephole.results.tables.planner_table import Cell, PlannerTable, planner_table

Record = Callable[..., Path]


@pytest.fixture
def record(tmp_path: Path) -> Record:
    """Writes the run of a planner on a suite: `solved` are the numbers of the tasks it solves."""

    def recorded(
        planner: str,
        solved: Sequence[int],
        *,
        of: Sequence[int] = range(20),
        suite: str = "houses",
        steps: Mapping[int, int] | None = None,
        seed: int = 0,
        unknown: Sequence[int] = (),
    ) -> Path:
        folder = tmp_path / "grid" / suite / f"{planner}-{seed}"
        config = RunConfig(suite, planner, tuple(f"task/{n}" for n in of), seed=seed)
        write_run(folder, RunFile(config))
        for episode in config.episodes:
            number = int(episode.task.rpartition("/")[2])
            result = EpisodeResult(
                task=episode.task,
                success=number in solved,
                progress=None if number in unknown else float(number in solved),
                ended="done",
                steps=(steps or {}).get(number, 10),
                decisions=1,
                planning_s=0.0,
                duration_s=0.0,
            )
            path = episode_path(folder, episode.number, episode.task)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(to_line(Ended(step=1, result=result)))
        return folder

    return recorded


def marked(table: PlannerTable, figure: str = "gsr", suite: str = "houses") -> set[str]:
    return {
        planner
        for (planner, on, name), cell in table.cells.items()
        if cell.marked and (on, name) == (suite, figure)
    }


def test_the_best_is_marked_with_those_not_significantly_worse(record: Record) -> None:
    runs = [
        record("best", range(18)),
        record("close", range(16)),
        record("far", range(5)),
        record("equal", range(2, 20)),
    ]
    table = planner_table(runs)
    assert marked(table) == {"best", "close", "equal"}
    cell = table.cells["far", "houses", "gsr"]
    # 13 tasks tell them apart, all for the best; the largest of three by Holm counts three times.
    assert cell.p == pytest.approx(3 * 2 / 2**13)
    assert (cell.episodes, cell.value.mean) == (20, 25.0)
    assert "exact McNemar" in " ".join(table.notes)
    assert "does not prove that they are equally good" in " ".join(table.notes)


def test_less_is_better_of_steps(record: Record) -> None:
    few = record("few", range(20), steps=dict.fromkeys(range(20), 4))
    runs = [record("many", range(20), steps={n: 10 + n for n in range(20)}), few]
    assert marked(planner_table(runs, ["steps", "gsr"]), "steps") == {"few"}
    assert marked(planner_table(runs, ["steps", "gsr"])) == {"few", "many"}


def test_too_few_tasks_mark_the_best_mean_alone(record: Record) -> None:
    runs = [record(name, range(n), of=range(5)) for name, n in (("a", 5), ("b", 4), ("c", 5))]
    table = planner_table(runs)
    assert marked(table) == {"a", "c"}, "equal means are marked alike"
    assert "5 tasks of houses" in " ".join(table.notes)
    assert planner_table(runs[:1]).notes[-1].startswith("In brackets"), "nothing to mark"


def test_a_planner_with_few_of_the_tasks_is_not_ranked_beside_others(record: Record) -> None:
    runs = [record("all", range(20)), record("none", [], of=range(3)), record("three", [0, 1, 2])]
    for few in (runs[:2], runs):
        table = planner_table(few)
        assert marked(table) <= {"all"}, "0 of 3 tasks are no match for 20 of 20"
    assert "Not compared, since too few tasks are common: none on houses." in table.notes


def test_the_best_is_the_best_of_the_tasks_that_all_have(record: Record) -> None:
    # "part" has the easier half, and fails where the others succeed.
    easy, hard = range(12), range(12, 20)
    table = planner_table(
        [
            record("whole", easy, of=range(20)),
            record("part", range(9), of=easy),
            record("also", [*easy, *hard[:2]], of=range(20)),
        ]
    )
    assert table.cells["part", "houses", "gsr"].value.mean == 75.0
    assert table.cells["whole", "houses", "gsr"].value.mean == 60.0
    assert marked(table) == {"whole", "also", "part"}, "three of twelve tasks are no proof"
    assert table.cells["also", "houses", "gsr"].p == 1.0, "equal on the common tasks"
    notes = " ".join(table.notes)
    assert "Ranked by the tasks that all compared planners have: 12 tasks of houses." in notes
    assert "Several planners have the best mean: GSR % on houses." in notes


def test_unknown_values_are_counted_below_the_table(record: Record) -> None:
    table = planner_table([record("a", range(20), unknown=[3, 4])], ["ssr"])
    assert "left out" not in table.notes[0]
    assert "value is unknown: a on houses (SSR % 2)." in " ".join(table.notes)
    assert table.cells["a", "houses", "ssr"].value.low is None, "all known ones are alike"


def test_what_has_no_common_task_is_not_compared(record: Record) -> None:
    table = planner_table(
        [
            record("a", range(20)),
            record("b", range(6)),
            record("c", range(30, 49), of=range(30, 50)),
        ]
    )
    assert marked(table) == {"a"}
    assert "Not compared, since too few tasks are common: c on houses." in table.notes


def test_what_is_no_mean_of_episodes_and_what_no_run_has_is_told(record: Record) -> None:
    table = planner_table([record("a", range(20))], ["gsr", "tpa"])
    assert table.figures == ("gsr",)
    assert "No run has TPA." in table.notes


def test_seeds_are_taken_together_and_suites_stand_side_by_side(record: Record) -> None:
    runs = [record("a", range(20)), record("a", range(10), seed=1), record("b", [], suite="wah")]
    table = planner_table(runs)
    assert table.cells["a", "houses", "gsr"].episodes == 40
    assert table.cells["a", "houses", "gsr"].value.mean == 75.0
    assert (table.planners, table.suites) == (("a", "b"), ("houses", "wah"))
    assert ("b", "houses", "gsr") not in table.cells


def test_a_table_as_csv_has_a_row_a_figure(record: Record) -> None:
    runs = [record("best", range(18)), record("far", range(5))]
    rows = list(csv.DictReader(io.StringIO(as_csv(planner_table(runs, ["gsr", "steps"])))))
    assert [(row["figure"], row["planner"], row["marked"]) for row in rows] == [
        ("GSR %", "best", "yes"),
        ("GSR %", "far", "no"),
        ("steps", "best", "yes"),
        ("steps", "far", "yes"),
    ]
    assert float(rows[0]["mean"]) == 90.0
    assert float(rows[0]["low"]) < 90 < float(rows[0]["high"])
    assert float(rows[1]["p"]) == pytest.approx(2 / 2**13)


def test_a_table_as_markdown_has_a_row_a_planner(record: Record) -> None:
    runs = [record("best", range(18)), record("far", range(5)), record("a|b", [], suite="wah")]
    lines = as_markdown(planner_table(runs)).splitlines()
    assert lines[0] == "| planner | houses GSR % (n = 20) | wah GSR % (n = 20) |"
    assert lines[1] == "| --- | ---: | ---: |"
    assert lines[2].startswith("| best | **90.0** [")
    assert lines[3].startswith("| far | 25.0 [")
    assert lines[4].startswith(r"| a\|b |  | 0.0 [")
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 4 for line in lines[:5])


# --- LaTeX ------------------------------------------------------------------------------------

_COMMANDS = {
    *("begin", "end", "centering", "caption", "label", "toprule", "midrule", "bottomrule"),
    *("multicolumn", "cmidrule", "textbf", "scriptsize", "textless", "textgreater", "textbar"),
    *("textbackslash", "textasciitilde", "textasciicircum", "textquotedbl"),
}


def read_latex(text: str) -> list[list[str]]:
    """The cells of the only table of a text. Fails where LaTeX would."""
    text = re.sub(r"(?m)^%.*\n", "", text)
    depth, open_ = 0, []
    for sign in re.finditer(r"\\([A-Za-z]+|.)|[{}$%#_^~<>|\"]", text):
        if sign[1] is not None and sign[1].isalpha():
            assert sign[1] in _COMMANDS, f"\\{sign[1]} is unknown"
        elif sign[1] is not None:
            assert sign[1] in "&%$#_{}\\", f"\\{sign[1]} is unknown"
        depth += {"{": 1, "}": -1}.get(sign[0], 0)
        assert depth >= 0, "a brace is closed that was not opened"
        assert sign[0] not in set('%#_^~<>|"'), f"{sign[0]} is not as it stands"
    assert depth == 0, "a brace is open"
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            open_.append(name)
        else:
            assert open_.pop() == name
    assert open_ == []
    assert len(re.findall(r"(?<!\\)\$", text)) % 2 == 0
    inside = re.search(r"\\begin\{tabular\}\{(\w+)\}(.*)\\end\{tabular\}", text, re.DOTALL)
    assert inside is not None
    lines = [line.strip() for line in inside[2].splitlines() if line.strip()]
    rows = [re.split(r"(?<!\\)&", line.removesuffix(r" \\")) for line in lines if "&" in line]
    for row in rows:
        spans = [re.match(r"\s*\\multicolumn\{(\d+)\}", cell) for cell in row]
        assert sum(int(span[1]) if span else 1 for span in spans) == len(inside[1])
    assert all(line.endswith(r"\\") for line in lines if "&" in line)
    return [[cell.strip() for cell in row] for row in rows]


def test_a_table_as_latex_is_one_of_booktabs(record: Record) -> None:
    runs = [
        record("best", range(18)),
        record("far_off & 50 %", range(5)),
        record("best", [], suite="a_suite"),
    ]
    text = as_latex(planner_table(runs, ["gsr", "ssr"]))
    assert r"\usepackage{booktabs}" in text
    rows = read_latex(text)
    assert rows[0][1:] == [
        r"\multicolumn{2}{c}{houses ($n=20$)}",
        r"\multicolumn{2}{c}{a\_suite ($n=20$)}",
    ]
    assert rows[1] == ["Planner", r"GSR \%", r"SSR \%", r"GSR \%", r"SSR \%"]
    assert rows[2][1].startswith(r"\textbf{90.0} {\scriptsize [")
    assert rows[3][0] == r"far\_off \& 50 \%"
    assert rows[3][3:] == ["", ""]


@given(
    name=st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1),
    mean=st.floats(-1e6, 1e6),
)
def test_whatever_planners_are_called_the_latex_is_right(name: str, mean: float) -> None:
    cell = Cell(3, Estimate(mean, mean - 1, mean + 1), marked=True)
    cells = {(name, name, "reward"): cell}
    rows = read_latex(as_latex(PlannerTable((name,), (name,), ("reward",), cells, (name,))))
    assert len(rows) == 3


# --- the command ------------------------------------------------------------------------------


def show(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["show", *map(str, arguments)], catch_exceptions=False)
    return done.stdout


@pytest.mark.parametrize("form", FORMS)
def test_the_command_takes_runs_or_the_folder_of_a_grid(
    record: Record, tmp_path: Path, form: str
) -> None:
    runs = [record("best", range(18)), record("far", range(5))]
    told = show(*runs, "--table", form, "--figure", "ssr")
    assert told == FORMS[form](planner_table(runs, ["ssr"]))
    assert told == show(tmp_path / "grid", "--table", form, "--figure", "ssr")


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--figure", "gsr"], "--figure needs --table"),
        (["--table", "csv", "--json"], "--table excludes other options"),
        (["--table", "latex", "--figure", "luck"], "There is no figure 'luck'"),
        (["nowhere", "--table", "latex"], "nowhere is no run folder"),
    ],
)
def test_what_makes_no_table_is_said(record: Record, more: list[str], sentence: str) -> None:
    with pytest.raises(BadInput, match=re.escape(sentence)):
        show(record("a", [1]), *more)


def test_runs_without_results_and_runs_given_twice_are_refused(record: Record) -> None:
    run = record("a", [1])
    with pytest.raises(BadInput, match=r"Two runs of .* have the same tasks and seeds"):
        planner_table([run, run])
    for path in (run / "episodes").iterdir():
        path.unlink()
    with pytest.raises(BadInput, match="have no results for a table"):
        planner_table([run])
