"""The order in which a grid's episodes are played.

Task by task: every row plays a task with all seeds before the next one begins, and suites come on
in step with their lengths. Tasks come in a random order, the same for all rows. So a grid that ends
early has compared its rows on the same tasks, and those are a fair sample of all.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..episodes.engines.contract import Ticket
from ..episodes.run_file import RunConfig
from ..results.papers.rows import GridRun
from ..results.statistics.stopping import shuffled


def interleaved(runs: Sequence[GridRun], configs: Sequence[RunConfig], draw: int) -> list[Ticket]:
    """All episodes of a grid's runs. draw: the seed of the order of tasks."""
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
