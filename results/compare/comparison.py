"""All figures of a simulation against the real runs of the same tasks, from recordings alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...episodes.run_file import read_run
from ...errors import BadInput
from ..judging.agreement import FIRST_JUDGE, TRUTH, JudgeAgreement, JudgedEpisode, judge_agreements
from ..provenance import Difference, difference_lines, provenance_differences
from ..statistics.agreement import (
    Agreement,
    OutcomeAgreement,
    agreement,
    leave_one_out,
    outcome_agreement,
)
from ..statistics.estimates import Estimate, rate_over_tasks
from ..statistics.intervals import Array, means_by_task
from ..statistics.paired_tests import PairedComparison, Pairs, compare_pairs, holm
from ..statistics.predictions import PredictionPowered, prediction_powered_mean
from .failed_episodes import FailedEpisode, FailedPair, cause_shares, failed_pairs
from .observations import ObservationGap, ObservationTally
from .sides import (
    EpisodePair,
    PairedPlanner,
    PlayedEpisode,
    Side,
    of_one_simulator,
    paired_planners,
    read_sides,
)
from .skills import ComparedSkill, SkillTry, compared_skills, tries_of, with_moments


@dataclass(frozen=True)
class SideFigures:
    """Means of a planner on one side, over the paired episodes."""

    success: Estimate
    """Success rate."""
    progress: float | None
    """Mean share of subgoals, over the episodes where it is known; None where it never is."""
    steps: float
    """Mean steps of an episode."""
    retries: float
    """Mean retries of an episode."""
    seconds: float
    """Mean seconds in the simulator."""


@dataclass(frozen=True)
class ComparedPlanner:
    """A planner on both sides, over paired tasks and episodes.

    difference: success in simulation less real success. powered: real success with the help of all
    simulated episodes, or why it is unknown. further_tasks: simulated ones that were not played on
    the real side. only_real: real episodes without a simulated one.
    """

    name: str
    """Its label."""
    tasks: int
    """Paired tasks."""
    pairs: int
    """Paired episodes."""
    sim: SideFigures
    """Its figures in simulation."""
    real: SideFigures
    """Its figures on the real side."""
    difference: PairedComparison
    """Success in simulation less real success."""
    holm: float
    """Its p, corrected for the number of planners."""
    outcomes: OutcomeAgreement
    """How far the outcomes of pairs agree."""
    powered: PredictionPowered | str
    """Real success with the help of all simulated episodes, or why it is unknown."""
    further_tasks: int
    """Simulated tasks that were not played on the real side."""
    only_real: int
    """Real episodes without a simulated one."""


@dataclass(frozen=True)
class Comparison:
    """All figures of two sides."""

    sim: Side
    """The simulated side."""
    real: Side
    """The real side."""
    planners: tuple[ComparedPlanner, ...]
    """Those on both sides."""
    difference: PairedComparison
    """Success in simulation less real success, over all planners; a task is one draw."""
    outcomes: OutcomeAgreement
    """Agreement of outcomes over all planners."""
    skills: tuple[ComparedSkill, ...]
    """Skills over all planners."""
    skills_of: Mapping[str, tuple[ComparedSkill, ...]]
    """Skills by planner."""
    observations: ObservationGap
    """Differences between the views."""
    agreement: Agreement | str
    """Agreement of the planners' figures, or why it is unknown."""
    without: Mapping[str, Agreement]
    """The same with each planner left out."""
    excluded: int
    """Tasks left out of the agreement, since not all planners have them on both sides."""
    powered: PredictionPowered | str
    """Real success, mean over planners, with the help of simulated episodes."""
    failed_pairs: tuple[FailedPair, ...]
    """The pairs of which an episode failed, with the causes."""
    judges: tuple[Sequence[JudgeAgreement], Sequence[JudgeAgreement]]
    """Agreement of judges on either side, where a further person judged."""
    notes: tuple[str, ...]
    """Sentences that a reader needs."""
    differences: tuple[Difference, ...]
    """What the sides were made with, where it differs."""
    tries: tuple[Sequence[SkillTry], Sequence[SkillTry]]
    """Tries of skills on either side."""

    @property
    def of_one_simulator(self) -> bool:
        """Whether both sides are runs in one simulator, and neither stands for reality."""
        return of_one_simulator(self.sim, self.real)

    @property
    def failed(self) -> tuple[Sequence[FailedEpisode], Sequence[FailedEpisode]]:
        """The failed episodes of either side, with their causes."""
        pairs = self.failed_pairs
        return (
            [pair.sim for pair in pairs if pair.sim is not None],
            [pair.real for pair in pairs if pair.real is not None],
        )


def compare(sim: Sequence[Path], real: Sequence[Path]) -> Comparison:
    """Compare two runs or two lists of runs. Raises BadInput where nothing can be paired."""
    if {run.resolve() for run in sim} & {run.resolve() for run in real}:
        raise BadInput("A run is on both sides; name two runs, the simulated first.")
    sides = read_sides(sim, real)
    for side in sides:
        if not side.planners:
            raise BadInput(f"{side.runs[0]} has no episode that was scored; finish it first.")
    planners = paired_planners(*sides)
    differences = provenance_differences([[(r, read_run(r)) for r in side.runs] for side in sides])
    far = _far_played(planners)
    tries, observations = _read_episodes(planners)
    every = [pair for planner in planners for pair in planner.pairs]
    by_planner = {
        planner.name: tuple(compared_skills(*(side[planner.name] for side in tries)))
        for planner in planners
    }
    pooled = [[each for group in side.values() for each in group] for side in tries]
    figures, excluded = _figures(far)
    return Comparison(
        sim=sides[0],
        real=sides[1],
        planners=_compared_planners(planners),
        difference=compare_pairs(_paired(every, "paired by planner and task")),
        outcomes=_outcomes(every),
        skills=tuple(compared_skills(*pooled)),
        skills_of=by_planner,
        observations=observations,
        agreement=_agreement(figures, excluded),
        without=leave_one_out(*figures) if len(figures[0]) > 2 and _tasks(figures) else {},
        excluded=excluded,
        powered=_powered(far),
        failed_pairs=failed_pairs(planners),
        judges=(_judges(sides[0]), _judges(sides[1])),
        notes=(*_notes(sides, planners), *difference_lines(differences)),
        differences=tuple(differences),
        tries=(pooled[0], pooled[1]),
    )


_Tries = dict[str, list[SkillTry]]


def _read_episodes(
    planners: Sequence[PairedPlanner],
) -> tuple[tuple[_Tries, _Tries], ObservationGap]:
    """The tries of all paired episodes by side and planner, and the differences of their views."""
    tries: tuple[_Tries, _Tries] = defaultdict(list), defaultdict(list)
    tally = ObservationTally()
    for planner in planners:
        for pair in planner.pairs:
            timelines = []
            for side, episode in zip(tries, (pair.sim, pair.real), strict=True):
                timeline = list(with_moments(episode.events))
                side[planner.name] += tries_of(pair.task, timeline)
                timelines.append(timeline)
            tally.add(*timelines)
    return tries, tally.gap()


# --- planners ------------------------------------------------------------------------------------


def _compared_planners(planners: Sequence[PairedPlanner]) -> tuple[ComparedPlanner, ...]:
    tests = []
    for planner in planners:
        how = "task and seed" if planner.by_seed else "task and order of repeats"
        tests.append(compare_pairs(_paired(planner.pairs, f"paired by {how}")))
    corrected = holm([test.p for test in tests])
    return tuple(map(_compared, planners, tests, corrected))


def _paired(pairs: Sequence[EpisodePair], sentence: str) -> Pairs:
    return Pairs(tuple(pair.task for pair in pairs), *_successes(pairs), sentence)


def _compared(planner: PairedPlanner, test: PairedComparison, corrected: float) -> ComparedPlanner:
    pairs = planner.pairs
    return ComparedPlanner(
        name=planner.name,
        tasks=test.tasks,
        pairs=len(pairs),
        sim=_side([pair.sim for pair in pairs]),
        real=_side([pair.real for pair in pairs]),
        difference=test,
        holm=corrected,
        outcomes=_outcomes(pairs),
        powered=_powered([planner]),
        further_tasks=len({episode.task for episode in planner.further}),
        only_real=planner.only_real,
    )


def _side(episodes: Sequence[PlayedEpisode]) -> SideFigures:
    results = [episode.result for episode in episodes]
    progress = [result.progress for result in results if result.progress is not None]
    return SideFigures(
        success=rate_over_tasks([(e.task, bool(e.result.success)) for e in episodes]),
        progress=_mean(progress) if progress else None,
        steps=_mean([result.steps for result in results]),
        retries=_mean([result.retries for result in results]),
        seconds=_mean([result.duration_s for result in results]),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _successes(pairs: Sequence[EpisodePair]) -> tuple[Array, Array]:
    return (
        np.array([pair.sim.success for pair in pairs]),
        np.array([pair.real.success for pair in pairs]),
    )


def _outcomes(pairs: Sequence[EpisodePair]) -> OutcomeAgreement:
    return outcome_agreement(*_successes(pairs), [pair.task for pair in pairs])


def _judges(side: Side) -> list[JudgeAgreement]:
    judged = [
        JudgedEpisode(episode.task, episode.path, bool(episode.result.success))
        for episodes in side.planners.values()
        for episode in episodes
    ]
    return list(judge_agreements(judged, TRUTH if side.has_truth else FIRST_JUDGE))


# --- agreement of planners -----------------------------------------------------------------------


def _far_played(planners: Sequence[PairedPlanner]) -> list[PairedPlanner]:
    """The planners with at least half as many paired tasks as the one with most.

    A planner that has just begun would leave hardly a common task.
    """
    tasks = [len({pair.task for pair in planner.pairs}) for planner in planners]
    return [p for p, number in zip(planners, tasks, strict=True) if 2 * number >= max(tasks)]


_Figures = tuple[dict[str, Array], dict[str, Array]]


def _figures(planners: Sequence[PairedPlanner]) -> tuple[_Figures, int]:
    """Each planner's mean success in each common task, and the number of other tasks."""
    of_side = [
        {p.name: _by_task([getattr(pair, side) for pair in p.pairs]) for p in planners}
        for side in ("sim", "real")
    ]
    tasks = [set(means) for means in of_side[0].values()]
    common = sorted(set.intersection(*tasks))
    arrays = [
        {name: np.array([means[task] for task in common]) for name, means in side.items()}
        for side in of_side
    ]
    return (arrays[0], arrays[1]), len(set.union(*tasks)) - len(common)


def _tasks(figures: _Figures) -> int:
    return len(next(iter(figures[0].values())))


def _agreement(figures: _Figures, excluded: int) -> Agreement | str:
    if not _tasks(figures):
        return (
            f"No task was played by all planners ({excluded} by some); agreement over planners "
            f"needs the same tasks for all."
        )
    return agreement(*figures)


def _by_task(episodes: Sequence[PlayedEpisode]) -> dict[str, float]:
    return means_by_task((episode.task, episode.success) for episode in episodes)


# --- prediction-powered figures ------------------------------------------------------------------


def _powered(planners: Sequence[PairedPlanner]) -> PredictionPowered | str:
    """The mean real success over tasks and planners, with the help of simulation.

    Only tasks that all these planners have on both sides are used.
    """
    real, sim, more = [], [], []
    for planner in planners:
        real.append(_by_task([pair.real for pair in planner.pairs]))
        sim.append(_by_task(planner.again))
        more.append(_by_task(planner.further))
    common, further = (sorted(set.intersection(*map(set, each))) for each in (real, more))
    return prediction_powered_mean(_means(real, common), _means(sim, common), _means(more, further))


def _means(of_planners: Sequence[Mapping[str, float]], tasks: Sequence[str]) -> list[float]:
    return [_mean([means[task] for means in of_planners]) for task in tasks]


# --- notes for the reader ------------------------------------------------------------------------


def _notes(sides: tuple[Side, Side], planners: Sequence[PairedPlanner]) -> list[str]:
    sim, real = sides
    notes = []
    if real.has_truth and not of_one_simulator(sim, real):
        notes.append(
            f"The second side is no real robot: {real.world} is a simulator (its true state is "
            f"recorded) that stands in for reality here."
        )
    notes += [f"Of both sides: {mark}" for mark in sim.marks if mark in real.marks]
    for name, side, other in (("first", sim, real), ("second", real, sim)):
        notes += [f"Of the {name} side: {mark}" for mark in side.marks if mark not in other.marks]
        if side.unscored:
            notes.append(f"Of the {name} side {side.unscored} episodes have no score yet.")
        left = [label for label in side.planners if not _is_paired(label, planners)]
        if left:
            notes.append(f"On the {name} side alone, and left out: {'; '.join(left)}.")
    if not all(planner.by_seed for planner in planners):
        notes.append("No seed is on both sides: repeats of a task are paired in their order.")
    far = _far_played(planners)
    few = [planner.name for planner in planners if planner not in far]
    if few:
        notes.append(
            f"With less than half of the tasks, and so left out of the agreement over planners: "
            f"{'; '.join(few)}."
        )
    only = sum(planner.only_real for planner in planners)
    if only:
        notes.append(f"{only} episodes of the second side have no pair and are left out.")
    return notes


def _is_paired(name: str, planners: Sequence[PairedPlanner]) -> bool:
    return any(name in (planner.name, *planner.name.split(" / ")) for planner in planners)


def comparison_document(found: Comparison) -> dict[str, Any]:
    """All figures of a comparison; an unknown one is {"problem": why}."""
    return {
        "sim": _side_data(found.sim),
        "real": _side_data(found.real),
        "notes": list(found.notes),
        "made_with": {each.what: list(each.values) for each in found.differences},
        "difference": asdict(found.difference),
        "outcomes": asdict(found.outcomes),
        "planners": [
            {**asdict(planner), "powered": _data(planner.powered)} for planner in found.planners
        ],
        "skills": [asdict(skill) for skill in found.skills],
        "skills_by_planner": {
            name: [asdict(skill) for skill in skills] for name, skills in found.skills_of.items()
        },
        "causes": {side: _causes_data(failed) for side, failed in _sides(found)},
        "judges": {
            name: [asdict(each) for each in judges]
            for name, judges in zip(("sim", "real"), found.judges, strict=True)
        },
        "failed_pairs": [asdict(pair) for pair in found.failed_pairs],
        "failures": {side: [asdict(e) for e in failed] for side, failed in _sides(found)},
        "observations": asdict(found.observations),
        "agreement": {
            **_data(found.agreement),
            "without": {name: _data(each) for name, each in found.without.items()},
            "tasks_left_out": found.excluded,
        },
        "powered": _data(found.powered),
    }


def _sides(found: Comparison) -> list[tuple[str, Sequence[FailedEpisode]]]:
    return list(zip(("sim", "real"), found.failed, strict=True))


def _causes_data(failed: Sequence[FailedEpisode]) -> dict[str, Any]:
    return {cause: asdict(share) for cause, share in cause_shares(failed).items()}


def _side_data(side: Side) -> dict[str, Any]:
    return {
        "runs": [str(run) for run in side.runs],
        "suites": list(side.suites),
        "adapters": side.world,
        "is_simulated": side.has_truth,
        "stand_ins": list(side.marks),
        "unscored": side.unscored,
    }


def _data(found: Any) -> dict[str, Any]:
    if isinstance(found, str):
        return {"problem": found}
    data = asdict(found)
    if isinstance(found, Agreement):
        data["planners"] = list(found.planners)
    return data
