"""The order of a grid's episodes, and `--stop-when decided`.

Episodes are played task by task: every row plays a task with all seeds before the next task begins.
Suites advance in proportion to their lengths. Tasks come in a random order, the same for all rows.
So a grid that ends early has compared its rows on the same tasks, a fair sample of all.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..episodes.engines.contract import Ticket
from ..episodes.result import EpisodeResult
from ..episodes.run_file import RunConfig
from ..errors import BadInput
from ..results.papers import Grid, GridRun, StopWhenDecided
from ..results.statistics.stopping import StoppingRule, shuffled


class SuiteStopping:
    """The stopping rules of a grid, one for each suite: the first row against the others."""

    def __init__(
        self,
        grid: Grid,
        wanted: StopWhenDecided,
        runs: Sequence[GridRun],
        configs: Sequence[RunConfig],
    ) -> None:
        """Raises BadInput where there is nothing to compare."""
        rows = list(dict.fromkeys(run.row.name for run in runs))
        if len(rows) < 2:
            raise BadInput(
                "--stop-when decided compares the grid's first row with the others; give it "
                "another one."
            )
        self._runs = runs
        self._on = wanted.on
        self._rules: dict[str, StoppingRule] = {}
        for run, config in zip(runs, configs, strict=True):
            if run.suite not in self._rules:
                self._rules[run.suite] = StoppingRule(
                    rows,
                    order_of_tasks(config, grid.seeds[0]),
                    repeats=len(grid.seeds) * grid.repeats,
                    wanted=wanted.difference,
                    alpha=wanted.alpha,
                    measure=wanted.on,
                )

    def add(self, ticket: Ticket, result: EpisodeResult) -> None:
        """Count a finished episode."""
        run = self._runs[ticket.run]
        value = result.progress if self._on == "progress" else result.success
        score = None if value is None else float(value)
        self._rules[run.suite].add(run.row.name, ticket.episode.task, ticket.episode.seed, score)

    def is_needless(self, ticket: Ticket) -> bool:
        """Whether an episode can no longer change a comparison."""
        run = self._runs[ticket.run]
        return not self._rules[run.suite].needs(run.row.name)

    def sentences(self) -> list[str]:
        """The present verdict of each comparison, suite by suite."""
        return [
            f"{suite}: {verdict.sentence}."
            for suite, rule in self._rules.items()
            for verdict in rule.verdicts
        ]


def interleaved(runs: Sequence[GridRun], configs: Sequence[RunConfig], draw: int) -> list[Ticket]:
    """All episodes of a grid's runs, in their order. draw: the seed of the order of tasks."""
    places: dict[str, dict[str, float]] = {}
    keyed = []
    for number, (run, config) in enumerate(zip(runs, configs, strict=True)):
        of_suite = places.setdefault(run.suite, {})
        if not of_suite:
            tasks = order_of_tasks(config, draw)
            of_suite.update({task: (i + 0.5) / len(tasks) for i, task in enumerate(tasks)})
        for episode in config.episodes:
            key = (of_suite[episode.task], run.suite, episode.task, episode.seed, run.row.number)
            keyed.append((key, Ticket(number, episode)))
    return [ticket for _, ticket in sorted(keyed, key=lambda each: each[0])]


def order_of_tasks(config: RunConfig, draw: int) -> list[str]:
    """A run's tasks in the order in which they are played."""
    return shuffled(config.tasks, draw)
