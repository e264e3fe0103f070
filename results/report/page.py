"""The report page. Its figures are those of `results.metrics`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from ...errors import BadInput
from ...version import __version__
from ..metrics import KindFigures, by_kind
from ..papers import Grid
from .comparison import (
    Contender,
    contenders,
    costs,
    differences,
    failure_classes,
    paper_tables,
    rate_of,
)
from .curves import charts
from .episode_data import script_json
from .runs import Episode, Pictures, ReportedRun, reported_runs

#: The scripts of the page, in their order.
_SCRIPTS = (
    "dom",
    "pack",
    "room_plan",
    "world",
    "belief",
    "timeline",
    "steps",
    "episode",
    "list",
    "main",
)
#: Most bytes of packed episodes inside the page; more lie in files beside it.
_EMBEDDED = 12_000_000


def write_report(
    folders: Sequence[Path], page: Path, grid: tuple[Grid, Path] | None = None
) -> None:
    """Write the page of runs. Raises BadInput for a folder that is no run, or an unwritable page.

    grid: what the runs make up, with its folder; adds the paper's figures.
    """
    pictures = Pictures(page)
    runs = reported_runs(folders, pictures)
    episodes = [episode for run in runs for episode in run.episodes]
    beside = sum(len(episode.data) for episode in episodes) > _EMBEDDED
    folder = page.with_name(f"{page.stem}_files")
    everyone = contenders(runs)
    text = _template().render(
        **_overview(runs, everyone, grid),
        index=Markup(script_json(_index(runs, everyone, folder.name if beside else ""))),
        embedded=[] if beside else [(episode.key, episode.data) for episode in episodes],
        css=Markup(_text("page.css")),
        script=Markup(_script()),
        version=__version__,
    )
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        pictures.copy()
        if beside:
            _write_beside(folder, episodes)
        page.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise BadInput(f"{page} cannot be written ({error.strerror}); name another file.") from None


def _write_beside(folder: Path, episodes: Sequence[Episode]) -> None:
    """Write a script for each episode, which the page loads when the episode is opened.

    It is a script, since a page opened from a file may not read other files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for episode in episodes:
        call = f"peepholeEpisode({script_json(episode.key)},{script_json(episode.data)});\n"
        (folder / f"{episode.key.replace('/', '-')}.js").write_text(call, encoding="utf-8")


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("peephole.results.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.jinja")


def _text(name: str) -> str:
    return files("peephole.results.report").joinpath(name).read_text(encoding="utf-8")


def _script() -> str:
    parts = [_text(f"page_script/{name}.js") for name in _SCRIPTS]
    return "\n".join(['"use strict";', "(() => {", *parts, "})();"])


def _overview(
    runs: Sequence[ReportedRun], everyone: Sequence[Contender], grid: tuple[Grid, Path] | None
) -> dict[str, Any]:
    """The data of the overview."""
    suites = list(dict.fromkeys(run.suite for run in runs))
    by_suite = [(s, found) for s in suites if (found := differences(everyone, s))]
    shown: dict[str, Any] = {
        "runs": runs,
        "planners": everyone,
        "suites": suites,
        "with_rates": len(runs) > 1,
        "rate_of": rate_of,
        "by_suite": by_suite,
        "grid": None if grid is None else grid[0],
        "papers": [] if grid is None else paper_tables(*grid),
        "charts": charts(everyone, suites),
        "classes": failure_classes(everyone),
        "costs": costs(everyone),
        "tasks": list(_tasks(everyone, suites)),
        "kinds": list(_kinds(everyone, suites)),
        "with_informed": any("informed" in run.figures for run in runs),
        "with_app": any("app" in run.figures for run in runs),
        "with_reward": any(run.rewarded for run in runs),
        "with_tokens": any(run.tokens for run in runs),
        "with_price": any(run.usd for run in runs),
        "mechanism_checks": _mechanism_checks(runs),
        "faulty": dict.fromkeys(
            (run.label, each.text)
            for run in runs
            for each in run.stand_ins
            if each.kind == "faults"
        ),
        "signs": {"success": "✓", "failure": "✗", "open": "…"},
    }
    return shown | {"sections": list(_sections(shown))}


def _sections(shown: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The sections of the page, by id."""
    for condition, section, title in (
        ("with_rates", "rates", "Planners and suites"),
        ("papers", "paper", "Beside the paper"),
        ("by_suite", "paired", "Compared"),
        ("", "results", "Results"),
        ("charts", "curves", "Steps and tokens"),
        ("classes", "failures", "Failures"),
        ("costs", "cost", "Cost"),
        ("tasks", "tasks", "Task by task"),
        ("", "episodes", "Episodes"),
        ("", "runs", "Runs"),
    ):
        if not condition or shown[condition]:
            yield section, title


def _index(
    runs: Sequence[ReportedRun], everyone: Sequence[Contender], folder: str
) -> dict[str, Any]:
    """The data of the list of episodes. folder: of the files beside the page, or ""."""
    who = {episode.key: c.label for c in everyone for episode in c.everything}
    return {
        "folder": folder,
        "runs": [
            {
                "label": run.label,
                "suite": run.suite,
                "adapter": run.config.adapter,
                "mark": run.mark,
                "grants": run.grants,
            }
            for run in runs
        ],
        "episodes": [
            _row(episode, number, who[episode.key])
            for number, run in enumerate(runs)
            for episode in run.episodes
        ],
    }


def _row(episode: Episode, run: int, planner: str) -> dict[str, Any]:
    result, why = episode.result, episode.why
    row = {
        "key": episode.key,
        "run": run,
        "number": episode.number,
        "name": episode.name,
        "planner": planner,
        "mark": episode.mark,
        "verdict": episode.verdict,
        "instruction": episode.instruction,
        "labels": dict(episode.labels),
        "tokens": episode.tokens,
    }
    if result is not None:
        row |= {"steps": result.steps, "progress": result.progress}
    if why is not None:
        row |= {"class": why.kind.words, "step": why.step}
    return row


def _mechanism_checks(
    runs: Sequence[ReportedRun],
) -> list[tuple[tuple[str, tuple[str, ...]], list[str]]]:
    """The labels of runs with stand-ins, grouped by equal stand-ins (mark and texts)."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for run in runs:
        stand_ins = [each for each in run.stand_ins if each.kind != "faults"]
        if stand_ins:
            kinds = " and ".join(dict.fromkeys(each.kind for each in stand_ins))
            key = kinds, tuple(each.text for each in stand_ins)
            labels = found.setdefault(key, [])
            if run.label not in labels:
                labels.append(run.label)
    return list(found.items())


#: A suite's planners, and rows with a cell for each.
_Tasks = tuple[str, list[str], list[tuple[str, list[Episode | None]]]]


def _tasks(everyone: Sequence[Contender], suites: Sequence[str]) -> Iterator[_Tasks]:
    """The tasks of suites that several planners played, with an episode of each planner.

    It is the first one where a task was repeated.
    """
    for suite in suites:
        players = [c for c in everyone if suite in c.episodes]
        if len(players) > 1:
            own = [{e.task: e for e in reversed(c.episodes[suite])} for c in players]
            tasks = dict.fromkeys(e.task for c in players for e in c.episodes[suite])
            rows = [(task, [episodes.get(task) for episodes in own]) for task in tasks]
            yield suite, [c.label for c in players], rows


_Kinds = tuple[str, list[str], dict[str, list[KindFigures | None]]]


def _kinds(everyone: Sequence[Contender], suites: Sequence[str]) -> Iterator[_Kinds]:
    """Results by kind of task, for suites with several kinds."""
    for suite in suites:
        players = [c for c in everyone if suite in c.episodes]
        table = by_kind([c.results_in(suite) for c in players])
        if table:
            yield suite, [c.label for c in players], table
