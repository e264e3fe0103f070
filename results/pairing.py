"""Two recorded runs of the same tasks compared, task by task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..episodes.result import EpisodeResult
from ..episodes.run_file import read_run
from .experiments import OTHER_TASKS, are_matched_only, task_names
from .run_episodes import ended_by_key
from .statistics.intervals import VarianceSplit, variance_split
from .statistics.paired_tests import Key, PairedComparison, compare_pairs, holm, pair_up


@dataclass(frozen=True)
class Paired:
    """A comparison of two runs.

    success: of the goal. progress: of the share of literals; None where it is unknown. both,
    neither: number of episodes that both or none solved; None where means of tasks are paired.
    """

    success: PairedComparison
    progress: PairedComparison | None
    both: int | None
    neither: int | None


def results_by_key(*folders: Path) -> list[dict[Key, EpisodeResult]]:
    """The scored episodes of runs, by task and seed; the same task has one name in all runs."""
    runs = [(folder, read_run(folder)) for folder in folders]
    return [
        {key: r for key, r in ended_by_key(folder, content, names) if r.success is not None}
        for (folder, content), names in zip(runs, task_names(runs), strict=True)
    ]


def paired(first: Path, second: Path) -> Paired | str:
    """The comparison of two runs, or a sentence on why there is none."""
    return _against(first, [second])[0]


def _against(first: Path, others: Sequence[Path]) -> list[Paired | str]:
    """The comparisons of a run with others."""
    ours, *theirs = results_by_key(first, *others)
    return [
        "the same run is named twice; name two runs"
        if other.resolve() == first.resolve()
        else paired_results(ours, each)
        for other, each in zip(others, theirs, strict=True)
    ]


def paired_results(
    ours: Mapping[Key, EpisodeResult], theirs: Mapping[Key, EpisodeResult]
) -> Paired | str:
    """The comparison of scored episodes, or a sentence on why there is none."""
    pairs = pair_up(_successes(ours), _successes(theirs))
    if isinstance(pairs, str):
        return f"{pairs}{OTHER_TASKS if _of_one_id(ours, theirs) else ''}"
    progress = pair_up(_progress(ours), _progress(theirs))
    single = bool(((pairs.first % 1) + (pairs.second % 1) == 0).all())
    return Paired(
        success=compare_pairs(pairs),
        progress=None if isinstance(progress, str) else compare_pairs(progress),
        both=int((pairs.first * pairs.second).sum()) if single else None,
        neither=int(((1 - pairs.first) * (1 - pairs.second)).sum()) if single else None,
    )


def paired_lines(names: Sequence[str], runs: Sequence[Path]) -> list[str]:
    """The first run against each of the others, in words."""
    first, *others = names
    comparisons = _against(runs[0], runs[1:])
    lines = []
    for name, other, comparison in zip(others, runs[1:], comparisons, strict=True):
        if isinstance(comparison, str):
            lines.append(f"{first} and {name} are not compared: {comparison}.")
        else:
            lines.append(_sentence(first, name, comparison))
            if are_matched_only([(run, read_run(run)) for run in (runs[0], other)]):
                lines.append(
                    f"{first} and {name} played matched tasks: the same but for what their suites "
                    "change."
                )
    ps = [comparison.success.p for comparison in comparisons if isinstance(comparison, Paired)]
    if len(ps) > 1:
        shown = ", ".join(f"{p:.2g}" for p in holm(ps))
        lines.append(f"Corrected for {len(ps)} comparisons (Holm), the p of success: {shown}.")
    assumed = {
        comparison.success.sentence for comparison in comparisons if isinstance(comparison, Paired)
    }
    return [*lines, *(f"Assumed: {sentence}." for sentence in sorted(assumed))]


def _sentence(first: str, second: str, found: Paired) -> str:
    success, progress = found.success, found.progress
    ties = f"{success.ties} tie{'s' if success.ties != 1 else ''}"
    if success.test == "exact McNemar":
        what = (
            f"{first} alone solved {success.first_better} and {second} alone "
            f"{success.second_better}, {ties} ({found.both} solved by both, {found.neither} by "
            "neither)"
        )
    else:
        what = (
            f"{first} did better in {success.first_better} and {second} in "
            f"{success.second_better}, {ties}"
        )
    times = f" ({success.pairs} pairs of episodes)" if success.pairs > success.tasks else ""
    line = f"Of {success.tasks} tasks that both have{times}, {what}: {_figures('GSR', success)}"
    line += f"; {_figures('SSR', progress)}." if progress is not None else "."
    if not success.first_better + success.second_better:
        line += " No task shows a difference, which does not prove that they are equally good."
    return line


def _figures(name: str, found: PairedComparison) -> str:
    difference = found.difference.text(100, 1)
    return f"{name} differs by {difference} points, {found.test} p = {found.p:.2g}"


def paired_documents(runs: Sequence[Path]) -> list[dict[str, Any]]:
    """The first run against each of the others as JSON data; `problem` says why there is none."""
    documents = []
    for other, found in zip(runs[1:], _against(runs[0], runs[1:]), strict=True):
        data = {"problem": found} if isinstance(found, str) else asdict(found)
        documents.append({"first": str(runs[0]), "second": str(other), **data})
    return documents


def split_over_repeats(results: Sequence[EpisodeResult]) -> VarianceSplit | str:
    """The variance of success between tasks and between repeats."""
    scored = [result for result in results if result.success is not None]
    return variance_split([float(bool(r.success)) for r in scored], [r.task for r in scored])


def _of_one_id(ours: Mapping[Key, EpisodeResult], theirs: Mapping[Key, EpisodeResult]) -> bool:
    """Whether tasks have the same ids, although they are other tasks."""
    first, second = ({result.task for result in each.values()} for each in (ours, theirs))
    return not first.isdisjoint(second)


def _successes(results: Mapping[Key, EpisodeResult]) -> dict[Key, float]:
    return {key: float(bool(result.success)) for key, result in results.items()}


def _progress(results: Mapping[Key, EpisodeResult]) -> dict[Key, float]:
    return {key: r.progress for key, r in results.items() if r.progress is not None}
