"""Agreement of planners' figures in simulation and in reality.

Ties: equal figures share their mean rank (Spearman). In MMRV, planners that tie in simulation alone
are out of order; planners that tie in reality never are. A correlation is None where all planners
have the same figure on one side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .intervals import Array, Interval
from .rank_violation import mmrv_interval


@dataclass(frozen=True)
class Agreement:
    """Agreement of the planners' mean figures, simulated and real."""

    planners: tuple[str, ...]
    """Their labels."""
    srcc: Interval | None
    """Pearson's correlation, as papers on simulated evaluation call it."""
    spearman: Interval | None
    """Correlation of ranks."""
    mmrv: Interval
    """Mean over planners of the largest real difference that simulation orders wrongly."""
    notes: tuple[str, ...]
    """Which figures are unknown, and why."""
    sentence: str
    """What the intervals assume."""


def agreement(simulated: Mapping[str, Array], real: Mapping[str, Array]) -> Agreement | str:
    """The agreement over planners that both have; a sentence where there are fewer than two.

    simulated, real: by planner, one figure a task. The tasks are the same everywhere, in the same
    order.
    """
    planners = tuple(name for name in simulated if name in real)
    if len(planners) < 2:
        return (
            "Agreement needs at least two planners that both sides have; add runs of more planners."
        )
    sim = np.array([simulated[name] for name in planners], dtype=float)
    true = np.array([real[name] for name in planners], dtype=float)
    if sim.shape != true.shape:
        raise ValueError("simulated and real figures are of the same tasks")
    x, y = sim.mean(axis=1), true.mean(axis=1)
    notes = []
    for side, means in (("simulation", x), ("reality", y)):
        if np.ptp(means) < 1e-12:
            notes.append(f"all planners have the same figure in {side}: correlations are undefined")
    if not notes and len(planners) < 4:
        notes.append("intervals of correlations need four planners")
    return Agreement(
        planners,
        _correlation(x, y, spearman=False),
        _correlation(ranks(x), ranks(y), spearman=True),
        mmrv_interval(sim, true),
        tuple(notes),
        "intervals take the planners as a random sample with normally distributed figures; "
        "those of correlations are Fisher's z (Bonett and Wright's for Spearman), that of MMRV is "
        "of the planners' true figures, drawn given the measured ones",
    )


def leave_one_out(
    simulated: Mapping[str, Array], real: Mapping[str, Array]
) -> dict[str, Agreement]:
    """The agreement without each planner in turn; empty for fewer than three."""
    names = [name for name in simulated if name in real]
    found = {}
    for left_out in names if len(names) > 2 else ():
        rest = {name: simulated[name] for name in names if name != left_out}
        without = agreement(rest, real)
        if isinstance(without, Agreement):
            found[left_out] = without
    return found


def pearson(x: Array, y: Array) -> float | None:
    """The correlation; None where one side is constant."""
    dx, dy = x - x.mean(), y - y.mean()
    spread = math.sqrt(float(dx @ dx) * float(dy @ dy))
    return float(np.clip(dx @ dy / spread, -1, 1)) if spread > 1e-15 else None


def ranks(values: Sequence[float] | Array) -> Array:
    """Ranks from 1; equal values share the mean of theirs."""
    data = np.asarray(values, dtype=float)
    below = (data[None, :] < data[:, None]).sum(axis=1)
    same = (data[None, :] == data[:, None]).sum(axis=1)
    return np.asarray(below + (same + 1) / 2)


def _correlation(x: Array, y: Array, spearman: bool) -> Interval | None:
    value = pearson(x, y)
    if value is None:
        return None
    if len(x) < 4:
        return Interval(value, None, None)
    if abs(value) > 1 - 1e-12:
        return Interval(value, None, None)  # the transform is infinite there
    unit = 1 + value**2 / 2 if spearman else 1.0
    half = 1.959963984540054 * math.sqrt(unit / (len(x) - 3))
    middle = math.atanh(value)
    return Interval(value, math.tanh(middle - half), math.tanh(middle + half))
