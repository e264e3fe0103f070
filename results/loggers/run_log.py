"""The loggers of one run: they are started, given each result, and closed with the figures.

A tracker that fails while the run is played costs its log and a warning, never the run. All of it
can be logged later with `peephole run --resume --out RUN --log NAME`.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ... import plugins
from ...data_files import json_text
from ...episodes.result import EpisodeResult
from ...episodes.run_file import RunFile, read_run
from ...errors import BadInput, Missing, PeepholeError
from ..metrics import summarize
from ..plots import plot_of_runs, write_plot
from ..provenance import provenance_data
from ..run_episodes import results_in
from ..tables.rows import run_document
from .contract import LoggedRun, RunLogger, Table

#: Figures in the plot of a run, and its width in inches.
_PLOTTED = ("gsr", "ssr", "steps")
_WIDTH = 6.0
#: Most films that are logged.
_MOST_FILMS = 20

#: A logger by name, with its place after "=", or the logger itself.
LoggerName = str | RunLogger


def load_logger(name: LoggerName) -> RunLogger:
    """The logger of a name. Raises BadInput for an unknown one, and Missing."""
    if isinstance(name, RunLogger):
        return name
    plugin, _, place = name.partition("=")
    made = plugins.load("logger", plugin)
    if not (isinstance(made, type) and issubclass(made, RunLogger)):
        raise Missing(
            f"The logger '{plugin}' is no logger (its entry point gives {made!r}); correct or "
            f"remove its package."
        )
    lack = made.missing()
    if lack is not None:
        raise Missing(lack)
    return made(place)


@dataclass
class _Open:
    """A logger of the run. name: for warnings. again: how to log the run later."""

    name: str
    logger: RunLogger
    again: str
    failed: bool = False


class RunLog:
    """The loggers of a run. Give it each result with `add`, the earlier ones of a continued run
    first, and call `end`.
    """

    def __init__(
        self,
        names: Sequence[LoggerName],
        folder: Path,
        warn: Callable[[str], None],
        note: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """Start the loggers. warn, note: take sentences for the user.

        Raises BadInput or Missing where one cannot start; the others are closed then.
        """
        self._folder = folder
        self._warn = warn
        self._results: list[EpisodeResult] = []
        self._open: list[_Open] = []
        loggers = [(each, load_logger(each)) for each in names]
        about = logged_run(folder, read_run(folder)) if loggers else None
        try:
            for given, logger in loggers:
                assert about is not None
                name = _name(given)
                where = _begun(name, logger, about)
                self._open.append(_Open(name, logger, _again(given, folder)))
                note(f"Logged to {where}.")
        except BaseException:
            self._each(lambda logger: logger.end(finished=False))
            raise

    def add(self, result: EpisodeResult) -> None:
        """Log an episode that has ended."""
        self._results.append(result)
        values = episode_values(result) | _so_far(self._results)
        self._each(lambda logger: logger.episode(len(self._results), values))

    def end(self, *, whole: bool = True) -> None:
        """Close the loggers.

        whole: log figures, tables, plots and films of what has ended before, which takes seconds.
        """
        if not self._open:
            return
        finished = False
        try:
            content = read_run(self._folder)
            results = results_in(self._folder, content) if whole else []
            if results:
                self._log_results(results)
            finished = len(results) == len(content.config.episodes)
        except PeepholeError as error:
            self._warn(f"Figures and tables were not logged: {error}")
        finally:
            self._each(lambda logger: logger.end(finished=finished))
            self._open = []

    def _log_results(self, results: Sequence[EpisodeResult]) -> None:
        figures = figure_values(results)
        table = episodes_table(self._folder)
        films = sorted((self._folder / "films").glob("*.mp4"))[:_MOST_FILMS]
        with _plot(self._folder) as plot:

            def log_all(logger: RunLogger) -> None:
                logger.figures(figures)
                logger.table(table)
                if plot is not None:
                    logger.picture("figures", plot)
                for film in films:
                    logger.film(film.stem, film)

            self._each(log_all)

    def _each(self, log: Callable[[RunLogger], None]) -> None:
        """Do something with each logger that works; one that fails is left out from then on."""
        for each in self._open:
            if each.failed:
                continue
            try:
                log(each.logger)
            except (Exception, SystemExit) as error:  # a tracker's code and its network
                each.failed = True
                self._warn(
                    f"The logger {each.name} failed ({_reason(error)}); the run goes on "
                    f"without it. Log it later with: {each.again}"
                )


@contextmanager
def run_log(
    names: Sequence[LoggerName],
    folder: Path,
    warn: Callable[[str], None],
    note: Callable[[str], None] = lambda sentence: None,
) -> Iterator[RunLog]:
    """The loggers of a run, which are closed at the end, also after an error. See `RunLog`."""
    log = RunLog(names, folder, warn, note)
    try:
        yield log
    except KeyboardInterrupt:
        log.end(whole=False)
        raise
    except BaseException:
        log.end()
        raise
    log.end()


def log_run(folder: Path, names: Sequence[LoggerName]) -> None:
    """Log a recorded run. Raises as `RunLog` does, and PeepholeError where a logger fails."""
    problems: list[str] = []
    log = RunLog(names, folder, problems.append)
    for result in results_in(folder, read_run(folder)):
        log.add(result)
    log.end()
    if problems:
        raise PeepholeError(problems[0])


def _name(logger: LoggerName) -> str:
    return logger if isinstance(logger, str) else type(logger).__name__


def _again(logger: LoggerName, folder: Path) -> str:
    """How a user logs a recorded run to a tracker."""
    if isinstance(logger, str):
        return f"peephole run --resume --out {shlex.quote(str(folder))} --log {shlex.quote(logger)}"
    return f"peephole.log_run({str(folder)!r}, {_name(logger)}())"


def _reason(error: BaseException) -> str:
    """An error of a tracker: the first line of its text."""
    return next(iter(str(error).splitlines()), "").rstrip(". ") or type(error).__name__


def _begun(name: str, logger: RunLogger, about: LoggedRun) -> str:
    try:
        return logger.begin(about)
    except PeepholeError:
        raise
    except (Exception, SystemExit) as error:
        raise BadInput(
            f"The logger {name} cannot start ({_reason(error)}); correct that, or leave --log out."
        ) from None


# --- what is logged ------------------------------------------------------------------------------


def logged_run(folder: Path, content: RunFile) -> LoggedRun:
    """What loggers are told of a run."""
    config = content.config
    same = [content.created, config.label, config.suite, config.adapter, config.seed, folder.name]
    key = hashlib.sha256(json_text(same).encode()).hexdigest()[:16]
    tags = (config.suite, config.planner, f"stand-in {content.mark}" * bool(content.mark))
    return LoggedRun(
        key=key,
        name=f"{content.label} on {config.suite}",
        suite=config.suite,
        settings=_settings(content),
        tags=tuple(filter(None, tags)),
        folder=folder,
    )


def _settings(content: RunFile) -> dict[str, str | int | float | bool]:
    config = content.config
    return _flat(
        {
            "suite": config.suite,
            "planner": config.planner,
            "adapter": config.adapter,
            "dialect": config.dialect,
            "options": dict(config.options),
            "models": {role: model.name for role, model in config.models.items()},
            "temperature": {role: model.temperature for role, model in config.models.items()},
            "seed": config.seed,
            "repeats": config.repeats,
            "tasks": len(config.tasks),
            "stand_in": content.mark,
            "created": content.created,
            "made_with": provenance_data(content),
        }
    )


def _flat(data: Mapping[str, Any], prefix: str = "") -> dict[str, str | int | float | bool]:
    """Nested data with names such as "options.menu"; what is empty is left out."""
    found: dict[str, str | int | float | bool] = {}
    for name, value in data.items():
        match value:
            case Mapping():
                found |= _flat(value, f"{prefix}{name}.")
            case str() | int() | float() if value != "":
                found[prefix + name] = value
            case [_, *_]:
                found[prefix + name] = json_text(value)
    return found


#: Numbers of an episode that are logged as it ends.
_OF_EPISODES = (
    *("progress", "steps", "decisions", "reward", "retries", "planning_s", "model_s"),
    *("duration_s", "calls", "tokens_in", "tokens_out", "usd"),
)


def episode_values(result: EpisodeResult) -> dict[str, float]:
    """The numbers of an episode, as "episode/success"; unknown ones are left out."""
    values = {name: getattr(result, name) for name in _OF_EPISODES}
    values |= {"success": result.success, "failed_actions": sum(result.failures.values())}
    return {f"episode/{name}": float(value) for name, value in values.items() if value is not None}


def _so_far(results: Sequence[EpisodeResult]) -> dict[str, float]:
    """The rate of successes so far, and what was spent."""
    scored = [bool(result.success) for result in results if result.success is not None]
    found = {
        "run/tokens": float(sum(result.tokens for result in results)),
        "run/usd": sum(result.usd for result in results),
    }
    return found | ({"run/gsr": sum(scored) / len(scored)} if scored else {})


def figure_values(results: Sequence[EpisodeResult]) -> dict[str, float]:
    """The figures of a run by name, with the bounds of their intervals."""
    values: dict[str, float] = {}
    for name, figure in summarize(results).items():
        bounds = {"": figure.mean, "_low": figure.low, "_high": figure.high}
        values |= {name + end: each for end, each in bounds.items() if each is not None}
    return values


def episodes_table(folder: Path) -> Table:
    """A row for each episode, as in `peephole show --csv`."""
    rows = run_document(folder)["rows"]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[_cell(row.get(name)) for name in columns] for row in rows]
    return Table("episodes", columns, cells)


def _cell(value: Any) -> str | int | float | bool | None:
    return value if value is None or isinstance(value, str | int | float) else json_text(value)


@contextmanager
def _plot(folder: Path) -> Iterator[Path | None]:
    """A picture of the run's figures; None without matplotlib, or where nothing was scored."""
    with TemporaryDirectory(prefix="peephole-plot-") as there:
        path: Path | None = Path(there, "figures.png")
        try:
            write_plot(plot_of_runs([folder], _PLOTTED), Path(there, "figures.png"), _WIDTH)
        except PeepholeError:
            path = None
        yield path
