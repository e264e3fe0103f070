"""Which runs count together, and which tasks are the same, in every view of several runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from peephole.cli.main import app
from peephole.episodes.events import Ended, Started, to_line
from peephole.episodes.faults import FaultRate, Faults
from peephole.episodes.recording import episode_path
from peephole.episodes.result import EpisodeResult
from peephole.episodes.run_file import RunConfig, RunFile, write_run
from peephole.errors import BadInput
from peephole.models.config import ModelConfig
from peephole.results.experiments import experiments
from peephole.results.pairing import Paired, paired, paired_documents, paired_lines
from peephole.results.papers import Grid, results_of_row, rows_of, runs_of
from peephole.results.plots import plot_of_grid, plot_of_runs
from peephole.results.tables.planner_table import planner_table
from peephole.skills.actions import Verb
from peephole.skills.outcomes import Reason

TASKS = tuple(f"task/{n}" for n in range(8))


def write(
    folder: Path,
    config: RunConfig,
    solved: int = 8,
    *,
    asked: Callable[[str], str] = lambda task: task,
    scene: str = "house",
    labels: Callable[[str], dict[str, str]] = lambda task: {},
    **about: Any,
) -> Path:
    """A run whose episodes have their beginning and their end. solved: of the first tasks."""
    write_run(folder, RunFile(replace(config, tasks=config.tasks or TASKS), **about))
    for episode in replace(config, tasks=config.tasks or TASKS).episodes:
        success = TASKS.index(episode.task) < solved
        start = Started(
            task=episode.task,
            instruction=f"Do {episode.task}.",
            scene=scene,
            state=None,
            observation="",
            progress=0.0,
            asked=asked(episode.task),
            labels=labels(episode.task),
        )
        result = EpisodeResult(episode.task, success, float(success), "done", 4, 1, 0.0, 0.0)
        path = episode_path(folder, episode.number, episode.task)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(to_line(start) + to_line(Ended(step=4, result=result)))
    return folder


def faults(name: str, rate: float) -> Faults:
    return Faults((FaultRate(Verb.PICK_UP, Reason.SLIPPED, rate),), name)


CONFIG = RunConfig("houses", "explore", adapter="symbolic", dialect="plain")
#: Another experiment by one setting; the words that name it in results.
OTHERS: Mapping[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "adapter": ({}, {"adapter": "virtualhome"}, "adapter virtualhome"),
    "data": ({"data": "/a/tasks"}, {"data": "/b/tasks"}, "data /b/tasks"),
    "faults": ({"faults": faults("a.yaml", 0.1)}, {"faults": faults("b.yaml", 0.1)}, "b.yaml"),
    "rates": ({"faults": faults("a.yaml", 0.1)}, {"faults": faults("a.yaml", 0.2)}, "a.yaml "),
    "dialect": ({}, {"dialect": "alfworld"}, "dialect alfworld"),
    "planning": ({}, {"planning_s": 60.0}, "planning seconds 60"),
    "temperature": (
        {"models": {"planner": ModelConfig("m")}},
        {"models": {"planner": ModelConfig("m", temperature=0.7)}},
        "temperature 0.7",
    ),
}


@pytest.mark.parametrize("setting", OTHERS)
def test_runs_that_differ_in_a_setting_are_never_pooled(tmp_path: Path, setting: str) -> None:
    first, second, words = OTHERS[setting]
    # Other seeds, so that no episode is there twice and nothing would stop them from pooling.
    runs = [
        write(tmp_path / "one", replace(CONFIG, **first)),
        write(tmp_path / "other", replace(CONFIG, **second, seed=1), solved=2),
    ]
    table = planner_table(runs)
    assert sorted(cell.value.mean for cell in table.cells.values()) == [25.0, 100.0]
    assert words in " ".join((*table.planners, *table.suites))
    plot = plot_of_runs(runs, ["gsr"])
    bars = [each["gsr"].mean for series in plot.series for each in series.figures.values()]
    assert sorted(bars) == [25.0, 100.0]
    page = tmp_path / "page.html"
    done = CliRunner().invoke(app, ["report", *map(str, runs), "--out", str(page)])
    assert done.exit_code == 0, done.output
    text = page.read_text()
    assert words in text[text.index('"runs":[') : text.index('"episodes":[')]
    assert "n = 16" not in text


def test_worlds_are_columns_that_are_ranked_each_for_itself(tmp_path: Path) -> None:
    real = replace(CONFIG, adapter="virtualhome")
    runs = [
        write(tmp_path / "a", CONFIG),
        write(tmp_path / "b", replace(CONFIG, planner="random"), solved=0),
        write(tmp_path / "c", real, solved=1),
        write(tmp_path / "d", replace(real, planner="random"), solved=0),
        write(tmp_path / "e", replace(CONFIG, suite="wah")),
    ]
    table = planner_table(runs)
    assert table.planners == ("explore", "random")
    assert table.suites == ("houses (adapter symbolic)", "houses (adapter virtualhome)", "wah")
    marked = {(who, on) for (who, on, _), cell in table.cells.items() if cell.marked}
    assert ("explore", "houses (adapter symbolic)") in marked
    assert ("explore", "houses (adapter virtualhome)") in marked
    assert ("random", "houses (adapter symbolic)") not in marked


def test_alike_runs_keep_their_names(tmp_path: Path) -> None:
    contents = [RunFile(replace(CONFIG, tasks=TASKS, seed=seed)) for seed in (0, 5)]
    (found,) = experiments(contents)
    assert {(each.label, each.suite) for each in found} == {("explore", "houses")}
    other = RunFile(replace(CONFIG, tasks=TASKS, suite="wah", adapter="virtualhome"))
    assert experiments([*contents, other])[0][2].suite == "wah", "each suite has its own adapter"


def test_a_grids_folder_with_two_experiments_in_a_row_is_refused(tmp_path: Path) -> None:
    grid = Grid.model_validate(
        {"title": "t", "suites": ["houses"], "planners": [{"planner": "explore"}], "seeds": [0, 9]}
    )
    one, other = runs_of(grid, tmp_path)
    write(one.folder, CONFIG)
    (row,) = rows_of(grid)
    assert len(results_of_row(grid, tmp_path, "houses", row) or []) == 8
    write(other.folder, replace(CONFIG, seed=9, adapter="virtualhome"))
    with pytest.raises(BadInput, match=r"explore on houses are several experiments .*virtualhome"):
        results_of_row(grid, tmp_path, "houses", row)
    with pytest.raises(BadInput, match="several experiments"):
        plot_of_grid(grid, tmp_path, ["gsr"])


# --- tasks ---------------------------------------------------------------------------------------


def test_tasks_of_one_id_with_another_instruction_are_not_paired(tmp_path: Path) -> None:
    clear = write(tmp_path / "clear", replace(CONFIG, suite="kitchens"))
    vague = write(
        tmp_path / "vague",
        replace(CONFIG, suite="kitchens_ambiguous"),
        solved=3,
        asked=lambda task: f"vaguely {task}",
    )
    found = paired(clear, vague)
    assert isinstance(found, str)
    assert found.endswith("(those with the same ids have another instruction, goal or scene there)")
    (line,) = paired_lines(["clear", "vague"], [clear, vague])
    assert line.startswith("clear and vague are not compared: no task was scored in both")
    assert "problem" in paired_documents([clear, vague])[0]
    with pytest.raises(Exception, match="another instruction, goal or scene"):
        CliRunner().invoke(app, ["compare", str(clear), str(vague)], catch_exceptions=False)


def test_matched_tasks_of_two_suites_are_paired_and_the_comparison_says_so(tmp_path: Path) -> None:
    def labels(task: str) -> dict[str, str]:
        return {"matched": f"libero_goal/{task}"}

    clear = write(tmp_path / "clear", replace(CONFIG, suite="libero:goal"), labels=labels)
    reworded, moved = (
        write(
            tmp_path / suite,
            replace(CONFIG, suite=f"libero:{suite}"),
            solved=3,
            asked=asked,
            scene=suite,
            labels=labels,
        )
        for suite, asked in (
            ("goal_lan", lambda task: f"other words for {task}"),
            ("goal_swap", str),
        )
    )
    for other in (reworded, moved):
        found = paired(clear, other)
        assert isinstance(found, Paired)
        assert (found.both, found.neither, found.success.first_better) == (3, 0, 5)
        lines = paired_lines(["clear", "other"], [clear, other])
        assert "clear and other played matched tasks" in lines[1]
    again = write(tmp_path / "again", replace(CONFIG, suite="libero:goal"), labels=labels)
    assert not any("matched" in line for line in paired_lines(["a", "b"], [clear, again]))


def test_equal_runs_are_not_called_equally_good(tmp_path: Path) -> None:
    runs = [write(tmp_path / "a", CONFIG), write(tmp_path / "b", CONFIG)]
    other = write(tmp_path / "c", CONFIG, solved=4)
    words = "No task shows a difference, which does not prove that they are equally good."
    lines = paired_lines(["a", "b", "c"], [*runs, other])
    assert [words in line for line in lines[:2]] == [True, False]
    assert "(4 solved by both, 0 by neither)" in lines[1]


def test_tasks_that_two_suites_share_are_paired(tmp_path: Path) -> None:
    every = write(tmp_path / "all", replace(CONFIG, suite="kitchens"))
    easy = write(tmp_path / "easy", replace(CONFIG, suite="kitchens:easy", tasks=TASKS[:5]), 3)
    found = paired(every, easy)
    assert not isinstance(found, str)
    assert (found.success.tasks, found.success.first_better) == (5, 2)
    elsewhere = write(tmp_path / "moved", replace(CONFIG, suite="kitchens:easy"), scene="other")
    assert isinstance(paired(every, elsewhere), str)


def test_old_recordings_pair_within_their_suite_alone(tmp_path: Path) -> None:
    def old(_task: str) -> str:
        return ""

    runs = [
        write(tmp_path / name, replace(CONFIG, suite=suite), solved, asked=asked)
        for name, suite, solved, asked in (
            ("old", "kitchens", 8, old),
            ("older", "kitchens", 5, old),
            ("new", "kitchens", 5, lambda task: task),
            ("other", "kitchens_ambiguous", 5, old),
        )
    ]
    comparisons = [paired(runs[0], other) for other in runs[1:]]
    assert [isinstance(each, str) for each in comparisons] == [False, False, True]
    documents = json.loads(
        CliRunner().invoke(app, ["show", *map(str, runs), "--json"], catch_exceptions=False).stdout
    )["paired"]
    assert ["problem" in each for each in documents] == [False, False, True]
