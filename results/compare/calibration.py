"""Failure rates that a simulation lacks, counted on both sides of a comparison.

Only possible actions count: those that succeeded, or failed while being carried out
(`faults.OF_EXECUTION`). A failed precondition, such as placing with an empty hand, follows from
what happened before, and comes by itself once that is injected. The rates are the excess: with
them, a skill fails as often for a reason in simulation as on the real side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from ...episodes.faults import OF_EXECUTION, Counted, FaultFile, FileRate
from ...errors import BadInput
from ...skills.actions import Verb
from ...skills.outcomes import Reason
from ..statistics.intervals import Array, expanded_shares
from .comparison import Comparison
from .skills import RESAMPLES, SEED, SkillTry

#: Smaller rates are left out.
_LEAST = 0.0005


def calibration_of(found: Comparison) -> FaultFile:
    """The rates to add. Raises BadInput where nothing fails more often on the real side."""
    sim = [each for each in found.tries[0] if _counts(each) and not each.injected]
    real = [each for each in found.tries[1] if _counts(each)]
    skills = dict.fromkeys(each.skill for each in real if each.reason)
    rates = [
        rate
        for skill in skills
        for rate in _rates_of(
            skill,
            [each for each in sim if each.skill == skill],
            [each for each in real if each.skill == skill],
        )
    ]
    if not rates:
        raise BadInput(
            "No skill fails more often on the real side than in simulation, so there is nothing "
            "to calibrate; leave --calibrate out."
        )
    planners = ", ".join(planner.name for planner in found.planners)
    return FaultFile(
        note=(
            "Failures of actions that could be done, which the simulation lacks; counted in what "
            f"both sides played with {planners}."
        ),
        made_from=f"{found.sim.world} against {found.real.world}",
        faults=rates,
    )


def _counts(each: SkillTry) -> bool:
    """Whether an action was possible, so that its outcome depends on the simulator alone."""
    return not each.reason or Reason(each.reason) in OF_EXECUTION


def _rates_of(skill: str, sim: Sequence[SkillTry], real: Sequence[SkillTry]) -> list[FileRate]:
    if not sim:
        return []  # its own failure rate there is unknown
    reasons = list(Counter(each.reason for each in real if each.reason))
    counts = _table(sim, real, reasons)
    rates = _excess(counts.sum(axis=2))
    tasks = counts.shape[2]
    told = np.zeros(len(reasons), dtype=bool)
    if tasks > 1:
        picks = np.random.default_rng(SEED).integers(0, tasks, size=(RESAMPLES, tasks))
        drawn = np.array([_excess(counts[:, :, pick].sum(axis=2)) for pick in picks])
        low, high = np.quantile(drawn, expanded_shares(tasks), axis=0)
        told = high - low > 1e-12  # else all tasks are alike
    found = []
    for place, reason in enumerate(reasons):
        if rates[place] < _LEAST:
            continue
        failed = [each for each in real if each.reason == reason]
        found.append(
            FileRate(
                skill=Verb(skill),
                reason=Reason(reason),
                rate=round(float(rates[place]), 4),
                low=round(float(low[place]), 4) if told[place] else None,
                high=round(float(high[place]), 4) if told[place] else None,
                done_anyway=round(sum(each.handled for each in failed) / len(failed), 4),
                words=failed[0].words,
                real=Counted(failures=len(failed), tries=len(real)),
                sim=Counted(failures=sum(each.reason == reason for each in sim), tries=len(sim)),
            )
        )
    return found


def _table(sim: Sequence[SkillTry], real: Sequence[SkillTry], reasons: Sequence[str]) -> Array:
    """Counts by side; then tries, other failures and failures of each reason; then task."""
    tasks = {task: n for n, task in enumerate(dict.fromkeys(t.task for t in (*sim, *real)))}
    rows: Mapping[str, int] = {reason: number for number, reason in enumerate(reasons, start=2)}
    counts = np.zeros((2, len(reasons) + 2, len(tasks)))
    for side, tries in enumerate((sim, real)):
        for each in tries:
            counts[side, 0, tasks[each.task]] += 1
            if each.reason:
                counts[side, rows.get(each.reason, 1), tasks[each.task]] += 1
    return counts


def _excess(counts: Array) -> Array:
    """The rates to add, from counts by side and row (see `_table`).

    A failure is drawn before the simulator can fail by itself, and the simulator's own rate holds
    for the rest: real = rate + (1 - all rates) x own.
    """
    (sim_tries, *sim), (real_tries, *real) = counts
    if not sim_tries or not real_tries:
        return np.zeros(len(real) - 1)
    own, seen = np.array(sim) / sim_tries, np.array(real) / real_tries
    left = 1.0 if own.sum() >= 1 else (1 - seen.sum()) / (1 - own.sum())
    rates = np.maximum(0.0, seen - min(left, 1.0) * own)[1:]
    return np.asarray(rates / max(1.0, float(rates.sum())))
