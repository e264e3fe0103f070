"""Answers of models that could not be used, and calls that had to be completed, from a recording.

An answer is refused by one of three: the client that asks the model, where a reply is not of the
form that was asked for; the dialect, where words are no action; and the planner, whose `Internal`
decision says in `refused` what kind of answer it was. The model is told why in each case. Images
that are none are counted with what detectors found (`augmentation`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ..models.contract import SCHEMA_CHECK
from ..models.events import ModelEvent, ModelReplied
from ..planners.contract import Decision, Internal, Note

#: Kinds of answers that no planner has to tell.
WORDS, WITHHELD, CUT_OFF, UNUSABLE = "words", "withheld reply", "reply cut off", "unusable reply"


def refused_kind(decision: Decision) -> str | None:
    """The kind of answer that a decision refuses; None where it refuses none."""
    kind = decision.data.get("refused") if isinstance(decision, Internal) else None
    return kind if isinstance(kind, str) and kind else None


def completed_calls(decision: Decision) -> int:
    """How many calls a decision tells to have been completed by rule: one, or none."""
    told = decision.data.get("corrected") if isinstance(decision, Note) else None
    return int(isinstance(told, Mapping))


def refused_replies(events: Iterable[ModelEvent]) -> Counter[str]:
    """The replies that the client refused, by kind."""
    return Counter(
        WITHHELD if event.withheld else CUT_OFF if event.cut else UNUSABLE
        for event in events
        if isinstance(event, ModelReplied) and event.problem and event.purpose != SCHEMA_CHECK
    )
