"""Hypotheses: possible goals, and possible places of their objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: A goal: (object, destination area) pairs, sorted by object name.
Targets = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Hypothesis:
    """A possible goal and possible places of its unseen objects, by name.

    targets: the destination area of each wanted object. places: the area of each unseen object.
    weight: its likelihood, on any scale.
    """

    targets: Mapping[str, str]
    places: Mapping[str, str] = field(default_factory=dict)
    weight: float = 1.0


def sorted_targets(targets: Mapping[str, str]) -> Targets:
    """A goal as a value that can be compared and hashed."""
    return tuple(sorted(targets.items()))
