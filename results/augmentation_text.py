"""What detectors found, in one line for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple

from ..episodes.augmentation import total
from ..episodes.result import EpisodeResult
from ..planners.kits.detectors.from_model import FAILURES
from .metrics import scored_of, summarize

#: Figures that are told, with their words.
_FIGURES = {"node_f1": "node F1", "edge_f1": "edge F1", "exact_looks": "all right"}


def augmentation_text(results: Sequence[EpisodeResult]) -> str:
    """Such as "40 looks, 3 of them where nothing was; node F1 91.0 % [87.1, 95.0] …".

    Empty where nothing was looked for.
    """
    found = total(result.augmentation for result in scored_of(results))
    if found is None:
        return ""
    figures = summarize(results)
    looks = f"{found.looks} look{'s' if found.looks != 1 else ''}"
    told = [f"{looks}, {found.empty} of them where nothing was" if found.empty else looks]
    for key, words in _FIGURES.items():
        if key in figures:
            mean, low, high = (100 * share for share in astuple(figures[key]))
            told.append(f"{words} {mean:.1f} % [{low:.1f}, {high:.1f}]")
    told += [f"{found.failed} without an image or an answer"] if found.failed else []
    unusable = {why: count for why, count in found.unusable.items() if why not in FAILURES}
    if unusable:
        counts = ", ".join(f"{why.replace('_', ' ')} {n}" for why, n in sorted(unusable.items()))
        told.append(f"left out of answers: {counts}")
    return "; ".join(told)
