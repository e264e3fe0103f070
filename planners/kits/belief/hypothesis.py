"""Hypotheses: what may be wanted, and where the things for it may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: The objects of a goal with the area that each is to come to, by name, in the order of the names.
Targets = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Hypothesis:
    """A goal that may be the one, and where the unseen objects of it may lie, by name.

    targets: the area that each wanted object is to come to. places: the area where each unseen
    object lies. weight: how likely this is, on any scale.
    """

    targets: Mapping[str, str]
    places: Mapping[str, str] = field(default_factory=dict)
    weight: float = 1.0


def sorted_targets(targets: Mapping[str, str]) -> Targets:
    """A goal as a value that can be compared and hashed."""
    return tuple(sorted(targets.items()))
