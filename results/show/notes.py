"""What is told below tables and trajectories: stand-ins, damage, and what was served."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text

from ...episodes.events import RecordedEvent
from ...episodes.run_file import StandIn
from ...models.events import ModelEvent
from ...models.serving import served


def stand_in_lines(stand_ins: Iterable[StandIn]) -> list[Text]:
    """What played in place of the real thing."""
    return [
        Text("Mechanism check: " * (s.kind != "faults") + s.text, style="yellow") for s in stand_ins
    ]


def damage_lines(problems: Sequence[str]) -> list[Text]:
    """What of recordings cannot be read."""
    return [Text(problem, style="yellow") for problem in problems]


def served_lines(events: Iterable[RecordedEvent]) -> list[Text]:
    """What the models turned out to be."""
    return [Text(s, style="dim") for s in served(e for e in events if isinstance(e, ModelEvent))]
