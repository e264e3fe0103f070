"""The command line. Heavy parts are imported by the commands that use them."""

from __future__ import annotations

import json
import os
import re
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from .. import __version__, plugins
from ..errors import BadInput, PeepholeError, unknown_name

if TYPE_CHECKING:
    from ..episodes.recording import EventData
    from ..episodes.runner import RunConfig
    from ..planners.llm.config import ModelConfig

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Connects LLM task planners to household and manipulation simulators.",
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Data = Annotated[
    Path | None, typer.Option(help="Folder or file of a suite whose tasks you supply.")
]


#: What typer raises for a wrong command line; it exports a subclass of it only.
_WrongUsage = cast(type[typer.BadParameter], typer.BadParameter.__mro__[1])


def main() -> None:
    """Run the command line; errors meant for the user are printed as one sentence.

    Exit codes: 0 done, 1 the run failed, 2 bad usage, 3 something it needs is missing.
    """
    try:
        sys.exit(app(sys.argv[1:] or ["--help"], standalone_mode=False) or 0)
    except _WrongUsage as error:
        said = " ".join(error.format_message().split()).rstrip(".?")
        command = "peephole" if error.ctx is None else error.ctx.command_path
        print(f"peephole: {said}; see `{command} --help`.", file=sys.stderr)
        sys.exit(2)
    except typer.Abort:
        sys.exit(1)
    except PeepholeError as error:
        print(f"peephole: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:  # the reader of our output has gone, as in `peephole show RUN | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _version(wanted: bool) -> None:
    if wanted:
        print(f"peephole {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Connects LLM task planners to household and manipulation simulators."""


@app.command()
def adapters(as_json: Json = False) -> None:
    """What is ready, what is missing, and how to get it."""
    from ..adapters.registry import adapter_status

    statuses = adapter_status()
    if as_json:
        _print_json([status.to_data() for status in statuses])
        return
    width = max(len(status.name) for status in statuses)
    indent = " " * (width + 12)
    for status in statuses:
        print(
            f"{status.name:{width}} {'ready' if status.ready else 'NOT READY':9}  {status.summary}"
        )
        if status.tested_on:
            print(f"{indent}run against: {status.tested_on}")
        if status.missing:
            print(f"{indent}{status.missing}")


@app.command()
def planners(as_json: Json = False) -> None:
    """The planners, and what each has to be granted."""
    rows = []
    for name in plugins.names("planner"):
        try:
            planner = plugins.load("planner", name)
            missing = planner.missing()
            rows.append((name, planner.summary, sorted(planner.grants), missing))
        except PeepholeError as error:
            rows.append((name, "", [], str(error)))
    if as_json:
        keys = ("name", "summary", "grants", "missing")
        _print_json([dict(zip(keys, row, strict=True)) for row in rows])
        return
    width = max((len(name) for name, *_ in rows), default=0)
    for name, summary, grants, missing in rows:
        print(f"{name:{width}}  {summary}")
        print(f"{'':{width}}  granted: {', '.join(['view', *grants])}")
        if missing:
            print(f"{'':{width}}  {missing}")


@app.command()
def suites(as_json: Json = False) -> None:
    """The suites of tasks."""
    from ..episodes.runner import load_suite

    rows: list[dict[str, Any]] = []
    for name in plugins.names("suite"):
        try:
            suite = load_suite(name)
            rows.append(
                {
                    "name": name,
                    "summary": suite.summary,
                    "tasks": len(suite.tasks),
                    "adapter": suite.adapter,
                    "skipped": suite.skipped,
                }
            )
        except PeepholeError as error:
            rows.append({"name": name, "missing": str(error)})
    if as_json:
        _print_json(rows)
        return
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        if "missing" in row:
            print(f"{row['name']:{width}}  NOT READY  {row['missing']}")
            continue
        print(f"{row['name']:{width}}  {row['tasks']} tasks in {row['adapter']}. {row['summary']}")
        for reason, count in row["skipped"].items():
            print(f"{'':{width}}  left out: {count} ({reason})")


@app.command()
def tasks(suite: str, data: Data = None, as_json: Json = False) -> None:
    """The tasks of a suite."""
    from ..episodes.runner import load_suite
    from ..scene_graph.goal_codec import goal_to_data
    from ..scene_graph.goals import describe

    loaded = load_suite(suite, data)
    if as_json:
        _print_json(
            [
                {
                    "id": task.id,
                    "instruction": task.instruction,
                    "scene": task.scene,
                    "labels": task.labels,
                    "goal": goal_to_data(task.goal),
                }
                for task in loaded.tasks
            ]
        )
        return
    for task in loaded.tasks:
        print(f"{task.id:40} {describe(task.goal, lambda node: f'#{node}')}")


@app.command()
def run(
    suite: Annotated[str, typer.Option(help="Suite of tasks; see `peephole suites`.")] = "",
    planner: Annotated[str, typer.Option(help="Planner; see `peephole planners`.")] = "",
    adapter: Annotated[str, typer.Option(help="Simulator; the suite's own by default.")] = "",
    dialect: Annotated[str, typer.Option(help="Wording; the planner's own by default.")] = "",
    data: Data = None,
    tasks: Annotated[str, typer.Option(help="How many tasks, or their ids split by commas.")] = "",
    seed: Annotated[int, typer.Option(help="Seed of simulator and planner.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Processes to run episodes in.")] = 1,
    model: Annotated[
        str,
        typer.Option(help="Model of your endpoint, 'local', 'local:FILE.gguf' or 'scripted'."),
    ] = "",
    temperature: Annotated[
        float | None, typer.Option(min=0.0, help="Of the model's sampling; 0 by default.")
    ] = None,
    reply_tokens: Annotated[
        int | None, typer.Option(min=1, help="Tokens of one reply at most; 1024 by default.")
    ] = None,
    model_tokens: Annotated[
        int | None, typer.Option(min=1, help="Tokens that the run may take of its model.")
    ] = None,
    model_money: Annotated[
        float | None, typer.Option(min=0.0, help="US dollars that it may spend on its model.")
    ] = None,
    price_in: Annotated[
        float | None, typer.Option(min=0.0, help="US dollars per million tokens read.")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option(min=0.0, help="US dollars per million tokens written.")
    ] = None,
    model_timeout: Annotated[
        float | None, typer.Option(min=0.001, help="Seconds that one request to it may take.")
    ] = None,
    isolate: Annotated[
        bool, typer.Option("--isolate", help="Run the simulator in a process of its own.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Folder of the recording.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run in --out.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Print every step as it happens.")] = False,
    as_json: Json = False,
) -> None:
    """Run a planner on the tasks of a suite, and record it."""
    from ..episodes.runner import (
        RunConfig,
        check_config,
        load_suite,
        results_of,
        select_tasks,
        start_run,
    )

    if watch and as_json:
        raise BadInput("--watch and --json exclude each other; choose one.")
    if watch and workers > 1:
        raise BadInput("--watch needs --workers 1.")
    asked = {
        "temperature": temperature,
        "max_tokens": reply_tokens,
        "price_in": price_in,
        "price_out": price_out,
        "budget_tokens": model_tokens,
        "budget_usd": model_money,
        "timeout_s": model_timeout,
    }
    asked = {field: value for field, value in asked.items() if value is not None}
    if resume:
        folder = _folder_to_resume(out)
        if tasks or seed:
            raise BadInput("--resume goes on with the run's own tasks and seed; leave them out.")
        given = {
            "suite": suite,
            "planner": planner,
            "adapter": adapter,
            "dialect": dialect,
            "data": str(data.resolve()) if data else "",
        }
        _refuse_other_config(folder, given, isolate)
        _resume_model(folder, model, asked)
        before = len(results_of(folder))
    else:
        if not suite or not planner:
            raise BadInput(
                "A run needs --suite and --planner; see `peephole suites` and `peephole planners`."
            )
        loaded = load_suite(suite, data)
        before = 0
        config = check_config(
            RunConfig(
                suite=suite,
                planner=planner,
                tasks=select_tasks(loaded, tasks),
                adapter=adapter,
                dialect=dialect,
                seed=seed,
                data=str(data.resolve()) if data else "",
                isolate=isolate,
                model=_model_config(model, asked),
            )
        )
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
        folder = out or Path("runs") / f"{suite}-{planner}-{stamp}"
        start_run(config, folder)
    _play(folder, workers, watch, as_json, before)


#: Of what a model is asked with, what a resumed run may have otherwise, and every option's name.
_MODEL_OPTIONS = {
    "temperature": "--temperature",
    "max_tokens": "--reply-tokens",
    "price_in": "--price-in",
    "price_out": "--price-out",
    "budget_tokens": "--model-tokens",
    "budget_usd": "--model-money",
    "timeout_s": "--model-timeout",
}
_MAY_CHANGE = {"budget_tokens", "budget_usd", "timeout_s"}


def _model_config(name: str, asked: dict[str, Any]) -> ModelConfig | None:
    if not name:
        if asked:
            raise BadInput(f"{_MODEL_OPTIONS[next(iter(asked))]} needs --model.")
        return None
    from ..planners.llm.config import ModelConfig

    return ModelConfig(name=name, **asked)


def _resume_model(folder: Path, name: str, asked: dict[str, Any]) -> None:
    """A resumed run keeps its model and sampling; budgets and time-outs may be others."""
    from dataclasses import replace

    from ..episodes.runner import change_model, stored_config

    kept = stored_config(folder).model
    if kept is None:
        if name or asked:
            raise BadInput(f"{folder} was run without a model; leave the model's options out.")
        return
    if name and name != kept.name:
        raise BadInput(f"{folder} was run with --model {kept.name}; leave --model out.")
    for field, value in asked.items():
        if field not in _MAY_CHANGE and value != getattr(kept, field):
            raise BadInput(
                f"{folder} was run with {_MODEL_OPTIONS[field]} {getattr(kept, field)}; leave "
                f"{_MODEL_OPTIONS[field]} out."
            )
    if asked:
        change_model(folder, replace(kept, **asked))


def _folder_to_resume(out: Path | None) -> Path:
    if out is None:
        raise BadInput("--resume needs the run's folder: --out DIR.")
    return out


def _refuse_other_config(folder: Path, given: dict[str, str], isolate: bool) -> None:
    """A resumed run keeps its config; an option that says otherwise is a mistake."""
    from ..episodes.runner import check_config, stored_config

    stored: RunConfig = stored_config(folder)
    for option, value in given.items():
        kept = getattr(stored, option)
        if value and value != kept:
            raise BadInput(f"{folder} was run with --{option} {kept}; leave --{option} out.")
    if isolate and not stored.isolate:
        raise BadInput(f"{folder} was run without --isolate; leave it out.")
    check_config(stored)


def _play(folder: Path, workers: int, watch: bool, as_json: bool, before: int) -> None:
    """Run the folder's episodes with progress on the terminal, then print the results.

    before: how many had ended when the run was continued; they come first.
    """
    from rich.console import Console

    from ..episodes.metrics import run_data
    from ..episodes.progress import RunProgress
    from ..episodes.runner import results_of, stored_config
    from ..episodes.runner import run as run_episodes
    from ..episodes.show import event_lines, results_table
    from ..planners.llm import serving
    from ..planners.llm.failures import ModelFailure

    console = Console(stderr=as_json, highlight=False)
    config = stored_config(folder)
    note = serving.note(config.model.name) if config.model is not None else ""
    if note:
        console.print(note, style="yellow", soft_wrap=True)

    def print_event(event: EventData) -> None:
        for line in event_lines(event):
            console.print(line, soft_wrap=True)

    try:
        with RunProgress(console, len(config.tasks), quiet=watch) as progress:
            played = run_episodes(folder, workers, print_event if watch else None)
            for number, result in enumerate(played):
                progress.add(result.success, before=number < before)
    except KeyboardInterrupt:
        print(
            f"\nInterrupted. Continue with: peephole run --resume --out {folder}", file=sys.stderr
        )
        raise typer.Exit(1) from None
    except ModelFailure as failure:
        if not failure.resumable:
            raise
        told = str(failure).rstrip(".")
        raise type(failure)(
            f"{told}; then continue with: peephole run --resume --out {folder}"
        ) from None
    results = results_of(folder)
    if as_json:
        _print_json(run_data(str(folder), results) | ({"note": note} if note else {}))
    else:
        console.print(results_table([(f"{config.player} on {config.suite}", results)]))
        console.print(f"Recorded in {folder}; read it with: peephole show {folder}", soft_wrap=True)
    if any(result.ended == "planner_error" for result in results):
        failed = next(result for result in results if result.ended == "planner_error")
        raise PeepholeError(f"The planner failed in {failed.task}: {failed.detail}.")


@app.command()
def show(
    runs: Annotated[list[Path], typer.Argument(help="One run, or several to compare.")],
    episode: Annotated[
        str | None, typer.Option("--episode", "-e", help="Number or task of an episode.")
    ] = None,
    svg: Annotated[Path | None, typer.Option(help="Also write what is shown as a picture.")] = None,
) -> None:
    """Read runs and trajectories: RUN, RUN EPISODE, or RUN RUN …"""
    from rich.console import Console

    from ..episodes.show import compare_view, episode_view, run_view

    console = Console(highlight=False, record=svg is not None)
    if episode is None and len(runs) == 2 and not runs[1].exists():
        runs, episode = runs[:1], str(runs[1])  # `peephole show RUN EPISODE`
    elif episode is not None and len(runs) > 1:
        raise BadInput("--episode shows an episode of one run; name that run alone.")
    if episode is not None:
        console.print(episode_view(runs[0], episode), soft_wrap=svg is None)
    elif len(runs) > 1:
        console.print(compare_view(runs))
    else:
        console.print(run_view(runs[0]))
    if svg is not None:
        picture = console.export_svg(title="peephole show")
        picture = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)  # of the web
        try:
            svg.write_text(picture, encoding="utf-8")
        except OSError as error:
            raise BadInput(f"{svg} cannot be written: {error.strerror}.") from None


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(help="One run, or several to compare.")],
    html: Annotated[Path, typer.Option(help="File of the page.")],
) -> None:
    """Write one self-contained page: results, and every episode step by step."""
    from ..episodes.report.page import write_report

    write_report(runs, html)
    print(f"Written to {html}; open it in a browser.")


@app.command()
def export(
    run: Annotated[Path, typer.Argument(help="The run's folder.")],
    to: Annotated[str, typer.Option(help="What to write: instructions.")],
    out: Annotated[Path, typer.Option(help="The file to write.")],
    as_json: Json = False,
) -> None:
    """Write a run's recordings in another form: instructions to fine-tune a small model with."""
    from ..episodes.exports.instructions import instructions
    from ..episodes.runner import stored_config
    from ..planners.llm import serving

    if to != "instructions":
        raise unknown_name("export", to, ["instructions"])
    records, episodes = instructions(run)
    try:
        text = json.dumps(records, indent=1, ensure_ascii=False) + "\n"
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{out} cannot be written: {error.strerror}.") from None
    model = stored_config(run).model
    note = serving.note(model.name) if model is not None else ""
    if as_json:
        written = {"file": str(out), "records": len(records), "episodes": episodes}
        _print_json(written | ({"note": note} if note else {}))
        return
    if note:
        print(note)
    print(f"{len(records)} records of {episodes} episodes written to {out}.")


@app.command()
def replay(
    run: Annotated[Path, typer.Argument(help="The run's folder.")],
    episode: Annotated[int | None, typer.Argument(help="Number of one episode.")] = None,
    film: Annotated[Path | None, typer.Option(help="MP4 file to make of that episode.")] = None,
    as_json: Json = False,
) -> None:
    """Re-execute a recorded run in its simulator and verify every outcome."""
    from ..episodes.recording import episode_path
    from ..episodes.replay import replay_run
    from ..episodes.runner import stored_config

    tasks = stored_config(run).tasks
    if episode is not None and not 1 <= episode <= len(tasks):
        raise BadInput(f"{run} has episodes 1 to {len(tasks)}, not {episode}.")
    if film is not None:
        if episode is None:
            raise BadInput("--film makes a film of one episode; give its number after the run.")
        if not episode_path(run, episode, tasks[episode - 1]).exists():
            raise BadInput(
                f"Episode {episode} of {run} was not played yet; there is no film of it."
            )
    rows = []
    only = frozenset() if episode is None else frozenset({episode})
    for replayed in replay_run(run, only, film):
        rows.append(replayed)
        if not as_json:
            verdict = replayed.difference or f"{_steps(replayed.steps)} came out as recorded"
            print(f"{replayed.task:40} {verdict}")
    differing = sum(row.difference is not None for row in rows)
    if as_json:
        _print_json(
            {
                "run": str(run),
                "episodes": len(rows),
                "steps": sum(row.steps for row in rows),
                "differing": {r.task: r.difference for r in rows if r.difference is not None},
                **({"film": str(film)} if film is not None else {}),
            }
        )
    elif film is not None:
        print(f"Filmed in {film}.")
    if differing:
        raise PeepholeError(f"{differing} of {len(rows)} episodes came out differently.")


def _steps(number: int) -> str:
    return "1 step" if number == 1 else f"{number} steps"


def _print_json(document: Any) -> None:
    print(json.dumps(document, indent=2, ensure_ascii=False))
