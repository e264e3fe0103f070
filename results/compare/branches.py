"""Branches of an episode beside it: at which step was it lost?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from ...episodes.branches.branch import Branch
from ...episodes.branches.parent import ending_of, is_parent
from ...episodes.events import Perceived, RecordedEvent, Stepped
from ...episodes.recording import episode_path, read_undamaged
from ...episodes.result import EpisodeResult
from ...episodes.run_file import RunFile, read_run
from ...errors import BadInput
from ...planners.contract import Done
from ..run_episodes import ended_result, results_in
from ..statistics.estimates import Estimate, wilson
from ..tables.folding import FoldingTable
from ..wording import ENDINGS

#: What a planner said at the end, in the place of a step.
_LAST_WORDS = ("done", "give up")


@dataclass(frozen=True)
class PlayedBranch:
    """One branch of an episode, with all its repeats."""

    folder: Path
    """Folder of its run."""
    branch: Branch
    """Where it branches, and what it changes."""
    instead_of: str
    """What the parent did at that step."""
    progress_before: float | None
    """Progress before that step, of the parent and the branch; None where nobody can tell."""
    results: tuple[EpisodeResult, ...]
    """The results of its ended episodes."""

    @property
    def scored(self) -> list[EpisodeResult]:
        """The results of which success is known."""
        return [result for result in self.results if result.success is not None]

    @property
    def reached(self) -> int:
        """So many of them reached the goal."""
        return sum(bool(result.success) for result in self.scored)

    @property
    def success(self) -> Estimate | None:
        """The success rate with its Wilson interval; None where nothing is known."""
        return wilson(self.reached, len(self.scored)) if self.scored else None

    @property
    def progress(self) -> float | None:
        """Mean progress at the end; None where nobody can tell."""
        return _mean([r.progress for r in self.scored if r.progress is not None])

    @property
    def steps(self) -> float | None:
        """Mean steps from the branching step on."""
        return _mean([result.steps - self.branch.step + 1 for result in self.results])

    @property
    def count(self) -> str:
        """How many reached the goal, in words."""
        return f"{self.reached} of {len(self.scored)}"


@dataclass(frozen=True)
class BranchedEpisode:
    """An episode with its branches, by step."""

    folder: Path
    """Folder of its run."""
    number: int
    """Its place there."""
    task: str
    """Id of its task."""
    label: str
    """What played it."""
    result: EpisodeResult | None
    """None while it has not ended."""
    branches: tuple[PlayedBranch, ...]
    """In the order of steps."""

    def steps_from(self, step: int) -> int | None:
        """The parent's own steps from a step on."""
        return None if self.result is None else self.result.steps - step + 1


def branched_episodes(parent: Path, others: Sequence[Path]) -> list[BranchedEpisode]:
    """The episodes of a run that others branch from; empty where none of them does.

    Raises BadInput where only some do.
    """
    content = read_run(parent)
    found: dict[int, list[tuple[Path, RunFile, Branch]]] = {}
    strange: list[Path] = []
    for folder in others:
        other = read_run(folder)
        branch = other.config.branch
        if branch is not None and is_parent(parent, content, branch):
            found.setdefault(branch.episode, []).append((folder, other, branch))
        else:
            strange.append(folder)
    if found and strange:
        raise BadInput(
            f"{strange[0]} is no branch of {parent}, as the others are; leave it out, or compare "
            f"it alone."
        )
    return [_branched(parent, content, number, found[number]) for number in sorted(found)]


def _branched(
    folder: Path, content: RunFile, number: int, runs: Sequence[tuple[Path, RunFile, Branch]]
) -> BranchedEpisode:
    task = content.config.episodes[number - 1].task
    path = episode_path(folder, number, task)
    events = read_undamaged(path)[0]
    rows = [
        PlayedBranch(
            run,
            branch,
            _done_at(events, branch.step),
            _progress_before(events, branch.step),
            tuple(results_in(run, other)),
        )
        for run, other, branch in runs
    ]
    rows.sort(key=lambda row: (row.branch.change, row.branch.step, str(row.folder)))
    result = ended_result(path)
    return BranchedEpisode(folder, number, task, content.label, result, tuple(rows))


def _done_at(events: Sequence[RecordedEvent], step: int) -> str:
    """What was done at a step, in words; "done" or "give up" where the planner ended there."""
    for event in events:
        if isinstance(event, Stepped) and event.step == step:
            return event.wording
    return _LAST_WORDS[0] if isinstance(ending_of(events), Done) else _LAST_WORDS[1]


def _progress_before(events: Sequence[RecordedEvent], step: int) -> float | None:
    moments = (e for e in events if isinstance(e, Perceived) and (e.step < step))
    return [event.progress for event in moments][-1]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


# --- in words ------------------------------------------------------------------------------------


def branches_view(found: Sequence[BranchedEpisode]) -> RenderableType:
    """The branches of episodes as tables, each with what they show."""
    return Group(*(part for episode in found for part in _parts(episode)))


def _parts(episode: BranchedEpisode) -> Iterator[RenderableType]:
    parent = episode.result
    yield Text(f"Episode {episode.number} of {episode.folder}, {episode.task}: {episode.label}")
    yield Text(_ending(parent))
    table = FoldingTable("Branches [95 % interval]; in brackets the parent's own steps from there")
    table.add_numbers("step")
    table.add_column("change", overflow="fold", min_width=13)
    table.add_column("instead of", overflow="fold", min_width=11)
    table.add_numbers("reached", "progress", "steps on")
    for row in episode.branches:
        on = episode.steps_from(row.branch.step)
        table.add_row(
            str(row.branch.step),
            row.branch.change,
            row.instead_of,
            f"{row.count}\n{'' if row.success is None else row.success.lines(100, 0)[1]}".rstrip(),
            f"{_share(row.progress_before)} to\n{_share(row.progress)}",
            f"{'?' if row.steps is None else f'{row.steps:.1f}'}\n({'?' if on is None else on})",
        )
    yield table
    yield from (Text(sentence) for sentence in verdicts(episode))


def _ending(parent: EpisodeResult | None) -> str:
    """How the parent ended, in a sentence."""
    if parent is None:
        return "The parent has not ended."
    steps = f"{parent.steps} steps, progress {_share(parent.progress)}"
    return f"The parent: {ENDINGS.get(parent.ended, parent.ended)}, {steps}."


def _share(progress: float | None) -> str:
    return "?" if progress is None else f"{progress:.0%}"


def verdicts(episode: BranchedEpisode) -> list[str]:
    """What the branches of an episode show, a sentence for each change of several steps."""
    parent = episode.result
    if parent is None or parent.success is None:
        return ["Nobody can tell whether the parent reached its goal; only figures are shown."]
    changes: dict[str, list[PlayedBranch]] = {}
    for row in episode.branches:
        if row.scored:
            changes.setdefault(row.branch.change, []).append(row)
    if parent.success:
        failed = [row for rows in changes.values() for row in rows if not row.reached]
        if not failed:
            return ["The parent reached the goal, and each branch did at least once."]
        lost = ", ".join(f"at step {r.branch.step} ({r.branch.change})" for r in failed)
        return [f"The parent reached the goal; it is lost {lost}."]
    return [sentence for rows in changes.values() for sentence in _why_lost(rows)]


def _why_lost(rows: Sequence[PlayedBranch]) -> Iterator[str]:
    """Which decision of a failed parent lost it, by one change at several steps."""
    change = rows[0].branch.change
    if rows[0].branch.action:
        for row in rows:
            does = f"With {change} at step {row.branch.step} instead of '{row.instead_of}'"
            if row.reached:
                yield (
                    f"{does} the goal is reached ({row.count}): that decision lost it, as the "
                    f"planner goes on here."
                )
            else:
                yield f"{does} the goal is not reached either ({row.count})."
        return
    first, last = rows[0].branch.step, rows[-1].branch.step
    good = [row for row in rows if row.reached]
    if not good:
        where = f"step {first}" if first == last else f"any of the steps {first} to {last}"
        yield (
            f"'{change}' does not reach the goal from {where}: it was lost before, or the change "
            f"does not help."
        )
        return
    newest = good[-1]
    later = [row for row in rows if row.branch.step > newest.branch.step]
    step = newest.branch.step
    if not later and newest.instead_of in _LAST_WORDS:
        yield (
            f"'{change}' still reaches the goal from step {step} ({newest.count}), where the "
            f"parent ended with '{newest.instead_of}': that lost it."
        )
        return
    if not later:
        yield f"'{change}' still reaches the goal from step {step} ({newest.count})."
        return
    following = later[0]
    lost = (
        f"the decision at step {step} ('{newest.instead_of}')"
        if following.branch.step == step + 1
        else f"a decision from step {step} to {following.branch.step - 1}"
    )
    sentence = (
        f"'{change}' still reaches the goal from step {step} ({newest.count}), and no more from "
        f"step {following.branch.step} ({following.count}): {lost} lost it."
    )
    yield sentence + _caution(newest, following)


def _caution(one: PlayedBranch, other: PlayedBranch) -> str:
    """A further sentence where the two rates may be the same."""
    asked = any(r.calls > r.calls_cached for r in (*one.results, *other.results))
    low = one.success.low if one.success is not None else None
    high = other.success.high if other.success is not None else None
    if not asked or (low is not None and high is not None and low > high):
        return ""
    return " Their intervals overlap: a model that samples may do otherwise; play more --repeats."


def branches_document(found: Sequence[BranchedEpisode]) -> dict[str, Any]:
    """The same as JSON data."""
    return {
        "episodes": [
            {
                "parent": str(episode.folder),
                "episode": episode.number,
                "task": episode.task,
                "success": episode.result and episode.result.success,
                "progress": episode.result and episode.result.progress,
                "steps": episode.result and episode.result.steps,
                "branches": [_row_data(episode, row) for row in episode.branches],
                "verdicts": verdicts(episode),
            }
            for episode in found
        ]
    }


def _row_data(episode: BranchedEpisode, row: PlayedBranch) -> Mapping[str, Any]:
    success = row.success
    return {
        "run": str(row.folder),
        "step": row.branch.step,
        "change": row.branch.change,
        "instead_of": row.instead_of,
        "scored": len(row.scored),
        "reached": row.reached,
        "success": None if success is None else [success.mean, success.low, success.high],
        "progress_before": row.progress_before,
        "progress": row.progress,
        "steps_from_there": row.steps,
        "parent_steps_from_there": episode.steps_from(row.branch.step),
    }
